/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/program.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/glob.h"
#include "base/pids.h"
#include "base/scan.h"
#include "elf/file.h"
#include "kernel/procfs.h"
#include "process/nops.h"
#include "process/private.h"
#include "process/tracee.h"

void rt_program_incomplete(struct rt_program *program, const char *fmt, ...)
{
	va_list ap;

	if (program->incomplete)
		return;
	va_start(ap, fmt);
	if (vasprintf(&program->incomplete, fmt, ap) < 0)
		program->incomplete = NULL;
	va_end(ap);
}

int rt_program_take(struct rt_program *program, struct rt_image *image, struct rt_error *err)
{
	size_t i;

	for (i = 0; i < program->n; i++) {
		if (program->v[i]->ino == image->ino && program->v[i]->dev == image->dev) {
			rt_image_close(image);
			return 0;
		}
	}
	if (!program->n)
		program->nops = rt_nops_ask();
	if (!program->servers)
		program->servers = calloc(1, sizeof(*program->servers));
	if (!program->servers || RT_ROOM(&program->v, program->n, &program->cap)) {
		rt_image_close(image);
		return rt_nomem(err);
	}
	image->debug.servers = program->servers;
	image->nops = program->nops;
	program->v[program->n++] = image;
	return 0;
}

int rt_program_of_command(const char *path, struct rt_program *program, struct rt_error *err)
{
	const char *interp;
	struct rt_image *image;
	char *real;
	int ret;

	memset(program, 0, sizeof(*program));
	ret = rt_image_open(path, NULL, &image, err);
	if (ret)
		return ret;
	interp = rt_image_interp(image);
	ret = rt_program_take(program, image, err);
	if (ret == 0 && interp) {
		/*
		 * The loader takes $ORIGIN from where the kernel found the file, behind symbolic
		 * links.
		 */
		real = realpath(path, NULL);
		ret = rt_loader_list(program, interp, real ? real : path, err);
		free(real);
	}
	if (ret)
		rt_program_close(program);
	return ret;
}

int rt_program_add_path(struct rt_program *program, const char *lib, pid_t pid,
			struct rt_error *err)
{
	char path[PATH_MAX + 64];
	struct rt_image *image;
	struct stat st;
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, lib);
	if (!pid || lib[0] != '/' || stat(path, &st) < 0)
		snprintf(path, sizeof(path), "%s", lib);
	if (!strchr(lib, '/') || rt_program_find(program, lib) || stat(path, &st) < 0)
		return 0;
	ret = rt_image_open_library(path, lib, &image, err);
	if (ret)
		return ret;
	/* A program has a loader and no soname; libc.so.6 has both. */
	if (rt_image_interp(image) && !image->soname) {
		ret = rt_usage(err,
			       "%s: is a program, not a library of %s; try: rawtrace %s FUNCTION, "
			       "or -p PID",
			       lib, rt_image_name(rt_program_executable(program)), lib);
		rt_image_close(image);
		return ret;
	}
	image->late = true;
	return rt_program_take(program, image, err);
}

int rt_program_take_all(struct rt_program *program, struct rt_program *from, struct rt_error *err)
{
	size_t i;
	int r = 0;

	if (from->incomplete)
		rt_program_incomplete(program, "%s", from->incomplete);
	for (i = 0; i < from->n; i++)
		if (r == 0)
			r = rt_program_take(program, from->v[i], err);
		else
			rt_image_close(from->v[i]);
	from->n = 0;
	rt_program_close(from);
	return r;
}

int rt_program_add_program(struct rt_program *program, const char *name, struct rt_error *err)
{
	struct rt_program other = { 0 };
	struct rt_error ignored;
	char *path;
	int r;

	if (rt_program_find(program, name) || rt_tracee_find(name, &path, &ignored) < 0)
		return 0;
	r = access(path, X_OK) < 0 ? 0 : rt_program_of_command(path, &other, err);
	if (r == 0 && other.n)
		r = rt_program_take_all(program, &other, err);
	free(path);
	return r;
}

void rt_program_close(struct rt_program *program)
{
	size_t i;

	for (i = 0; i < program->n; i++)
		rt_image_close(program->v[i]);
	free(program->v);
	free(program->incomplete);
	free(program->servers);
	memset(program, 0, sizeof(*program));
}

