/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/thread_pointer.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/sys.h"
#include "base/array.h"

/*
 * As much of task_struct as is looked at: the largest that Debian's kernels have is 10 kB.  It is
 * read in pieces, by way of a program's stack.
 */
enum { LOOKED_AT = 16 << 10, PIECE = 256, TRIES = 3 };

/* Shared with the BPF program: its parameters and its results. */
struct piece {
	uint64_t offset;	/* UINT64_MAX: nothing yet */
	uint8_t bytes[PIECE];
};

/*
 * Memory for a child's thread pointer to point into, and its stack.  Below 4 GB, as where Go's
 * first thread has it: before 4.7 (RHEL 7) x86-64 keeps such a pointer in another place than all
 * others, and then none is given.
 */
#ifndef MAP_32BIT
#define MAP_32BIT 0
#endif
enum { TLS = 64 << 10, STACK = 64 << 10 };

enum { FOUND_MAX = 16 };

/* Results of a child process, in memory shared with it. */
struct found {
	int error;
	unsigned n;
	uint16_t at[FOUND_MAX];
};

struct looking {
	int prog, offsets, pieces;
	uint64_t thread_pointer;
	struct found *found;
};

/* ---- the program ---- */

enum { R0, R1, R2, R3, R4, R7 = 7, R10 = 10 };
enum { KEY = -4, OUT = -8 - (int)sizeof(struct piece) };

static struct rt_bpf_insn insn(uint8_t code, unsigned dst, unsigned src, int off, int imm)
{
	return (struct rt_bpf_insn){
		.code = code, .regs = (uint8_t)(dst | src << 4), .off = (int16_t)off, .imm = imm
	};
}

enum {
	MOV = 0xbf,
	MOV_IMM = 0xb7,
	ADD = 0x0f,
	ADD_IMM = 0x07,
	LOAD = 0x79,
	STORE = 0x7b,
	STORE_W_IMM = 0x62,
	LOAD_IMM64 = 0x18,
	JEQ_IMM = 0x15,
	JNE_IMM = 0x55,
	CALL = 0x85,
	EXIT = 0x95,
	MAP_FD = 1,
};

/*
 * A piece of the current task_struct, from the offset on that we have left in one map, into the
 * other.
 */
static int load_program(int offsets, int pieces, enum rt_bpf_helper read)
{
	const struct rt_bpf_insn insns[] = {
		insn(STORE_W_IMM, R10, 0, KEY, 0),
		insn(LOAD_IMM64, R1, MAP_FD, 0, offsets), insn(0, 0, 0, 0, 0),
		insn(MOV, R2, R10, 0, 0),
		insn(ADD_IMM, R2, 0, 0, KEY),
		insn(CALL, 0, 0, 0, RT_FN_map_lookup_elem),
		insn(JEQ_IMM, R0, 0, 18, 0),
		insn(LOAD, R7, R0, 0, 0),
		insn(STORE, R10, R7, OUT, 0),
		insn(CALL, 0, 0, 0, RT_FN_get_current_task),
		insn(MOV, R3, R0, 0, 0),
		insn(ADD, R3, R7, 0, 0),
		insn(MOV, R1, R10, 0, 0),
		insn(ADD_IMM, R1, 0, 0, OUT + (int)offsetof(struct piece, bytes)),
		insn(MOV_IMM, R2, 0, 0, PIECE),
		insn(CALL, 0, 0, 0, (int)read),
		insn(JNE_IMM, R0, 0, 8, 0),
		insn(LOAD_IMM64, R1, MAP_FD, 0, pieces), insn(0, 0, 0, 0, 0),
		insn(MOV, R2, R10, 0, 0),
		insn(ADD_IMM, R2, 0, 0, KEY),
		insn(MOV, R3, R10, 0, 0),
		insn(ADD_IMM, R3, 0, 0, OUT),
		insn(MOV_IMM, R4, 0, 0, 0),
		insn(CALL, 0, 0, 0, RT_FN_map_update_elem),
		insn(MOV_IMM, R0, 0, 0, 0),
		insn(EXIT, 0, 0, 0, 0),
	};

	return rt_bpf_prog_load_perf(insns, RT_COUNT(insns));
}

/* ---- a child ---- */

/*
 * Have the program run at a fault of a page that is thrown away each time.  It may be left out
 * once, when another runs on this CPU.
 */
static bool read_piece(const struct looking *l, volatile char *page, struct piece *piece)
{
	const struct piece none = { .offset = UINT64_MAX };
	uint64_t offset = piece->offset;
	uint32_t key = 0;
	unsigned i;

	if (rt_bpf_map_update(l->offsets, &key, &offset) < 0 ||
	    rt_bpf_map_update(l->pieces, &key, &none) < 0)
		return false;
	for (i = 0; i < TRIES; i++) {
		madvise((void *)(uintptr_t)page, 1, MADV_DONTNEED);
		*page = 1;
		if (rt_bpf_map_lookup(l->pieces, &key, piece) == 0 && piece->offset == offset)
			return true;
	}
	return false;
}

