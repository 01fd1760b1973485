/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/pointers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/search.h"
#include "go/go.h"
#include "session/unwinder.h"
#include "symbols/demangle.h"

/* A symbol by where it is in its file. */
struct entry {
	uint64_t offset;
	const char *name;
};

/* The functions of one image, sorted; made when first needed. */
struct table {
	struct entry *v;
	size_t n;
	bool made;
};

/* The name that a file descriptor had when it was last looked up. */
struct descriptor {
	pid_t pid;
	int64_t fd;
	char *name;		/* NULL: the slot is free */
	bool fresh;		/* a traced call has just returned it, with that path */
	bool sure;		/* and no other call can have closed it since */
};

enum { DESCRIPTORS = 1024 };

struct rt_pointers {
	struct rt_feed *feed;
	const struct rt_program *program;
	struct table *tables;
	size_t n;			/* of the tables */
	bool raw;			/* names stay as the symbols have them */
	struct rt_text text;
	/* by process and number; a later one in the same slot replaces it */
	struct descriptor descriptors[DESCRIPTORS];
	struct rt_unwinder *unwinder;	/* made when first needed */
};

struct rt_pointers *rt_pointers_new(struct rt_feed *feed, const struct rt_program *program,
				    bool raw)
{
	struct rt_pointers *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	*p = (struct rt_pointers){ .feed = feed,
				   .program = program,
				   .raw = raw };
	if (rt_pointers_grow(p) < 0) {
		free(p);
		return NULL;
	}
	return p;
}

int rt_pointers_grow(struct rt_pointers *p)
{
	size_t n = p->program->n;
	struct table *v = realloc(p->tables, n * sizeof(*v));

	if (!v)
		return -ENOMEM;
	memset(v + p->n, 0, (n - p->n) * sizeof(*v));
	p->tables = v;
	p->n = n;
	return 0;
}

void rt_pointers_free(struct rt_pointers *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->n; i++)
		free(p->tables[i].v);
	for (i = 0; i < DESCRIPTORS; i++)
		free(p->descriptors[i].name);
	free(p->tables);
	rt_text_free(&p->text);
	rt_unwinder_free(p->unwinder);
	free(p);
}

/* Among aliases the one with fewer leading underscores, then the shorter one, comes first. */
static int compare_entries(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;
	size_t na, nb;

	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	na = strspn(a->name, "_");
	nb = strspn(b->name, "_");
	if (na != nb)
		return na < nb ? -1 : 1;
	na = strlen(a->name);
	nb = strlen(b->name);
	return na != nb ? (na < nb ? -1 : 1) : strcmp(a->name, b->name);
}

/* An image without symbols, or too many for the memory, has no names. */
static void make_table(struct table *t, struct rt_image *image)
{
	const struct rt_symbol *v;
	size_t i, n;

	t->made = true;
	if (rt_image_symbols(image, &v, &n, NULL) < 0)
		return;
	t->v = calloc(n + 1, sizeof(*t->v));
	for (i = 0; i < n && t->v; i++) {
		t->v[t->n].name = v[i].name;
		t->n += rt_image_offset(image, v[i].addr, &t->v[t->n].offset) == 0;
	}
	if (t->v)
		qsort(t->v, t->n, sizeof(*t->v), compare_entries);
}

static const char *name_at(const struct table *t, uint64_t offset)
{
	size_t i;

	RT_SEARCH(i, t->n, t->v[i].offset < offset);
	return i < t->n && t->v[i].offset == offset ? t->v[i].name : NULL;
}

static const char *find(struct rt_pointers *p, pid_t pid, uint64_t addr)
{
	uint64_t ino, offset;
	size_t i;

	if (rt_site_map_file(rt_feed_map(p->feed), pid, addr, &ino, &offset) < 0)
		return NULL;
	for (i = 0; i < p->n; i++) {
		if (rt_image_ino(p->program->v[i]) != (ino_t)ino)
			continue;
		if (!p->tables[i].made)
			make_table(&p->tables[i], p->program->v[i]);
		return name_at(&p->tables[i], offset);
	}
	return NULL;
}

static const char *symbol(void *ctx, pid_t pid, uint64_t addr)
{
	struct rt_pointers *p = ctx;
	const char *name = find(p, pid, addr),
		   *written = name && !p->raw ? rt_demangle(&p->text, name, false) : NULL;

	return written ? written : name;
}

