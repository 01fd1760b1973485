/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emit/shelf.h"

#include "emit/frames_private.h"
#include "emit/pending.h"
#include "emit/private.h"
#include "emit/saved.h"
#include "fetch/record.h"

#define SHELVED_AT(member)                                                                         \
	((int)(sizeof(struct rt_open_call) + offsetof(struct rt_open_shelved, member)))
#define SHELF(member) ((int)offsetof(struct rt_shelf, member))
#define HEAD_AT(member) ((int)offsetof(struct rt_head, member))

/* `used` and `n` are moved together. */
_Static_assert(offsetof(struct rt_shelf, n) == 4 && offsetof(struct rt_open_shelved, n) == 4,
	       "used and n are one word");

static void store_at(struct emitter *e, int slot, int reg)
{
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, e->frames + slot, reg);
}

static void load_at(struct emitter *e, int reg, int slot)
{
	rt_bpf_load(e->bpf, RT_BPF_DW, reg, R10, e->frames + slot);
}

static void send(struct emitter *e)
{
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, e->frames + SH_SEND, 1);
}

/* r0 = the thread's shelf. */
static void find_shelf(struct emitter *e)
{
	rt_bpf_mov(e->bpf, R1, PID_TGID);
	rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R1, (int32_t)e->program->heads - 1);
	rt_bpf_store(e->bpf, RT_BPF_W, R10, e->frames + FR_KEY, R1);
	rt_emit_lookup(e, RT_MAP_SHELVES, e->frames + FR_KEY);
}

/* r1 = the calls with tests among the outermost, whose number is in `count`; r0 to r5 are lost. */
static void load_tested(struct emitter *e, int count)
{
	int none = rt_bpf_label(e->bpf);

	rt_bpf_mov(e->bpf, R1, count);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, 0, none);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, -1);
	rt_emit_frame(e);
	rt_bpf_load(e->bpf, RT_BPF_W, R1, R0, SHELVED_AT(tested));
	rt_bpf_place(e->bpf, none);
}

/* The shelf ends where SH_AT says. */
static void emit_truncate(struct emitter *e)
{
	find_shelf(e);
	load_at(e, R1, SH_AT);
	rt_bpf_store(e->bpf, RT_BPF_DW, R0, SHELF(used), R1);
}

void rt_emit_shelf_over(struct emitter *e)
{
	int same = rt_bpf_label(e->bpf), done = rt_bpf_label(e->bpf);

	load_at(e, R1, FR_N);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGE, R1, DEPTH, done);
	load_tested(e, DEPTH);
	store_at(e, SH_TESTED, R1);
	load_at(e, R2, FR_N);
	load_tested(e, R2);
	load_at(e, R2, SH_TESTED);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGE, R1, R2, same);
	send(e);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, done);
	rt_bpf_place(e->bpf, same);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, done);
	rt_bpf_load(e->bpf, RT_BPF_W, R1, HEAD, HEAD_AT(recorded));
	load_at(e, R2, FR_N);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGT, R1, R2, done);
	rt_bpf_mov(e->bpf, R1, R2);
	rt_emit_frame(e);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R0, SHELVED_AT(used));
	store_at(e, SH_AT, R1);
	emit_truncate(e);
	rt_bpf_place(e->bpf, done);
}

void rt_emit_shelf_claim(struct emitter *e, int taken)
{
	int shared = rt_bpf_label(e->bpf), mine = rt_bpf_label(e->bpf);
	int first = e->frames + FR_N;

	rt_bpf_load(e->bpf, RT_BPF_W, R1, HEAD, HEAD_AT(tid));
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, shared);
	rt_bpf_load(e->bpf, RT_BPF_W, R1, HEAD, HEAD_AT(shared));
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, taken);
	/* depth and tid, in the machine's order of bytes */
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, first, 0);
	rt_bpf_store(e->bpf, RT_BPF_W, R10, first + HEAD_AT(tid), R2);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, first);
	rt_bpf_mov_imm(e->bpf, R0, 0);
	rt_bpf_cmpxchg(e->bpf, HEAD, 0, R1);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, shared);
	rt_bpf_mov_imm(e->bpf, DEPTH, 0);
	rt_bpf_store_imm(e->bpf, RT_BPF_W, HEAD, HEAD_AT(recorded), 0);
	find_shelf(e);
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R0, SHELF(used), 0);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, mine);
	rt_bpf_place(e->bpf, shared);
	rt_bpf_store_imm(e->bpf, RT_BPF_W, HEAD, HEAD_AT(shared), 1);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, taken);
	rt_bpf_place(e->bpf, mine);
}

