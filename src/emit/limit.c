/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What rt_limit lets through, by the thread's open calls. */
#include "emit/frames.h"
#include "emit/frames_private.h"
#include "emit/hold.h"
#include "emit/private.h"

/* FR_ID: the function, where it is known. */
static void emit_function(struct emitter *e)
{
	if (e->program->key_source != RT_KEY_COOKIE) {
		rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, e->frames + FR_ID, (int32_t)e->program->function);
		return;
	}
	rt_bpf_mov(e->bpf, R1, CTX);
	rt_bpf_call(e->bpf, RT_FN_get_attach_cookie);
	rt_bpf_alu_imm(e->bpf, RT_BPF_RSH, R0, 32);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + FR_ID, R0);
}

/* On to `out`, but not with an entry that shows recorded calls to be over: the reader must learn of that. */
static void emit_leave_out(struct emitter *e, int pass)
{
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + FR_OVER);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, 0, e->out);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, pass);
}

/* FR_N = the level of an entry, where tail calls stand in the frames behind the calls that made them. */
static void emit_level(struct emitter *e)
{
	int outermost = rt_bpf_label(e->bpf), same = rt_bpf_label(e->bpf);

	rt_bpf_mov_imm(e->bpf, R1, 0);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, DEPTH, 0, outermost);
	rt_frames_top(e);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R0, AT(level));
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, R0, AT(sp));
	rt_bpf_load(e->bpf, RT_BPF_DW, R3, R10, e->frames + FR_SP);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JEQ, R2, R3, same);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, 1);
	rt_bpf_place(e->bpf, same);
	rt_bpf_place(e->bpf, outermost);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + FR_N, R1);
}

static void emit_depth(struct emitter *e, int pass)
{
	int shallow = rt_bpf_label(e->bpf);

	if (e->program->hold) {
		emit_level(e);
		rt_bpf_load(e->bpf, RT_BPF_DW, R2, R10, e->frames + FR_N);
	} else {
		rt_bpf_mov(e->bpf, R2, DEPTH);
	}
	rt_bpf_mov_imm(e->bpf, R1, (int32_t)e->program->limit.depth);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGT, R1, R2, shallow);
	emit_leave_out(e, pass);
	rt_bpf_place(e->bpf, shallow);
}

static void emit_limit_entry(struct emitter *e, int pass)
{
	const struct rt_program *p = e->program;
	int inside;

	if (!p->hold)
		rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, e->frames + FR_TIME, 0);
	rt_frames_enter(e, !p->hold && !p->plan->no_return, pass);
	if (p->limit.under && !p->plan->root) {
		inside = rt_bpf_label(e->bpf);
		rt_bpf_jump(e->bpf, RT_BPF_JNE, DEPTH, 0, inside);
		if (!p->hold) {
			rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + FR_TIME);
			rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, inside);
		}
		emit_leave_out(e, pass);
		rt_bpf_place(e->bpf, inside);
	}
	if (p->limit.depth)
		emit_depth(e, pass);
	if (p->plan->no_return) {
		if (p->hold)
			emit_leave_out(e, pass);	/* nothing says how long it lasts */
		return;
	}
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, DEPTH, RT_OPEN_MAX, pass);
	rt_frames_new(e);
	if (p->hold && p->limit.depth) {
		rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + FR_N);
		rt_bpf_store(e->bpf, RT_BPF_DW, R0, AT(level), R1);
	}
	if (p->hold)
		rt_emit_hold_enter(e, pass);
	else
		rt_bpf_store_imm(e->bpf, RT_BPF_DW, R0, AT(time), 0);
}

/*
 * A jump that may leave the function: it may come to be another call, which is inside of what this one is inside of.  Held back calls are
 * recorded before it, as what it leads to may be the end of this one.
 */
static void emit_limit_jump(struct emitter *e, int pass)
{
	if (e->program->hold)
		rt_emit_hold_all(e);
	rt_frames_leave(e, false, pass);
	rt_frames_store_depth(e);
	if (!e->program->hold)
		rt_bpf_store_imm(e->bpf, RT_BPF_DW, R0, AT(time), 1);
	rt_bpf_mov_imm64(e->bpf, R1, RT_OPEN_JUMPED);
	rt_bpf_store(e->bpf, RT_BPF_DW, R0, AT(id), R1);
}

