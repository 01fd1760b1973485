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
