/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emit/follow.h"

#include "emit/private.h"

/* CLONE_THREAD of <linux/sched.h>: the new thread is one of the same process. */
enum { THREAD = 0x10000 };

/* The frame: RT_MAP_FOLLOWED's key, its value. */
enum { VALUE = -16 };

/* r0 = the result of the update of RT_MAP_FOLLOWED by the key and the value in the frame. */
static void emit_update(struct rt_bpf *bpf)
{
	rt_bpf_mov_map(bpf, R1, RT_MAP_FOLLOWED);
	rt_bpf_mov(bpf, R2, R10);
	rt_bpf_alu_imm(bpf, RT_BPF_ADD, R2, KEY);
	rt_bpf_mov(bpf, R3, R10);
	rt_bpf_alu_imm(bpf, RT_BPF_ADD, R3, VALUE);
	rt_bpf_mov_imm(bpf, R4, 0);
	rt_bpf_call(bpf, RT_FN_map_update_elem);
}

void rt_follow_emit(const struct rt_newtask *newtask, struct rt_bpf *bpf)
{
	struct emitter e = { .bpf = bpf, .out = rt_bpf_label(bpf) };

	rt_bpf_mov(bpf, CTX, R1);
	rt_bpf_call(bpf, RT_FN_get_current_pid_tgid);
	rt_bpf_alu_imm(bpf, RT_BPF_RSH, R0, 32);
	rt_bpf_store(bpf, RT_BPF_W, R10, KEY, R0);
	rt_emit_lookup(&e, RT_MAP_FOLLOWED, KEY);
	rt_bpf_load(bpf, newtask->flags_size == 8 ? RT_BPF_DW : RT_BPF_W, R1, CTX,
		    newtask->clone_flags);
	rt_bpf_alu_imm(bpf, RT_BPF_AND, R1, THREAD);
	rt_bpf_jump(bpf, RT_BPF_JNE, R1, 0, e.out);
	rt_bpf_load(bpf, RT_BPF_W, R1, CTX, newtask->pid);
	rt_bpf_store(bpf, RT_BPF_W, R10, KEY, R1);
	rt_bpf_store_imm(bpf, RT_BPF_DW, R10, VALUE, 0);
	emit_update(bpf);
	rt_bpf_jump(bpf, RT_BPF_JEQ, R0, 0, e.out);
	rt_bpf_store_imm(bpf, RT_BPF_W, R10, KEY, 0);
	rt_emit_lookup(&e, RT_MAP_FOLLOWED, KEY);
	rt_bpf_mov_imm(bpf, R1, 1);
	rt_bpf_atomic_add(bpf, R0, 0, R1);
	rt_bpf_place(bpf, e.out);
	rt_bpf_mov_imm(bpf, R0, 0);
	rt_bpf_exit(bpf);
}
