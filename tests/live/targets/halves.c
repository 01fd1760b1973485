/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that read one half of a structure in two registers: clang sets the other half for
 * nobody.  It prints its calls.
 */
#include <stdio.h>

#define CALLED __attribute__((noinline))

struct text { const char *s; unsigned long n; };
struct three { long a; int b, c; };

static volatile long sink;

CALLED void length(struct text t) { sink = (long)t.n; }
CALLED void start(struct text t) { sink = *t.s; }
CALLED void either(struct text t, int x) { sink = x ? x : (long)t.n; }
CALLED void whole(struct text t) { sink = t.s[t.n - 1]; }
CALLED void head(struct three t) { sink = t.a; }
CALLED void middle(struct three t) { sink = t.b; }
CALLED void last(struct three t) { sink = t.c; }

int main(int argc, char **argv)
{
	struct text t = { argc > 1 ? argv[1] : "text", 4 };
	struct three h = { argc + 76, 8, 9 };

	puts("(length {.s=\"text\", .n=4})\n(start {.s=\"text\", .n=4})\n(either {.s=\"text\", "
	     ".n=4} 1)\n(whole {.s=\"text\", .n=4})");
	length(t);
	start(t);
	either(t, argc);
	whole(t);
	puts("(head {.a=77, .b=8, .c=9})\n(middle {.a=77, .b=8, .c=9})\n(last {.a=77, .b=8, "
	     ".c=9})");
	head(h);
	middle(h);
	last(h);
	return 0;
}
