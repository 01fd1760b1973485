/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emit/bpf.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Instruction classes and modes: Documentation/bpf/standardization/instruction-set.rst */
enum {
	CLASS_LD = 0,
	CLASS_LDX = 1,
	CLASS_ST = 2,
	CLASS_STX = 3,
	CLASS_JMP = 5,
	CLASS_ALU64 = 7,
	MODE_IMM = 0x00,
	MODE_MEM = 0x60,
	MODE_ATOMIC = 0xc0,
	ATOMIC_ADD = 0x00,
	ATOMIC_FETCH_ADD = 0x01,
	ATOMIC_XCHG = 0xe1,
	ATOMIC_CMPXCHG = 0xf1,
	SRC_REG = 0x08,
	OP_MOV = 0xb0,
	OP_CALL = 0x80,
	OP_EXIT = 0x90,
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
		.code = (uint8_t)code,
		.regs = (uint8_t)(dst | src << 4),
		.off = (int16_t)off,
		.imm = imm,
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
		return rt_fail(err, bpf->error, "BPF program: cannot be assembled: %s",
			       strerror(-bpf->error));
	for (i = 0; i < bpf->nmaps && fds; i++)
		bpf->insns[bpf->maps[i].insn].imm = fds[bpf->maps[i].target];
	return 0;
}

int rt_bpf_frame(const struct rt_bpf *bpf)
{
	enum { FRAME_REGISTER = 10, CLASS = 7 };
	int frame = 0, below;
	size_t i;

	for (i = 0; i < bpf->n; i++) {
		const struct rt_bpf_insn *insn = &bpf->insns[i];
		int class = insn->code & CLASS, dst = insn->regs & 0xf, src = insn->regs >> 4;

		below = 0;
		if ((class == CLASS_LDX && src == FRAME_REGISTER) ||
		    ((class == CLASS_ST || class == CLASS_STX) && dst == FRAME_REGISTER))
			below = -insn->off;
		/* An address there is made by two instructions. */
		else if (insn->code == (CLASS_ALU64 | OP_MOV | SRC_REG) && src == FRAME_REGISTER &&
			 i + 1 < bpf->n && insn[1].code == (CLASS_ALU64 | RT_BPF_ADD))
			below = -insn[1].imm;
		frame = below > frame ? below : frame;
	}
	return frame;
}

/* ---- as text ---- */

static const char *helper_name(int32_t id)
{
	switch (id) {
	case RT_FN_map_lookup_elem: return "map_lookup_elem";
	case RT_FN_map_update_elem: return "map_update_elem";
	case RT_FN_map_delete_elem: return "map_delete_elem";
	case RT_FN_probe_read: return "probe_read";
	case RT_FN_ktime_get_ns: return "ktime_get_ns";
	case RT_FN_get_smp_processor_id: return "get_smp_processor_id";
	case RT_FN_get_current_pid_tgid: return "get_current_pid_tgid";
	case RT_FN_perf_event_output: return "perf_event_output";
	case RT_FN_probe_read_str: return "probe_read_str";
	case RT_FN_tail_call: return "tail_call";
	case RT_FN_get_current_comm: return "get_current_comm";
	case RT_FN_perf_event_read: return "perf_event_read";
	case RT_FN_current_task_under_cgroup: return "current_task_under_cgroup";
	case RT_FN_get_ns_current_pid_tgid: return "get_ns_current_pid_tgid";
	case RT_FN_ringbuf_reserve: return "ringbuf_reserve";
	case RT_FN_ringbuf_submit: return "ringbuf_submit";
	case RT_FN_probe_read_user: return "probe_read_user";
	case RT_FN_probe_read_kernel: return "probe_read_kernel";
	case RT_FN_get_current_task: return "get_current_task";
	case RT_FN_probe_read_user_str: return "probe_read_user_str";
	case RT_FN_copy_from_user: return "copy_from_user";
	case RT_FN_get_attach_cookie: return "get_attach_cookie";
	default: return "unknown";
	}
}

static const char *map_name(const struct rt_bpf *bpf, size_t insn)
{
	static const char *const names[RT_MAPS] = {
		[RT_MAP_EVENTS] = "events", [RT_MAP_HITS] = "hits",   [RT_MAP_CELLS] = "cells",
		[RT_MAP_PLACES] = "places", [RT_MAP_QUICK] = "quick", [RT_MAP_HEADS] = "heads",
		[RT_MAP_FRAMES] = "frames", [RT_MAP_SAVED] = "saved", [RT_MAP_ERRNO] = "errno",
		[RT_MAP_UNREAD] = "unread", [RT_MAP_GATE] = "gate",
		[RT_MAP_FOLLOWED] = "followed", [RT_MAP_GROUP] = "group",
		[RT_MAP_STRANGERS] = "strangers", [RT_MAP_EMULATIONS] = "emulations",
		[RT_MAP_SHELVES] = "shelves",
	};
	size_t i;

	for (i = 0; i < bpf->nmaps; i++)
		if (bpf->maps[i].insn == insn)
			return names[bpf->maps[i].target];
	return NULL;
}