static const char *base_name(const char *path)
{
	static const char memfd[] = "/memfd:";
	const char *slash = strrchr(path, '/');

	/* memfd_create(2): the kernel puts that before the name. */
	if (strncmp(path, memfd, sizeof(memfd) - 1) == 0)
		return path + sizeof(memfd) - 1;
	return slash ? slash + 1 : path;
}

/* The rank of a file's name for the user's text: 0 is exact, 3 no match. */
static unsigned misfit(const char *name, const char *lib)
{
	size_t n = strlen(lib);

	if (n == 0 || strncmp(name, lib, n) != 0)
		return 3;
	if (name[n] == '\0')
		return 0;
	if (strncmp(name + n, ".so", 3) == 0)	/* "libm" is libm.so.6, not libm-whatever.so */
		return 1;
	return name[n] == '.' || name[n] == '-' ? 2 : 3;
}

static struct rt_image *find_path(const struct rt_program *program, const char *path)
{
	struct stat st;
	size_t i;

	if (stat(path, &st) < 0)
		return NULL;
	for (i = 0; i < program->n; i++)
		if (program->v[i]->ino == st.st_ino && program->v[i]->dev == st.st_dev)
			return program->v[i];
	return NULL;
}

struct rt_image *rt_program_find(const struct rt_program *program, const char *lib)
{
	struct rt_image *best = NULL, *image;
	unsigned fit, best_fit = 3;
	size_t i;

	for (i = 0; i < program->n; i++) {
		image = program->v[i];
		if (strcmp(image->name, lib) == 0 || strcmp(rt_image_name(image), lib) == 0)
			return image;
	}
	if (strchr(lib, '/'))
		return find_path(program, lib);
	for (i = 0; i < program->n; i++) {
		image = program->v[i];
		fit = misfit(base_name(image->name), lib);
		if (image->soname && misfit(image->soname, lib) < fit)
			fit = misfit(image->soname, lib);
		if (i == 0 && fit > 0) /* the program is known by its whole name only: "fib" is not
					  fib.so.1 */
			fit = 3;
		if (fit < best_fit) {
			best = image;
			best_fit = fit;
		}
	}
	return best;
}

/* A file may have a '[' in its name. */
bool rt_program_is_glob(const char *lib)
{
	struct stat st;

	return strpbrk(lib, "*?[") && !(strchr(lib, '/') && stat(lib, &st) == 0);
}

bool rt_program_fits(const struct rt_image *image, const char *lib)
{
	if (strchr(lib, '/'))
		return rt_glob_match(lib, image->name);
	return rt_glob_match(lib, base_name(image->name)) ||
	       (image->soname && rt_glob_match(lib, image->soname));
}

bool rt_program_names(const struct rt_image *image, const char *lib)
{
	struct stat st;

	if (strcmp(image->name, lib) == 0 || strcmp(rt_image_name(image), lib) == 0)
		return true;
	if (rt_program_is_glob(lib))
		return rt_program_fits(image, lib);
	if (strchr(lib, '/'))
		return stat(lib, &st) == 0 && rt_image_is_file(image, &st);
	return misfit(base_name(image->name), lib) < 3 ||
	       (image->soname && misfit(image->soname, lib) < 3);
}

bool rt_program_is_named(const struct rt_image *image, const char *name)
{
	return strcmp(base_name(image->name), name) == 0;
}

bool rt_is_called(const char *name, const char *lib)
{
	return rt_program_is_glob(lib) ? rt_glob_match(lib, name) : misfit(name, lib) < 3;
}

bool rt_program_can_load(const struct rt_program *program)
{
	size_t i;

	for (i = 0; i < program->n; i++)
		if (rt_image_imports(program->v[i], "dlopen") ||
		    rt_image_imports(program->v[i], "dlmopen"))
			return true;
	return false;
}

bool rt_program_can_unwind(const struct rt_program *program, char *buf, size_t size)
{
	const char *why;
	size_t i;

	for (i = 0; i < program->n; i++) {
		why = rt_image_unwinds(program->v[i]);
		if (why) {
			snprintf(buf, size, "%s %s", rt_image_name(program->v[i]), why);
			return true;
		}
	}
	if (program->incomplete) {
		snprintf(buf, size, "its libraries could not be listed: %s", program->incomplete);
		return true;
	}
	return false;
}

