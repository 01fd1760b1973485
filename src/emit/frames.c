/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stack of open calls is one array of frames, 64 a thread.  Bisection finds the calls that an
 * entry or a return ends, as there are no loops before 5.3; in the common case only the innermost
 * frame is compared.  The return address is read only if a call is open at the same stack pointer.
 *
 * Threads with ids that are equal modulo the slots share one: a thread with open calls has it.  Two
 * that take it at the same moment spoil each other's calls, but give no wrong time, as a return
 * wants a frame at its own stack pointer, and stacks of threads are apart.
 */
#include "emit/frames.h"

#include "emit/frames_private.h"
#include "emit/pending.h"
#include "emit/private.h"
#include "emit/shelf.h"

/*
 * A return address in the first bytes of a page is that of the uretprobe trampoline
 * (calls/stack.h).
 */
enum { PAGE_MASK = 0xfff };

void rt_emit_frame(struct emitter *e)
{
	rt_bpf_load(e->bpf, RT_BPF_W, R2, R10, e->frames + FR_BASE);
	rt_bpf_alu(e->bpf, RT_BPF_ADD, R1, R2);
	rt_bpf_store(e->bpf, RT_BPF_W, R10, e->frames + FR_KEY, R1);
	rt_emit_lookup(e, RT_MAP_FRAMES, e->frames + FR_KEY);
}

void rt_frames_top(struct emitter *e)
{
	rt_bpf_mov(e->bpf, R1, DEPTH);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, -1);
	rt_emit_frame(e);
}

void rt_frames_store_depth(struct emitter *e)
{
	rt_bpf_store(e->bpf, RT_BPF_W, HEAD, offsetof(struct rt_head, depth), DEPTH);
}

void rt_frames_head(struct emitter *e, int other)
{
	rt_bpf_mov(e->bpf, R1, PID_TGID);
	rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R1, (int32_t)e->program->heads - 1);
	rt_bpf_store(e->bpf, RT_BPF_W, R10, e->frames + FR_KEY, R1);
	rt_bpf_alu_imm(e->bpf, RT_BPF_MUL, R1, RT_OPEN_MAX);
	rt_bpf_store(e->bpf, RT_BPF_W, R10, e->frames + FR_BASE, R1);
	rt_emit_lookup(e, RT_MAP_HEADS, e->frames + FR_KEY);
	rt_bpf_mov(e->bpf, HEAD, R0);
	rt_bpf_load(e->bpf, RT_BPF_W, DEPTH, HEAD, offsetof(struct rt_head, depth));
	rt_bpf_jump(e->bpf, RT_BPF_JGT, DEPTH, RT_OPEN_MAX, e->out);
	rt_bpf_load(e->bpf, RT_BPF_W, R1, HEAD, offsetof(struct rt_head, tid));
	rt_bpf_mov(e->bpf, R2, PID_TGID);
	rt_bpf_alu_imm(e->bpf, RT_BPF_LSH, R2, 32);
	rt_bpf_alu_imm(e->bpf, RT_BPF_RSH, R2, 32);
	rt_bpf_alu(e->bpf, RT_BPF_SUB, R1, R2);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, other);
}

/*
 * r1 = the number in the frame, but verifiers do not know it any more: they would follow each sum
 * of steps by itself, and all that comes after it.
 */
static void emit_forget(struct emitter *e, int slot)
{
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + slot);
	rt_bpf_load(e->bpf, RT_BPF_W, R2, HEAD, offsetof(struct rt_head, tid));
	rt_bpf_mov(e->bpf, R3, R2);
	rt_bpf_alu(e->bpf, RT_BPF_XOR, R1, R2);
	rt_bpf_alu(e->bpf, RT_BPF_XOR, R1, R3);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + slot, R1);
}

