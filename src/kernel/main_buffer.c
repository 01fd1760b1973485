/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/main_buffer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "kernel/owner.h"

/*
 * The clock and the size of the main buffer belong to the machine.  Definitions are all that stays
 * in tracefs when rawtrace and its guard are both killed, so the values are in the name of one,
 * "was_local_1408", which is never enabled.
 */
#define NOTE "was_"

enum { LOCK_TRIES = 40, LOCK_MS = 50 };

/*
 * The file's value: the word in brackets where one of several is chosen ("local [global] counter"),
 * else the first word.
 */
static void read_value(const struct rt_tracefs *t, const char *file, char *value, size_t size)
{
	char *text, *from;

	value[0] = '\0';
	if (rt_tracefs_read(t, file, &text) < 0)
		return;
	from = strchr(text, '[');
	from = from ? from + 1 : text;
	snprintf(value, size, "%.*s", (int)strcspn(from, "] \n"), from);
	free(text);
}

static bool is(const struct rt_tracefs *t, const char *file, const char *value)
{
	char now[64];

	read_value(t, file, now, sizeof(now));
	return strcmp(now, value) == 0;
}

void rt_main_buffer_init(const struct rt_tracefs *t, struct rt_main_buffer *buffer)
{
	char path[PATH_MAX];

	buffer->lock = open(rt_tracefs_path(t, path, "trace_clock"), O_RDONLY | O_CLOEXEC);
}

/*
 * The guard of one that was killed has it until it has cleared up: so long -EWOULDBLOCK is waited
 * for.  0 or a negative errno.
 */
static int lock(const struct rt_main_buffer *buffer)
{
	int tries, r = 0;

	for (tries = 0; tries < LOCK_TRIES; tries++) {
		r = flock(buffer->lock, LOCK_EX | LOCK_NB) == 0 ? 0 : -errno;
		if (r != -EWOULDBLOCK && r != -EINTR)
			break;
		usleep(LOCK_MS * 1000);
	}
	return r;
}

/*
 * For rt_main_buffer_find.  Nothing depends on it where both processes are not killed, so a failure
 * is none.
 */
static void note_values(const struct rt_tracefs *t, const struct rt_main_buffer_values *was)
{
	char command[192], group[RT_OWNER_NAME_MAX], *dash;

	snprintf(command, sizeof(command), "p:%s/" NOTE "%s_%s /proc/self/exe:0\n",
		 rt_own_group(group), was->clock, was->kb);
	/* "x86-tsc": a name has no '-'. */
	dash = strchr(command, '-');
	if (dash)
		*dash = '_';
	rt_tracefs_append(t, "uprobe_events", command);
}

int rt_main_buffer_take(const struct rt_tracefs *t, struct rt_main_buffer *buffer, size_t kb,
			struct rt_error *err)
{
	char number[32];
	int r = lock(buffer);

	/* Two rawtrace that start together would not see each other's events enabled yet. */
	if (r < 0 && r != -EWOULDBLOCK)
		return rt_fail(err, r, "%s/trace_clock: cannot be locked: %s", t->root,
			       strerror(-r));
	if (r < 0)
		return rt_fail(err, -EBUSY,
			       "%s: another rawtrace uses the only trace buffer (before 3.15); end "
			       "it first",
			       t->root);
	if (!is(t, "events/enable", "0") || !is(t, "current_tracer", "nop"))
		return rt_fail(err, -EBUSY,
			       "%s: another tracer uses the only trace buffer (before 3.15); see "
			       "events/enable",
			       t->root);
	read_value(t, "trace_clock", buffer->was.clock, sizeof(buffer->was.clock));
	read_value(t, "buffer_size_kb", buffer->was.kb, sizeof(buffer->was.kb));
	note_values(t, &buffer->was);
	buffer->taken = true;
	snprintf(number, sizeof(number), "%zu", kb);
	/* Setting the clock empties the buffer too. */
	if (rt_tracefs_write(t, "trace_clock", "global") < 0 ||
	    rt_tracefs_write(t, "tracing_on", "1") < 0)
		return rt_fail(err, -EACCES, "%s/trace_clock: cannot be set", t->root);
	if (rt_tracefs_write(t, "buffer_size_kb", number) < 0)
		return rt_fail(err, -ENOMEM,
			       "%s: no memory for a ring of %zu KiB a CPU; try a smaller --buffer",
			       t->root, kb);
	return 0;
}

static void disable_own(const struct rt_tracefs *t)
{
	rt_tracefs_write(t, "events/task/task_newtask/enable", "0");
	rt_tracefs_write(t, "events/sched/sched_process_exit/enable", "0");
	rt_tracefs_write(t, "events/sched/sched_process_exec/enable", "0");
}

/* Is the buffer as a rawtrace has it, with nothing enabled but what that enables? */
static bool is_ours(const struct rt_tracefs *t)
{
	char *text, *line, *save = NULL;
	bool ours = is(t, "trace_clock", "global");

	if (rt_tracefs_read(t, "set_event", &text) < 0)
		return false;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		ours &= strcmp(line, "task:task_newtask") == 0 ||
			strcmp(line, "sched:sched_process_exit") == 0 ||
			strcmp(line, "sched:sched_process_exec") == 0;
	free(text);
	return ours;
}

void rt_main_buffer_find(const struct rt_tracefs *t, const char *group,
			 struct rt_main_buffer_values *values)
{
	char path[PATH_MAX];
	DIR *dir = opendir(rt_tracefs_path(t, path, "events/%s", group));
	struct dirent *d;

	memset(values, 0, sizeof(*values));
	while (dir && (d = readdir(dir))) {
		const char *clock = d->d_name + strlen(NOTE), *kb = strrchr(d->d_name, '_');

		if (strncmp(d->d_name, NOTE, strlen(NOTE)) != 0 || kb <= clock)
			continue;
		snprintf(values->clock, sizeof(values->clock), "%.*s", (int)(kb - clock), clock);
		snprintf(values->kb, sizeof(values->kb), "%s", kb + 1);
	}
	if (dir)
		closedir(dir);
}

static void put_back(const struct rt_tracefs *t, const struct rt_main_buffer_values *values)
{
	char clock[sizeof(values->clock)], *underscore;

	if (*values->clock && rt_tracefs_write(t, "trace_clock", values->clock) < 0) {
		snprintf(clock, sizeof(clock), "%s", values->clock);
		underscore = strchr(clock, '_');
		if (underscore)
			*underscore = '-';
		rt_tracefs_write(t, "trace_clock", clock);
	}
	/* "X": CPUs differ, and then it was not we who could say how. */
	if (*values->kb && *values->kb != 'X')
		rt_tracefs_write(t, "buffer_size_kb", values->kb);
}

void rt_main_buffer_clean(const struct rt_tracefs *t, const struct rt_main_buffer_values *values)
{
	struct rt_main_buffer buffer;

	rt_main_buffer_init(t, &buffer);
	if (buffer.lock < 0)
		return;
	if (flock(buffer.lock, LOCK_EX | LOCK_NB) == 0 && is_ours(t)) {
		disable_own(t);
		put_back(t, values);
	}
	close(buffer.lock);
}

void rt_main_buffer_release(const struct rt_tracefs *t, struct rt_main_buffer *buffer)
{
	if (!buffer->taken)
		return;
	disable_own(t);
	put_back(t, &buffer->was);
	buffer->taken = false;
}
