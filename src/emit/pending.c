/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For --min-time the programs keep an entry's record in the thread's frame, and the filter gets the
 * beginning of the call (rt_event.entered).  Records that remain there when a thread or the trace
 * ends are read from the map (stream/pending.h).  It takes a loop (5.3); without one all is sent.
 * --depth and --only-under are applied first, to all calls.
 *
 * If a tail call's caller has a uretprobe, its frame is behind the caller's, at the same level.  A
 * jump out of a function records all open calls, since its target can be the end of any function.
 * A traced target takes the caller's place.
 */
#include "emit/pending.h"

#include "emit/frames_private.h"
#include "emit/saved.h"
#include "emit/private.h"
#include "fetch/record.h"

/* a call's frame, while its record is written */
enum { FRAME = R8 };

enum { RECORD = sizeof(struct rt_open_call) };

#define RECORDED ((int)offsetof(struct rt_head, recorded))

/* HO_LEAST: calls that began `ns` ago have lasted long enough. */
static void emit_since(struct emitter *e, uint64_t ns)
{
	int late = rt_bpf_label(e->bpf);

	rt_bpf_call(e->bpf, RT_FN_ktime_get_ns);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + FR_TIME, R0);
	rt_bpf_mov_imm64(e->bpf, R2, ns);
	rt_bpf_mov_imm(e->bpf, R1, 0);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGT, R2, R0, late);
	rt_bpf_mov(e->bpf, R1, R0);
	rt_bpf_alu(e->bpf, RT_BPF_SUB, R1, R2);
	rt_bpf_place(e->bpf, late);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + HO_LEAST, R1);
}

void rt_emit_pending_all(struct emitter *e)
{
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, e->frames + HO_LEAST, -1);
}

void rt_emit_pending_failed(struct emitter *e)
{
	if (e->program->limit.min_time) {
		emit_since(e, e->program->limit.min_time);
		return;
	}
	emit_since(e, 0);
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, e->frames + HO_LEAST, 0);
}

/* The tests' least duration, of alternatives none: the others are made by the reader. */
static uint64_t least_time(const struct rt_plan *plan)
{
	uint64_t least = 0;
	unsigned i;

	for (i = 0; i < plan->ntests; i++) {
		const struct rt_test *test = &plan->tests[i];

		if (test->join == RT_TEST_ELSE)
			return 0;
		if (test->of_time && (test->op == RT_TEST_GT || test->op == RT_TEST_GE) &&
		    test->constant > least)
			least = test->constant;
	}
	return least;
}

void rt_emit_pending_now(struct emitter *e)
{
	const struct rt_plan *plan = e->program->plan;
	int failed, done;

	if (!(e->program->limit.ends || e->program->shelved) || plan->role ||
	    (plan->kind == RT_KIND_RETURN && !plan->ntests)) {
		rt_emit_pending_failed(e);
	} else if (plan->kind == RT_KIND_ENTRY) {
		rt_emit_pending_failed(e);
		if (!plan->ends && !e->program->limit.min_time)
			rt_emit_pending_all(e);
	} else {
		failed = rt_bpf_label(e->bpf);
		done = rt_bpf_label(e->bpf);
		rt_emit_tests(e, failed);
		emit_since(e, least_time(plan));
		rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, done);
		rt_bpf_place(e->bpf, failed);
		rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, e->frames + HO_LEAST, 0);
		rt_bpf_place(e->bpf, done);
	}
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
	rt_bpf_store(e->bpf, RT_BPF_W, e->base, rt_emit_field(e, offsetof(struct rt_record, seq)),
		     R1);
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
	rt_bpf_load(e->bpf, RT_BPF_W, R1, HEAD, RECORDED);
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, R10, e->frames + HO_DEPTH);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGE, R1, R2, done);
	rt_emit_frame(e);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R0, AT(time));
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, R10, e->frames + HO_LEAST);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGT, R1, R2, done);
	rt_bpf_mov(e->bpf, FRAME, R0);
}

static void emit_one_recorded(struct emitter *e)
{
	rt_bpf_load(e->bpf, RT_BPF_DW, HEAD, R10, e->frames + HO_HEAD);
	rt_bpf_load(e->bpf, RT_BPF_W, R1, HEAD, RECORDED);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, 1);
	rt_bpf_store(e->bpf, RT_BPF_W, HEAD, RECORDED, R1);
}

