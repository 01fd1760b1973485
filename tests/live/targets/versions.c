/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of two versions, which a set of probes tells apart; text with its length or its end
 * beside it.
 */
#include <stdio.h>

struct text {
	const char *at;
	long length;
};

struct buffer {
	const char *at, *end;
};

int __attribute__((noinline)) new_call(const struct text *text)
{
	__asm__ volatile("" : : "r"(text) : "memory");
	return 1;
}

int __attribute__((noinline)) old_call(const struct buffer *buffer)
{
	__asm__ volatile("" : : "r"(buffer) : "memory");
	return 2;
}

int main(void)
{
	static const char all[] = "one two";
	struct text text = { all, 3 };
	struct buffer buffer = { all + 4, all + 7 };

	printf("%d\n", new_call(&text) + old_call(&buffer));
	return 0;
}
