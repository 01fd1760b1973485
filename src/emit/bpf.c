/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emit/bpf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Instruction classes and modes: Documentation/bpf/standardization/instruction-set.rst */
enum {
	CLASS_LD = 0, CLASS_LDX = 1, CLASS_ST = 2, CLASS_STX = 3, CLASS_JMP = 5, CLASS_ALU64 = 7,
	MODE_IMM = 0x00, MODE_MEM = 0x60, MODE_ATOMIC = 0xc0, ATOMIC_ADD = 0x00, ATOMIC_FETCH_ADD = 0x01, ATOMIC_XCHG = 0xe1, ATOMIC_CMPXCHG = 0xf1,
	SRC_REG = 0x08, OP_MOV = 0xb0, OP_CALL = 0x80, OP_EXIT = 0x90,
	PSEUDO_MAP_FD = 1,
};

void rt_bpf_init(struct rt_bpf *bpf)
{
	memset(bpf, 0, sizeof(*bpf));
}

void rt_bpf_free(struct rt_bpf *bpf)
{
	free(bpf->insns);
	free(bpf->labels);
	free(bpf->jumps);
	free(bpf->maps);
	rt_bpf_init(bpf);
}

static void emit(struct rt_bpf *bpf, int code, int dst, int src, int off, int32_t imm)
{
	if (off < INT16_MIN || off > INT16_MAX)
		bpf->error = -ERANGE;
	if (!bpf->error)
		bpf->error = RT_ROOM(&bpf->insns, bpf->n, &bpf->cap);
	if (bpf->error)
		return;
	bpf->insns[bpf->n++] = (struct rt_bpf_insn){
		.code = (uint8_t)code, .regs = (uint8_t)(dst | src << 4), .off = (int16_t)off, .imm = imm,
	};
}

static void reloc(struct rt_bpf *bpf, struct rt_bpf_reloc **v, size_t *n, size_t *cap, int target)
{
	if (!bpf->error)
		bpf->error = RT_ROOM(v, *n, cap);
	if (!bpf->error)
		(*v)[(*n)++] = (struct rt_bpf_reloc){ .insn = bpf->n, .target = target };
}

void rt_bpf_mov(struct rt_bpf *bpf, int dst, int src)
{
	emit(bpf, CLASS_ALU64 | OP_MOV | SRC_REG, dst, src, 0, 0);
}

void rt_bpf_mov_imm(struct rt_bpf *bpf, int dst, int32_t imm)
{
	emit(bpf, CLASS_ALU64 | OP_MOV, dst, 0, 0, imm);
}

void rt_bpf_mov_imm64(struct rt_bpf *bpf, int dst, uint64_t imm)
{
	emit(bpf, CLASS_LD | MODE_IMM | RT_BPF_DW, dst, 0, 0, (int32_t)(uint32_t)imm);
	emit(bpf, 0, 0, 0, 0, (int32_t)(uint32_t)(imm >> 32));
}

void rt_bpf_mov_map(struct rt_bpf *bpf, int dst, enum rt_bpf_map map)
{
	reloc(bpf, &bpf->maps, &bpf->nmaps, &bpf->maps_cap, map);
	emit(bpf, CLASS_LD | MODE_IMM | RT_BPF_DW, dst, PSEUDO_MAP_FD, 0, map);
	emit(bpf, 0, 0, 0, 0, 0);
}

void rt_bpf_alu_imm(struct rt_bpf *bpf, enum rt_bpf_alu op, int dst, int32_t imm)
{
	emit(bpf, CLASS_ALU64 | (int)op, dst, 0, 0, imm);
}

void rt_bpf_alu(struct rt_bpf *bpf, enum rt_bpf_alu op, int dst, int src)
{
	emit(bpf, CLASS_ALU64 | (int)op | SRC_REG, dst, src, 0, 0);
}

void rt_bpf_load(struct rt_bpf *bpf, enum rt_bpf_size size, int dst, int src, int off)
{
	emit(bpf, CLASS_LDX | MODE_MEM | (int)size, dst, src, off, 0);
}