static const char *size_name(uint8_t code)
{
	static const char *const names[] = { "u32", "u16", "u8", "u64" };

	return names[(code >> 3) & 3];
}

static void print_alu(const struct rt_bpf_insn *in, FILE *file)
{
	static const char *const ops[16] = { "+=",  "-=",  "*=", "/=", "|=", "&=",  "<<=",
					     ">>=", "neg", "%=", "^=", "=",  "s>>=" };
	const char *op = ops[in->code >> 4] ? ops[in->code >> 4] : "?";

	if (in->code & 0x08)
		fprintf(file, "r%d %s r%d", in->regs & 15, op, in->regs >> 4);
	else
		fprintf(file, "r%d %s %" PRId32, in->regs & 15, op, in->imm);
}

static void print_jump(const struct rt_bpf_insn *in, size_t at, FILE *file)
{
	static const char *const ops[16] = {
		[1] = "==", [2] = ">", [3] = ">=", [4] = "&", [5] = "!=", [6] = "s>", [7] = "s>="
	};
	size_t target = at + 1 + (size_t)(long)in->off;

	switch (in->code >> 4) {
	case 0x0:
		fprintf(file, "goto %zu", target);
		break;
	case 0x8:
		fprintf(file, "call %s#%" PRId32, helper_name(in->imm), in->imm);
		break;
	case 0x9:
		fprintf(file, "exit");
		break;
	default:
		fprintf(file, "if r%d %s ", in->regs & 15,
			ops[in->code >> 4] ? ops[in->code >> 4] : "?");
		if (in->code & 0x08)
			fprintf(file, "r%d goto %zu", in->regs >> 4, target);
		else
			fprintf(file, "%" PRId32 " goto %zu", in->imm, target);
	}
}

static void print_atomic(const struct rt_bpf_insn *in, FILE *file)
{
	int dst = in->regs & 15, src = in->regs >> 4;
	const char *op = in->imm == 0x01   ? "atomic64_fetch_add"
			 : in->imm == 0xe1 ? "atomic64_xchg"
					   : "atomic64_?";

	if (in->imm == 0x00) {
		fprintf(file, "lock *(u64 *)(r%d %+d) += r%d", dst, in->off, src);
		return;
	}
	if (in->imm == 0xf1) {
		fprintf(file, "r0 = atomic64_cmpxchg((u64 *)(r%d %+d), r0, r%d)", dst, in->off,
			src);
		return;
	}
	fprintf(file, "r%d = %s((u64 *)(r%d %+d), r%d)", src, op, dst, in->off, src);
}

static void print_memory(const struct rt_bpf_insn *in, FILE *file)
{
	int dst = in->regs & 15, src = in->regs >> 4;

	switch (in->code & 7) {
	case 1:
		fprintf(file, "r%d = *(%s *)(r%d %+d)", dst, size_name(in->code), src, in->off);
		break;
	case 2:
		fprintf(file, "*(%s *)(r%d %+d) = %" PRId32, size_name(in->code), dst, in->off,
			in->imm);
		break;
	default:
		if ((in->code & 0xe0) == 0xc0)
			print_atomic(in, file);
		else
			fprintf(file, "*(%s *)(r%d %+d) = r%d", size_name(in->code), dst, in->off,
				src);
	}
}

void rt_bpf_print(const struct rt_bpf *bpf, FILE *file)
{
	size_t i;

	for (i = 0; i < bpf->n; i++) {
		const struct rt_bpf_insn *in = &bpf->insns[i];
		const char *map = map_name(bpf, i);

		fprintf(file, "%4zu: (%02x) ", i, in->code);
		switch (in->code & 7) {
		case 0:
			if (map)
				fprintf(file, "r%d = map[%s]", in->regs & 15, map);
			else
				fprintf(file, "r%d = 0x%" PRIx64, in->regs & 15,
					(uint64_t)(uint32_t)in->imm |
					(i + 1 < bpf->n ? (uint64_t)(uint32_t)in[1].imm << 32 : 0));
			i++;	/* its second half */
			break;
		case 5:
			print_jump(in, i, file);
			break;
		case 7:
			print_alu(in, file);
			break;
		default:
			print_memory(in, file);
		}
		fputc('\n', file);
	}
}
