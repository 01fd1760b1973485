/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls on a signal's stack and on a coroutine's, which is left and come back to in the middle of
 * calls.  With BOOST the coroutine is one of libboost_context, and there are no signals.
 */
#include "witness.h"

#include <signal.h>
#include <ucontext.h>

#ifdef BOOST
enum { COROUTINE = 1, SIGNALS, SIZE = 64 << 10 };
#else
enum { SIGNALS = 1, COROUTINE = 2, SIZE = 64 << 10 };
#endif

/* In memory side by side, as coroutines of many programs are. */
static char stacks[2][SIZE] __attribute__((aligned(64)));
static int on;			/* the stack that runs, by number */
static unsigned depths[3];
static volatile int sent;

/* In one thread; the calls of each stack count from its own first. */
W_HELPER void say(char mark, unsigned level, const char *format, int n)
{
	char line[128] = "", text[64];
	unsigned i, at = 0;

	if (w_fd < 0)
		return;
	if (on)
		at = (unsigned)snprintf(line, sizeof(line), "[stack %d] ", on);
	for (i = 0; i <= level; i++)
		line[at++] = i % 2 ? ' ' : mark;
	snprintf(text, sizeof(text), format, n);
	at += (unsigned)snprintf(line + at, sizeof(line) - at, "%s\n", text);
	if (write(w_fd, line, at) != (ssize_t)at)
		abort();
}

#define ENTER(name, n) say('>', depths[on]++, "(" name " %d)", n)
#define LEAVE(n)                                                                                   \
	__extension__({                                                                            \
		int w_n = n;                                                                       \
		say('<', --depths[on], "%d", w_n);                                                 \
		OPAQUE(w_n);                                                                       \
		w_n;                                                                               \
	})

static void run(void);

#ifdef BOOST
struct transfer {
	void *from, *data;
};
struct transfer jump_fcontext(void *to, void *data);
void *make_fcontext(void *top, size_t size, void (*f)(struct transfer));

static void *other;		/* what is not running now */

static void start(struct transfer t)
{
	other = t.from;
	run();
}

W_HELPER void jump(void)
{
	other = jump_fcontext(other, NULL).from;
}

static int make(void)
{
	other = make_fcontext(stacks[1] + SIZE, SIZE, start);
	return 0;
}
#else
static ucontext_t outside, inside;

W_HELPER void jump(void)
{
	swapcontext(on ? &outside : &inside, on ? &inside : &outside);
}

static int make(void)
{
	if (getcontext(&inside) != 0)
		return 1;
	inside.uc_stack.ss_sp = stacks[1];
	inside.uc_stack.ss_size = SIZE;
	makecontext(&inside, run, 0);
	return 0;
}
#endif

/* To a stack by number. */
W_HELPER void switch_to(int stack)
{
	int from = on;

	on = stack;
	jump();
	on = from;
}

TRACED int step(int n)
{
	OPAQUE(n);
	ENTER("step", n);
	if (n % 2)
		switch_to(0);
	return LEAVE(n + 1);
}

TRACED int produce(int n)
{
	int sum = 0, i;

	OPAQUE(n);
	ENTER("produce", n);
	for (i = 0; i < 3; i++) {
		sum += step(n + i);
		switch_to(0);
	}
	return LEAVE(sum);
}

static void run(void)
{
	int i;

	for (i = 0; ; i += 10) {
		produce(i);
		switch_to(0);
	}
}

TRACED int next(int n)
{
	OPAQUE(n);
	ENTER("next", n);
	switch_to(COROUTINE);
	return LEAVE(n * 2);
}

TRACED int handled(int n)
{
	OPAQUE(n);
	ENTER("handled", n);
	return LEAVE(n + 100);
}

static void on_signal(int sig)
{
	int from = on;

	(void)sig;
	on = SIGNALS;
	handled(sent);
	on = from;
}

TRACED int send(int n)
{
	OPAQUE(n);
	ENTER("send", n);
	sent = n;
#ifndef BOOST
	raise(SIGUSR1);
#endif
	return LEAVE(n ? send(n - 1) + 1 : 0);
}

int main(void)
{
	stack_t ss = { .ss_sp = stacks[0], .ss_size = SIZE };
	struct sigaction sa = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	volatile int sum = 0;
	int i;

#ifndef BOOST
	if (sigaltstack(&ss, NULL) != 0)
		return 1;
#endif
	(void)ss;
	if (sigaction(SIGUSR1, &sa, NULL) != 0 || make() != 0)
		return 1;
	sum += send(2);
	for (i = 0; i < 12; i++)
		sum += next(i);
	sum += send(1);
	printf("sum %d\n", sum);
	return 0;
}
