/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_KERNEL_UAPI_H
#define RT_KERNEL_UAPI_H

/*
 * The parts of the kernel's interface that rawtrace uses and that old headers (Linux 3.10's) lack.
 * They have names of our own, so that it makes no difference what the build machine's <linux/...>
 * has. Values: include/uapi/linux/{bpf,perf_event}.h.
 */
#include <linux/types.h>
#include <stdint.h>
#include <sys/syscall.h>

#ifndef __NR_bpf
#if defined(__x86_64__)
#define __NR_bpf 321
#elif defined(__i386__)
#define __NR_bpf 357
#elif defined(__aarch64__)
#define __NR_bpf 280
#endif
#endif

#ifndef __NR_pidfd_open
#define __NR_pidfd_open 434		/* 5.3; the same number everywhere */
#endif

#ifndef __NR_fsopen			/* 5.2; the same numbers everywhere */
#define __NR_fsopen	430
#define __NR_fsconfig	431
#define __NR_fsmount	432
#endif
#define RT_FSOPEN_CLOEXEC	1
#define RT_FSCONFIG_CMD_CREATE	6
#define RT_FSMOUNT_CLOEXEC	1

#ifndef __NR_memfd_create		/* 3.17 */
#if defined(__x86_64__)
#define __NR_memfd_create 319
#elif defined(__i386__)
#define __NR_memfd_create 356
#elif defined(__aarch64__)
#define __NR_memfd_create 279
#endif
#endif

/* 6.18, of x86-64; below 0: there is none here */
#if defined(__x86_64__)
#define RT_NR_UPROBE 336
#else
#define RT_NR_UPROBE (-1)
#endif

/* 3.11; with O_DIRECTORY, so that older kernels refuse it */
#define RT_O_TMPFILE (020000000 | O_DIRECTORY)

#define RT_SCHED_RESET_ON_FORK 0x40000000	/* 2.6.32 */

#define RT_MFD_CLOEXEC 1u
#define RT_MFD_EXEC 0x10u		/* 6.3: must be said where vm.memfd_noexec is 1 */

/* bpf(2) commands */
enum {
	RT_BPF_MAP_CREATE = 0,
	RT_BPF_MAP_LOOKUP_ELEM = 1,
	RT_BPF_MAP_UPDATE_ELEM = 2,
	RT_BPF_MAP_DELETE_ELEM = 3,
	RT_BPF_MAP_GET_NEXT_KEY = 4,
	RT_BPF_PROG_LOAD = 5,
	RT_BPF_RAW_TRACEPOINT_OPEN = 17,	/* 4.17 */
	RT_BPF_OBJ_PIN = 6,	/* 4.4 */
	RT_BPF_LINK_CREATE = 28,	/* 5.7 */
};

enum {
	RT_BPF_MAP_TYPE_HASH = 1,
	RT_BPF_MAP_TYPE_ARRAY = 2,
	RT_BPF_MAP_TYPE_PERF_EVENT_ARRAY = 4,
	RT_BPF_MAP_TYPE_CGROUP_ARRAY = 8,	/* 4.8 */
	RT_BPF_MAP_TYPE_RINGBUF = 27
};
enum { RT_BPF_F_MMAPABLE = 1 << 10 };	/* 5.5 */
enum { RT_BPF_F_PATH_FD = 1 << 14 };	/* 6.5 */
enum {
	RT_BPF_PROG_TYPE_KPROBE = 2,
	RT_BPF_PROG_TYPE_TRACEPOINT = 5 /* 4.7 */,
	RT_BPF_PROG_TYPE_PERF_EVENT = 7 /* 4.9 */,
	RT_BPF_PROG_TYPE_RAW_TRACEPOINT = 17 /* 4.17 */
};
enum {
	RT_BPF_PERF_EVENT = 41,			/* attach type of a perf event link, 5.15 */
	RT_BPF_TRACE_UPROBE_MULTI = 48,		/* 6.6 */
};
#define RT_BPF_F_UPROBE_MULTI_RETURN 1u
#define RT_BPF_F_SLEEPABLE (1u << 4)	/* flag of a program; on uprobes 6.0 */
#define RT_BPF_RB_NO_WAKEUP 1u
#define RT_BPF_NOEXIST 1u		/* flag of an update */

/* BPF helper functions, with the kernel that brought them to KPROBE programs */
enum rt_bpf_helper {
	RT_FN_map_lookup_elem = 1,
	RT_FN_map_update_elem = 2,
	RT_FN_map_delete_elem = 3,
	RT_FN_probe_read = 4,
	RT_FN_ktime_get_ns = 5,
	RT_FN_get_smp_processor_id = 8,
	RT_FN_tail_call = 12,			/* 4.2 */
	RT_FN_get_current_pid_tgid = 14,
	RT_FN_get_current_comm = 16,		/* 4.2 */
	RT_FN_perf_event_read = 22,		/* 4.3 */
	RT_FN_perf_event_output = 25,		/* 4.4 */
	RT_FN_get_current_task = 35,		/* 4.8 */
	RT_FN_current_task_under_cgroup = 37,	/* 4.9 */
	RT_FN_probe_read_str = 45,		/* 4.11 */
	RT_FN_get_ns_current_pid_tgid = 120,	/* 5.7 */
	RT_FN_ringbuf_reserve = 131,		/* 5.8 */
	RT_FN_ringbuf_submit = 132,		/* 5.8 */
	RT_FN_probe_read_user = 112,		/* 5.5 */
	RT_FN_probe_read_kernel = 113,		/* 5.5 */
	RT_FN_probe_read_user_str = 114,	/* 5.5 */
	RT_FN_copy_from_user = 148,		/* 5.10; for programs on uprobes 6.0 */
	RT_FN_get_attach_cookie = 174,		/* 5.15 */
};

