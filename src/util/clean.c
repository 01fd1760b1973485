/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "util/clean.h"

/* The bytes of the control character that stands there, 0: another one does. */
static unsigned control(const char *p)
{
	unsigned char c = (unsigned char)p[0], next = c ? (unsigned char)p[1] : 0;

	if ((c && c < 0x20) || c == 0x7f)
		return 1;
	return c == 0xc2 && next >= 0x80 && next <= 0x9f ? 2 : 0;
}

bool rt_has_controls(const char *text)
{
	for (; *text; text++)
		if (control(text))
			return true;
	return false;
}

void rt_hide_controls(char *text)
{
	unsigned n;

	for (; *text; text++)
		for (n = control(text); n > 0; n--)
			text[n - 1] = '?';
}
