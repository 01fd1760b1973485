/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emit/follow.h"

#include "emit/private.h"

/* CLONE_THREAD of <linux/sched.h>: the new thread is one of the same process. */
enum { THREAD = 0x10000 };

/* The frame: RT_MAP_FOLLOWED's key, its value. */
enum { FOLLOWED = -16, VALUE = -24 };

/* r0 = the result of the update of RT_MAP_FOLLOWED by the key and the value in the frame. */
static void emit_update(struct rt_bpf *bpf)
{
	rt_bpf_mov_map(bpf, R1, RT_MAP_FOLLOWED);
	rt_bpf_mov(bpf, R2, R10);
	rt_bpf_alu_imm(bpf, RT_BPF_ADD, R2, FOLLOWED);
	rt_bpf_mov(bpf, R3, R10);
	rt_bpf_alu_imm(bpf, RT_BPF_ADD, R3, VALUE);
	rt_bpf_mov_imm(bpf, R4, 0);
	rt_bpf_call(bpf, RT_FN_map_update_elem);
}

/* Enter the key in r1, or count that there was no room; the program's end. */
static void emit_enter(struct emitter *e)
{
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, FOLLOWED, R1);
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, VALUE, 0);
	emit_update(e->bpf);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R0, 0, e->out);
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, FOLLOWED, 0);
	rt_emit_lookup(e, RT_MAP_FOLLOWED, FOLLOWED);
	rt_bpf_mov_imm(e->bpf, R1, 1);
	rt_bpf_atomic_add(e->bpf, R0, 0, R1);
	rt_bpf_place(e->bpf, e->out);
	rt_bpf_mov_imm(e->bpf, R0, 0);
	rt_bpf_exit(e->bpf);
}

void rt_emit_followed(struct emitter *e, const struct rt_pid_space *space)
{
	int ours;

	rt_bpf_alu_imm(e->bpf, RT_BPF_RSH, R0, 32);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, FOLLOWED, R0);
	if (!space->ino) {
		rt_emit_lookup(e, RT_MAP_FOLLOWED, FOLLOWED);
		return;
	}
	ours = rt_bpf_label(e->bpf);
	rt_bpf_mov_map(e->bpf, R1, RT_MAP_FOLLOWED);
	rt_bpf_mov(e->bpf, R2, R10);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R2, FOLLOWED);
	rt_bpf_call(e->bpf, RT_FN_map_lookup_elem);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, ours);
	rt_bpf_call(e->bpf, RT_FN_get_current_task);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, FOLLOWED, R0);
	rt_emit_lookup(e, RT_MAP_FOLLOWED, FOLLOWED);
	rt_bpf_place(e->bpf, ours);
}

void rt_follow_emit(const struct rt_newtask *newtask, struct rt_bpf *bpf)
{
	struct emitter e = { .bpf = bpf, .out = rt_bpf_label(bpf) };
	const struct rt_pid_space machine = { .ino = 0 };

	rt_bpf_mov(bpf, CTX, R1);
	rt_bpf_call(bpf, RT_FN_get_current_pid_tgid);
	rt_emit_followed(&e, &machine);
	rt_bpf_load(bpf, newtask->flags_size == 8 ? RT_BPF_DW : RT_BPF_W, R1, CTX,
		    newtask->clone_flags);
	rt_bpf_alu_imm(bpf, RT_BPF_AND, R1, THREAD);
	rt_bpf_jump(bpf, RT_BPF_JNE, R1, 0, e.out);
	rt_bpf_load(bpf, RT_BPF_W, R1, CTX, newtask->pid);
	emit_enter(&e);
}

/* Threads too: a task's children are found by its own address. */
void rt_follow_emit_task(const struct rt_pid_space *space, struct rt_bpf *bpf)
{
	struct emitter e = { .bpf = bpf, .out = rt_bpf_label(bpf) };

	rt_bpf_mov(bpf, CTX, R1);
	rt_emit_pid_tgid(bpf, space, e.out);
	rt_emit_followed(&e, space);
	rt_bpf_load(bpf, RT_BPF_DW, R1, CTX, 0);
	emit_enter(&e);
}

void rt_follow_emit_task_exit(struct rt_bpf *bpf)
{
	rt_bpf_load(bpf, RT_BPF_DW, R1, R1, 0);
	rt_bpf_store(bpf, RT_BPF_DW, R10, FOLLOWED, R1);
	rt_bpf_mov_map(bpf, R1, RT_MAP_FOLLOWED);
	rt_bpf_mov(bpf, R2, R10);
	rt_bpf_alu_imm(bpf, RT_BPF_ADD, R2, FOLLOWED);
	rt_bpf_call(bpf, RT_FN_map_delete_elem);
	rt_bpf_mov_imm(bpf, R0, 0);
	rt_bpf_exit(bpf);
}
