/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program filters on the pid itself: perf's filter decides only where breakpoints are put,
 * and forked children inherit them.
 */
#include "emit/gate.h"

#include "emit/private.h"

void rt_gate_emit(const struct rt_pids *pids, const struct rt_pid_space *space, struct rt_bpf *bpf)
{
	struct emitter e = { .bpf = bpf, .out = rt_bpf_label(bpf) };
	unsigned i;
	int next;

	rt_emit_pid_tgid(bpf, space, e.out);
	rt_bpf_mov(bpf, PID_TGID, R0);
	rt_bpf_alu_imm(bpf, RT_BPF_RSH, PID_TGID, 32);
	for (i = 0; i < pids->n; i++) {
		next = rt_bpf_label(bpf);
		rt_bpf_jump(bpf, RT_BPF_JNE, PID_TGID, (int32_t)pids->v[i], next);
		rt_bpf_mov_map(bpf, R1, RT_MAP_EVENTS);
		rt_bpf_mov_imm(bpf, R2, (int32_t)i);
		rt_bpf_call(bpf, RT_FN_perf_event_read);
		rt_bpf_jump(bpf, RT_BPF_JSGE, R0, 0, e.out);
		rt_bpf_store_imm(bpf, RT_BPF_W, R10, KEY, 0);
		rt_emit_lookup(&e, RT_MAP_GATE, KEY);
		rt_bpf_store(bpf, RT_BPF_DW, R0, 0, PID_TGID);
		rt_bpf_place(bpf, next);
	}
	rt_bpf_place(bpf, e.out);
	rt_bpf_mov_imm(bpf, R0, 0);
	rt_bpf_exit(bpf);
}
