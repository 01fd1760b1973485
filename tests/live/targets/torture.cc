/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that call, throw and catch for some milliseconds, and count it: torture MILLISECONDS [THREADS] */
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define TRACED __attribute__((noinline, used))
#define OPAQUE(x) __asm__ volatile("" : "+r"(x) : : "memory")

static std::atomic<long> calls[4], left;	/* left: calls that an exception left */
static thread_local int in_trunk;

extern "C" {
TRACED int leaf(int n)
{
	OPAQUE(n);
	calls[0]++;
	if (n % 5 == 0) {
		left += 2;
		throw n;
	}
	return n + 1;
}

TRACED int branch(int n)
{
	int result;

	OPAQUE(n);
	calls[1]++;
	result = leaf(n);
	OPAQUE(result);
	if (n % 7 == 0) {
		left += 1 + in_trunk;
		throw long(n);
	}
	return result;
}

TRACED int trunk(int n)
{
	int result = 0;

	OPAQUE(n);
	calls[2]++;
	in_trunk = 1;
	try {
		result = branch(n);
	} catch (int v) {
		result = v;
	}
	in_trunk = 0;
	OPAQUE(result);
	return result;
}

TRACED int root(int n)
{
	int result = 0;

	OPAQUE(n);
	calls[3]++;
	in_trunk = 0;
	try {
		result = n & 1 ? trunk(n) : branch(n) + trunk(n + 1);
	} catch (...) {
		result = -1;
	}
	OPAQUE(result);
	return result;
}
}

int main(int argc, char **argv)
{
	auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(argc > 1 ? atoi(argv[1]) : 100);
	static const char *const names[] = { "leaf", "branch", "trunk", "root" };
	std::vector<std::thread> threads;

	for (int i = 0; i < (argc > 2 ? atoi(argv[2]) : 3); i++)
		threads.emplace_back([i, end] {
			for (int n = i; std::chrono::steady_clock::now() < end; n++)
				root(n);
		});
	for (auto &thread : threads)
		thread.join();
	for (int i = 0; i < 4; i++)
		printf("%s %ld\n", names[i], calls[i].load());
	printf("*jumped 0\n*left %ld\n", left.load());
	return 0;
}
