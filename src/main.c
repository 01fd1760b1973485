/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "attach/attach.h"
#include "commands/help.h"
#include "session/options.h"
#include "commands/doctor.h"
#include "commands/dump.h"
#include "kernel/caps.h"
#include "commands/list.h"
#include "output/sink.h"
#include "session/session.h"
#include "stream/ring.h"
#include "base/clean.h"
#include "base/say.h"

enum { CHOICES_MAX = 32 };

static void print_help(void)
{
	struct rt_choice formats[CHOICES_MAX] = { { 0 } }, mechanisms[CHOICES_MAX] = { { 0 } },
			 rings[CHOICES_MAX] = { { 0 } };
	unsigned i;

	for (i = 0; i < CHOICES_MAX - 1 && rt_format_at(i); i++)
		formats[i] = (struct rt_choice){ rt_format_at(i)->name, rt_format_at(i)->help };
	for (i = 0; i < CHOICES_MAX - 1 && rt_attach_at(i); i++)
		mechanisms[i] = (struct rt_choice){ rt_attach_at(i)->name, rt_attach_at(i)->help };
	for (i = 0; rt_ring_at(i) && i + 1 < CHOICES_MAX; i++)
		rings[i] = (struct rt_choice){ rt_ring_at(i)->name, rt_ring_at(i)->help };
	rt_help_print(stdout, formats, mechanisms, rings);
}

static int run(const struct rt_options *options, int *status, struct rt_error *err)
{
	switch (options->command) {
	case RT_CMD_HELP:
		print_help();
		return 0;
	case RT_CMD_VERSION:
		rt_version_print(stdout);
		return 0;
	case RT_CMD_DOCTOR:
		return options->clean ? rt_doctor_clean(stdout, err) : rt_doctor_run(stdout, err);
	case RT_CMD_LIST:
		return rt_list(options, stdout, err);
	default:
		if (options->dump != RT_DUMP_NONE)
			return rt_dump(options, stdout, err);
		return rt_session_run(options, status, err);
	}
}

/*
 * What went to standard output has to be there before a message, and where it cannot be, that is
 * the message.
 */
static int flush_output(int r, struct rt_error *err)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return r;
	return rt_fail(err, -EIO, "standard output: %s", strerror(errno ? errno : EIO));
}

/*
 * The text that is wrong, and below it where: a caret for each character counts, not for each byte.
 */
static void print_source(const struct rt_error *err)
{
	unsigned i;

	fprintf(stderr, "    %s\n    ", err->source);
	for (i = 0; i < err->caret; i++)
		if (((unsigned char)err->source[i] & 0xc0) != 0x80)
			putc(err->source[i] == '\t' ? '\t' : ' ', stderr);
	fputs("^\n", stderr);
}

int main(int argc, char **argv)
{
	struct rt_error err = { .status = RT_EXIT_FAILURE };
	struct rt_options options;
	int status = 0, r;

	r = rt_caps_own_rights(&err);
	if (r < 0)
		memset(&options, 0, sizeof(options));
	else
		r = rt_options_parse(&options, argc, argv, &err);
	if (r == 0)
		r = flush_output(run(&options, &status, &err), &err);
	rt_options_free(&options);
	if (r == 0)
		return status;
	rt_make_printable(err.source);
	if (err.text[0])
		rt_say("%s", err.text);
	if (err.text[0] && err.source[0])
		print_source(&err);
	return err.status;
}
