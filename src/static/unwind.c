/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For --enable-static, with unwind.ld: without the tables the unwinder that the C library asks for,
 * 20 kB, could find nothing.  It would run the clean-up of cancelled threads, of which rawtrace has
 * none.  glibc's threads also set up its name resolver, 25 kB, which rawtrace does not call.
 */
#include <stdlib.h>

void _Unwind_Resume(void *exception);
void _Unwind_Resume(void *exception)
{
	(void)exception;
	abort();
}

int _Unwind_ForcedUnwind(void);
int _Unwind_ForcedUnwind(void)
{
	abort();
}

unsigned long _Unwind_GetCFA(void);
unsigned long _Unwind_GetCFA(void)
{
	abort();
}

/* start_thread() of glibc stores the address of the one in the other. */
extern __thread void *__libc_resp;
__thread void *__libc_resp;
extern char _res[];
char _res[1024];

void __libc_thread_freeres(void);
void __libc_thread_freeres(void)
{
}

int __gcc_personality_v0(void);
int __gcc_personality_v0(void)
{
	abort();
}
