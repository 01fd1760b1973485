/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs that a command will probably run: `sh -c 'python3 t.py | sort'`, `env X=1 java Calls`,
 * `timeout 5 ./prog`.  Shells have no other place for them than the command's own words.  Each word
 * is looked up as a shell would do it.  A word that is no program costs a few system calls, and a
 * program that is not run is harmless: the kernel filters its probes by process.
 */
#include "process/command_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/private.h"
#include "process/tracee.h"

/* Reading a program and its libraries takes some ms. */
enum { WORDS_MOST = 200, PROGRAMS_MOST = 20 };

static int add_word(struct rt_program *program, const char *word,
		    bool (*fits)(const void *ctx, const struct rt_image *image), const void *ctx,
		    unsigned *programs)
{
	const struct rt_arch *arch = rt_image_arch(rt_program_executable(program));
	struct rt_program other = { 0 };
	struct rt_error ignored;
	bool some = false;
	char *path;
	size_t i;
	int r;

	if (rt_program_find(program, word) || rt_tracee_find(word, &path, &ignored) < 0)
		return 0;
	r = access(path, X_OK) == 0 ? rt_program_of_command(path, &other, &ignored) : -EACCES;
	free(path);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	++*programs;
	for (i = 0; i < other.n && !some; i++)
		some = fits(ctx, other.v[i]);
	if (some && rt_image_arch(rt_program_executable(&other)) == arch)
		return rt_program_take_all(program, &other, &ignored);
	rt_program_close(&other);
	return 0;
}

int rt_program_add_words(struct rt_program *program, char *const *argv,
			 bool (*fits)(const void *ctx, const struct rt_image *image),
			 const void *ctx, struct rt_error *err)
{
	unsigned words = 0, programs = 0;
	char *text, *rest, *word;
	int r = 0;

	while (r == 0 && *argv && *++argv) {
		text = rest = strdup(*argv);
		if (!text)
			return rt_nomem(err);
		while (r == 0 && words < WORDS_MOST && programs < PROGRAMS_MOST &&
		       (word = strsep(&rest, " \t\n;|&()<>{}'\"`$"))) {
			if (!*word || *word == '-')
				continue;
			words++;
			r = add_word(program, word, fits, ctx, &programs);
		}
		free(text);
	}
	return r < 0 ? rt_nomem(err) : 0;
}
