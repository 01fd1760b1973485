/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/addrmap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

/* Bytes [start, end) of a process; `end` is UINT64_MAX for the very end of the address space. */
struct mapping {
	uint64_t start, end;
	uint64_t pgoff, ino;
};

/* The mappings of a process, sorted, without overlap. */
struct process {
	pid_t pid;
	struct mapping *v;
	size_t n, cap;
};

struct rt_addrmap {
	struct process *v;	/* sorted by pid */
	size_t n, cap;
	pid_t last_pid;		/* the last hit; empty (start == end) after any change */
	struct mapping last;
};

struct rt_addrmap *rt_addrmap_new(void)
{
	return calloc(1, sizeof(struct rt_addrmap));
}

void rt_addrmap_free(struct rt_addrmap *map)
{
	size_t i;

	if (!map)
		return;
	for (i = 0; i < map->n; i++)
		free(map->v[i].v);
	free(map->v);
	free(map);
}

/* The first process with a pid not below `pid`. */
static size_t process_index(const struct rt_addrmap *map, pid_t pid)
{
	size_t lo = 0, hi = map->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (map->v[mid].pid < pid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct process *process_find(const struct rt_addrmap *map, pid_t pid)
{
	size_t i = process_index(map, pid);

	return i < map->n && map->v[i].pid == pid ? &map->v[i] : NULL;
}

/* Find or make a process, for a change to it.  NULL: out of memory. */
static struct process *process_change(struct rt_addrmap *map, pid_t pid)
{
	size_t i = process_index(map, pid);

	map->last.start = map->last.end = 0;
	if (i < map->n && map->v[i].pid == pid)
		return &map->v[i];
	if (RT_ROOM(&map->v, map->n, &map->cap) < 0)
		return NULL;
	memmove(map->v + i + 1, map->v + i, (map->n - i) * sizeof(*map->v));
	map->n++;
	map->v[i] = (struct process){ .pid = pid };
	return &map->v[i];
}

/* Put the mappings of `from` in the place of all that is known of its pid; takes them over. */
static int process_replace(struct rt_addrmap *map, struct process *from)
{
	struct process *process = process_change(map, from->pid);

	if (!process) {
		free(from->v);
		return -ENOMEM;
	}
	free(process->v);
	*process = *from;
	return 0;
}

/* The first mapping that ends above `addr`: the one that holds it, if any does. */
static size_t mapping_index(const struct process *process, uint64_t addr)
{
	size_t lo = 0, hi = process->n, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (process->v[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Put `new` in; what it overlaps is cut back, and cut in two where it lies inside one. */
static int process_map(struct process *process, struct mapping new)
{
	struct mapping part[3];
	size_t first = mapping_index(process, new.start), last = first, n = 0;
	const struct mapping *old;

	/* At most two more than before: `new`, and the second half of one that is cut in two. */
	if (RT_ROOM(&process->v, process->n + 1, &process->cap) < 0)
		return -ENOMEM;
	while (last < process->n && process->v[last].start < new.end)
		last++;
	if (first < last && process->v[first].start < new.start) {
		part[n] = process->v[first];
		part[n++].end = new.start;
	}
	if (new.ino)
		part[n++] = new;
	old = process->v + last - 1;
	if (first < last && old->end > new.end) {
		part[n] = *old;
		part[n].pgoff += new.end - old->start;
		part[n++].start = new.end;
	}
	memmove(process->v + first + n, process->v + last,
		(process->n - last) * sizeof(*process->v));
	memcpy(process->v + first, part, n * sizeof(*part));
	process->n = process->n - (last - first) + n;
	return 0;
}

int rt_addrmap_add(struct rt_addrmap *map, pid_t pid, uint64_t start, uint64_t len, uint64_t pgoff,
		   uint64_t ino)
{
	struct mapping new = { start, start + len, pgoff, ino };
	struct process *process;

	if (!len)
		return 0;
	if (new.end < start)
		new.end = UINT64_MAX;
	process = process_change(map, pid);
	return process ? process_map(process, new) : -ENOMEM;
}

int rt_addrmap_copy(struct rt_addrmap *map, pid_t parent, pid_t child)
{
	const struct process *from = process_find(map, parent);
	struct process to = { .pid = child };

	if (!from || !from->n) {
		rt_addrmap_forget(map, child);
		return 0;
	}
	to.v = malloc(from->n * sizeof(*to.v));
	if (!to.v)
		return -ENOMEM;
	memcpy(to.v, from->v, from->n * sizeof(*to.v));
	to.n = to.cap = from->n;
	return process_replace(map, &to);
}

void rt_addrmap_forget(struct rt_addrmap *map, pid_t pid)
{
	struct process *process = process_find(map, pid);

	if (!process)
		return;
	map->last.start = map->last.end = 0;
	free(process->v);
	map->n--;
	memmove(process, process + 1, (size_t)(map->v + map->n - process) * sizeof(*process));
}

int rt_addrmap_find(struct rt_addrmap *map, pid_t pid, uint64_t ip, uint64_t *ino, uint64_t *offset)
{
	const struct process *process;
	size_t i;

	if (pid != map->last_pid || ip < map->last.start || ip >= map->last.end) {
		process = process_find(map, pid);
		if (!process)
			return -ENOENT;
		i = mapping_index(process, ip);
		if (i == process->n || process->v[i].start > ip)
			return -ENOENT;
		map->last_pid = pid;
		map->last = process->v[i];
	}
	*ino = map->last.ino;
	*offset = map->last.pgoff + (ip - map->last.start);
	return 0;
}

int rt_addrmap_first(const struct rt_addrmap *map, pid_t pid, uint64_t ino, uint64_t *start,
		     uint64_t *pgoff)
{
	const struct process *process = process_find(map, pid);
	size_t i;

	for (i = 0; process && i < process->n; i++) {
		if (process->v[i].ino != ino)
			continue;
		*start = process->v[i].start;
		*pgoff = process->v[i].pgoff;
		return 0;
	}
	return -ENOENT;
}

/*
 * A number in `base` (10 or 16) without sign or prefix, then the character `end`; `*p` is put
 * behind that.
 */
static bool number(const char **p, unsigned base, char end, uint64_t *value)
{
	static const char digits[] = "0123456789abcdef";
	const char *digit, *s = *p;
	uint64_t v = 0;

	for (; *s && (digit = memchr(digits, *s, base)) != NULL; s++) {
		if (v > (UINT64_MAX - 15) / base)
			return false;
		v = v * base + (uint64_t)(digit - digits);
	}
	if (s == *p || *s != end)
		return false;
	*p = s + 1;
	*value = v;
	return true;
}

/* One line: START-END PERMS OFFSET MAJ:MIN INODE, blanks, PATH (proc_pid_maps(5)). */
static int parse_line(struct process *process, const char *line)
{
	struct mapping m;
	const char *perms;
	uint64_t device;

	if (!number(&line, 16, '-', &m.start) || !number(&line, 16, ' ', &m.end) ||
	    m.end <= m.start)
		return -EBADMSG;
	perms = line;
	if (strnlen(perms, 5) < 5 || perms[4] != ' ')
		return -EBADMSG;
	line += 5;
	if (!number(&line, 16, ' ', &m.pgoff) || !number(&line, 16, ':', &device) ||
	    !number(&line, 16, ' ', &device))
		return -EBADMSG;
	/* A blank ends the inode even where no path follows. */
	if (!number(&line, 10, ' ', &m.ino))
		return -EBADMSG;
	return perms[2] == 'x' ? process_map(process, m) : 0;
}

int rt_addrmap_parse(struct rt_addrmap *map, pid_t pid, const char *text)
{
	struct process process = { .pid = pid };
	const char *line, *end;
	int err;

	for (line = text; *line; line = end + 1) {
		end = strchr(line, '\n');
		err = end ? parse_line(&process, line) : -EBADMSG;
		if (err < 0) {
			free(process.v);
			return err;
		}
	}
	return process_replace(map, &process);
}

/* All of a file of /proc, of a size that is not known before, as text.  0 or a negative errno. */
static int read_all(int fd, char **text, size_t *len)
{
	size_t cap = 1 << 14, n = 0;
	char *v = malloc(cap), *p;
	ssize_t got;
	int err = -ENOMEM;

	if (!v)
		return err;
	while ((got = read(fd, v + n, cap - n - 1)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			err = -errno;
			goto fail;
		}
		n += (size_t)got;
		if (cap - n > 1)
			continue;
		p = realloc(v, cap * 2);
		if (!p)
			goto fail;
		v = p;
		cap *= 2;
	}
	v[n] = '\0';
	*text = v;
	*len = n;
	return 0;
fail:
	free(v);
	return err;
}

int rt_addrmap_read(struct rt_addrmap *map, pid_t pid)
{
	char path[64], *text = NULL;
	size_t len = 0;
	int fd, err;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	err = read_all(fd, &text, &len);
	close(fd);
	if (err < 0)
		return err;
	/* A zombie's file can be read and is empty: its memory has gone. */
	err = len ? rt_addrmap_parse(map, pid, text) : -ESRCH;
	free(text);
	return err;
}
