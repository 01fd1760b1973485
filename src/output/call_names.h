/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_CALL_NAMES_H
#define RT_OUTPUT_CALL_NAMES_H

#include "output/sink.h"

/*
 * Names of calls of functions with a pattern (rt_function_pattern): methods of Java, which one
 * USDT probe opens.  Each name has a number like a function's.  Memory grows with the
 * number of names, and not with the number of calls.
 */
enum { RT_CALL_NAMES_MOST = 1 << 30 };

/* Added to the numbers of names, which no number of a function reaches. */
#define RT_CALL_NAME UINT32_C(0x80000000)

struct rt_call_names {
	char **v;
	size_t n, cap;
	uint32_t *slots;	/* 1 + an index of v, by hash; 0: free */
	size_t nslots;		/* a power of two */
};

/*
 * Find what a call of `function` is called by its arguments: `*number` is RT_CALL_NAME + the index
 * of a name, or `function` if it has no pattern.  0 or -ENOMEM.
 */
int rt_call_names_find(struct rt_call_names *names, const struct rt_trace *trace, pid_t pid,
		       uint32_t function, const struct rt_values *args, uint32_t *number);
/* The number of a name, which may be new; `*number` is not changed if there are too many. */
int rt_call_names_add(struct rt_call_names *names, const char *name, uint32_t *number);
void rt_call_names_free(struct rt_call_names *names);

/*
 * A number for a format that has one table of functions and names, both of which may get more: 0 of
 * RT_NO_FUNCTION, odd of a function, even of a name.
 */
static inline uint32_t rt_call_names_mix(uint32_t number)
{
	if (number == RT_NO_FUNCTION)
		return 0;
	return number < RT_CALL_NAME ? 2 * number + 1 : 2 * (number - RT_CALL_NAME) + 2;
}

#endif
