/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clean.h"
#include "base/say.h"
#include "commands/command.h"
#include "kernel/caps.h"

/* Standard output comes before a message; if it cannot be written, this is the message. */
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
		r = flush_output(rt_commands[options.command].run(&options, stdout, &status, &err),
				 &err);
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
