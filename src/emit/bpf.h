/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_EMIT_BPF_H
#define RT_EMIT_BPF_H

#include <stdio.h>

#include "kernel/uapi.h"
#include "base/error.h"

/*
 * A small BPF assembler.  Jumps name labels and map loads name maps; both become numbers in
 * rt_bpf_finish.  An error (out of memory, an offset that does not fit) is saved and returned
 * there, so that emitting code need not check each call.
 */

/*
 * The maps that our programs use: the ring and the hits a thread (stream/record.h) of those that
 * record; the cells of those that count (emit/cells.h), by function or by instruction pointer; the
 * open calls of each thread (emit/frames.h); values that entries save for their returns
 * (emit/saved.h); how far errno is from the thread pointer, 8 bytes; and how many calls were left
 * out as the value of their condition could not be read, 8 bytes; and whether the trace has ended
 * for a process's rights (attach/gate.h), 8 bytes; and the processes that are followed
 * (emit/follow.h); and how instructions are emulated, by site (emit/emulation.h); and the threads'
 * shelves (emit/shelf.h).
 */
enum rt_bpf_map {
	RT_MAP_EVENTS,
	RT_MAP_HITS,
	RT_MAP_CELLS,
	RT_MAP_PLACES,
	RT_MAP_QUICK,
	RT_MAP_HEADS,
	RT_MAP_FRAMES,
	RT_MAP_SAVED,
	RT_MAP_ERRNO,
	RT_MAP_UNREAD,
	RT_MAP_GATE,
	RT_MAP_FOLLOWED,
	RT_MAP_GROUP,
	RT_MAP_STRANGERS,
	RT_MAP_EMULATIONS,
	RT_MAP_SHELVES,
	RT_MAPS
};

struct rt_bpf_reloc {
	size_t insn;
	int target;		/* label or enum rt_bpf_map */
};

struct rt_bpf {
	struct rt_bpf_insn *insns;
	size_t n, cap;
	long *labels;		/* label -> instruction, -1: not placed yet */
	size_t nlabels, labels_cap;
	struct rt_bpf_reloc *jumps, *maps;
	size_t njumps, jumps_cap, nmaps, maps_cap;
	int error;
};

/* Sizes of memory operands, in the encoding's own values. */
enum rt_bpf_size { RT_BPF_W = 0x00, RT_BPF_H = 0x08, RT_BPF_B = 0x10, RT_BPF_DW = 0x18 };

/* ALU and jump operations, in the encoding's own values. */
enum rt_bpf_alu {
	RT_BPF_ADD = 0x00,
	RT_BPF_SUB = 0x10,
	RT_BPF_MUL = 0x20,
	RT_BPF_OR = 0x40,
	RT_BPF_AND = 0x50,
	RT_BPF_LSH = 0x60,
	RT_BPF_RSH = 0x70,
	RT_BPF_XOR = 0xa0,
	RT_BPF_ARSH = 0xc0
};
enum rt_bpf_jmp {
	RT_BPF_JA = 0x00,
	RT_BPF_JEQ = 0x10,
	RT_BPF_JGT = 0x20,
	RT_BPF_JGE = 0x30,
	RT_BPF_JNE = 0x50,
	RT_BPF_JSGT = 0x60,
	RT_BPF_JSGE = 0x70
};

void rt_bpf_init(struct rt_bpf *bpf);
void rt_bpf_free(struct rt_bpf *bpf);

void rt_bpf_mov(struct rt_bpf *bpf, int dst, int src);				/* dst = src */
void rt_bpf_mov_imm(struct rt_bpf *bpf, int dst, int32_t imm); /* dst = imm, sign-extended */
void rt_bpf_mov_imm64(struct rt_bpf *bpf, int dst, uint64_t imm); /* two instructions */
void rt_bpf_mov_map(struct rt_bpf *bpf, int dst,
		    enum rt_bpf_map map); /* dst = &map, two instructions */
void rt_bpf_alu_imm(struct rt_bpf *bpf, enum rt_bpf_alu op, int dst,
		    int32_t imm); /* dst op= imm, 64 bits */
void rt_bpf_alu(struct rt_bpf *bpf, enum rt_bpf_alu op, int dst,
		int src); /* dst op= src, 64 bits */
void rt_bpf_load(struct rt_bpf *bpf, enum rt_bpf_size size, int dst, int src,
		 int off); /* dst = *(src + off) */
void rt_bpf_store(struct rt_bpf *bpf, enum rt_bpf_size size, int dst, int off,
		  int src); /* *(dst + off) = src */
void rt_bpf_store_imm(struct rt_bpf *bpf, enum rt_bpf_size size, int dst, int off, int32_t imm);
void rt_bpf_atomic_add(struct rt_bpf *bpf, int dst, int off,
		       int src); /* *(u64 *)(dst + off) += src */
/*
 * 5.12: src = *(u64 *)(dst + off), to which src is added; and, with a full barrier, exchanged for
 * it.
 */
void rt_bpf_fetch_add(struct rt_bpf *bpf, int dst, int off, int src);
void rt_bpf_xchg(struct rt_bpf *bpf, int dst, int off, int src);
/* 5.12: src to *(u64 *)(dst + off), where that is r0; r0 = what it was. */
void rt_bpf_cmpxchg(struct rt_bpf *bpf, int dst, int off, int src);
void rt_bpf_call(struct rt_bpf *bpf, enum rt_bpf_helper helper);
void rt_bpf_exit(struct rt_bpf *bpf);

int rt_bpf_label(struct rt_bpf *bpf);			/* a new label; place it once */
void rt_bpf_place(struct rt_bpf *bpf, int label);	/* before the next instruction */
void rt_bpf_jump(struct rt_bpf *bpf, enum rt_bpf_jmp op, int dst, int32_t imm,
		 int label); /* if dst op imm goto label */
void rt_bpf_jump_reg(struct rt_bpf *bpf, enum rt_bpf_jmp op, int dst, int src, int label);

/*
 * Resolve the labels and put the maps' descriptors in: `fds` has RT_MAPS of them; NULL leaves the
 * maps' own numbers, for a listing.  May be called again with other descriptors.  Returns 0 or a
 * negative errno.
 */
int rt_bpf_finish(struct rt_bpf *bpf, const int *fds, struct rt_error *err);

/* The bytes below r10 that the program uses. */
int rt_bpf_frame(const struct rt_bpf *bpf);

/*
 * Print a finished program, one instruction a line, in the words of the kernel's verifier log; map
 * loads by name.  Needs no kernel.
 */
void rt_bpf_print(const struct rt_bpf *bpf, FILE *file);

#endif
