/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C++20 coroutines that call traced functions each time they are resumed, one inside another: generator [throw] */
#include "witness.h"

#include <coroutine>

static bool throws;

struct generator {
	struct promise_type {
		int value = 0;

		generator get_return_object() { return generator{ std::coroutine_handle<promise_type>::from_promise(*this) }; }
		std::suspend_always initial_suspend() noexcept { return {}; }
		std::suspend_always final_suspend() noexcept { return {}; }
		std::suspend_always yield_value(int n) noexcept { value = n; return {}; }
		void return_void() noexcept {}
		void unhandled_exception() { throw; }
	};

	std::coroutine_handle<promise_type> handle;

	explicit generator(std::coroutine_handle<promise_type> h) : handle(h) {}
	generator(const generator &) = delete;
	~generator() { handle.destroy(); }
};

extern "C" {
int step(int n), next(generator *g, int n), drain(int n);
}

TRACED int step(int n)
{
	OPAQUE(n);
	w_enter("step", n);
	if (throws && n % 4 == 3)
		throw n;
	return w_return(n * 2);
}

static generator numbers(int from, int to)
{
	for (int i = from; i < to; i++)
		co_yield step(i);
}

/* Yield the values of another generator. */
static generator doubled(int from, int to)
{
	generator inner = numbers(from, to);

	for (int i = 0; !inner.handle.done(); i++)
		co_yield next(&inner, i) + step(100);
}

TRACED int next(generator *g, int n)
{
	unsigned mine;
	char call[64];
	int result = -1;

	OPAQUE(g);
	OPAQUE(n);
	snprintf(call, sizeof(call), "(next %#lx %d)", (unsigned long)g, n);
	w_call(call);
	mine = w_depth;
	try {
		g->handle.resume();
		result = g->handle.promise().value;
	} catch (int v) {
		w_unwind(mine, W_NOT_SEEN);
		result = -v;
	}
	return w_return(result);
}

TRACED int drain(int n)
{
	int sum = 0;

	OPAQUE(n);
	w_enter("drain", n);
	{
		generator one = numbers(0, n), two = doubled(n, 2 * n);

		for (int i = 0; i < n; i++) {
			if (!one.handle.done())
				sum += next(&one, i);
			if (!two.handle.done())
				sum += next(&two, i);
		}
	}
	return w_return(sum);
}

int main(int argc, char **)
{
	int sum = 0;

	throws = argc > 1;
	for (int i = 0; i < 6; i++)
		sum += drain(i);
	printf("sum %d\n", sum);
	return 0;
}
