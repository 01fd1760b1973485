/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/sys.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/scan.h"
#include "kernel/procfs.h"

static int bpf(int cmd, void *attr, unsigned size)
{
	long r = syscall(__NR_bpf, cmd, attr, size);

	return r < 0 ? -errno : (int)r;
}

static uint64_t ptr(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

int rt_bpf_map_create(uint32_t type, uint32_t key_size, uint32_t value_size, uint32_t entries,
		      uint32_t flags)
{
	struct rt_bpf_map_attr attr = {
		.map_type = type,
		.key_size = key_size,
		.value_size = value_size,
		.max_entries = entries,
		.map_flags = flags,
	};

	return bpf(RT_BPF_MAP_CREATE, &attr, sizeof(attr));
}

int rt_bpf_map_update(int map, const void *key, const void *value)
{
	struct rt_bpf_elem_attr attr = { .map_fd = map, .key = ptr(key), .value = ptr(value) };

	return bpf(RT_BPF_MAP_UPDATE_ELEM, &attr, sizeof(attr));
}

int rt_bpf_map_lookup(int map, const void *key, void *value)
{
	struct rt_bpf_elem_attr attr = { .map_fd = map, .key = ptr(key), .value = ptr(value) };

	return bpf(RT_BPF_MAP_LOOKUP_ELEM, &attr, sizeof(attr));
}

int rt_bpf_map_delete(int map, const void *key)
{
	struct rt_bpf_elem_attr attr = { .map_fd = (uint32_t)map, .key = ptr(key) };

	return bpf(RT_BPF_MAP_DELETE_ELEM, &attr, sizeof(attr));
}

int rt_bpf_map_next(int map, const void *key, void *next)
{
	struct rt_bpf_elem_attr attr = { .map_fd = map, .key = ptr(key), .value = ptr(next) };

	return bpf(RT_BPF_MAP_GET_NEXT_KEY, &attr, sizeof(attr));
}

static int prog_load(uint32_t type, const struct rt_bpf_insn *insns, size_t n, uint32_t expected,
		     uint32_t flags, char *log, size_t log_size)
{
	struct rt_bpf_prog_attr attr = {
		.prog_type = type, .insn_cnt = (uint32_t)n,
		.insns = ptr(insns), .license = ptr("GPL"), .kern_version = rt_kernel_version(),
		.expected_attach_type = expected, .prog_flags = flags,
	};
	/* A kernel that does not know the last fields takes them when the size leaves them out. */
	unsigned size = expected || flags ? sizeof(attr)
					  : offsetof(struct rt_bpf_prog_attr, prog_flags);
	int fd, logged;

	fd = bpf(RT_BPF_PROG_LOAD, &attr, size);
	if (fd >= 0 || !log)
		return fd;
	log[0] = '\0';
	/*
	 * A program that is too large for the verifier fills any log, slowly; a smaller program is
	 * tried next.
	 */
	if (fd == -E2BIG)
		return fd;
	attr.log_level = 1;
	attr.log_size = (uint32_t)log_size;
	attr.log_buf = ptr(log);
	/* A full log is an error of its own (ENOSPC), which says nothing of the program. */
	logged = bpf(RT_BPF_PROG_LOAD, &attr, size);
	return logged >= 0 ? logged : fd;
}

int rt_bpf_prog_load(const struct rt_bpf_insn *insns, size_t n, uint32_t expected, char *log,
		     size_t log_size)
{
	return prog_load(RT_BPF_PROG_TYPE_KPROBE, insns, n, expected, 0, log, log_size);
}

int rt_bpf_prog_load_perf(const struct rt_bpf_insn *insns, size_t n)
{
	return prog_load(RT_BPF_PROG_TYPE_PERF_EVENT, insns, n, 0, 0, NULL, 0);
}

int rt_bpf_prog_load_tracepoint(const struct rt_bpf_insn *insns, size_t n)
{
	return prog_load(RT_BPF_PROG_TYPE_TRACEPOINT, insns, n, 0, 0, NULL, 0);
}

int rt_bpf_prog_load_raw(const struct rt_bpf_insn *insns, size_t n)
{
	return prog_load(RT_BPF_PROG_TYPE_RAW_TRACEPOINT, insns, n, 0, 0, NULL, 0);
}

int rt_bpf_raw_tracepoint(const char *name, int prog)
{
	struct rt_bpf_raw_tracepoint_attr attr = { .name = ptr(name), .prog_fd = (uint32_t)prog };

	return bpf(RT_BPF_RAW_TRACEPOINT_OPEN, &attr, sizeof(attr));
}

int rt_bpf_prog_try(const struct rt_bpf_insn *insns, size_t n)
{
	int fd = rt_bpf_prog_load(insns, n, 0, NULL, 0);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

int rt_bpf_prog_load_sleepable(const struct rt_bpf_insn *insns, size_t n, uint32_t expected,
			       char *log, size_t log_size)
{
	return prog_load(RT_BPF_PROG_TYPE_KPROBE, insns, n, expected, RT_BPF_F_SLEEPABLE, log,
			 log_size);
}

int rt_bpf_link_create(struct rt_bpf_link_attr *attr)
{
	return bpf(RT_BPF_LINK_CREATE, attr, sizeof(*attr));
}

int rt_bpf_fs_open(void)
{
	long context = syscall(__NR_fsopen, "bpf", RT_FSOPEN_CLOEXEC), fs = -1;
	int r = -errno;

	if (context < 0)
		return r;
	if (syscall(__NR_fsconfig, context, RT_FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		fs = syscall(__NR_fsmount, context, RT_FSMOUNT_CLOEXEC, 0);
	r = fs < 0 ? -errno : (int)fs;
	close((int)context);
	return r;
}

int rt_bpf_pin(int fs, const char *name, int fd)
{
	struct rt_bpf_pin_attr attr = {
		.pathname = ptr(name),
		.bpf_fd = (uint32_t)fd,
		.file_flags = RT_BPF_F_PATH_FD,
		.path_fd = fs,
	};

	return bpf(RT_BPF_OBJ_PIN, &attr, sizeof(attr));
}

int rt_perf_open(const struct rt_perf_attr *attr, pid_t pid, int cpu)
{
	long fd = syscall(__NR_perf_event_open, attr, pid, cpu, -1, RT_PERF_FLAG_FD_CLOEXEC);

	if (fd < 0 && errno == EINVAL) {
		fd = syscall(__NR_perf_event_open, attr, pid, cpu, -1, 0ul);
		if (fd >= 0)
			fcntl((int)fd, F_SETFD, FD_CLOEXEC);
	}
	return fd < 0 ? -errno : (int)fd;
}

int rt_pidfd_open(pid_t pid)
{
	long fd = syscall(__NR_pidfd_open, pid, 0);

	return fd < 0 ? -errno : (int)fd;
}

int rt_memfd_create(const char *name)
{
	long fd = syscall(__NR_memfd_create, name, RT_MFD_CLOEXEC | RT_MFD_EXEC);

	if (fd < 0 && errno == EINVAL)
		fd = syscall(__NR_memfd_create, name, RT_MFD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

void rt_limits_raise(unsigned nfiles)
{
	struct rlimit old, want;

	if (getrlimit(RLIMIT_NOFILE, &old) == 0 && old.rlim_cur < nfiles) {
		want.rlim_cur = nfiles;
		want.rlim_max = old.rlim_max > nfiles ? old.rlim_max : nfiles;
		if (setrlimit(RLIMIT_NOFILE, &want) != 0) {
			want.rlim_cur = want.rlim_max = old.rlim_max;
			setrlimit(RLIMIT_NOFILE, &want);
		}
	}
	want.rlim_cur = want.rlim_max = RLIM_INFINITY;
	if (setrlimit(RLIMIT_MEMLOCK, &want) != 0 && getrlimit(RLIMIT_MEMLOCK, &old) == 0) {
		want.rlim_cur = want.rlim_max = old.rlim_max;
		setrlimit(RLIMIT_MEMLOCK, &want);
	}
}

int rt_execve(const char *path, char *const argv[])
{
#if defined(__x86_64__)
	long r = __NR_execve;

	__asm__ volatile("syscall"
			 : "+a"(r)
			 : "D"(path), "S"(argv), "d"(environ)
			 : "rcx", "r11", "memory");
	return (int)-r;
#elif defined(__aarch64__)
	register long r __asm__("x0") = (long)path;
	register long x1 __asm__("x1") = (long)argv, x2 __asm__("x2") = (long)environ,
			 x8 __asm__("x8") = __NR_execve;

	__asm__ volatile("svc #0" : "+r"(r) : "r"(x1), "r"(x2), "r"(x8) : "memory");
	return (int)-r;
#else
	execve(path, argv, environ);
	return errno;
#endif
}

unsigned rt_files_left(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned used = 0;
	struct rlimit l;

	while (dir && readdir(dir))
		used++;
	if (dir)
		closedir(dir);
	used -= used > 3 ? 3 : used;	/* ".", ".." and the folder's own */
	if (getrlimit(RLIMIT_NOFILE, &l) != 0 || l.rlim_cur > UINT_MAX)
		return UINT_MAX;
	return l.rlim_cur > used ? (unsigned)l.rlim_cur - used : 0;
}

/*
 * The version in a note section of the vDSO: name "Linux", type 0, a u32
 * (arch/x86/entry/vdso/vdso-note.S).
 */
static uint32_t vdso_version(void)
{
	const uint8_t *base = (const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)base;
	const Elf64_Phdr *ph;
	uint32_t version;
	size_t i, at;

	if (!base || eh->e_ident[EI_CLASS] != ELFCLASS64)
		return 0;
	ph = (const Elf64_Phdr *)(base + eh->e_phoff);
	for (i = 0; i < eh->e_phnum; i++) {
		if (ph[i].p_type != PT_NOTE)
			continue;
		for (at = 0; at + sizeof(Elf64_Nhdr) <= ph[i].p_filesz;) {
			const Elf64_Nhdr *nh = (const Elf64_Nhdr *)(base + ph[i].p_offset + at);
			size_t name = at + sizeof(*nh), desc = name + ((nh->n_namesz + 3u) & ~3u);

			if (nh->n_type == 0 && nh->n_namesz == 6 && nh->n_descsz >= 4 &&
			    memcmp(base + ph[i].p_offset + name, "Linux", 6) == 0) {
				memcpy(&version, base + ph[i].p_offset + desc, sizeof(version));
				return version;
			}
			at = desc + ((nh->n_descsz + 3u) & ~3u);
		}
	}
	return 0;
}

/* The first "N.N.N" or "N.N" of `text` after `mark`, as LINUX_VERSION_CODE; 0: none. */
static uint32_t version_after(const char *text, const char *mark)
{
	const char *at = strstr(text, mark);
	uint64_t major, minor, sub = 0;

	if (!at)
		return 0;
	at += strlen(mark);
	if (!rt_scan_number(&at, 10, &major) || !rt_scan_text(&at, ".") ||
	    !rt_scan_number(&at, 10, &minor) || major > 255 || minor > 255)
		return 0;
	if (rt_scan_text(&at, "."))
		rt_scan_number(&at, 10, &sub);
	/* from 4.4.256 and 4.9.256 on clamped */
	return (uint32_t)(major << 16 | minor << 8 | (sub > 255 ? 255 : sub));
}

uint32_t rt_kernel_version_named(const char *signature, const char *version, const char *release)
{
	const char *last = strrchr(signature, ' ');
	uint32_t v = 0;

	/*
	 * "Ubuntu 4.4.0-31.50-generic 4.4.13": uname -r has 4.4.0, the last word what the kernel
	 * was made from.
	 */
	if (last)
		v = version_after(last, " ");
	/* "#1 SMP Debian 4.9.189-3+deb9u1 (2019-09-20)": uname -r has 4.9.0. */
	if (!v)
		v = version_after(version, "Debian ");
	return v ? v : version_after(release, "");
}

uint32_t rt_kernel_version(void)
{
	uint32_t version = vdso_version();
	char *signature = NULL;
	struct utsname u;

	if (version)
		return version;
	if (uname(&u) != 0)
		return 0;
	if (rt_read_file("/proc/version_signature", &signature) < 0)
		signature = NULL;
	version = rt_kernel_version_named(signature ? signature : "", u.version, u.release);
	free(signature);
	return version;
}

static uint64_t read_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t rt_now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t rt_now_since_1970(void)
{
	return read_clock(CLOCK_REALTIME);
}

/* The kernel's own ENOTSUPP, which no header for programs has. */
enum { KERNEL_ENOTSUPP = 524 };

bool rt_probe_refused(int code)
{
	return code == KERNEL_ENOTSUPP || code == ENOEXEC;
}

const char *rt_probe_strerror(int code)
{
	switch (code) {
	case KERNEL_ENOTSUPP:
	case ENOEXEC:
		return "this kernel cannot probe the instruction that it begins with; trace other "
		       "functions";
	case EIO:
		return "this kernel cannot probe files of that file system (tmpfs, on old ones); "
		       "copy the program to a disk";
	default:
		return strerror(code);
	}
}

/* Closing many descriptors when each close waits. */

/* More make it no faster: the waits for RCU then end together as they are. */
enum { HELPERS = 64, STACK = 16 << 10 };

struct work {
	const int *fds;
	size_t n, next;
};

/*
 * Whoever is free takes the next.  In a helper this runs on our own memory and with our own errno:
 * system calls and nothing else.
 */
static int close_some(void *arg)
{
	struct work *work = arg;
	size_t i;

	while ((i = __atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED)) < work->n)
		close(work->fds[i]);
	return 0;
}

/*
 * Processes and no threads, which would bring libpthread: without an exit signal, so that nobody
 * hears of their ends.
 */
void rt_close_together(const int *fds, size_t n)
{
	struct work work = { .fds = fds, .n = n };
	pid_t pids[HELPERS];
	unsigned helpers = n > HELPERS ? HELPERS : n > 1 ? (unsigned)n - 1 : 0, started = 0;
	char *stacks = helpers ? malloc((size_t)helpers * STACK) : NULL;

	while (stacks && started < helpers) {
		char *top = stacks + (size_t)(started + 1) * STACK;

		pids[started] = clone(close_some, (void *)((uintptr_t)top & ~(uintptr_t)15),
				      CLONE_VM | CLONE_FS | CLONE_FILES, &work);
		if (pids[started] < 0)
			break;
		started++;
	}
	close_some(&work);
	while (started) {
		if (waitpid(pids[started - 1], NULL, __WALL) < 0 && errno == EINTR)
			continue;
		started--;
	}
	free(stacks);
}

/* ---- one system call beside other work ---- */

void rt_beside_start(struct rt_beside *beside, int (*run)(void *), void *arg)
{
	char *top;

	beside->pid = -1;
	beside->stack = malloc(STACK);
	if (beside->stack) {
		top = beside->stack + STACK;
		beside->pid = clone(run, (void *)((uintptr_t)top & ~(uintptr_t)15),
				    CLONE_VM | CLONE_FS | CLONE_FILES, arg);
	}
	if (beside->pid < 0) {
		beside->pid = 0;
		run(arg);
	}
}

void rt_beside_end(struct rt_beside *beside)
{
	while (beside->pid && waitpid(beside->pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	free(beside->stack);
	*beside = (struct rt_beside){ .pid = 0 };
}

/* ---- which CPUs there are ---- */

/*
 * More CPUs than any kernel is built for (CONFIG_NR_CPUS reaches 8,192): a list beyond is not a CPU
 * list.
 */
#define CPUS_MAX 65536

int rt_cpus_parse(const char *text, int **v)
{
	size_t n = 0, cap = 0;
	long first, last;
	char *end;

	*v = NULL;
	while (*text && *text != '\n') {
		first = last = strtol(text, &end, 10);
		if (end == text || first < 0)
			goto bad;
		if (*end == '-') {
			text = end + 1;
			last = strtol(text, &end, 10);
			if (end == text)
				goto bad;
		}
		if (last < first || last >= CPUS_MAX)
			goto bad;
		for (; first <= last; first++) {
			if (RT_ROOM(v, n, &cap) != 0)
				goto nomem;
			(*v)[n++] = (int)first;
		}
		text = *end == ',' ? end + 1 : end;
		if (*end && *end != ',' && *end != '\n')
			goto bad;
	}
	if (n)
		return (int)n;
bad:
	free(*v);
	*v = NULL;
	return -EBADMSG;
nomem:
	free(*v);
	*v = NULL;
	return -ENOMEM;
}

static int read_list(const char *path, int **v)
{
	char *text;
	int n = rt_read_file(path, &text);

	if (n < 0)
		return n;
	n = rt_cpus_parse(text, v);
	free(text);
	return n;
}

int rt_cpus_online(int **v)
{
	return read_list("/sys/devices/system/cpu/online", v);
}

int rt_cpus_possible(void)
{
	int *v, n = read_list("/sys/devices/system/cpu/possible", &v);

	if (n < 0)
		return n;
	n = v[n - 1] + 1;
	free(v);
	return n;
}