bool rt_program_can_run_other_code(const struct rt_program *program, char *buf, size_t size)
{
	const char *how;
	size_t i;

	for (i = 0; i < program->n; i++) {
		how = rt_image_becomes(program->v[i]);
		if (how) {
			snprintf(buf, size, "%s imports %s", rt_image_name(program->v[i]), how);
			return true;
		}
	}
	return false;
}

bool rt_program_can_exec(const struct rt_program *program)
{
	size_t i;

	for (i = 0; i < program->n; i++)
		if (rt_image_execs(program->v[i]))
			return true;
	return program->incomplete;
}

/*
 * The first file of which `judge` names a function, as "NAME has FUNCTION"; a library that is not
 * known may have it too.
 */
static bool first_with(const struct rt_program *program,
		       const char *(*judge)(struct rt_image *image), char *buf, size_t size)
{
	const char *name;
	size_t i;

	for (i = 0; i < program->n; i++) {
		name = judge(program->v[i]);
		if (name) {
			snprintf(buf, size, "%s has %s", rt_image_name(program->v[i]), name);
			return true;
		}
	}
	if (program->incomplete)
		snprintf(buf, size, "its libraries could not be listed: %s", program->incomplete);
	return program->incomplete;
}

bool rt_program_can_longjmp(const struct rt_program *program, char *buf, size_t size)
{
	return first_with(program, rt_image_jumps, buf, size);
}

bool rt_program_can_fork(const struct rt_program *program, char *buf, size_t size)
{
	return first_with(program, rt_image_forks, buf, size);
}

bool rt_program_can_use_seccomp(const struct rt_program *program, char *buf, size_t size)
{
	return first_with(program, rt_image_filters, buf, size);
}

/* ---- the files of a running process ---- */

#define DELETED " (deleted)"

static bool is_code(const char *perms)
{
	return perms[2] == 'x';
}

static bool is_data(const char *perms)
{
	return perms[1] == 'w' && perms[3] == 'p';
}

static bool read_map_line(char *line, struct rt_map *map, bool (*is_wanted)(const char *perms))
{
	size_t n = strcspn(line, "\n"), suffix = strlen(DELETED), perms_n, device_n;
	const char *at = line, *perms;

	line[n] = '\0';
	/* START-END PERMS OFFSET MAJOR:MINOR INODE   PATH */
	if (!rt_scan_number(&at, 16, &map->start) || !rt_scan_text(&at, "-") ||
	    !rt_scan_number(&at, 16, &map->end))
		return false;
	perms = rt_scan_word(&at, &perms_n);
	if (!perms || perms_n != 4 || !is_wanted(perms) || !rt_scan_text(&at, " ") ||
	    !rt_scan_number(&at, 16, &map->offset) || !rt_scan_word(&at, &device_n) ||
	    !rt_scan_text(&at, " ") || !rt_scan_number(&at, 10, &map->inode))
		return false;
	at += strspn(at, " ");
	if (map->inode == 0 || *at != '/')
		return false;
	map->path = line + (at - line);
	map->deleted = strlen(at) > suffix && strcmp(line + n - suffix, DELETED) == 0;
	if (map->deleted)
		line[n - suffix] = '\0';
	return true;
}

bool rt_map_line(char *line, struct rt_map *map)
{
	return read_map_line(line, map, is_code);
}

bool rt_map_data_line(char *line, struct rt_map *map)
{
	return read_map_line(line, map, is_data);
}

/*
 * The state letter of /proc/PID/stat, which follows the last ')'; '\0' where there is no such
 * process.
 */
static char process_state(pid_t pid)
{
	char path[64], buf[512], *p;
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return '\0';
	n = fread(buf, 1, sizeof(buf) - 1, f);
	fclose(f);
	buf[n] = '\0';
	p = strrchr(buf, ')');
	return p && p[1] == ' ' ? p[2] : '\0';
}

/* More than one: folders beside ".", ".." and the first. */
static bool has_threads(pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	return stat(path, &st) == 0 && st.st_nlink > 3;
}

