/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Continuations: the stack is copied away and back.  The calls of work return once more each time.
 */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

struct continuation {
	jmp_buf registers;
	char *at, *copy;
	size_t n;
	int value;
};

static struct continuation *saved;
static char *base;
static int times;

static NOINLINE int capture(struct continuation *c)
{
	char here;

	c->at = &here - 256;
	c->n = (size_t)(base - c->at);
	c->copy = malloc(c->n);
	if (setjmp(c->registers))
		return c->value;
	memcpy(c->copy, c->at, c->n);
	return -1;
}

#if defined(APART)
static NOINLINE void put_back(struct continuation *c)
{
	memcpy(c->at, c->copy, c->n);
}
#elif defined(BY_HAND)
static inline void put_back(struct continuation *c)
{
	volatile char *to = c->at, *from = c->copy;	/* else the compiler calls memcpy for it */

	while (to < c->at + c->n)
		*to++ = *from++;
}
#else
#define put_back(c) memcpy((c)->at, (c)->copy, (c)->n)
#endif

/* Its own frame has to be below what it overwrites. */
static NOINLINE void resume(struct continuation *c)
{
	volatile char room[1024];

	room[0] = 1;
	if ((char *)room + sizeof(room) > c->at) {
		resume(c);
		room[0] = 2;
		return;
	}
	put_back(c);
	longjmp(c->registers, 1);
}

NOINLINE int leaf(int n)
{
	int result = capture(saved);

	return result < 0 ? n : result;
}

NOINLINE int work(int n)
{
	int result = leaf(n) + 1;

	__asm__ volatile("" : "+r"(result));
	return result;
}

int main(void)
{
	char here;
	int result;

	base = &here;
	saved = calloc(1, sizeof(*saved));
	result = work(5);
	printf("%d\n", result);
	if (++times < 5) {
		saved->value = 10 * times;
		resume(saved);
	}
	return 0;
}