/* ---- hits ---- */

/* Calls that were sent are over: the reader must learn of it. */
static void emit_fewer_sent(struct emitter *e)
{
	int none = rt_bpf_label(e->bpf);

	rt_bpf_load(e->bpf, RT_BPF_W, R1, HEAD, HEAD_AT(recorded));
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGE, DEPTH, R1, none);
	rt_bpf_store(e->bpf, RT_BPF_W, HEAD, HEAD_AT(recorded), DEPTH);
	send(e);
	rt_bpf_place(e->bpf, none);
}

static void emit_entry(struct emitter *e, int direct, int append)
{
	const struct rt_plan *plan = e->program->plan;
	int failed = rt_bpf_label(e->bpf), room = rt_bpf_label(e->bpf);

	rt_emit_tests(e, failed);
	if (plan->nsaved)
		rt_emit_save(e);
	rt_emit_pending_failed(e);
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, e->frames + SH_SEND, 0);
	rt_frames_function(e);
	rt_frames_enter(e, false, direct);
	emit_fewer_sent(e);
	if (plan->no_return) {
		load_at(e, R1, SH_SEND);
		rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, append);
		load_tested(e, DEPTH);
		rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, 0, e->out);
		rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, append);
	} else {
		rt_bpf_jump(e->bpf, RT_BPF_JNE, DEPTH, RT_OPEN_MAX, room);
		send(e);
		rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, append);
		rt_bpf_place(e->bpf, room);
		load_tested(e, DEPTH);
		rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, plan->ends);
		store_at(e, SH_TESTED, R1);
		find_shelf(e);
		rt_bpf_load(e->bpf, RT_BPF_DW, R1, R0, SHELF(used));
		store_at(e, SH_AT, R1);
		rt_frames_new(e);
		load_at(e, R1, FR_TIME);
		rt_bpf_store(e->bpf, RT_BPF_DW, R0, AT(time), R1);
		load_at(e, R1, SH_AT);
		rt_bpf_store(e->bpf, RT_BPF_DW, R0, SHELVED_AT(used), R1);
		load_at(e, R1, SH_TESTED);
		rt_bpf_store(e->bpf, RT_BPF_W, R0, SHELVED_AT(tested), R1);
		rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, append);
	}
	rt_bpf_place(e->bpf, failed);
	if (!plan->ntests)
		return;
	rt_emit_pending_failed(e);
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, e->frames + SH_SEND, 0);
	rt_frames_enter(e, false, e->out);
	emit_fewer_sent(e);
	load_at(e, R1, SH_SEND);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, 0, e->out);
}

/*
 * The beginning of each end of a call: r0 = its frame, which is DEPTH - 1.  SH_SEND is set if calls
 * with tests inside it are over without a return.  Ends of calls without a frame are sent, for the
 * entries were (there are too many open ones), or are left out, as the entries were.
 */