/* The frame in r0 is of the function whose return instruction this is, or has jumped; else on to `out`, as that is shared by ways that are no calls. */
static void emit_check_owner(struct emitter *e)
{
	int right = rt_bpf_label(e->bpf);

	rt_bpf_load(e->bpf, RT_BPF_W, R1, R0, AT(id));
	rt_bpf_load(e->bpf, RT_BPF_W, R2, R10, e->frames + FR_ID);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JEQ, R1, R2, right);
	rt_bpf_mov_imm64(e->bpf, R3, RT_OPEN_JUMPED);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JEQ, R1, R3, right);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JNE, R2, R3, e->out);
	rt_bpf_place(e->bpf, right);
}

/*
 * Without a function (RT_KEY_POINTER) the return is that of the innermost call at the place: those of tail calls come in that order.
 */
static void emit_limit_return(struct emitter *e, int pass)
{
	bool known = e->program->key_source != RT_KEY_POINTER, uretprobe = rt_plan_is_uretprobe(e->program->plan);

	rt_frames_leave(e, known && uretprobe, pass);
	if (known && !uretprobe)
		emit_check_owner(e);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, DEPTH, -1);
	rt_frames_store_depth(e);
	if (e->program->hold)
		rt_emit_hold_leave(e);
}

void rt_emit_limit(struct emitter *e)
{
	const struct rt_program *p = e->program;
	int pass = rt_bpf_label(e->bpf);

	if (p->hold)
		rt_emit_hold_now(e);
	emit_function(e);
	if (p->plan->leaving == RT_BY_JUMP || p->plan->leaving == RT_BY_BRANCH)
		emit_limit_jump(e, pass);
	else if (p->plan->kind == RT_KIND_RETURN)
		emit_limit_return(e, pass);
	else
		emit_limit_entry(e, pass);
	rt_bpf_place(e->bpf, pass);
}

/*
 * The innermost call alone tells whether some are over; they stay until an entry is recorded that shows it.  (Another bisection would be too much
 * for the verifiers of old kernels.)
 */
static void emit_failed_shows(struct emitter *e, int pass)
{
	rt_frames_take(e, e->out);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, DEPTH, 0, e->out);
	rt_frames_top(e);
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, R0, AT(sp));
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + FR_SP);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGT, R2, R1, e->out);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JNE, R2, R1, pass);
	rt_frames_return_page(e);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, 0, e->out);
}

void rt_emit_limit_failed(struct emitter *e)
{
	int pass = rt_bpf_label(e->bpf);

	if (e->program->hold) {
		/* What is held back must not be taken for open any more. */
		rt_emit_hold_now(e);
		rt_frames_enter(e, false, e->out);
		emit_leave_out(e, pass);
	} else {
		emit_failed_shows(e, pass);
	}
	rt_bpf_place(e->bpf, pass);
}

void rt_emit_limit_unwound(struct emitter *e)
{
	int pass = rt_bpf_label(e->bpf), other = rt_bpf_label(e->bpf), fewer = rt_bpf_label(e->bpf);

	if (e->program->hold)
		rt_emit_hold_now(e);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, e->program->plan->arch->sp.pt_regs);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, 1);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + FR_FLOOR, R1);
	rt_frames_head(e, other);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, DEPTH, 0, pass);
	if (e->program->hold)
		rt_emit_hold_tell(e);
	rt_frames_bisect(e);
	rt_bpf_load(e->bpf, RT_BPF_DW, DEPTH, R10, e->frames + FR_N);
	rt_frames_store_depth(e);
	if (e->program->hold) {
		rt_bpf_load(e->bpf, RT_BPF_W, R1, HEAD, offsetof(struct rt_head, told));
		rt_bpf_jump_reg(e->bpf, RT_BPF_JGE, DEPTH, R1, fewer);
		rt_bpf_store(e->bpf, RT_BPF_W, HEAD, offsetof(struct rt_head, told), DEPTH);
	}
	rt_bpf_place(e->bpf, fewer);
	rt_bpf_place(e->bpf, other);
	rt_bpf_place(e->bpf, pass);
}