static int no_program(pid_t pid, int code, struct rt_error *err)
{
	/* First, as it may become a zombie meanwhile: its memory goes before (do_exit()). */
	bool ending = rt_thread_is_ending(pid);
	char state = process_state(pid);

	if ((state == 'Z' || state == 'X') && has_threads(pid))
		return rt_fail(err, -ESRCH,
			       "process %d: its first thread has ended, and the kernel filters by "
			       "that thread",
			       (int)pid);
	if (state == '\0')
		return rt_fail(err, -ESRCH, "process %d: no such process", (int)pid);
	if (state == 'Z' || state == 'X')
		return rt_fail(err, -ESRCH,
			       "process %d: has ended; its parent has not waited for it (zombie)",
			       (int)pid);
	if (ending)
		return rt_fail(err, -ESRCH, "process %d: has ended", (int)pid);
	if (code == -ENOENT)
		return rt_fail(err, -ENOEXEC,
			       "process %d: is a kernel thread; only programs can be traced",
			       (int)pid);
	if (code == -EACCES || code == -EPERM)
		return rt_fail(err, code, "process %d: no permission%s", (int)pid,
			       geteuid() == 0 ? "" : "; try: sudo rawtrace ...");
	return rt_fail(err, code, "process %d: program not found: %s", (int)pid, strerror(-code));
}

static int open_program(pid_t pid, struct rt_program *program, struct rt_error *err)
{
	char path[64], target[PATH_MAX + 1];
	struct rt_image *image;
	ssize_t n;
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	n = pid > 0 ? readlink(path, target, sizeof(target) - 1) : -1;
	if (n < 0)
		return no_program(pid, pid > 0 ? -errno : -ENOENT, err);
	target[n] = '\0';
	/* The link opens the very file that runs, whatever is now at the path. */
	if ((size_t)n > strlen(DELETED) && strcmp(target + n - strlen(DELETED), DELETED) == 0)
		target[(size_t)n - strlen(DELETED)] = '\0';
	ret = rt_image_open(path, target, &image, err);
	/* It has ended since. */
	if (ret < 0 && readlink(path, target, 1) < 0)
		return no_program(pid, -errno, err);
	return ret ? ret : rt_program_take(program, image, err);
}

/*
 * /proc/PID/map_files opens the mapped file itself, but asks for CAP_SYS_ADMIN or
 * CAP_CHECKPOINT_RESTORE; else the path is looked up as the process sees it, and must still be the
 * same file.
 */
static int open_map(pid_t pid, const struct rt_map *map, struct rt_image **image,
		    struct rt_error *why)
{
	char path[PATH_MAX + 64];
	struct stat st;
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid,
		 map->start, map->end);
	if (stat(path, &st) ==
	    0) /* access(2) would ask without the capabilities that the file of rawtrace may have */
		return rt_image_open_library(path, map->path, image, why);
	if (map->deleted)
		return rt_fail(why, -ENOENT, "%s was deleted or replaced", map->path);
	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, map->path);
	ret = rt_image_open_library(path, map->path, image, why);
	if (ret == 0 && (*image)->ino != map->inode) {
		rt_image_close(*image);
		return rt_fail(why, -ENOENT, "%s was replaced", map->path);
	}
	return ret;
}

static int take_map(pid_t pid, struct rt_program *program, const struct rt_map *map,
		    struct rt_error *err)
{
	struct rt_image *image;
	struct rt_error why;
	int ret;

	ret = open_map(pid, map, &image, &why);
	if (ret == 0)
		return rt_program_take(program, image, err);
	if (ret == -ENOMEM)
		return rt_nomem(err);
	/* Programs map other things executable too; they have no functions to find. */
	if (ret != -ENOEXEC)
		rt_program_incomplete(program, "%s", why.text);
	return 0;
}

static int read_maps(pid_t pid, struct rt_program *program, struct rt_error *err)
{
	char path[64], *line = NULL;
	size_t room = 0;
	struct rt_map map;
	int ret = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return no_program(pid, -errno, err);
	while (ret == 0 && getline(&line, &room, f) > 0)
		if (rt_map_line(line, &map))
			ret = take_map(pid, program, &map, err);
	if (ret == 0 && ferror(f))
		rt_program_incomplete(program, "%s could not be read", path);
	free(line);
	fclose(f);
	return ret;
}

