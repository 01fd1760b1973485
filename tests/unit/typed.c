/* SPDX-License-Identifier: GPL-2.0-or-later */
/* To be read by test_dwarf.c, which compiles no programs: one function for each kind of type. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum color { RED, GREEN, BLUE = 7 };
enum rights { READ = 4, WRITE = 2, RUN = 1 };
enum level { LOW = -1, HIGH = 1 };
typedef struct { int x, y; } point;
typedef uint8_t octet;

struct node {
	struct node *next;
	const char *name;
};

struct request {
	int fd;
	unsigned kind:3, mode:5;
	long wide:40;
	char path[16];
	point at;
	union {
		int number;
		float real;
	};
	struct node *list;
	int (*callback)(int);
	short rest[];
};

struct hidden;

int scalars(char c, octet o, short s, unsigned u, long l, bool b, float f, double d, long double x);
int scalars(char c, octet o, short s, unsigned u, long l, bool b, float f, double d, long double x)
{
	return c + o + s + (int)u + (int)l + b + (int)f + (int)d + (int)x;
}

long pointers(const char *text, const struct request *r, struct hidden *h, void *p, int *const *pp,
	      int m[2][3]);
long pointers(const char *text, const struct request *r, struct hidden *h, void *p, int *const *pp,
	      int m[2][3])
{
	return *text + r->fd + (h == p) + **pp + m[1][2];
}

point values(point a, enum color c, enum rights w, enum level v);
point values(point a, enum color c, enum rights w, enum level v)
{
	a.x += (int)c + (int)w + (int)v;
	return a;
}

void rest(const char *format, ...);
void rest(const char *format, ...)
{
	(void)format;
	__asm__ volatile("nop");	/* it has an inside */
}

int main(void)
{
	rest("");
	return 0;
}
