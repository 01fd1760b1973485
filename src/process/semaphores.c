/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/semaphores.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "process/private.h"

struct semaphore {
	const struct rt_image *image;
	uint64_t offset;
};

/* A counter of a process to which one was added. */
struct armed {
	pid_t pid;
	size_t semaphore;
	uint64_t address;
};

struct rt_semaphores {
	struct semaphore *v;
	size_t n, cap;
	struct armed *armed;
	size_t narmed, armed_cap;
};

struct rt_semaphores *rt_semaphores_new(void)
{
	return calloc(1, sizeof(struct rt_semaphores));
}

int rt_semaphores_add(struct rt_semaphores *s, const struct rt_image *image, uint64_t offset)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->v[i].image == image && s->v[i].offset == offset)
			return 0;
	if (RT_ROOM(&s->v, s->n, &s->cap) < 0)
		return -ENOMEM;
	s->v[s->n++] = (struct semaphore){ image, offset };
	return 0;
}

static int open_memory(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	return open(path, O_RDWR | O_CLOEXEC);
}

static bool read_counter(int fd, uint64_t address, uint16_t *value)
{
	return pread(fd, value, sizeof(*value), (off_t)address) == sizeof(*value);
}

static bool write_counter(int fd, uint64_t address, uint16_t value)
{
	return pwrite(fd, &value, sizeof(value), (off_t)address) == sizeof(value);
}

/*
 * Forget the counters of a process where one is 0 or is not mapped: it has called exec.  Returns
 * the number of those that are left.
 */
static size_t check_armed(struct rt_semaphores *s, pid_t pid, int fd)
{
	size_t i, n = 0, count = 0;
	bool gone = false;
	uint16_t value;

	for (i = 0; i < s->narmed; i++) {
		if (s->armed[i].pid != pid)
			continue;
		count++;
		gone |= !read_counter(fd, s->armed[i].address, &value) || !value;
	}
	if (!gone)
		return count;
	for (i = 0; i < s->narmed; i++)
		if (s->armed[i].pid != pid)
			s->armed[n++] = s->armed[i];
	s->narmed = n;
	return 0;
}

static FILE *open_maps(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	return fopen(path, "re");
}

static bool has_counter(const struct rt_map *map, const struct semaphore *semaphore)
{
	return semaphore->image->ino == map->inode && semaphore->offset >= map->offset &&
	       semaphore->offset - map->offset < map->end - map->start;
}

static uint64_t counter_address(const struct rt_map *map, const struct semaphore *semaphore)
{
	return map->start + (semaphore->offset - map->offset);
}

/* Is the file still mapped there?  After exec or dlclose the address may have other data. */
static bool is_mapped(const struct rt_semaphores *s, const struct armed *armed)
{
	const struct semaphore *semaphore = &s->v[armed->semaphore];
	FILE *maps = open_maps(armed->pid);
	bool mapped = false;
	char *line = NULL;
	struct rt_map map;
	size_t room = 0;

	while (maps && !mapped && getline(&line, &room, maps) > 0)
		mapped = rt_map_data_line(line, &map) && has_counter(&map, semaphore) &&
			 counter_address(&map, semaphore) == armed->address;
	free(line);
	if (maps)
		fclose(maps);
	return mapped;
}

static bool is_armed(const struct rt_semaphores *s, pid_t pid, uint64_t address)
{
	size_t i;

	for (i = 0; i < s->narmed; i++)
		if (s->armed[i].pid == pid && s->armed[i].address == address)
			return true;
	return false;
}

static void arm_one(struct rt_semaphores *s, pid_t pid, int fd, size_t i, uint64_t address,
		    bool forked)
{
	uint16_t value;

	if (is_armed(s, pid, address) || RT_ROOM(&s->armed, s->narmed, &s->armed_cap) < 0 ||
	    !read_counter(fd, address, &value) || value == UINT16_MAX)
		return;
	if ((forked && value) || write_counter(fd, address, (uint16_t)(value + 1)))
		s->armed[s->narmed++] = (struct armed){ pid, i, address };
}

static void arm_mapping(struct rt_semaphores *s, pid_t pid, int fd, const struct rt_map *map,
			bool forked)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (has_counter(map, &s->v[i]))
			arm_one(s, pid, fd, i, counter_address(map, &s->v[i]), forked);
}

size_t rt_semaphores_arm(struct rt_semaphores *s, pid_t pid, bool forked)
{
	int fd = open_memory(pid);
	char *line = NULL;
	struct rt_map map;
	size_t n, room = 0;
	FILE *maps;

	if (fd < 0)
		return 0;
	n = check_armed(s, pid, fd);
	maps = n < s->n ? open_maps(pid) : NULL;
	while (maps && getline(&line, &room, maps) > 0)
		if (rt_map_data_line(line, &map))
			arm_mapping(s, pid, fd, &map, forked);
	free(line);
	if (maps)
		fclose(maps);
	n = check_armed(s, pid, fd);
	close(fd);
	return n;
}

static void disarm(const struct rt_semaphores *s, const struct armed *armed)
{
	int fd = open_memory(armed->pid);
	uint16_t value;

	if (fd < 0)
		return;
	if (is_mapped(s, armed) && read_counter(fd, armed->address, &value) && value)
		write_counter(fd, armed->address, (uint16_t)(value - 1));
	close(fd);
}

void rt_semaphores_free(struct rt_semaphores *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->narmed; i++)
		disarm(s, &s->armed[i]);
	free(s->v);
	free(s->armed);
	free(s);
}
