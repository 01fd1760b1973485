/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For --enable-static, with unwind.ld: without the tables the unwinder that the C library asks for,
 * 20 kB, could find nothing.  It would run the clean-up of cancelled threads, of which rawtrace has
 * none.
 */
#include <stdlib.h>

void _Unwind_Resume(void *exception);
void _Unwind_Resume(void *exception)
{
	(void)exception;
	abort();
}

int __gcc_personality_v0(void);
int __gcc_personality_v0(void)
{
	abort();
}