static bool go_type(void *ctx, pid_t pid, uint64_t addr, char *buf, size_t size, unsigned *kind)
{
	struct rt_pointers *p = ctx;
	uint64_t by;
	size_t i;

	for (i = 0; i < p->program->n; i++) {
		struct rt_image *image = p->program->v[i];

		if (rt_image_go(image) &&
		    rt_site_map_load_offset(rt_feed_map(p->feed), pid, image, &by) &&
		    rt_go_type_name(image, addr - by, buf, size, kind))
			return true;
	}
	return false;
}

static struct descriptor *descriptor_slot(struct rt_pointers *p, pid_t pid, int64_t fd)
{
	return &p->descriptors[((size_t)pid * 31 + (size_t)fd) % DESCRIPTORS];
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The path as the kernel has it, if that is the same file, or else from the working directory. */
static void whole_path(pid_t pid, int64_t fd, const char *path, char *buf, size_t size)
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/fd/%" PRId64, (int)pid, fd);
	n = readlink(link, buf, size - 1);
	buf[n > 0 ? n : 0] = '\0';
	if (n > 0 && strcmp(last_part(buf), last_part(path)) == 0)
		return;
	snprintf(link, sizeof(link), "/proc/%d/cwd", (int)pid);
	n = *path == '/' ? 0 : readlink(link, buf, size - 1);
	buf[n > 0 ? n : 0] = '\0';
	snprintf(buf + strlen(buf), size - strlen(buf), "%s%s", n > 1 ? "/" : "", path);
}

static void opened(void *ctx, pid_t pid, int64_t fd, const char *path, bool sure)
{
	struct rt_pointers *p = ctx;
	struct descriptor *d = descriptor_slot(p, pid, fd);
	char buf[512];

	free(d->name);
	*d = (struct descriptor){ .pid = pid, .fd = fd };
	if (!*path)
		return;
	whole_path(pid, fd, path, buf, sizeof(buf));
	d->name = strdup(buf);
	d->fresh = true;
	d->sure = sure;
}

/*
 * The process may have closed it by now, and opened another one.  If it is closed, or the process
 * has ended, the name is the one that it had before.
 */
static bool descriptor(void *ctx, pid_t pid, int64_t fd, char *buf, size_t size)
{
	struct rt_pointers *p = ctx;
	struct descriptor *d = descriptor_slot(p, pid, fd);
	bool is_known = d->name && d->pid == pid && d->fd == fd;
	char path[64];
	ssize_t n;

	if (is_known && (d->fresh || d->sure)) {
		d->fresh = false;
		snprintf(buf, size, "%s", d->name);
		return true;
	}

	snprintf(path, sizeof(path), "/proc/%d/fd/%" PRId64, (int)pid, fd);
	n = readlink(path, buf, size - 1);
	if (n <= 0) {
		if (is_known)
			snprintf(buf, size, "%s", d->name);
		return is_known;
	}
	buf[n] = '\0';
	if (!is_known || strcmp(d->name, buf) != 0) {
		free(d->name);
		*d = (struct descriptor){ .pid = pid, .fd = fd, .name = strdup(buf) };
	}
	return true;
}

/*
 * A page of a file that no one has touched is not there to be read by a probe; but nobody can have
 * changed it either, where the file's segment is not one to be written to.
 */
static size_t constant(void *ctx, pid_t pid, uint64_t addr, void *buf, size_t size)
{
	struct rt_pointers *p = ctx;
	size_t i, n = 0;
	uint64_t by;

	for (i = 0; i < p->program->n && !n; i++)
		if (rt_site_map_load_offset(rt_feed_map(p->feed), pid, p->program->v[i], &by))
			n = rt_image_read_constant(p->program->v[i], addr - by, buf, size);
	return n;
}

static struct rt_unwinder *unwinder(struct rt_pointers *p)
{
	if (!p->unwinder)
		p->unwinder = rt_unwinder_new(p->feed, p->program, p->raw);
	return p->unwinder;
}

void rt_pointers_mapped(struct rt_pointers *p, const struct rt_event *event)
{
	if (unwinder(p))
		rt_unwinder_mapped(p->unwinder, event);
}

static bool stack(void *ctx, const struct rt_stack_top *top, rt_stack_put *put, void *put_ctx)
{
	struct rt_pointers *p = ctx;

	return unwinder(p) && rt_unwinder_walk(p->unwinder, top, put, put_ctx);
}

const struct rt_resolver_ops rt_pointers_ops = {
	.symbol = symbol, .go_type = go_type, .descriptor = descriptor, .opened = opened,
	.constant = constant, .stack = stack,
};
