/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C++ exceptions through traced functions: throws [THREADS] */
#include "witness.h"

#include <pthread.h>
#include <stdexcept>

extern "C" {
int thrower(int n), inner(int n), middle(int n), outer(int n), again(int n), drop(int n), careful(int n) noexcept, chosen(int n);
void swallow(int n);
}

struct guard {
	int n;
	~guard();
};

/* Called while the stack unwinds, at the place of what was left. */
TRACED int drop(int n)
{
	OPAQUE(n);
	w_enter("drop", n);
	return w_return(n + 1);
}

/* Calls below this depth have been unwound when their catcher or a destructor runs. */
static __thread unsigned left;

guard::~guard()
{
	w_unwind(left, W_NOT_SEEN);
	drop(n);
}

TRACED int thrower(int n)
{
	OPAQUE(n);
	w_enter("thrower", n);
	if (n % 3 == 0)
		throw n;
	if (n % 3 == 1)
		throw std::runtime_error("one");
	return w_return(n);
}

TRACED int inner(int n)
{
	OPAQUE(n);
	w_enter("inner", n);
	return w_return(thrower(n) + 1);
}

TRACED int middle(int n)
{
	unsigned mine = 0;
	int result;

	OPAQUE(n);
	w_enter("middle", n);
	mine = w_depth;
	{
		struct guard g = { n };

		result = inner(n);
		mine += g.n * 0;
		left = mine;
	}
	return w_return(result);
}

/* Three frames up. */
TRACED int outer(int n)
{
	unsigned mine;
	int result;

	OPAQUE(n);
	w_enter("outer", n);
	mine = w_depth;
	left = mine + 1;
	try {
		result = middle(n);
	} catch (int v) {
		w_unwind(mine, W_NOT_SEEN);
		result = drop(v) * 10;
	} catch (const std::exception &) {
		w_unwind(mine, W_NOT_SEEN);
		result = drop(-1);
	}
	return w_return(result);
}

/* Caught, and thrown once more. */
TRACED int again(int n)
{
	unsigned mine;
	int result;

	OPAQUE(n);
	w_enter("again", n);
	mine = w_depth;
	try {
		result = inner(n);
	} catch (...) {
		w_unwind(mine, W_NOT_SEEN);
		drop(100);
		throw;
	}
	return w_return(result);
}

/* Nothing comes out of it. */
TRACED int careful(int n) noexcept
{
	unsigned mine;
	int result;

	OPAQUE(n);
	w_enter("careful", n);
	mine = w_depth;
	try {
		result = again(n);
	} catch (...) {
		w_unwind(mine, W_NOT_SEEN);
		result = drop(200);
	}
	return w_return(result);
}

/* Never called: it ends by a jump to __cxa_end_catch where it has caught. */
TRACED void swallow(int n)
{
	try {
		thrower(n);
	} catch (...) {
	}
}

/* A table of jumps and several returns. */
TRACED int chosen(int n)
{
	OPAQUE(n);
	w_enter("chosen", n);
	switch (n) {
	case 0: return w_return(drop(3));
	case 1: return w_return(outer(2));
	case 2: return w_return(7);
	case 3: return w_return(careful(3));
	case 4: return w_return(drop(1) - drop(2));
	case 5: return w_return(11);
	case 6: return w_return(careful(1) + 1);
	default: return w_return(n);
	}
}

static int work()
{
	int i, sum = 0;

	for (i = 0; i < 6; i++)
		sum += outer(i) + careful(i);
	for (i = 0; i < 9; i++)
		sum += chosen(i);
	return sum;
}

static void *thread_main(void *)
{
	return (void *)(long)work();
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0, i;
	long sum = work();
	pthread_t threads[16];
	void *result;

	for (i = 0; i < n && i < 16; i++)
		pthread_create(&threads[i], NULL, thread_main, NULL);
	for (i = 0; i < n && i < 16; i++) {
		pthread_join(threads[i], &result);
		sum += (long)result;
	}
	printf("sum %ld\n", sum);
	return 0;
}
