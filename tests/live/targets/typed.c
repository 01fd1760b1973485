/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arguments and results of every kind, for tests/live/typed.sh: the same calls at every
 * optimization.  Nothing here depends on where anything lies in memory.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define TRACED __attribute__((noinline, noclone))

enum color { RED, GREEN, BLUE = -3 };
enum flags { O_RDONLY_ = 1, O_RDWR_ = 2, O_CREAT_ = 64 };

struct request {
	int fd;
	enum flags flags;
	const char *path;
	struct request *next;
	char name[12];
	double weight;
	unsigned low : 3, high : 5;
	int : 2;
	signed small : 4;
	union {
		short words[2];
		unsigned whole;
	};
};

struct mixed { int64_t a; double b; };
struct floats { float x, y; };
struct two { int a; char b; };
struct large { int64_t v[3]; };
struct text { const char *p; size_t n; };

TRACED int parse_request(const char *line, int n, struct request *r)
{
	__asm__ volatile("" : : "r"(line), "r"(r) : "memory");
	return n + r->fd;
}

TRACED bool scalars(bool b, char c, signed char s, unsigned char u, short h, unsigned short uh,
		    int64_t l, uint64_t ul, enum color k)
{
	__asm__ volatile(""
			 :
			 : "g"(c), "g"(s), "g"(u), "g"(h), "g"(uh), "g"(l), "g"(ul), "g"(k)
			 : "memory");
	return !b;
}

TRACED const char *pick(enum flags f, const char *a, const char *b)
{
	__asm__ volatile("" : : "r"(a), "r"(b) : "memory");
	return f & O_RDWR_ ? b : a;
}

TRACED struct two by_value(struct mixed m, struct two t, struct large big, struct request r,
			   int last)
{
	__asm__ volatile("" : : "g"(m.a), "m"(big), "m"(r) : "memory");
	t.a += last;
	return t;
}

TRACED struct large in_memory(int n, struct text t)
{
	struct large l = { { n, (int64_t)t.n, -1 } };

	__asm__ volatile("" : : "r"(t.p) : "memory");
	return l;
}

TRACED double real(int before, double d, float f, struct floats p, int after)
{
	__asm__ volatile("" : : "g"(before), "g"(after) : "memory");
	return d + (double)f + (double)p.x;
}

/* i386 has none. */
#ifndef __SIZEOF_INT128__
#define __int128 long long
#endif

TRACED __int128 wide(__int128 a, int b, long double c)
{
	__asm__ volatile("" : : "g"(b), "m"(c) : "memory");
	return a + 1;
}

#ifdef __SIZEOF_FLOAT128__
typedef __float128 quad;
#else
typedef long double quad;
#endif

struct __attribute__((aligned(16))) lined { int64_t a; int b; };
struct longs { long double v[2]; quad q; };

/* Arguments on the stack are aligned there, but not by every compiler. */
TRACED int aligned(int a, int b, int c, int d, int e, int f, int g, __int128 h, int i,
		   struct lined l, struct longs x)
{
	__asm__ volatile(""
			 :
			 : "g"(a), "g"(b), "g"(c), "g"(d), "g"(e), "g"(f), "g"(g), "m"(h), "m"(l),
			   "m"(x)
			 : "memory");
	return i;
}

/* GCC makes a copy without the arguments that are not used. */
static __attribute__((noinline)) int copied(int unused, int n, const char *also)
{
	static volatile int sum;

	sum += n;
	return sum;
}

TRACED void nothing(const char *null, const char *bad, const char *edge, void *untyped)
{
	__asm__ volatile("" : : "r"(null), "r"(bad), "r"(edge), "r"(untyped) : "memory");
}

TRACED unsigned callback(unsigned (*f)(int), int v[3])
{
	__asm__ volatile("" : : "r"(v) : "memory");
	return f(v[0]);
}

TRACED unsigned twice(int n)
{
	__asm__ volatile("" : : "g"(n) : "memory");
	return 2u * (unsigned)n;
}

TRACED long many(int a, int b, int c, int d, int e, int f, int g, const char *h, char i, long j)
{
	__asm__ volatile(""
			 :
			 : "g"(a), "g"(b), "g"(c), "g"(d), "g"(e), "g"(f), "g"(g), "r"(h), "g"(i)
			 : "memory");
	return -j;
}

/* A string at the end of a page behind which there is nothing. */
static char *at_the_edge(const char *text)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED || mprotect(page + 4096, 4096, PROT_NONE) != 0)
		return NULL;
	return memcpy(page + 4096 - strlen(text), text, strlen(text));
}

int main(void)
{
	struct request second = { .fd = 9,
				  .flags = O_RDWR_ | 8,
				  .path = "second",
				  .name = "zz",
				  .weight = 0.1,
				  .low = 1,
				  .high = 2 };
	struct request first = { .fd = 3,
				 .flags = O_RDONLY_ | O_RDWR_,
				 .path = "/tmp/x\n",
				 .next = &second,
				 .name = "twelve chars",
				 .weight = 1.5,
				 .low = 5,
				 .high = 17,
				 .small = -3,
				 .words = { -1, 7 } };
	char long_line[300];
	volatile int n = 2;
	int v[3] = { 21, 2, 3 };

	memset(long_line, 'x', sizeof(long_line));
	long_line[sizeof(long_line) - 1] = '\0';
	second.next = NULL;
	parse_request("GET /", 5, &second);
	parse_request(long_line, -1, &second);
	scalars(true, '\'', -100, 200, -30000, 60000, -5000000000ll, 18446744073709551615ull, BLUE);
	scalars(false, '\n', 1, 2, 3, 4, 5, 6, (enum color)77);
	pick(O_CREAT_, "a \"quoted\" \\ text", "b");
	pick(O_RDWR_ | 0x100, "", "caf\xc3\xa9 \xff");
	by_value((struct mixed){ 7, 2.5 }, (struct two){ 1, 'b' }, (struct large){ { 1, 2, 3 } },
		 second, 40);
	in_memory(3, (struct text){ "text", 4 });
	real(1, 2.5, 0.25f, (struct floats){ 1, 2 }, 4);
	wide((__int128)1 << (sizeof(__int128) * 8 - 28), 6, 3.25L);
	wide(-5, 7, -0.1L);
	aligned(1, 2, 3, 4, 5, 6, 7, -8, 9, (struct lined){ 10, 11 },
		(struct longs){ { 1.5L, -0.1L }, -2.25L });
	copied(1, n, "also");
	copied(3, n + 1, NULL);
	nothing(NULL, (const char *)8, at_the_edge("edge"), NULL);
	callback(twice, v);
	many(1, 2, 3, 4, 5, 6, 7, "eighth", 'i', 10);
	first.next = NULL;
	parse_request("first", 5, &first);
	return 0;
}