static int images_of_pid(pid_t pid, struct rt_program *program, struct rt_error *err)
{
	int ret;

	memset(program, 0, sizeof(*program));
	ret = open_program(pid, program, err);
	if (ret == 0)
		ret = read_maps(pid, program, err);
	if (ret)
		rt_program_close(program);
	return ret;
}

/* Add another process's images to the list of all: duplicates are closed. */
static int join(struct rt_program *program, struct rt_program *other, struct rt_error *err)
{
	size_t before = program->n, i;
	int ret = 0;

	for (i = 0; i < other->n; i++) {
		if (ret == 0)
			ret = rt_program_take(program, other->v[i], err);
		else
			rt_image_close(other->v[i]);
	}
	if (other->incomplete)
		rt_program_incomplete(program, "%s", other->incomplete);
	other->n = 0;
	return ret < 0 ? ret : program->n != before;
}

static int join_process(struct rt_program *program, pid_t first, pid_t pid, struct rt_error *err)
{
	struct rt_program other;
	size_t n;
	int ret = images_of_pid(pid, &other, err);

	if (ret < 0)
		return ret;
	n = other.n;
	if (other.v[0]->ino != rt_program_executable(program)->ino ||
	    other.v[0]->dev != rt_program_executable(program)->dev)
		ret = rt_usage(err,
			       "process %d: runs %s, process %d runs %s; trace them one by one",
			       (int)first, rt_image_name(rt_program_executable(program)), (int)pid,
			       rt_image_name(other.v[0]));
	else
		ret = join(program, &other, err);
	if (ret > 0 || (ret == 0 && n < program->n))
		program->uneven = pid;
	rt_program_close(&other);
	return ret < 0 ? ret : 0;
}

int rt_program_of_pids(const struct rt_pids *pids, struct rt_program *program, struct rt_error *err)
{
	unsigned i;
	int ret = images_of_pid(rt_pids_first(pids), program, err);

	for (i = 1; i < pids->n && ret == 0; i++) {
		ret = join_process(program, rt_pids_first(pids), pids->v[i], err);
		if (ret < 0)
			rt_program_close(program);
	}
	return ret;
}

/* ---- the files that it maps later ---- */

/* 1: it is new.  0, or -ENOMEM. */
static int see(struct rt_seen *seen, const struct rt_map *map)
{
	char *text;
	size_t i;

	if (asprintf(&text, "%" PRIu64 " %s", map->inode, map->path) < 0)
		return -ENOMEM;
	for (i = 0; i < seen->n && strcmp(seen->v[i], text) != 0; i++)
		;
	if (i < seen->n) {
		free(text);
		return 0;
	}
	if (RT_ROOM(&seen->v, seen->n, &seen->cap) < 0) {
		free(text);
		return -ENOMEM;
	}
	seen->v[seen->n++] = text;
	return 1;
}

void rt_seen_free(struct rt_seen *seen)
{
	while (seen->n)
		free(seen->v[--seen->n]);
	free(seen->v);
	memset(seen, 0, sizeof(*seen));
}

int rt_program_add_mapped(struct rt_program *program, pid_t pid, struct rt_seen *seen,
			  bool (*fits)(const void *ctx, const struct rt_image *image),
			  const void *ctx, struct rt_error *err)
{
	char path[64], *line = NULL;
	struct rt_image *image;
	struct rt_error why;
	struct rt_map map;
	size_t room = 0;
	int r = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	while (f && r == 0 && getline(&line, &room, f) > 0) {
		if (!rt_map_line(line, &map))
			continue;
		r = see(seen, &map);
		if (r <= 0)
			continue;
		r = open_map(pid, &map, &image, &why);
		if (r == 0 && fits(ctx, image))
			r = rt_program_take(program, image, err);
		else if (r == 0)
			rt_image_close(image);
		/* The process may have ended in between; others may map the file. */
		else if (r != -ENOEXEC)
			free(seen->v[--seen->n]);
		r = r == -ENOMEM ? r : 0;
	}
	free(line);
	if (f)
		fclose(f);
	return r == -ENOMEM ? rt_nomem(err) : 0;
}
