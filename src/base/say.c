/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/say.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/clean.h"

void rt_say(const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	rt_make_printable(text);
	fprintf(stderr, "rawtrace: %s\n", text);
}

/* ECMA-48: EL, erase to the end of the line, before the text and not behind it. */
void rt_say_progress(const char *text)
{
	fprintf(stderr, "\033[Krawtrace: %s\r", text);
	fflush(stderr);
}
