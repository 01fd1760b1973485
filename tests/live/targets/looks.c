/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function that knows its caller by its return address, as allocators and logs do, one that ends
 * by jumping there, and one that does not look.  With BEHIND two of assembly that find by it what
 * stands behind the call, and with CLIMBS two whose caller is asked for by what they call.
 */
#include <stdint.h>
#include <stdio.h>

extern char __executable_start, etext;

__attribute__((noinline)) int looks(int n)
{
	uintptr_t caller = (uintptr_t)__builtin_return_address(0);

	__asm__ volatile("" : "+r"(n));
	return n +
	       (caller >= (uintptr_t)&__executable_start && caller < (uintptr_t)&etext ? 100 : 0);
}

__attribute__((noinline)) int tails(int n)
{
	return looks(n);
}

#ifdef CLIMBS
#define CALLER(address)                                                                            \
	((uintptr_t)(address) >= (uintptr_t)&__executable_start &&                                 \
	 (uintptr_t)(address) < (uintptr_t)&etext)

__attribute__((noinline)) void *parent(void)
{
	return __builtin_return_address(1);
}

__attribute__((noinline)) void *second(void **frame)
{
	frame = *frame;
	return frame[1];
}

__attribute__((noinline)) int climbs(int n)
{
	void *volatile frame = __builtin_frame_address(0);

	return (frame && CALLER(parent()) ? 200 : 0) + n;
}

__attribute__((noinline)) void *gives(void)
{
	return second(__builtin_frame_address(0));
}

__attribute__((noinline)) int given(int n)
{
	void *volatile frame = __builtin_frame_address(0);

	return (frame && CALLER(gives()) ? 300 : 0) + n;
}
#endif

__attribute__((noinline)) int writes(int n)
{
	char text[100];

	return sprintf(text, "%d", n) + text[0];
}

#ifdef BEHIND
/* Data follows their calls: a byte that is passed over, and a text. */
__asm__(".text\n"
	".type skips,@function\nskips: addq $1,(%rsp)\nmov $7,%eax\nret\n.size skips,.-skips\n"
	".type takes,@function\ntakes: pop %rax\nlea 6(%rax),%rcx\njmp *%rcx\n.size takes,.-takes\n"
	".type skip,@function\nskip: call skips\n.byte 6\nret\n.size skip,.-skip\n"
	".type text,@function\ntext: call takes\n.asciz \"hello\"\nret\n.size text,.-text\n");
int skip(void);
char *text(void);
#endif

int main(void)
{
	int i;

#ifdef BEHIND
	printf("%d %s\n", skip(), text());
#endif
	for (i = 0; i < 3; i++)
		printf("%d %d %d\n", looks(i), tails(i), writes(i));
#ifdef CLIMBS
	printf("%d %d\n", climbs(1), given(2));
#endif
	return 0;
}