static void emit_find_call(struct emitter *e, bool jump, int direct, int append)
{
	const struct rt_arch *arch = e->program->plan->arch;
	bool uretprobe = rt_plan_is_uretprobe(e->program->plan),
	     known = e->program->key_source != RT_KEY_POINTER;
	int framed = rt_bpf_label(e->bpf), none = rt_bpf_label(e->bpf);

	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, e->frames + SH_SEND, 0);
	rt_frames_function(e);
	rt_frames_head(e, direct);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, DEPTH, 0, e->out);
	rt_frames_top(e);
	rt_bpf_load(e->bpf, RT_BPF_W, R1, R0, SHELVED_AT(tested));
	store_at(e, SH_TESTED, R1);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, DEPTH, RT_OPEN_MAX, framed);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, arch->sp.pt_regs);
	if (uretprobe)
		rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, -(int32_t)arch->return_pop);
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, R0, AT(sp));
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGE, R1, R2, framed);
	send(e);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, append);
	rt_bpf_place(e->bpf, framed);
	rt_frames_leave(e, known && uretprobe && !jump, direct);
	if (known && !uretprobe && !jump)
		rt_frames_check_owner(e);
	rt_bpf_load(e->bpf, RT_BPF_W, R1, R0, SHELVED_AT(tested));
	load_at(e, R2, SH_TESTED);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGE, R1, R2, none);
	send(e);
	rt_bpf_place(e->bpf, none);
}

static void emit_return(struct emitter *e, int direct, int append)
{
	int failed = rt_bpf_label(e->bpf), kept = rt_bpf_label(e->bpf);

	rt_emit_pending_now(e);
	if (e->program->plan->ntests) {
		/* The tests use its place. */
		rt_bpf_call(e->bpf, RT_FN_ktime_get_ns);
		store_at(e, FR_TIME, R0);
	}
	emit_find_call(e, false, direct, append);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R0, SHELVED_AT(used));
	store_at(e, SH_AT, R1);
	if (e->program->plan->ntests) {
		rt_bpf_load(e->bpf, RT_BPF_DW, R1, R0, AT(time));
		load_at(e, R2, HO_LEAST);
		rt_bpf_jump_reg(e->bpf, RT_BPF_JGT, R1, R2, failed);
		send(e);
		rt_bpf_place(e->bpf, failed);
	}
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, DEPTH, -1);
	rt_frames_store_depth(e);
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, e->frames + SH_LEFT, 0);
	rt_bpf_load(e->bpf, RT_BPF_W, R1, HEAD, HEAD_AT(recorded));
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGE, DEPTH, R1, kept);
	rt_bpf_store(e->bpf, RT_BPF_W, HEAD, HEAD_AT(recorded), DEPTH);
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, e->frames + SH_LEFT, 1);
	rt_bpf_place(e->bpf, kept);
	load_at(e, R1, SH_SEND);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, append);
	load_tested(e, DEPTH);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, append);
	load_at(e, R1, SH_LEFT);
	store_at(e, SH_SEND, R1);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, append);
	emit_truncate(e);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, e->out);
}

/*
 * A jump that may leave the function: its call stays, as another function's end may be its own.
 * Then nothing here makes the tests of the call.
 */
static void emit_jump(struct emitter *e, int direct, int append)
{
	int same = rt_bpf_label(e->bpf), later = rt_bpf_label(e->bpf);

	rt_emit_pending_failed(e);
	emit_find_call(e, true, direct, append);
	rt_frames_store_depth(e);
	rt_bpf_mov_imm64(e->bpf, R1, RT_OPEN_JUMPED);
	rt_bpf_store(e->bpf, RT_BPF_DW, R0, AT(id), R1);
	rt_bpf_load(e->bpf, RT_BPF_W, R1, R0, SHELVED_AT(tested));
	store_at(e, SH_TESTED, R1);
	rt_bpf_mov(e->bpf, R2, DEPTH);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R2, -1);
	load_tested(e, R2);
	load_at(e, R2, SH_TESTED);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGE, R1, R2, same);
	send(e);
	rt_bpf_place(e->bpf, same);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, later);
	rt_bpf_load(e->bpf, RT_BPF_W, R1, HEAD, HEAD_AT(recorded));
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGT, DEPTH, R1, later);
	send(e);
	rt_bpf_place(e->bpf, later);
}

