/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that a command will probably run: `sh -c 'python3 t.py | sort'`, `env X=1 java Calls`,
 * `timeout 5 ./prog`.  Shells have no other place for them than the command's own words.  Each word
 * is looked up as a shell would do it.  If it is a script, its interpreter is the program.  A word
 * that is no program costs a few system calls.  A program that is not run is harmless: the kernel
 * filters its probes by process.
 */
#include "process/command_words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/private.h"
#include "process/tracee.h"

/* Reading a program and its libraries takes some ms. */
enum { WORDS_MOST = 200, PROGRAMS_MOST = 20 };

struct words {
	struct rt_program *program;
	bool (*fits)(const void *ctx, const struct rt_image *image);
	const void *ctx;
	unsigned words, programs;
	bool script;	/* the words are those of a script's first line */
};

static int add_text(struct words *w, char *text);

/* "#!/usr/bin/python3", "#!/usr/bin/env python3": 0 or -ENOMEM. */
static int add_script(struct words *w, const char *path)
{
	FILE *f;
	char line[256];
	int r = 0;

	if (w->script)
		return 0;
	f = fopen(path, "re");
	w->script = true;
	if (f && fgets(line, sizeof(line), f) && strncmp(line, "#!", 2) == 0)
		r = add_text(w, line + 2);
	w->script = false;
	if (f)
		fclose(f);
	return r;
}

static int take(struct words *w, struct rt_program *other)
{
	const struct rt_arch *arch = rt_image_arch(rt_program_executable(w->program));
	struct rt_error ignored;
	bool some = false;
	size_t i;

	w->programs++;
	for (i = 0; i < other->n && !some; i++)
		some = w->fits(w->ctx, other->v[i]);
	if (some && rt_image_arch(rt_program_executable(other)) == arch)
		return rt_program_take_all(w->program, other, &ignored);
	rt_program_close(other);
	return 0;
}

static int add_word(struct words *w, const char *word)
{
	struct rt_program other = { 0 };
	struct rt_error ignored;
	char *path;
	int r;

	if (rt_program_find(w->program, word) || rt_tracee_find(word, &path, &ignored) < 0)
		return 0;
	r = access(path, X_OK) == 0 ? rt_program_of_command(path, &other, &ignored) : -EACCES;
	if (r == 0)
		r = take(w, &other);
	else if (r == -ENOEXEC)
		r = add_script(w, path);
	free(path);
	return r == -ENOMEM ? r : 0;
}

static int add_text(struct words *w, char *text)
{
	const char *word;
	int r = 0;

	while (r == 0 && w->words < WORDS_MOST && w->programs < PROGRAMS_MOST &&
	       (word = strsep(&text, " \t\n;|&()<>{}'\"`$"))) {
		if (!*word || *word == '-')
			continue;
		w->words++;
		r = add_word(w, word);
	}
	return r;
}

int rt_program_add_words(struct rt_program *program, char *const *argv,
			 bool (*fits)(const void *ctx, const struct rt_image *image),
			 const void *ctx, struct rt_error *err)
{
	struct words w = { .program = program, .fits = fits, .ctx = ctx };
	char *text;
	int r = 0;

	while (r == 0 && *argv && *++argv) {
		text = strdup(*argv);
		r = text ? add_text(&w, text) : -ENOMEM;
		free(text);
	}
	return r < 0 ? rt_nomem(err) : 0;
}
