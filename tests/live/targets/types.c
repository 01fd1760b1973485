/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of all kinds of types.  Each says what it was called with, as rawtrace shows it, before
 * it is called: its strings are in memory.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* All of an argument is passed: nobody knows what the function reads. */
#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif
#define USE(x) __asm__ volatile("" : : "r"(&(x)) : "memory")

enum color { RED, GREEN, BLUE = 7 };
enum rights { READ = 4, WRITE = 2, RUN = 1 };
typedef struct { int x, y; } point;
typedef struct { long a, b, c; } triple;
typedef struct { int number; long other; } mixed;
struct node { struct node *next; int value; };
struct opaque;

struct request {
	int fd;
	unsigned kind:3, mode:5;
	long long wide:40;
	char path[16];
	point at;
	union {
		int number;
		float real;
	};
	struct node *list;
	bool ready;
};

volatile int sink;

NOINLINE int integers(char c, uint8_t o, short s, unsigned u, long l, bool b);
NOINLINE int integers(char c, uint8_t o, short s, unsigned u, long l, bool b)
{
	return sink = c + o + s + (int)u + (int)l + b;
}

NOINLINE int many(int a, int b, int c, int d, int e, int f, int g, short h, long i);
NOINLINE int many(int a, int b, int c, int d, int e, int f, int g, short h, long i)
{
	return sink = a + b + c + d + e + f + g + h + (int)i;
}

NOINLINE int request(const char *text, struct request *r);
NOINLINE int request(const char *text, struct request *r)
{
	USE(*r);
	return sink = text[0] + r->fd;
}

NOINLINE point values(point a, mixed m, triple t, enum color c, enum rights w);
NOINLINE point values(point a, mixed m, triple t, enum color c, enum rights w)
{
	USE(m);
	USE(t);
	a.x += m.number + (int)t.c + (int)c + (int)w;
	sink = a.x;
	return a;
}

NOINLINE int mean(double d, int i, float f, point p);
NOINLINE int mean(double d, int i, float f, point p)
{
	return sink = (int)d + i + (int)f + p.x;
}

#if defined(__SSE2__) || defined(__aarch64__)
typedef int vector __attribute__((vector_size(16)));
NOINLINE vector lanes(vector a, int k, const vector *at);
NOINLINE vector lanes(vector a, int k, const vector *at)
{
	return a * k + *at;
}
#endif

/* Not called: it is listed. */
NOINLINE FILE *(*each(const char *const *v, int (*f)(const char *, ...), const int m[][2]))(int);
NOINLINE FILE *(*each(const char *const *v, int (*f)(const char *, ...), const int m[][2]))(int)
{
	sink = f(v[0], m[0][1]);
	return NULL;
}

/* Compilers change how these are called where they optimize. */
static __attribute__((noinline)) int local(int a, int unused, const struct node *n)
{
	return sink = a + n->value;
}

static __attribute__((noinline)) int special(int a, int b, int c)
{
	return sink = a + b * c;
}

static inline __attribute__((always_inline)) int tiny(int a)
{
	return a * 3;
}

int main(void)
{
	struct node last = { NULL, 7 }, first = { &last, 6 };
	struct request r = { .fd = 3,
			     .kind = 2,
			     .mode = 17,
			     .wide = -5,
			     .path = "/etc",
			     .at = { -1, 2 },
			     .number = 0,
			     .list = &first,
			     .ready = true };
	point p = { 1, -2 };
	mixed m = { 3, 4 };
	triple t = { 5, 6, 7 };

	puts("(integers 'x' 200 -3 4000000000 -5 true)");
	integers('x', 200, -3, 4000000000u, -5, true);
	puts("(many 1 2 3 4 5 6 7 -8 9)");
	many(1, 2, 3, 4, 5, 6, 7, -8, 9);
	printf("(request \"GET /\" {.fd=3, .kind=2, .mode=17, .wide=-5, .path=\"/etc\", "
	       ".at={.x=-1, .y=2}, .number=0, .real=0, .list=0x%lx, .ready=true})\n",
	       (unsigned long)(uintptr_t)&first);
	request("GET /", &r);
	puts("(values {.x=1, .y=-2} {.number=3, .other=4} {.a=5, .b=6, .c=7} GREEN READ|RUN)");
	values(p, m, t, GREEN, (enum rights)(READ | RUN));
	puts("(local 8 9 {.next=NULL, .value=7})");
	local(8, 9, &last);
	puts("(special 1 2 3)");
	special(1, 2, 3);
	puts("(special 4 2 5)");
	special(4, 2, 5);
	mean(0.5, 1, 2, p);
#if defined(__SSE2__) || defined(__aarch64__)
	vector v = { 1, 2, 3, 4 };

	USE(v);
	v = lanes(v, 42, &v);
	USE(v);
#endif
	return tiny(sink) == 1;
}