/* An instruction: Documentation/bpf/standardization/instruction-set.rst */
struct rt_bpf_insn {
	uint8_t code;
	uint8_t regs;		/* dst in the low half, src in the high half */
	int16_t off;
	int32_t imm;
};
_Static_assert(sizeof(struct rt_bpf_insn) == 8, "an instruction is 8 bytes");

/* The parts of union bpf_attr that we use, each with the fields in the kernel's order. */
struct rt_bpf_map_attr {
	uint32_t map_type, key_size, value_size, max_entries, map_flags;
};

struct rt_bpf_elem_attr {
	uint32_t map_fd;
	uint32_t pad;
	uint64_t key, value, flags;
};

struct rt_bpf_prog_attr {
	uint32_t prog_type, insn_cnt;
	uint64_t insns, license;
	uint32_t log_level, log_size;
	uint64_t log_buf;
	uint32_t kern_version, prog_flags;
	char prog_name[16];			/* 4.15 */
	uint32_t prog_ifindex, expected_attach_type;	/* 4.17 */
};

struct rt_bpf_raw_tracepoint_attr {
	uint64_t name;
	uint32_t prog_fd;
};

struct rt_bpf_pin_attr {
	uint64_t pathname;
	uint32_t bpf_fd, file_flags;
	int32_t path_fd;
	uint32_t unused;
};

struct rt_bpf_link_attr {
	uint32_t prog_fd, target_fd, attach_type, flags;
	union {
		struct {
			uint64_t cookie;
		} perf_event;
		struct {
			uint64_t path, offsets, ref_ctr_offsets, cookies;
			uint32_t cnt, flags, pid;
		} uprobe_multi;
	};
};

/*
 * struct perf_event_attr as far as 4.1 had it (PERF_ATTR_SIZE_VER4 + clockid lies within VER3..5;
 * the kernel takes any size that it knows and refuses unknown non-zero bytes only).
 */
struct rt_perf_attr {
	uint32_t type, size;
	uint64_t config;
	uint64_t sample_period;
	uint64_t sample_type, read_format;
	uint64_t flags;			/* RT_PERF_* bits below */
	uint32_t wakeup;		/* events, or bytes with RT_PERF_WATERMARK */
	uint32_t bp_type;
	uint64_t config1;		/* uprobe PMU: path */
	uint64_t config2;		/* uprobe PMU: offset */
	uint64_t branch_sample_type, sample_regs_user;
	uint32_t sample_stack_user;
	int32_t clockid;
};
_Static_assert(sizeof(struct rt_perf_attr) == 96, "PERF_ATTR_SIZE_VER3");

#define RT_PERF_DISABLED	(1ull << 0)
#define RT_PERF_INHERIT		(1ull << 1)
#define RT_PERF_FORMAT_GROUP	(1ull << 3)	/* of read_format */
#define RT_PERF_PINNED		(1ull << 2)
#define RT_PERF_ENABLE_ON_EXEC	(1ull << 12)
#define RT_PERF_MMAP (1ull << 8) /* without it no mmap2 either: account_event() counts this bit */
#define RT_PERF_COMM		(1ull << 9)
#define RT_PERF_TASK		(1ull << 13)
#define RT_PERF_WATERMARK	(1ull << 14)
#define RT_PERF_SAMPLE_ID_ALL	(1ull << 18)
#define RT_PERF_MMAP2		(1ull << 23)
#define RT_PERF_USE_CLOCKID	(1ull << 25)	/* 4.1, and RHEL 7's 3.10 */
#define RT_PERF_FLAG_FD_CLOEXEC	(1ul << 3)	/* 3.14 */

enum { RT_PERF_TYPE_SOFTWARE = 1, RT_PERF_TYPE_TRACEPOINT = 2 };
enum {
	RT_PERF_COUNT_SW_PAGE_FAULTS = 2,
	RT_PERF_COUNT_SW_DUMMY = 9 /* 3.12 */,
	RT_PERF_COUNT_SW_BPF_OUTPUT = 10
};
enum {
	RT_PERF_SAMPLE_TID = 1 << 1,
	RT_PERF_SAMPLE_TIME = 1 << 2,
	RT_PERF_SAMPLE_READ = 1 << 4,
	RT_PERF_SAMPLE_RAW = 1 << 10,
};

#define RT_PERF_IOC_ENABLE	0x2400		/* _IO('$', 0) */
#define RT_PERF_IOC_SET_BPF	0x40042408	/* _IOW('$', 8, u32) */

#endif
