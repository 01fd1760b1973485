/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions that the manual's examples name, each called so that the conditions in them hold.
 * As "postgres" it does so for a second.
 */
#define _GNU_SOURCE	/* usleep */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sdt.h"

#define CALLED __attribute__((noinline, noclone))
#define KEEP(p) __asm__ volatile("" : : "r"(p) : "memory")

typedef struct robj robj;
typedef struct sqlite3 sqlite3;
struct node {
	int id;
	struct node *next;
	const char *name;
};
struct file {
	int fd;
};

CALLED int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

CALLED int two(int a, int b)
{
	return a - b;
}

CALLED int f(int n, struct node *p, int a, const char *s, long b)
{
	KEEP(s);
	return n + p->id + a + (int)b;
}

CALLED int visit(struct node *p, int *v, int *q, struct file s)
{
	return p->next->id + v[2] + *q + s.fd;
}

CALLED robj *createStringObject(const char *ptr, size_t len)
{
	KEEP(ptr);
	return len ? (robj *)ptr : NULL;
}

CALLED int sqlite3_open(const char *name, sqlite3 **db)
{
	*db = NULL;
	return name[0];
}

/* Not libc's. */
CALLED int open(const char *path, int flags, int mode)
{
	if (!path[0]) {
		errno = ENOENT;
		return -1;
	}
	return path[0] + flags + mode;
}

CALLED ssize_t write(int fd, const void *buf, size_t len)
{
	KEEP(buf);
	return fd + (ssize_t)len;
}

CALLED ssize_t read(int fd, void *buf, size_t n)
{
	KEEP(fd);
	memcpy(buf, "hello", 6);
	return n < 5 ? (ssize_t)n : 5;
}

CALLED long go_get(long client, const char *url, long n)
{
	KEEP(url);
	return client + n;
}
__asm__(".globl \"net/http.(*Client).Get\"\n.type \"net/http.(*Client).Get\", %function\n.set "
	"\"net/http.(*Client).Get\", go_get");

CALLED int parse_line(const char *line, int n)
{
	if (n >= 1000)
		usleep((unsigned)n);
	return line[0] + n;
}

CALLED int parse_word(const char *word, int n)
{
	return word[0] - n;
}

CALLED int pg_parse_query(const char *query)
{
	return query[0];
}

CALLED int ngx_http_init(int n)
{
	return n + 1;
}

static void pass_probes(const char *query, const char *name, int length)
{
	SITE("postgresql", "query__start", "0", "8@%0", "r"(query));
	SITE("hotspot", "class__loaded", "0", "8@%0 -4@%1", "r"(name), "r"(length));
}

static int call_all(void)
{
	static volatile double angle = 1;
	struct node second = { 5, NULL, "second" }, first = { 3, &second, "first" };
	int v[] = { 1, 2, 3 }, sum = (int)cos(angle);
	char buf[16];
	sqlite3 *db;

	pass_probes("select", "Main", 4);
	sum += fib(4) + two(4, 1) + f(3, &first, 2, "text", 4) +
	       visit(&first, v, v, (struct file){ 1 });
	sum += (createStringObject("ptr", 3) != NULL) + sqlite3_open("name", &db) +
	       open("/etc/passwd", 1, 0600);
	sum += (createStringObject("", 0) != NULL) + open("", 0, 0600) + parse_line("slow", 6000);
	sum += (int)write(1, "data", 4) + (int)read(0, buf, sizeof(buf)) + (int)go_get(1, "url", 3);
	return sum + parse_line("line", 1) + parse_word("word", 2) + pg_parse_query("select") +
	       ngx_http_init(1);
}

int main(int argc, char **argv)
{
	int rounds = strstr(argv[0], "postgres") ? 25 : 1, sum = argc;

	for (; rounds > 0; rounds--) {
		sum += call_all();
		puts("round");
		fflush(stdout);		/* libc's own write */
		if (rounds > 1)
			usleep(30000);
	}
	return sum == 0;
}