void rt_frames_bisect(struct emitter *e)
{
	int step, skip;

	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, e->frames + FR_N, 0);
	for (step = RT_OPEN_MAX; step; step /= 2) {
		skip = rt_bpf_label(e->bpf);
		emit_forget(e, FR_N);
		rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, step);
		rt_bpf_jump_reg(e->bpf, RT_BPF_JGT, R1, DEPTH, skip);
		rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, -1);
		rt_emit_frame(e);
		rt_bpf_load(e->bpf, RT_BPF_DW, R1, R0, AT(sp));
		rt_bpf_load(e->bpf, RT_BPF_DW, R2, R10, e->frames + FR_FLOOR);
		rt_bpf_jump_reg(e->bpf, RT_BPF_JGT, R2, R1, skip);
		rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + FR_N);
		rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, step);
		rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + FR_N, R1);
		rt_bpf_place(e->bpf, skip);
	}
	emit_forget(e, FR_N);
}

void rt_frames_return_page(struct emitter *e)
{
	const struct rt_arch *arch = e->program->plan->arch;

	if (arch->link.tracefs) {
		rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, arch->link.pt_regs);
	} else {
		rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, e->frames + FR_N, 0);
		rt_bpf_mov(e->bpf, R3, R1);
		rt_emit_read(e, R10, e->frames + FR_N, arch->word);
		rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + FR_N);
	}
	rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R1, PAGE_MASK);
}

/*
 * FR_FLOOR for an entry at FR_SP: that, where it is a tail call of the calls there; else one more.
 * Only asked where there may be such calls: it costs a read of the stack.
 */
static void emit_floor(struct emitter *e)
{
	int tail = rt_bpf_label(e->bpf);

	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + FR_SP);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + FR_FLOOR, R1);
	rt_frames_return_page(e);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, 0, tail);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + FR_SP);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, 1);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + FR_FLOOR, R1);
	rt_bpf_place(e->bpf, tail);
}

/*
 * The same for programs that record, where a tail call takes the place of the call that made it
 * (calls/stack.h): FR_FLOOR is one more in any case, and FR_TIME not 0 where the calls at FR_SP may
 * have made one.  r0 is the innermost frame.
 */
static void emit_place_of(struct emitter *e)
{
	int above = rt_bpf_label(e->bpf), tail = rt_bpf_label(e->bpf);

	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + FR_SP);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, 1);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + FR_FLOOR, R1);
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, R0, AT(sp));
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R2, 1);
	rt_bpf_alu(e->bpf, RT_BPF_SUB, R1, R2);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, above);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R0, AT(time));
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + FR_TIME, R1);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, above);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + FR_SP);
	rt_frames_return_page(e);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, 0, tail);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, above);
	rt_bpf_place(e->bpf, tail);
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, e->frames + FR_TIME, 1);
	rt_bpf_place(e->bpf, above);
}

/* FR_OVER: have calls that were recorded gone, now that only FR_N are left? */
static void emit_over(struct emitter *e)
{
	int none = rt_bpf_label(e->bpf);

	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, e->frames + FR_OVER, 0);
	if (e->program->pending)
		rt_bpf_load(e->bpf, RT_BPF_W, R1, HEAD, offsetof(struct rt_head, recorded));
	else
		rt_bpf_mov(e->bpf, R1, DEPTH);
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, R10, e->frames + FR_N);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGE, R2, R1, none);
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, e->frames + FR_OVER, 1);
	rt_bpf_place(e->bpf, none);
}

/*
 * The calls that the entry shows to be over go.  `replaces`: it may take the place of the one that
 * made it.
 */
static void emit_unwind(struct emitter *e, bool replaces, int push)
{
	bool record = e->program->purpose == RT_PURPOSE_RECORD;

	if (record)
		rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, e->frames + FR_OVER, 0);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, DEPTH, 0, push);
	rt_frames_top(e);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R0, AT(sp));
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, R10, e->frames + FR_SP);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGT, R1, R2, push);
	if (replaces)
		emit_place_of(e);
	else
		emit_floor(e);
	rt_frames_bisect(e);
	if (e->program->shelved)
		rt_emit_shelf_over(e);
	else if (record)
		emit_over(e);
	rt_bpf_load(e->bpf, RT_BPF_DW, DEPTH, R10, e->frames + FR_N);
	rt_bpf_place(e->bpf, push);
}