void rt_emit_pending_record(struct emitter *e)
{
	int more = rt_bpf_label(e->bpf), done = rt_bpf_label(e->bpf), lost = rt_bpf_label(e->bpf),
	    out = e->out;

	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + HO_HEAD, HEAD);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + HO_DEPTH, DEPTH);
	rt_bpf_mov_imm(e->bpf, R1, 0);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + HO_ROUND, R1);
	rt_bpf_place(e->bpf, more);
	emit_step(e, done);
	e->out = lost;
	emit_record(e);
	e->out = out;
	emit_one_recorded(e);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, more);
	/*
	 * A record that the ring refuses has its number, and so is a gap.  The others wait for the
	 * next hit: if this path led back into the loop as well, the verifier would follow both in
	 * each round, and give up.
	 */
	rt_bpf_place(e->bpf, lost);
	emit_one_recorded(e);
	rt_bpf_place(e->bpf, done);
	rt_bpf_load(e->bpf, RT_BPF_DW, HEAD, R10, e->frames + HO_HEAD);
	rt_bpf_load(e->bpf, RT_BPF_DW, DEPTH, R10, e->frames + HO_DEPTH);
}

void rt_emit_pending_enter(struct emitter *e, int pass)
{
	int pending = rt_bpf_label(e->bpf);

	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + FR_TIME);
	rt_bpf_store(e->bpf, RT_BPF_DW, R0, AT(time), R1);
	/* Its end has no tests, and all around it are recorded. */
	if (e->program->limit.ends && !e->program->plan->ends && !e->program->limit.min_time) {
		rt_bpf_store(e->bpf, RT_BPF_W, HEAD, RECORDED, DEPTH);
		rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, pass);
		return;
	}
	/* DEPTH counts the new one too. */
	rt_bpf_load(e->bpf, RT_BPF_W, R1, HEAD, RECORDED);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGT, DEPTH, R1, pending);
	rt_bpf_store(e->bpf, RT_BPF_W, HEAD, RECORDED, DEPTH);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, pass);
	rt_bpf_place(e->bpf, pending);
	rt_bpf_mov(e->bpf, ROOM, R0);
	rt_bpf_store_imm(e->bpf, RT_BPF_W, R10, SEQ, 0);
	e->base = ROOM;
	e->record = RECORD;
	rt_emit_contents(e);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, e->out);
}

void rt_emit_pending_exit(struct emitter *e)
{
	rt_bpf_load(e->bpf, RT_BPF_W, R1, HEAD, RECORDED);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGE, DEPTH, R1, e->out);
	rt_bpf_store(e->bpf, RT_BPF_W, HEAD, RECORDED, DEPTH);
}

/* ---- values that an entry saves for its return ---- */

enum { SLOT = R8, FOUND = R7 };

/* Fibonacci hashing; the lowest bits of a stack pointer say nothing. */
enum { HASH = 0x61c88647, HASH_SHIFT = 16, ALIGN_SHIFT = 3 };

#define SAVED_AT(member) ((int)offsetof(struct rt_saved, member))

int rt_emit_saved_at(unsigned i)
{
	return SAVED_AT(v) + (int)(i * sizeof(uint64_t));
}

/*
 * A value that no other function's program stores there, as far as the program knows its function.
 */
static int32_t function_key(const struct rt_bpf_program *p)
{
	uint32_t h = 2166136261u;
	unsigned i;

	if (p->key_source == RT_KEY_CONSTANT)
		return (int32_t)p->function;
	for (i = 0; i < p->plan->nsaved; i++) {
		const struct rt_fetch *f = &p->plan->saved[i];

		h = (h ^
		     (f->base == RT_BASE_REG ? f->reg.pt_regs : 0x10000u + (uint32_t)f->offset)) *
		    16777619u;
	}
	return (int32_t)(h | 1u << 31);
}

/* r0 = which function it is. */
static void emit_function(struct emitter *e)
{
	if (e->program->key_source == RT_KEY_COOKIE) {
		rt_bpf_mov(e->bpf, R1, CTX);
		rt_bpf_call(e->bpf, RT_FN_get_attach_cookie);
		rt_bpf_alu_imm(e->bpf, RT_BPF_RSH, R0, 32);
		return;
	}
	rt_bpf_mov_imm64(e->bpf, R0, (uint32_t)function_key(e->program));
}