static void emit_unwound(struct emitter *e, int direct, int append)
{
	rt_emit_pending_failed(e);
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, e->frames + SH_SEND, 0);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, e->program->plan->arch->sp.pt_regs);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, 1);
	store_at(e, FR_FLOOR, R1);
	rt_frames_head(e, direct);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, DEPTH, 0, e->out);
	rt_frames_bisect(e);
	rt_emit_shelf_over(e);
	load_at(e, DEPTH, FR_N);
	rt_frames_store_depth(e);
	emit_fewer_sent(e);
	load_at(e, R1, SH_SEND);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, append);
	load_tested(e, DEPTH);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, 0, e->out);
}

/* ---- the shelf ---- */

/* ROOM = room for the record, SEQ its number; SH_SEND where the next one might find none. */
static void emit_room(struct emitter *e)
{
	int size = ((int)sizeof(uint64_t) + e->tail.size + 7) & ~7,
	    room = rt_bpf_label(e->bpf), enough = rt_bpf_label(e->bpf);

	store_at(e, SH_THREAD, PID_TGID);
	store_at(e, SH_TESTED, DEPTH);
	find_shelf(e);
	rt_bpf_mov(e->bpf, ROOM, R0);
	rt_bpf_load(e->bpf, RT_BPF_W, R1, ROOM, SHELF(used));
	rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R1, RT_SHELF_BYTES - 8);
	rt_bpf_mov(e->bpf, R2, R1);
	rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R2, RT_SHELF_CHUNK - 1);
	rt_bpf_mov_imm(e->bpf, R3, RT_SHELF_CHUNK - (int)sizeof(uint64_t) - size);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGE, R3, R2, room);
	rt_bpf_mov(e->bpf, R2, R1);
	rt_bpf_alu(e->bpf, RT_BPF_ADD, R2, ROOM);
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R2, SHELF(data), 0);
	rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R1, -RT_SHELF_CHUNK);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, RT_SHELF_CHUNK);
	rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R1, RT_SHELF_BYTES - 8);
	rt_bpf_place(e->bpf, room);
	/* Not in another register: 6.12's verifier follows both, and takes one for impossible. */
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, size);
	rt_bpf_store(e->bpf, RT_BPF_W, ROOM, SHELF(used), R1);
	rt_bpf_mov_imm(e->bpf, R3, RT_SHELF_BYTES - RT_SHELF_CHUNK);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGE, R3, R1, enough);
	send(e);
	rt_bpf_place(e->bpf, enough);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, -size);
	rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R1, RT_SHELF_BYTES - 8);
	rt_bpf_load(e->bpf, RT_BPF_W, R2, ROOM, SHELF(n));
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R2, 1);
	rt_bpf_store(e->bpf, RT_BPF_W, ROOM, SHELF(n), R2);
	rt_bpf_store(e->bpf, RT_BPF_W, R10, SEQ, R2);
	rt_bpf_alu(e->bpf, RT_BPF_ADD, ROOM, R1);
}

/*
 * The chunk from SH_AT on, copied behind its own record.  The time last: until then the reader
 * looks at nothing of it.
 */
static void emit_chunk(struct emitter *e, int next)
{
	int record = (int)(offsetof(struct rt_array_ring, data) + sizeof(uint64_t));

	rt_emit_reserve_array(e, RT_CHUNK_HEAD, e->frames + SH_LEFT, next);
	load_at(e, R2, SH_LEFT);
	rt_bpf_store(e->bpf, RT_BPF_DW, ROOM, record + (int)offsetof(struct rt_record, sp), R2);
	load_at(e, R1, SH_THREAD);
	rt_bpf_store(e->bpf, RT_BPF_W, ROOM, record + (int)offsetof(struct rt_record, tid), R1);
	rt_bpf_load(e->bpf, RT_BPF_W, R1, R10, SEQ);
	rt_bpf_store(e->bpf, RT_BPF_W, ROOM, record + (int)offsetof(struct rt_record, seq), R1);
	rt_bpf_store_imm(e->bpf, RT_BPF_W, ROOM, record + (int)offsetof(struct rt_record, id),
			 (int32_t)RT_ID_CHUNK);
	rt_bpf_mov(e->bpf, R1, ROOM);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1,
		       (int)offsetof(struct rt_array_ring, data) + RT_CHUNK_HEAD);
	rt_bpf_jump(e->bpf, RT_BPF_JGT, R2, RT_SHELF_CHUNK, next);
	load_at(e, R3, SH_AT);
	rt_bpf_alu(e->bpf, RT_BPF_ADD, R3, R8);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R3, SHELF(data));
	rt_bpf_call(e->bpf, RT_FN_probe_read_kernel);
	rt_emit_submit(e);
}