void rt_bpf_store(struct rt_bpf *bpf, enum rt_bpf_size size, int dst, int off, int src)
{
	emit(bpf, CLASS_STX | MODE_MEM | (int)size, dst, src, off, 0);
}

void rt_bpf_store_imm(struct rt_bpf *bpf, enum rt_bpf_size size, int dst, int off, int32_t imm)
{
	emit(bpf, CLASS_ST | MODE_MEM | (int)size, dst, 0, off, imm);
}

void rt_bpf_atomic_add(struct rt_bpf *bpf, int dst, int off, int src)
{
	emit(bpf, CLASS_STX | MODE_ATOMIC | RT_BPF_DW, dst, src, off, ATOMIC_ADD);
}

void rt_bpf_fetch_add(struct rt_bpf *bpf, int dst, int off, int src)
{
	emit(bpf, CLASS_STX | MODE_ATOMIC | RT_BPF_DW, dst, src, off, ATOMIC_FETCH_ADD);
}

void rt_bpf_xchg(struct rt_bpf *bpf, int dst, int off, int src)
{
	emit(bpf, CLASS_STX | MODE_ATOMIC | RT_BPF_DW, dst, src, off, ATOMIC_XCHG);
}

void rt_bpf_cmpxchg(struct rt_bpf *bpf, int dst, int off, int src)
{
	emit(bpf, CLASS_STX | MODE_ATOMIC | RT_BPF_DW, dst, src, off, ATOMIC_CMPXCHG);
}

void rt_bpf_call(struct rt_bpf *bpf, enum rt_bpf_helper helper)
{
	emit(bpf, CLASS_JMP | OP_CALL, 0, 0, 0, (int32_t)helper);
}

void rt_bpf_exit(struct rt_bpf *bpf)
{
	emit(bpf, CLASS_JMP | OP_EXIT, 0, 0, 0, 0);
}

int rt_bpf_label(struct rt_bpf *bpf)
{
	if (!bpf->error)
		bpf->error = RT_ROOM(&bpf->labels, bpf->nlabels, &bpf->labels_cap);
	if (bpf->error)
		return 0;
	bpf->labels[bpf->nlabels] = -1;
	return (int)bpf->nlabels++;
}

void rt_bpf_place(struct rt_bpf *bpf, int label)
{
	if (!bpf->error)
		bpf->labels[label] = (long)bpf->n;
}

void rt_bpf_jump(struct rt_bpf *bpf, enum rt_bpf_jmp op, int dst, int32_t imm, int label)
{
	reloc(bpf, &bpf->jumps, &bpf->njumps, &bpf->jumps_cap, label);
	emit(bpf, CLASS_JMP | (int)op, dst, 0, 0, imm);
}

void rt_bpf_jump_reg(struct rt_bpf *bpf, enum rt_bpf_jmp op, int dst, int src, int label)
{
	reloc(bpf, &bpf->jumps, &bpf->njumps, &bpf->jumps_cap, label);
	emit(bpf, CLASS_JMP | (int)op | SRC_REG, dst, src, 0, 0);
}

int rt_bpf_finish(struct rt_bpf *bpf, const int *fds, struct rt_error *err)
{
	size_t i;

	for (i = 0; i < bpf->njumps && !bpf->error; i++) {
		/* A jump counts from the instruction after it. */
		long off = bpf->labels[bpf->jumps[i].target] - (long)bpf->jumps[i].insn - 1;

		if (bpf->labels[bpf->jumps[i].target] < 0)
			bpf->error = -EINVAL;
		else if (off < INT16_MIN || off > INT16_MAX)
			bpf->error = -ERANGE;
		bpf->insns[bpf->jumps[i].insn].off = (int16_t)off;
	}
	if (bpf->error)
		return rt_fail(err, bpf->error, "the BPF program could not be assembled: %s", strerror(-bpf->error));
	for (i = 0; i < bpf->nmaps && fds; i++)
		bpf->insns[bpf->maps[i].insn].imm = fds[bpf->maps[i].target];
	return 0;
}