void rt_frames_take(struct emitter *e, int taken)
{
	int other = rt_bpf_label(e->bpf), mine = rt_bpf_label(e->bpf);

	rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, e->program->plan->arch->sp.pt_regs);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + FR_SP, R1);
	rt_frames_head(e, other);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, mine);
	rt_bpf_place(e->bpf, other);
	if (e->program->shelved) {
		rt_emit_shelf_claim(e, taken);
		rt_bpf_place(e->bpf, mine);
		return;
	}
	rt_bpf_jump(e->bpf, RT_BPF_JNE, DEPTH, 0, taken);
	rt_bpf_store(e->bpf, RT_BPF_W, HEAD, offsetof(struct rt_head, tid), R2);
	if (e->program->pending)
		rt_bpf_store_imm(e->bpf, RT_BPF_W, HEAD, offsetof(struct rt_head, recorded), 0);
	rt_bpf_place(e->bpf, mine);
}

void rt_frames_enter(struct emitter *e, bool replaces, int taken)
{
	int done = rt_bpf_label(e->bpf);

	rt_frames_take(e, taken);
	if (e->program->pending)
		rt_emit_pending_record(e);
	emit_unwind(e, replaces, done);
	rt_frames_store_depth(e);
}

void rt_frames_new(struct emitter *e)
{
	rt_bpf_mov(e->bpf, R1, DEPTH);
	rt_emit_frame(e);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + FR_SP);
	rt_bpf_store(e->bpf, RT_BPF_DW, R0, AT(sp), R1);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + FR_ID);
	rt_bpf_store(e->bpf, RT_BPF_DW, R0, AT(id), R1);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, DEPTH, 1);
	rt_frames_store_depth(e);
}

#define TIME_AT(member) ((int)(sizeof(struct rt_open_call) + offsetof(struct rt_open_time, member)))

/*
 * FR_OUTER = 1 + the number of the frame that is `k` below the new one, and on to `found` where
 * that is of FR_ID; there is none: to `none`.
 */
static void emit_try_outer(struct emitter *e, int k, int found, int none)
{
	int there = rt_bpf_label(e->bpf);

	rt_bpf_mov(e->bpf, R1, DEPTH);
	rt_bpf_jump(e->bpf, RT_BPF_JGT, R1, k - 1, there);
	/*
	 * The verifiers before 4.15 compare registers that nobody reads, too: or they would follow
	 * each of these jumps by itself.
	 */
	rt_bpf_mov_imm(e->bpf, R1, 0);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, none);
	rt_bpf_place(e->bpf, there);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, 1 - k);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + FR_OUTER, R1);
	if (k > 1) {	/* else it is there already */
		rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, -1);
		rt_emit_frame(e);
	}
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R0, AT(id));
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, R10, e->frames + FR_ID);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JEQ, R1, R2, found);
}

/*
 * FR_OUTER and FR_N of a call that will be frame DEPTH: the nearest call of FR_ID around it, which
 * is most often the innermost one, and the names.  Without a loop (5.3), that is a step for each
 * frame there may be; few calls take more than one.
 */
static void emit_outer(struct emitter *e)
{
	int found = rt_bpf_label(e->bpf), none = rt_bpf_label(e->bpf), k;

	rt_bpf_load(e->bpf, RT_BPF_DW, R2, R10, e->frames + FR_ID);
	rt_bpf_alu_imm(e->bpf, RT_BPF_MUL, R2, RT_QUICK_FACTOR);
	rt_bpf_alu_imm(e->bpf, RT_BPF_RSH, R2, RT_NAME_SHIFT);
	rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R2, RT_NAME_MASK);
	rt_bpf_mov_imm(e->bpf, R1, 1);
	rt_bpf_alu(e->bpf, RT_BPF_LSH, R1, R2);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + FR_N, R1);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, DEPTH, 0, none);
	rt_frames_top(e);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + FR_N);
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, R0, TIME_AT(names));
	rt_bpf_mov(e->bpf, R3, R1);
	rt_bpf_alu(e->bpf, RT_BPF_OR, R3, R2);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + FR_N, R3);
	rt_bpf_alu(e->bpf, RT_BPF_AND, R1, R2);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, 0, none);
	for (k = 1; k < RT_OPEN_MAX; k++)
		emit_try_outer(e, k, found, none);
	rt_bpf_place(e->bpf, none);
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, e->frames + FR_OUTER, 0);
	rt_bpf_place(e->bpf, found);
}