/* All that is on the shelf goes to the ring; so all calls that are open have been sent. */
static void emit_send(struct emitter *e)
{
	int more = rt_bpf_label(e->bpf), next = rt_bpf_label(e->bpf), done = rt_bpf_label(e->bpf),
	    part = rt_bpf_label(e->bpf);

	rt_emit_lookup(e, RT_MAP_HEADS, e->frames + FR_KEY);
	load_at(e, R1, SH_TESTED);
	rt_bpf_store(e->bpf, RT_BPF_W, R0, HEAD_AT(recorded), R1);
	rt_emit_lookup(e, RT_MAP_SHELVES, e->frames + FR_KEY);
	rt_bpf_mov(e->bpf, R8, R0);
	load_at(e, R1, SH_THREAD);
	rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R1, (int32_t)e->program->slots - 1);
	rt_bpf_store(e->bpf, RT_BPF_W, R10, KEY, R1);
	rt_emit_lookup(e, RT_MAP_HITS, KEY);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R0, 0);
	rt_bpf_store(e->bpf, RT_BPF_W, R10, SEQ, R1);
	rt_bpf_load(e->bpf, RT_BPF_W, R2, R8, SHELF(n));
	rt_bpf_alu(e->bpf, RT_BPF_ADD, R1, R2);
	rt_bpf_store(e->bpf, RT_BPF_DW, R0, 0, R1);
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, e->frames + SH_AT, 0);
	rt_bpf_place(e->bpf, more);
	load_at(e, R1, SH_AT);
	rt_bpf_jump(e->bpf, RT_BPF_JGT, R1, RT_SHELF_BYTES - RT_SHELF_CHUNK, done);
	rt_bpf_load(e->bpf, RT_BPF_W, R2, R8, SHELF(used));
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGE, R1, R2, done);
	rt_bpf_alu(e->bpf, RT_BPF_SUB, R2, R1);
	rt_bpf_mov_imm(e->bpf, R1, RT_SHELF_CHUNK);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JGE, R1, R2, part);
	rt_bpf_mov(e->bpf, R2, R1);
	rt_bpf_place(e->bpf, part);
	store_at(e, SH_LEFT, R2);
	emit_chunk(e, next);
	rt_bpf_place(e->bpf, next);
	load_at(e, R1, SH_AT);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, RT_SHELF_CHUNK);
	store_at(e, SH_AT, R1);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, more);
	rt_bpf_place(e->bpf, done);
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R8, SHELF(used), 0);
}

void rt_emit_shelved(struct emitter *e, int direct)
{
	const struct rt_plan *plan = e->program->plan;
	int append = rt_bpf_label(e->bpf);

	if (plan->role == RT_ROLE_UNWOUND)
		emit_unwound(e, direct, append);
	else if (plan->role != RT_ROLE_CALL)
		return;
	else if (plan->end == RT_BY_JUMP || plan->end == RT_BY_BRANCH)
		emit_jump(e, direct, append);
	else if (plan->kind == RT_KIND_RETURN)
		emit_return(e, direct, append);
	else
		emit_entry(e, direct, append);
	rt_bpf_place(e->bpf, append);
	emit_room(e);
	load_at(e, R1, FR_TIME);
	rt_bpf_store(e->bpf, RT_BPF_DW, ROOM, SHELF(data), R1);
	e->base = ROOM;
	e->record = SHELF(data) + (int)sizeof(uint64_t);
	rt_emit_contents(e);
	load_at(e, R1, SH_SEND);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, 0, e->out);
	emit_send(e);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, e->out);
}
