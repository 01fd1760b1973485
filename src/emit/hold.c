/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emit/hold.h"

#include "emit/frames_private.h"
#include "fetch/record.h"

/* Where a call's frame is while its record is written. */
enum { FRAME = R8 };

enum { RECORD = sizeof(struct rt_open_call) };

#define TOLD ((int)offsetof(struct rt_head, told))

void rt_emit_hold_now(struct emitter *e)
{
	int late = rt_bpf_label(e->bpf);

	rt_bpf_call(e->bpf, RT_FN_ktime_get_ns);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + FR_TIME, R0);
	rt_bpf_mov_imm64(e->bpf, R2, e->program->limit.min_time);
	rt_bpf_mov_imm(e->bpf, R1, 0);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGT, R2, R0, late);
	rt_bpf_mov(e->bpf, R1, R0);
	rt_bpf_alu(e->bpf, RT_BPF_SUB, R1, R2);
	rt_bpf_place(e->bpf, late);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + HO_LEAST, R1);
}

void rt_emit_hold_all(struct emitter *e)
{
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, e->frames + HO_LEAST, -1);
}

/* The record in FRAME goes out, with a number, and the time of its entry. */
static void emit_record(struct emitter *e)
{
	int at;

	rt_emit_number(e);
	rt_emit_reserve(e);
	for (at = 0; at < e->tail.entered; at += 8) {
		rt_bpf_load(e->bpf, RT_BPF_DW, R1, FRAME, RECORD + at);
		rt_bpf_store(e->bpf, RT_BPF_DW, e->base, rt_emit_field(e, (size_t)at), R1);
	}
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, FRAME, AT(time));
	rt_bpf_store(e->bpf, RT_BPF_DW, e->base, rt_emit_field(e, e->tail.entered), R1);
	rt_bpf_load(e->bpf, RT_BPF_W, R1, R10, SEQ);
	rt_bpf_store(e->bpf, RT_BPF_W, e->base, rt_emit_field(e, offsetof(struct rt_record, seq)), R1);
	rt_emit_submit(e);
}

static void emit_step(struct emitter *e, int done)
{
	/* A counter that the verifier can follow, besides the one that it cannot. */
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + HO_ROUND);
	rt_bpf_jump(e->bpf, RT_BPF_JGT, R1, RT_OPEN_MAX - 1, done);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, 1);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + HO_ROUND, R1);
	rt_bpf_load(e->bpf, RT_BPF_DW, HEAD, R10, e->frames + HO_HEAD);
	rt_bpf_load(e->bpf, RT_BPF_W, R1, HEAD, TOLD);
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, R10, e->frames + HO_DEPTH);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGE, R1, R2, done);
	rt_emit_frame(e);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R0, AT(time));
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, R10, e->frames + HO_LEAST);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGT, R1, R2, done);
	rt_bpf_mov(e->bpf, FRAME, R0);
}

static void emit_one_told(struct emitter *e)
{
	rt_bpf_load(e->bpf, RT_BPF_DW, HEAD, R10, e->frames + HO_HEAD);
	rt_bpf_load(e->bpf, RT_BPF_W, R1, HEAD, TOLD);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, 1);
	rt_bpf_store(e->bpf, RT_BPF_W, HEAD, TOLD, R1);
}

void rt_emit_hold_tell(struct emitter *e)
{
	int again = rt_bpf_label(e->bpf), done = rt_bpf_label(e->bpf), lost = rt_bpf_label(e->bpf), out = e->out;

	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + HO_HEAD, HEAD);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + HO_DEPTH, DEPTH);
	rt_bpf_mov_imm(e->bpf, R1, 0);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + HO_ROUND, R1);
	rt_bpf_place(e->bpf, again);
	emit_step(e, done);
	e->out = lost;
	emit_record(e);
	e->out = out;
	emit_one_told(e);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, again);
	/*
	 * What the ring does not take has its number, and so is a gap.  The others wait for the next hit: if this way led back into the
	 * loop as well, the verifier would follow both in each round, and give up.
	 */
	rt_bpf_place(e->bpf, lost);
	emit_one_told(e);
	rt_bpf_place(e->bpf, done);
	rt_bpf_load(e->bpf, RT_BPF_DW, HEAD, R10, e->frames + HO_HEAD);
	rt_bpf_load(e->bpf, RT_BPF_DW, DEPTH, R10, e->frames + HO_DEPTH);
}

void rt_emit_hold_enter(struct emitter *e, int pass)
{
	int held = rt_bpf_label(e->bpf);

	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + FR_TIME);
	rt_bpf_store(e->bpf, RT_BPF_DW, R0, AT(time), R1);
	/* DEPTH counts the new one too. */
	rt_bpf_load(e->bpf, RT_BPF_W, R1, HEAD, TOLD);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGT, DEPTH, R1, held);
	rt_bpf_store(e->bpf, RT_BPF_W, HEAD, TOLD, DEPTH);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, pass);
	rt_bpf_place(e->bpf, held);
	rt_bpf_mov(e->bpf, ROOM, R0);
	rt_bpf_store_imm(e->bpf, RT_BPF_W, R10, SEQ, 0);
	e->base = ROOM;
	e->record = RECORD;
	rt_emit_contents(e);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, e->out);
}

void rt_emit_hold_leave(struct emitter *e)
{
	rt_bpf_load(e->bpf, RT_BPF_W, R1, HEAD, TOLD);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGE, DEPTH, R1, e->out);
	rt_bpf_store(e->bpf, RT_BPF_W, HEAD, TOLD, DEPTH);
}