void rt_emit_push(struct emitter *e)
{
	rt_frames_enter(e, false, e->out);
	/* The kernel delivers no return for so many either. */
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, DEPTH, RT_OPEN_MAX, e->out);
	emit_outer(e);
	rt_frames_new(e);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + FR_N);
	rt_bpf_store(e->bpf, RT_BPF_DW, R0, TIME_AT(names), R1);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + FR_OUTER);
	rt_bpf_store(e->bpf, RT_BPF_DW, R0, TIME_AT(outer), R1);
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R0, TIME_AT(inside), 0);
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R0, TIME_AT(children), 0);
	rt_bpf_mov(e->bpf, PID_TGID, R0);	/* which has had its use */
	rt_bpf_call(e->bpf, RT_FN_ktime_get_ns);
	rt_bpf_store(e->bpf, RT_BPF_DW, PID_TGID, AT(time), R0);
}

/* r0 = the innermost frame, r1 = 0 where its entry is at FR_SP. */
static void emit_compare(struct emitter *e)
{
	rt_frames_top(e);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R0, AT(sp));
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, R10, e->frames + FR_SP);
	rt_bpf_alu(e->bpf, RT_BPF_SUB, R1, R2);
}

/*
 * The call whose return comes back above its entry, because it has taken its arguments off the
 * stack: the outermost of those below FR_SP, and not further down than such arguments can take.
 * FR_N counts the calls above.
 */
static void emit_callee_pop(struct emitter *e, int found, int gone)
{
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + FR_N);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGE, R1, DEPTH, gone);
	rt_emit_frame(e);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + FR_SP);
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, R0, AT(sp));
	rt_bpf_alu(e->bpf, RT_BPF_SUB, R1, R2);
	rt_bpf_jump(e->bpf, RT_BPF_JGT, R1, e->program->plan->arch->callee_pop, gone);
	rt_bpf_load(e->bpf, RT_BPF_DW, DEPTH, R10, e->frames + FR_N);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, DEPTH, 1);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, found);
}

/* r0 = the frame of the call that returns, DEPTH - 1 its number. */
static void emit_match(struct emitter *e)
{
	int found = rt_bpf_label(e->bpf), gone = rt_bpf_label(e->bpf);

	emit_compare(e);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, 0, found);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + FR_SP);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + FR_FLOOR, R1);
	rt_frames_bisect(e);
	if (e->program->plan->arch->callee_pop) {
		int exact = rt_bpf_label(e->bpf), look = rt_bpf_label(e->bpf);

		rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + FR_N);
		rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, 0, look);
		rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, -1);
		rt_emit_frame(e);
		rt_bpf_load(e->bpf, RT_BPF_DW, R1, R0, AT(sp));
		rt_bpf_load(e->bpf, RT_BPF_DW, R2, R10, e->frames + FR_SP);
		rt_bpf_alu(e->bpf, RT_BPF_SUB, R1, R2);
		rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, 0, exact);
		rt_bpf_place(e->bpf, look);
		emit_callee_pop(e, found, gone);
		rt_bpf_place(e->bpf, exact);
	}
	rt_bpf_place(e->bpf, gone);
	rt_bpf_load(e->bpf, RT_BPF_DW, DEPTH, R10, e->frames + FR_N);
	rt_frames_store_depth(e);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, DEPTH, 0, e->out);
	emit_compare(e);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, e->out);
	rt_bpf_place(e->bpf, found);
}

/* r1 = 0 where frame r0 is of FR_ID. */
static void emit_compare_id(struct emitter *e)
{
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R0, AT(id));
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, R10, e->frames + FR_ID);
	rt_bpf_alu(e->bpf, RT_BPF_SUB, R1, R2);
}