/* r1 = the stack pointer at the entry. */
static void emit_entry_sp(struct emitter *e)
{
	const struct rt_plan *plan = e->program->plan;

	rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, plan->arch->sp.pt_regs);
	if (rt_plan_is_uretprobe(plan))
		rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, -(int32_t)plan->arch->return_pop);
}

/*
 * r10 + POINTER = the stack pointer at the entry; r0 = its slot.  On to `none` where there is none,
 * which cannot be.
 */
static void emit_slot(struct emitter *e, int none)
{
	int out = e->out;

	emit_entry_sp(e);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, POINTER, R1);
	rt_bpf_alu_imm(e->bpf, RT_BPF_RSH, R1, ALIGN_SHIFT);
	rt_bpf_alu_imm(e->bpf, RT_BPF_MUL, R1, HASH);
	rt_bpf_alu_imm(e->bpf, RT_BPF_RSH, R1, HASH_SHIFT);
	rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R1, (int32_t)e->program->saved_slots - 1);
	rt_bpf_store(e->bpf, RT_BPF_W, R10, KEY, R1);
	/* Not out of the program: a record that is reserved has to be submitted. */
	e->out = none;
	rt_emit_lookup(e, RT_MAP_SAVED, KEY);
	e->out = out;
}

void rt_emit_save(struct emitter *e)
{
	const struct rt_plan *plan = e->program->plan;
	unsigned i;

	emit_slot(e, e->out);
	rt_bpf_mov(e->bpf, SLOT, R0);
	/* Whole or not there: it is used up while it is written. */
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, SLOT, SAVED_AT(sp), 0);
	emit_function(e);
	rt_bpf_store(e->bpf, RT_BPF_W, SLOT, SAVED_AT(function), R0);
	rt_bpf_store(e->bpf, RT_BPF_W, SLOT, SAVED_AT(tid), PID_TGID);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, POINTER);
	rt_bpf_store(e->bpf, RT_BPF_DW, SLOT, SAVED_AT(sp), R1);
	for (i = 0; i < plan->nsaved; i++) {
		const struct rt_fetch *f = &plan->saved[i];

		if (f->base == RT_BASE_REG) {
			rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, f->reg.pt_regs);
		} else {
			/*
			 * A map's value is no buffer before 4.14, so read by way of the frame.
			 * Unreadable is 0: nothing is there.
			 */
			rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, POINTER, 0);
			rt_bpf_load(e->bpf, RT_BPF_DW, R3, CTX, plan->arch->sp.pt_regs);
			rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R3, f->offset);
			rt_emit_read(e, R10, POINTER, f->size);
			rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, POINTER);
		}
		rt_bpf_store(e->bpf, RT_BPF_DW, SLOT, rt_emit_saved_at(i), R1);
	}
}

void rt_emit_find_saved(struct emitter *e, int none)
{
	emit_slot(e, none);
	rt_bpf_mov(e->bpf, FOUND, R0);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, FOUND, SAVED_AT(sp));
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, R10, POINTER);
	rt_bpf_alu(e->bpf, RT_BPF_SUB, R1, R2);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, none);
	rt_bpf_load(e->bpf, RT_BPF_W, R1, FOUND, SAVED_AT(tid));
	rt_bpf_load(e->bpf, RT_BPF_W, R2, e->base,
		    rt_emit_field(e, offsetof(struct rt_record, tid)));
	rt_bpf_alu(e->bpf, RT_BPF_SUB, R1, R2);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, none);
	emit_function(e);
	rt_bpf_load(e->bpf, RT_BPF_W, R1, FOUND, SAVED_AT(function));
	rt_bpf_alu(e->bpf, RT_BPF_SUB, R1, R0);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, none);
}

void rt_emit_use_up(struct emitter *e, int none)
{
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, FOUND, SAVED_AT(sp));
	emit_entry_sp(e);
	rt_bpf_alu(e->bpf, RT_BPF_SUB, R1, R2);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, none);
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, FOUND, SAVED_AT(sp), 0);
}
