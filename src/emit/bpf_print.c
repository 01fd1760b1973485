/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>

#include "emit/bpf.h"
#include "base/array.h"

static const char *helper_name(int32_t id)
{
	switch (id) {
	case RT_FN_map_lookup_elem: return "map_lookup_elem";
	case RT_FN_map_update_elem: return "map_update_elem";
	case RT_FN_probe_read: return "probe_read";
	case RT_FN_ktime_get_ns: return "ktime_get_ns";
	case RT_FN_get_smp_processor_id: return "get_smp_processor_id";
	case RT_FN_get_current_pid_tgid: return "get_current_pid_tgid";
	case RT_FN_perf_event_output: return "perf_event_output";
	case RT_FN_probe_read_str: return "probe_read_str";
	case RT_FN_tail_call: return "tail_call";
	case RT_FN_get_current_comm: return "get_current_comm";
	case RT_FN_perf_event_read: return "perf_event_read";
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
		[RT_MAP_EVENTS] = "events", [RT_MAP_HITS] = "hits", [RT_MAP_CELLS] = "cells", [RT_MAP_PLACES] = "places",
		[RT_MAP_QUICK] = "quick", [RT_MAP_HEADS] = "heads", [RT_MAP_FRAMES] = "frames", [RT_MAP_KEPT] = "kept", [RT_MAP_ERRNO] = "errno",
		[RT_MAP_UNREAD] = "unread", [RT_MAP_GATE] = "gate",
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
	static const char *const ops[16] = { "+=", "-=", "*=", "/=", "|=", "&=", "<<=", ">>=", "neg", "%=", "^=", "=", "s>>=" };
	const char *op = ops[in->code >> 4] ? ops[in->code >> 4] : "?";

	if (in->code & 0x08)
		fprintf(file, "r%d %s r%d", in->regs & 15, op, in->regs >> 4);
	else
		fprintf(file, "r%d %s %" PRId32, in->regs & 15, op, in->imm);
}

static void print_jump(const struct rt_bpf_insn *in, size_t at, FILE *file)
{
	static const char *const ops[16] = { [1] = "==", [2] = ">", [3] = ">=", [4] = "&", [5] = "!=", [6] = "s>", [7] = "s>=" };
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
		fprintf(file, "if r%d %s ", in->regs & 15, ops[in->code >> 4] ? ops[in->code >> 4] : "?");
		if (in->code & 0x08)
			fprintf(file, "r%d goto %zu", in->regs >> 4, target);
		else
			fprintf(file, "%" PRId32 " goto %zu", in->imm, target);
	}
}

static void print_atomic(const struct rt_bpf_insn *in, FILE *file)
{
	int dst = in->regs & 15, src = in->regs >> 4;
	const char *op = in->imm == 0x01 ? "atomic64_fetch_add" : in->imm == 0xe1 ? "atomic64_xchg" : "atomic64_?";

	if (in->imm == 0x00) {
		fprintf(file, "lock *(u64 *)(r%d %+d) += r%d", dst, in->off, src);
		return;
	}
	if (in->imm == 0xf1) {
		fprintf(file, "r0 = atomic64_cmpxchg((u64 *)(r%d %+d), r0, r%d)", dst, in->off, src);
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
		fprintf(file, "*(%s *)(r%d %+d) = %" PRId32, size_name(in->code), dst, in->off, in->imm);
		break;
	default:
		if ((in->code & 0xe0) == 0xc0)
			print_atomic(in, file);
		else
			fprintf(file, "*(%s *)(r%d %+d) = r%d", size_name(in->code), dst, in->off, src);
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