/*
 * The innermost call at the place may be a tail call whose return the kernel did not keep; then it
 * is the one outside of that.
 */
static void emit_check_id(struct emitter *e)
{
	int right = rt_bpf_label(e->bpf);

	emit_compare_id(e);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, 0, right);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, DEPTH, -1);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, DEPTH, 0, e->out);
	emit_compare(e);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, e->out);
	emit_compare_id(e);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, e->out);
	rt_bpf_place(e->bpf, right);
}

void rt_frames_leave(struct emitter *e, int check, int other)
{
	const struct rt_arch *arch = e->program->plan->arch;

	rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, arch->sp.pt_regs);
	if (rt_plan_is_uretprobe(e->program->plan))
		rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, -(int32_t)arch->return_pop);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + FR_SP, R1);
	rt_frames_head(e, other);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, DEPTH, 0, e->out);
	if (e->program->pending)
		rt_emit_pending_record(e);
	emit_match(e);
	if (check)
		emit_check_id(e);
}

/* Add the call's duration to a sum of frame r0. */
static void emit_add_time(struct emitter *e, int sum)
{
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R0, sum);
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, R10, e->frames + FR_TIME);
	rt_bpf_alu(e->bpf, RT_BPF_ADD, R1, R2);
	rt_bpf_store(e->bpf, RT_BPF_DW, R0, sum, R1);
}

void rt_emit_pop(struct emitter *e, int check)
{
	int outermost = rt_bpf_label(e->bpf), alone = rt_bpf_label(e->bpf);

	rt_bpf_call(e->bpf, RT_FN_ktime_get_ns);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + FR_TIME, R0);
	rt_frames_leave(e, check, e->out);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R0, AT(time));
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, R10, e->frames + FR_TIME);
	rt_bpf_alu(e->bpf, RT_BPF_SUB, R2, R1);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + FR_TIME, R2);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R0, AT(id));
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + FR_ID, R1);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R0, TIME_AT(inside));
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + FR_INSIDE, R1);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R0, TIME_AT(children));
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + FR_CHILDREN, R1);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, DEPTH, -1);
	rt_frames_store_depth(e);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R0, TIME_AT(outer));
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, 0, outermost);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, -1);
	rt_emit_frame(e);
	emit_add_time(e, TIME_AT(inside));
	rt_bpf_place(e->bpf, outermost);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, DEPTH, 0, alone);
	rt_frames_top(e);
	emit_add_time(e, TIME_AT(children));
	rt_bpf_place(e->bpf, alone);
}

/* Filter by rt_limit, with the thread's open calls. */

void rt_frames_function(struct emitter *e)
{
	if (e->program->key_source != RT_KEY_COOKIE) {
		rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, e->frames + FR_ID,
				 (int32_t)e->program->function);
		return;
	}
	rt_bpf_mov(e->bpf, R1, CTX);
	rt_bpf_call(e->bpf, RT_FN_get_attach_cookie);
	rt_bpf_alu_imm(e->bpf, RT_BPF_RSH, R0, 32);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + FR_ID, R0);
}

/*
 * On to `out`, but not with an entry that shows recorded calls to be over: the reader must learn of
 * that.
 */
static void emit_leave_out(struct emitter *e, int pass)
{
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + FR_OVER);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, 0, e->out);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, pass);
}

