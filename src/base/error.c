/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"

/* A text that is too long keeps its beginning and its end, where the reason is. */
static void shorten(char *text, size_t size, const char *fmt, va_list ap)
{
	static const char gap[] = "...";
	size_t half = (size - sizeof(gap)) / 2;
	char *whole;
	int n = vasprintf(&whole, fmt, ap);

	if (n < 0)
		return;
	memcpy(text + half, gap, sizeof(gap) - 1);
	snprintf(text + half + sizeof(gap) - 1, half + 1, "%s", whole + (size_t)n - half);
	free(whole);
}

static void fill(struct rt_error *err, int status, const char *fmt, va_list ap)
{
	va_list copy;

	if (!err)
		return;
	err->status = status;
	err->source[0] = '\0';
	va_copy(copy, ap);
	if (vsnprintf(err->text, sizeof(err->text), fmt, ap) >= (int)sizeof(err->text))
		shorten(err->text, sizeof(err->text), fmt, copy);
	va_end(copy);
	rt_make_printable(err->text);
}

int rt_fail(struct rt_error *err, int code, const char *fmt, ...)
{
	va_list ap;
	size_t n;

	va_start(ap, fmt);
	fill(err, RT_EXIT_FAILURE, fmt, ap);
	va_end(ap);
	/* Whatever wanted a descriptor: what there is to do is the same. */
	n = err && code == -EMFILE && !strstr(err->text, "RLIMIT_NOFILE") ? strlen(err->text)
									  : sizeof(err->text);
	if (n < sizeof(err->text))
		snprintf(err->text + n, sizeof(err->text) - n, " (RLIMIT_NOFILE; see: ulimit -n)");
	return code;
}

void rt_error_add(struct rt_error *err, const char *fmt, ...)
{
	size_t n = strlen(err->text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err->text + n, sizeof(err->text) - n, fmt, ap);
	va_end(ap);
	rt_make_printable(err->text);
}

int rt_usage(struct rt_error *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(err, RT_EXIT_USAGE, fmt, ap);
	va_end(ap);
	return -EINVAL;
}

int rt_usage_words(struct rt_error *err, const char *option, const char *thing, const char *text,
		   const char *(*word)(unsigned i))
{
	char words[256] = "";
	size_t n = 0;
	unsigned i;

	for (i = 0; word(i) && n < sizeof(words); i++)
		n += (size_t)snprintf(words + n, sizeof(words) - n, "%s%s", i ? ", " : "", word(i));
	return rt_usage(err, "--%s=%.200s: no such %s; there are: %s", option, text, thing, words);
}

void rt_error_point(struct rt_error *err, const char *source, size_t at)
{
	if (!err || strlen(source) >= sizeof(err->source) || strchr(source, '\n') ||
	    at > strlen(source))
		return;
	memcpy(err->source, source, strlen(source) + 1);
	err->caret = (unsigned)at;
}

int rt_nomem(struct rt_error *err)
{
	return rt_fail(err, -ENOMEM, "out of memory");
}
