/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_KERNEL_SYS_H
#define RT_KERNEL_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernel/uapi.h"
#include "base/error.h"

/* The raw system calls.  Each returns a descriptor (close-on-exec) or 0, or a negative errno. */

int rt_bpf_map_create(uint32_t type, uint32_t key_size, uint32_t value_size, uint32_t entries,
		      uint32_t flags);
int rt_bpf_map_update(int map, const void *key, const void *value);
int rt_bpf_map_delete(int map, const void *key);
int rt_bpf_map_lookup(int map, const void *key, void *value);
/*
 * The key after `key` (NULL: the first, from 4.12 on; so is that after a key that a hash has not)
 * into `next`; -ENOENT after the last.
 */
int rt_bpf_map_next(int map, const void *key, void *next);

/*
 * Load a KPROBE program under the GPL.  `expected` is the expected attach type, 0 for perf events
 * (before 4.17 it must be 0).  With `log` (`log_size` bytes, may be NULL) the verifier's words are
 * saved when it refuses.
 */
int rt_bpf_prog_load(const struct rt_bpf_insn *insns, size_t n, uint32_t expected, char *log,
		     size_t log_size);
/*
 * Load a PERF_EVENT program (4.9), which runs when a perf event that is not a probe gives a sample.
 */
int rt_bpf_prog_load_perf(const struct rt_bpf_insn *insns, size_t n);
/* Load a TRACEPOINT program (4.7), for the perf event of a tracepoint. */
int rt_bpf_prog_load_tracepoint(const struct rt_bpf_insn *insns, size_t n);
/* Load a RAW_TRACEPOINT program (4.17), and run it at the tracepoint `name`. */
int rt_bpf_prog_load_raw(const struct rt_bpf_insn *insns, size_t n);
int rt_bpf_raw_tracepoint(const char *name, int prog);
/* Does this kernel load the program, for perf events?  0, or the negative errno; it is unloaded. */
int rt_bpf_prog_try(const struct rt_bpf_insn *insns, size_t n);
/*
 * The same as rt_bpf_prog_load for a program that may wait for a page of the traced process
 * (RT_BPF_F_SLEEPABLE).
 */
int rt_bpf_prog_load_sleepable(const struct rt_bpf_insn *insns, size_t n, uint32_t expected,
			       char *log, size_t log_size);

int rt_bpf_link_create(struct rt_bpf_link_attr *attr);

/*
 * A new bpf file system that is mounted nowhere, gone with its last descriptor (5.2); and a name in
 * it for a program, map or link (6.5).
 */
int rt_bpf_fs_open(void);
int rt_bpf_pin(int fs, const char *name, int fd);

/* perf_event_open(2); close-on-exec also where the kernel has no flag for it (before 3.14). */
int rt_perf_open(const struct rt_perf_attr *attr, pid_t pid, int cpu);

/*
 * A system call that waits for the kernel, beside other work.  `run` is called in a process with
 * our memory and our errno: it makes system calls and nothing else.  If no process can be made,
 * rt_beside_start itself calls it.
 */
struct rt_beside {
	pid_t pid;		/* 0: it has ended */
	char *stack;
};

void rt_beside_start(struct rt_beside *beside, int (*run)(void *), void *arg);
void rt_beside_end(struct rt_beside *beside);	/* wait for its end; once for each start */

/*
 * Close all of `fds`, at the same time, where each close waits for RCU: links of uprobe_multi, 45
 * ms each.  Never descriptors of perf events: the kernel closes those one after another
 * (event_mutex) whoever asks.
 */
void rt_close_together(const int *fds, size_t n);

/* A pidfd, close-on-exec; -ENOSYS before 5.3. */
int rt_pidfd_open(pid_t pid);

/* A file in memory that can be executed, close-on-exec; -ENOSYS before 3.17. */
int rt_memfd_create(const char *name);

/*
 * Raise RLIMIT_NOFILE to its hard limit, past it with CAP_SYS_RESOURCE, and so RLIMIT_MEMLOCK,
 * against which BPF maps counted before 5.11.  A refusal is no error: the call that then fails
 * reports it. Call it only after the traced command was forked, which has its own limits.
 */
void rt_limits_raise(unsigned nfiles);

/* Enough for the files of a trace where probes take none: rings, images, standard streams. */
enum { RT_FILES_USUAL = 4096 };

/*
 * execve(2) by the program's own environment, not by way of the C library: its functions may be
 * probed by then.  Comes back with errno.
 */
int rt_execve(const char *path, char *const argv[]);

/* The number of files that this process may still open. */
unsigned rt_files_left(void);

/* Does this errno of putting a probe in mean that its instruction cannot be probed? */
bool rt_probe_refused(int code);

/* Why a probe could not be put in: strerror, and in words what the kernel means by some codes. */
const char *rt_probe_strerror(int code);

/*
 * LINUX_VERSION_CODE as BPF_PROG_LOAD wants it before 5.0: from the vDSO's "Linux" ELF note, which
 * a distribution's kernel has right where its uname has not; else from Ubuntu's
 * /proc/version_signature, Debian's uname -v, or uname -r.
 */
uint32_t rt_kernel_version(void);
/*
 * The same from the three texts (/proc/version_signature, uname -v, uname -r), the first that has
 * one; 0: none has.
 */
uint32_t rt_kernel_version_named(const char *signature, const char *version, const char *release);
#define RT_KERNEL(major, minor) ((major) << 16 | (minor) << 8)

/* Nanoseconds of CLOCK_MONOTONIC, the clock that all our events are stamped with. */
uint64_t rt_now(void);

/* The time since 1970, ns. */
uint64_t rt_now_since_1970(void);

/*
 * The CPUs that are online, as indices; `*v` is malloced.  Returns their number or a negative
 * errno.
 */
int rt_cpus_online(int **v);
/* Parse the kernel's list format ("0-3,8"); for rt_cpus_online and its test. */
int rt_cpus_parse(const char *text, int **v);
/* One more than the highest possible CPU index. */
int rt_cpus_possible(void);

#endif
