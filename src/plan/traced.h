/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_TRACED_H
#define RT_PLAN_TRACED_H

#include "base/pids.h"
#include "arch/errno_at.h"
#include "fetch/show.h"
#include "symbols/function.h"

/* The program that is traced, and what was found out about it and about the kernel. */
struct rt_traced {
	char *path; /* the program's file; NULL with a pid */
	struct rt_pids pids; /* none, and zeros, with a path */
	struct rt_program program;
	/* runtimes.h: `nruntimes` files with Go code that is traced */
	struct rt_runtime *runtimes;
	size_t nruntimes, runtimes_cap;
	bool goroutines; /* their calls are distinguished by goroutine */
	enum rt_errno_source errno_source; /* errno_of.h */
	struct rt_errno_at errno_at;
	struct rt_image *errno_image;
	char errno_why[256]; /* why it is not read */
	/* why plans have nothing that is read by the thread pointer, or "" */
	char no_thread_pointer[256];
	/* the kernel corrupts the program where it carries a push out itself */
	bool wrong_pushes;
	/* the kernel cannot read which one calls: so no returns of Go functions */
	bool goroutines_mixed;
	/* what tells of exceptions and other stacks is not hooked, for `everywhere` */
	bool lacks_hooks;
	/*
	 * the function of the program's own that switches stacks, "" one without a name; NULL: none
	 * is known
	 */
	const char *switches;
	/*
	 * among it stacks of coroutines: that a call's place is above the stack pointer does not
	 * say that it is over
	 */
	bool lacks_stack_hooks;
	/* nor is longjmp, for that or because its exits are not known */
	bool lacks_longjmp_hooks;
	char entry_only[512]; /* why a uretprobe could harm the process, or "" */
	char library_entry_only[512]; /* the same for functions of libraries */
};

#endif