static void look_into(struct looking *l, const struct piece *piece)
{
	uint64_t word;
	unsigned i;

	for (i = 0; i < PIECE; i += sizeof(word)) {
		memcpy(&word, piece->bytes + i, sizeof(word));
		if (word == l->thread_pointer && l->found->n < FOUND_MAX)
			l->found->at[l->found->n++] = (uint16_t)(piece->offset + i);
	}
}

static int listen(const struct looking *l)
{
	const struct rt_perf_attr attr = {
		.type = RT_PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = RT_PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
	};
	int fd = rt_perf_open(&attr, 0, -1);

	if (fd < 0)
		return fd;
	return ioctl(fd, RT_PERF_IOC_SET_BPF, l->prog) != 0 ? -errno : 0;
}

/*
 * In a child with a thread pointer to zeroes: what would want more of the C library than
 * system calls is not done here.
 */
static int look(void *arg)
{
	struct looking *l = arg;
	volatile char *page = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
				   0);
	struct piece piece;
	uint64_t offset;

	if (page == MAP_FAILED) {
		l->found->error = -ENOMEM;
		_exit(1);
	}
	l->found->error = listen(l);
	for (offset = 0; !l->found->error && offset < LOOKED_AT; offset += PIECE) {
		piece.offset = offset;
		if (read_piece(l, page, &piece))
			look_into(l, &piece);
	}
	_exit(0);
}

/* ---- we ---- */

/* A child with its thread pointer in `memory`, where the C libraries look for it themselves. */
static int send_child(struct looking *l, char *memory, struct found *found)
{
	uintptr_t at = ((uintptr_t)memory + TLS / 2) & ~(uintptr_t)63;
	uint64_t self = at;
	int status = -1;
	pid_t pid;

	memcpy((void *)at, &self, sizeof(self));		/* glibc and musl, x86-64 */
	memcpy((char *)at + 16, &self, sizeof(self));		/* glibc's THREAD_SELF */
	l->thread_pointer = at;
	l->found = found;
	/*
	 * The task_struct has a new thread's pointer from the beginning; on aarch64 it might lack a
	 * value that we set ourselves.
	 */
	pid = clone(look, memory + TLS + STACK, CLONE_SETTLS | SIGCHLD, l, NULL, (void *)at, NULL);
	if (pid < 0)
		return -errno;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return found->error ? found->error : status ? -ECHILD : 0;
}

static int judge(const struct found *found, struct rt_error *err)
{
	unsigned i, k, n = 0;
	int at = 0;

	for (i = 0; i < found[0].n; i++)
		for (k = 0; k < found[1].n; k++)
			if (found[0].at[i] == found[1].at[k]) {
				at = found[0].at[i];
				n++;
			}
	if (n == 1 && at)
		return at;
	return rt_fail(err, -ENOENT,
		       n ? "task_struct: several places could hold the thread pointer"
			 : "task_struct: thread pointer not found");
}

static int send_children(struct looking *l, struct rt_error *err)
{
	size_t each = TLS + STACK;
	char *memory = mmap(NULL, 2 * each, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	struct found *found = mmap(NULL, 2 * sizeof(*found), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int r = 0, i;

	if (memory == MAP_FAILED || found == MAP_FAILED) {
		r = rt_nomem(err);
	} else {
		for (i = 0; i < 2 && r == 0; i++)
			r = send_child(l, memory + (size_t)i * each, &found[i]);
		r = r < 0 ? rt_fail(err, r, "task_struct: looking for the thread pointer: %s",
				    strerror(-r))
			  : judge(found, err);
	}
	if (memory != MAP_FAILED)
		munmap(memory, 2 * each);
	if (found != MAP_FAILED)
		munmap(found, 2 * sizeof(*found));
	return r;
}

int rt_thread_pointer_find(struct rt_error *err)
{
	struct looking l = { .prog = -1 };
	int r;

	l.offsets = rt_bpf_map_create(RT_BPF_MAP_TYPE_ARRAY, 4, sizeof(uint64_t), 1, 0);
	l.pieces = rt_bpf_map_create(RT_BPF_MAP_TYPE_ARRAY, 4, sizeof(struct piece), 1, 0);
	r = l.offsets < 0 ? l.offsets : l.pieces < 0 ? l.pieces : 0;
	if (r == 0)
		r = l.prog = load_program(l.offsets, l.pieces, RT_FN_probe_read_kernel);
	/* Before 5.5 one helper reads kernel and user addresses alike. */
	if (r == -EINVAL)
		r = l.prog = load_program(l.offsets, l.pieces, RT_FN_probe_read);
	if (r < 0)
		rt_fail(err, r, "task_struct: BPF programs that find the thread pointer: %s",
			strerror(-r));
	else
		r = send_children(&l, err);
	if (l.prog >= 0)
		close(l.prog);
	if (l.offsets >= 0)
		close(l.offsets);
	if (l.pieces >= 0)
		close(l.pieces);
	return r;
}
