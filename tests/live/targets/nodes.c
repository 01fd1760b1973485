/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls with pointers to follow.  It prints each call as it is to be shown by the specification in
 * spec.sh that the case names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLED __attribute__((noinline, noclone))

enum color { RED, GREEN = 5 };

struct inner {
	short low, high;
	struct {
		int deep;
	};
	unsigned bits : 3, more : 5;
};

struct node {
	int id;
	struct node *next;
	const char *name;
	struct inner inner;
	int values[4];
	enum color color;
	unsigned flags;
};

struct pair {
	long first;
	int second;
};

CALLED int visit(struct node *p, int n, const char *path)
{
	__asm__ volatile("" : : "r"(p), "r"(path) : "memory");
	return p->id + n;
}

CALLED long by_value(struct pair s, int *numbers, size_t count)
{
	__asm__ volatile("" : : "r"(numbers), "r"(count) : "memory");
	return s.first + s.second;
}

CALLED void *buffer(const char *data, size_t length, unsigned mode)
{
	__asm__ volatile("" : : "r"(data), "r"(length) : "memory");
	return mode ? (void *)data : NULL;
}

/*
 * Before 6.0 a kernel reads for a probe what is in memory, and this file's pages are not until they
 * are used.
 */
static void use(const char *text)
{
	if (*(const volatile char *)text == '\0')
		abort();
}

int main(void)
{
	static struct node b = {
		.id = 2, .name = "second", .color = RED, .values = { 5, 6, 7, 8 }
	};
	static struct node a = {
		.id = 1,
		.next = &b,
		.name = "first",
		.inner = { -1, 300, { 77 }, 5, 17 },
		.values = { 1, 2, 3, 4 },
		.color = GREEN,
		.flags = 6,
	};
	static int numbers[] = { 10, 20, 30 };
	static char data[] = "abc\0def";
	int sum = 0;

	use("/etc/passwd");
	use("/etc/group");
	use(a.name);
	use(b.name);
	sum += visit(&a, 3, "/etc/passwd");
	sum += visit(&b, 4, "/etc/group");
	sum += (int)by_value((struct pair){ 1L << 33, 9 }, numbers, 3);
	sum += buffer(data, 6, 0640) != NULL;
	sum += buffer(data, 2, 0) != NULL;
	printf("%d\n", sum);
	return 0;
}
