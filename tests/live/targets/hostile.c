/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "Hostile_Name_X" is written over in the file that comes of this, by as many bytes that no
 * terminal should be shown (hostile.sh).
 */
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#ifdef LIBRARY

static __attribute__((noinline)) int local_Hostile_Name_X(int n)
{
	__asm__ volatile("");
	return n + 1;
}

int library_run(int n);

int library_run(int n)
{
	return local_Hostile_Name_X(n) + 1;
}

#else

enum enum_Hostile_Name_X { ONE_Hostile_Name_X = 1, TWO_Hostile_Name_X };

struct struct_Hostile_Name_X {
	int member_Hostile_Name_X;
	enum enum_Hostile_Name_X e_Hostile_Name_X;
	const char *text_Hostile_Name_X;
};

int library_run(int n);
extern void missing_Hostile_Name_X(void) __attribute__((weak));

static inline __attribute__((always_inline)) int inlined_Hostile_Name_X(int n)
{
	return n * 3;
}

__attribute__((noinline)) struct struct_Hostile_Name_X *
f_Hostile_Name_X(struct struct_Hostile_Name_X *p_Hostile_Name_X,
		 enum enum_Hostile_Name_X e_Hostile_Name_X, const char *s_Hostile_Name_X,
		 char c_Hostile_Name_X)
{
	__asm__ volatile("" : : "r"(p_Hostile_Name_X) : "memory");
	return s_Hostile_Name_X && c_Hostile_Name_X ? p_Hostile_Name_X : (void *)e_Hostile_Name_X;
}

__attribute__((noinline)) int called_Hostile_Name_X(void (*function)(void))
{
	__asm__ volatile("" : : "r"(function) : "memory");
	return 1;
}

int main(void)
{
	struct struct_Hostile_Name_X s = { library_run(inlined_Hostile_Name_X(7)),
					   TWO_Hostile_Name_X, "text Hostile_Name_X" };

	prctl(PR_SET_NAME, "Hostile_Name_X");
	if (missing_Hostile_Name_X)
		missing_Hostile_Name_X();
	called_Hostile_Name_X((void (*)(void))f_Hostile_Name_X);
	f_Hostile_Name_X(&s, ONE_Hostile_Name_X, "text Hostile_Name_X", '\033');
	return 0;
}

#endif