/*
 * FR_N = the level of an entry, where tail calls stand in the frames behind the calls that made
 * them.
 */
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

	if (e->program->pending) {
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
	const struct rt_bpf_program *p = e->program;
	int inside;

	if (!p->pending)
		rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, e->frames + FR_TIME, 0);
	rt_frames_enter(e, !p->pending && !p->plan->no_return, pass);
	if (p->limit.under && !p->plan->root) {
		inside = rt_bpf_label(e->bpf);
		rt_bpf_jump(e->bpf, RT_BPF_JNE, DEPTH, 0, inside);
		if (!p->pending) {
			rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + FR_TIME);
			rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, inside);
		}
		emit_leave_out(e, pass);
		rt_bpf_place(e->bpf, inside);
	}
	if (p->limit.depth)
		emit_depth(e, pass);
	if (p->plan->no_return) {
		if (p->pending && p->limit.min_time)
			emit_leave_out(e, pass);	/* nothing says how long it lasts */
		return;
	}
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, DEPTH, RT_OPEN_MAX, pass);
	rt_frames_new(e);
	if (p->pending && p->limit.depth) {
		rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, e->frames + FR_N);
		rt_bpf_store(e->bpf, RT_BPF_DW, R0, AT(level), R1);
	}
	if (p->pending)
		rt_emit_pending_enter(e, pass);
	else
		rt_bpf_store_imm(e->bpf, RT_BPF_DW, R0, AT(time), 0);
}

/*
 * A jump that may leave the function: it may come to be another call, which is inside of what this
 * one is inside of.  Held back calls are recorded before it, as what it leads to may be the end of
 * this one.
 */
static void emit_limit_jump(struct emitter *e, int pass)
{
	if (e->program->pending)
		rt_emit_pending_all(e);
	rt_frames_leave(e, false, pass);
	rt_frames_store_depth(e);
	if (!e->program->pending)
		rt_bpf_store_imm(e->bpf, RT_BPF_DW, R0, AT(time), 1);
	rt_bpf_mov_imm64(e->bpf, R1, RT_OPEN_JUMPED);
	rt_bpf_store(e->bpf, RT_BPF_DW, R0, AT(id), R1);
}

void rt_frames_check_owner(struct emitter *e)
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
 * Without a function (RT_KEY_POINTER) the return is that of the innermost call at the place: those
 * of tail calls come in that order.
 */
static void emit_limit_return(struct emitter *e, int pass)
{
	bool known = e->program->key_source != RT_KEY_POINTER,
	     uretprobe = rt_plan_is_uretprobe(e->program->plan);

	rt_frames_leave(e, known && uretprobe, pass);
	if (known && !uretprobe)
		rt_frames_check_owner(e);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, DEPTH, -1);
	rt_frames_store_depth(e);
	if (e->program->pending)
		rt_emit_pending_exit(e);
}

void rt_emit_limit(struct emitter *e)
{
	const struct rt_bpf_program *p = e->program;
	int pass = rt_bpf_label(e->bpf);

	if (p->pending)
		rt_emit_pending_now(e);
	rt_frames_function(e);
	if (p->plan->end == RT_BY_JUMP || p->plan->end == RT_BY_BRANCH)
		emit_limit_jump(e, pass);
	else if (p->plan->kind == RT_KIND_RETURN)
		emit_limit_return(e, pass);
	else
		emit_limit_entry(e, pass);
	rt_bpf_place(e->bpf, pass);
}

/*
 * The innermost call alone tells whether some are over; they stay until an entry is recorded that
 * shows it.  (Another bisection would be too much for the verifiers of old kernels.)
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

	if (e->program->pending) {
		/* A call that is not recorded must not count as open any more. */
		rt_emit_pending_failed(e);
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

	if (e->program->pending)
		rt_emit_pending_now(e);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, e->program->plan->arch->sp.pt_regs);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, 1);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + FR_FLOOR, R1);
	rt_frames_head(e, other);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, DEPTH, 0, pass);
	if (e->program->pending)
		rt_emit_pending_record(e);
	rt_frames_bisect(e);
	rt_bpf_load(e->bpf, RT_BPF_DW, DEPTH, R10, e->frames + FR_N);
	rt_frames_store_depth(e);
	if (e->program->pending) {
		rt_bpf_load(e->bpf, RT_BPF_W, R1, HEAD, offsetof(struct rt_head, recorded));
		rt_bpf_jump_reg(e->bpf, RT_BPF_JGE, DEPTH, R1, fewer);
		rt_bpf_store(e->bpf, RT_BPF_W, HEAD, offsetof(struct rt_head, recorded), DEPTH);
	}
	rt_bpf_place(e->bpf, fewer);
	rt_bpf_place(e->bpf, other);
	rt_bpf_place(e->bpf, pass);
}
