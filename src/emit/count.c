/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cells are in a plain array, a row for each CPU, and programs add to them atomically. A
 * per-CPU map would need atomic additions too, since uprobe programs preempt each other, and it
 * cannot be mapped. Only speed depends on the row, so it may be any.
 *
 * By instruction pointer (multi-event) a hash takes 30 ns more than the cell of a known
 * function. So most functions have a place in an array by a product of the pointer
 * (RT_MAP_QUICK), 15 ns; those that meet there go to the hash.
 */
#include "emit/count.h"

#include "emit/frames.h"
#include "emit/private.h"

/* Below what frames.h takes of the program's frame: the key of RT_MAP_PLACES. */
enum { PLACE = -64 };

/*
 * A program that only counts keeps to less, where no stack of its own is needed
 * (rt_emit_reserve_stack).
 */
enum { SMALL_PLACE = -24, SMALL_VALUE = -32 };

/* Ours, when frames.h is done with its registers: what is added, the cell's number. */
enum { AMOUNT = R8, CELL = R9 };

/* FR_ID: which function was hit, or only where. */
static void emit_id(struct emitter *e)
{
	switch (e->program->key_source) {
	case RT_KEY_CONSTANT:
		rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, FR_ID, (int32_t)e->program->key);
		break;
	case RT_KEY_COOKIE:
		rt_bpf_mov(e->bpf, R1, CTX);
		rt_bpf_call(e->bpf, RT_FN_get_attach_cookie);
		/* The upper half is the site's id, by which the program emulates. */
		if (e->program->emulates) {
			rt_bpf_alu_imm(e->bpf, RT_BPF_LSH, R0, 32);
			rt_bpf_alu_imm(e->bpf, RT_BPF_RSH, R0, 32);
		}
		rt_bpf_store(e->bpf, RT_BPF_DW, R10, FR_ID, R0);
		break;
	case RT_KEY_POINTER:
		rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, e->program->plan->arch->ip.pt_regs);
		rt_bpf_store(e->bpf, RT_BPF_DW, R10, FR_ID, R1);
		break;
	}
}

/* RT_MAP_CELLS: add AMOUNT to number CELL of FR_ID. */
static void emit_add_cell(struct emitter *e)
{
	const struct rt_bpf_program *p = e->program;

	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, FR_ID);
	rt_bpf_alu_imm(e->bpf, RT_BPF_MUL, R1, (int32_t)rt_cells_of(p->purpose));
	rt_bpf_alu(e->bpf, RT_BPF_ADD, CELL, R1);
	if (p->rows > 1) {
		rt_bpf_call(e->bpf, RT_FN_get_smp_processor_id);
		rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R0, (int32_t)p->rows - 1);
		rt_bpf_alu_imm(e->bpf, RT_BPF_MUL, R0, (int32_t)p->stride);
		rt_bpf_alu(e->bpf, RT_BPF_ADD, CELL, R0);
	}
	rt_bpf_store(e->bpf, RT_BPF_W, R10, FR_KEY, CELL);
	rt_emit_lookup(e, RT_MAP_CELLS, FR_KEY);
	rt_bpf_atomic_add(e->bpf, R0, 0, AMOUNT);
}

static void emit_lookup_place(struct emitter *e, int place)
{
	rt_bpf_mov_map(e->bpf, R1, RT_MAP_PLACES);
	rt_bpf_mov(e->bpf, R2, R10);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R2, place);
	rt_bpf_call(e->bpf, RT_FN_map_lookup_elem);
}

/*
 * RT_MAP_PLACES: the same for the instruction pointer in r1, with a new element where it has none
 * yet.  The key is written at `place` of the frame, a zero at `value`.
 */
static void emit_add_place(struct emitter *e, int place, int value)
{
	int there = rt_bpf_label(e->bpf);

	rt_bpf_store(e->bpf, RT_BPF_DW, R10, place + (int)offsetof(struct rt_cell_key, ip), R1);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, place + (int)offsetof(struct rt_cell_key, cell), CELL);
	emit_lookup_place(e, place);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, there);
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, value, 0);
	rt_bpf_mov_map(e->bpf, R1, RT_MAP_PLACES);
	rt_bpf_mov(e->bpf, R2, R10);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R2, place);
	rt_bpf_mov(e->bpf, R3, R10);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R3, value);
	rt_bpf_mov_imm(e->bpf, R4, RT_BPF_NOEXIST);
	rt_bpf_call(e->bpf, RT_FN_map_update_elem);
	/* Another CPU may have been first, or there is no room: the look tells. */
	emit_lookup_place(e, place);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, there);
	rt_bpf_store_imm(e->bpf, RT_BPF_W, R10, FR_KEY, 0);
	rt_emit_lookup(e, RT_MAP_CELLS, FR_KEY);
	rt_bpf_mov_imm(e->bpf, AMOUNT, 1);
	rt_bpf_place(e->bpf, there);
	rt_bpf_atomic_add(e->bpf, R0, 0, AMOUNT);
}

static void emit_add(struct emitter *e)
{
	if (e->program->key_source == RT_KEY_POINTER) {
		rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, FR_ID);
		emit_add_place(e, PLACE, FR_SP);
	} else {
		emit_add_cell(e);
	}
}

/*
 * RT_MAP_QUICK: one more call at the instruction pointer r8, and on to `out`; to `other` where its
 * place is another's.
 */
static void emit_count_quick(struct emitter *e, int other)
{
	const struct rt_bpf_program *p = e->program;
	int ours = rt_bpf_label(e->bpf);

	rt_bpf_mov(e->bpf, CELL, R8);
	rt_bpf_alu_imm(e->bpf, RT_BPF_MUL, CELL, RT_QUICK_FACTOR);
	rt_bpf_alu_imm(e->bpf, RT_BPF_RSH, CELL, 64 - (int)p->quick);
	if (p->rows > 1) {
		rt_bpf_call(e->bpf, RT_FN_get_smp_processor_id);
		rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R0, (int32_t)p->rows - 1);
		rt_bpf_alu_imm(e->bpf, RT_BPF_LSH, R0, (int32_t)p->quick);
		rt_bpf_alu(e->bpf, RT_BPF_OR, CELL, R0);
	}
	rt_bpf_store(e->bpf, RT_BPF_W, R10, FR_KEY, CELL);
	rt_emit_lookup(e, RT_MAP_QUICK, FR_KEY);
	rt_bpf_mov(e->bpf, CELL, R0);
	rt_bpf_load(e->bpf, RT_BPF_DW, R0, CELL, offsetof(struct rt_quick, ip));
	rt_bpf_jump_reg(e->bpf, RT_BPF_JEQ, R0, R8, ours);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, other);
	rt_bpf_cmpxchg(e->bpf, CELL, offsetof(struct rt_quick, ip), R8);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R0, 0, ours);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JNE, R0, R8, other);
	rt_bpf_place(e->bpf, ours);
	rt_bpf_mov_imm(e->bpf, R1, 1);
	rt_bpf_atomic_add(e->bpf, CELL, offsetof(struct rt_quick, calls), R1);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, e->out);
}

/* One more call at an instruction pointer. */
static void emit_count_place(struct emitter *e)
{
	int other = rt_bpf_label(e->bpf);

	rt_emit_tests(e, e->out);
	rt_bpf_load(e->bpf, RT_BPF_DW, R8, CTX, e->program->plan->arch->ip.pt_regs);
	if (e->program->quick)
		emit_count_quick(e, other);
	rt_bpf_place(e->bpf, other);
	rt_bpf_mov(e->bpf, R1, R8);
	rt_bpf_mov_imm(e->bpf, AMOUNT, 1);
	rt_bpf_mov_imm(e->bpf, CELL, RT_CELL_CALLS);
	emit_add_place(e, SMALL_PLACE, SMALL_VALUE);
}

static void emit_call_seen(struct emitter *e)
{
	rt_bpf_mov_imm(e->bpf, AMOUNT, 1);
	rt_bpf_mov_imm(e->bpf, CELL, RT_CELL_CALLS);
	emit_add(e);
}

/* CELL = the bucket of the duration in FR_TIME. */
static void emit_bucket(struct emitter *e)
{
	int bits, skip;

	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, FR_TIME);
	rt_bpf_mov_imm(e->bpf, CELL, RT_CELL_BUCKET);
	for (bits = RT_BUCKETS / 2; bits; bits /= 2) {
		skip = rt_bpf_label(e->bpf);
		rt_bpf_mov(e->bpf, R2, R1);
		rt_bpf_alu_imm(e->bpf, RT_BPF_RSH, R2, bits);
		rt_bpf_jump(e->bpf, RT_BPF_JEQ, R2, 0, skip);
		rt_bpf_mov(e->bpf, R1, R2);
		rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, CELL, bits);
		rt_bpf_place(e->bpf, skip);
	}
}

static void emit_time(struct emitter *e)
{
	int alone = rt_bpf_label(e->bpf);

	rt_emit_pop(e, e->program->key_source != RT_KEY_POINTER);
	if (e->program->key_source == RT_KEY_POINTER && e->program->limit.tests) {
		rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, FR_ID);
		rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, 0, e->out);
	}
	rt_bpf_load(e->bpf, RT_BPF_DW, AMOUNT, R10, FR_INSIDE);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, AMOUNT, 0, alone);
	rt_bpf_mov_imm(e->bpf, CELL, RT_CELL_INSIDE);
	emit_add(e);
	rt_bpf_place(e->bpf, alone);
	rt_bpf_load(e->bpf, RT_BPF_DW, AMOUNT, R10, FR_TIME);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, FR_INSIDE);
	rt_bpf_alu(e->bpf, RT_BPF_SUB, AMOUNT, R1);
	rt_bpf_mov_imm(e->bpf, CELL, RT_CELL_TOTAL);
	emit_add(e);
	rt_bpf_load(e->bpf, RT_BPF_DW, AMOUNT, R10, FR_TIME);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, FR_CHILDREN);
	rt_bpf_alu(e->bpf, RT_BPF_SUB, AMOUNT, R1);
	rt_bpf_mov_imm(e->bpf, CELL, RT_CELL_SELF);
	emit_add(e);
	emit_bucket(e);
	rt_bpf_mov_imm(e->bpf, AMOUNT, 1);
	emit_add(e);
}

/*
 * Calls that fail a test are not counted.  If a return does not know its function (`keep`), they
 * are pushed all the same, without an id: else another call at the same place would get the return.
 */
static void emit_entry(struct emitter *e, bool keep)
{
	int failed, done;

	if (!keep || !e->program->plan->ntests) {
		rt_emit_tests(e, e->out);
		emit_id(e);
		emit_call_seen(e);
		return;
	}
	failed = rt_bpf_label(e->bpf);
	done = rt_bpf_label(e->bpf);
	rt_emit_tests(e, failed);
	emit_id(e);
	emit_call_seen(e);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, done);
	rt_bpf_place(e->bpf, failed);
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, FR_ID, 0);
	rt_bpf_place(e->bpf, done);
}

void rt_emit_counting(struct emitter *e)
{
	bool time = e->program->purpose == RT_PURPOSE_TIME,
	     by_ip = e->program->key_source == RT_KEY_POINTER;
	bool returns = e->program->plan->kind == RT_KIND_RETURN;

	if (by_ip && !time) {
		emit_count_place(e);
		return;
	}
	if (returns) {
		/* There the pointer is the return address, and the frame has the entry's. */
		if (!by_ip)
			emit_id(e);
		emit_time(e);
		return;
	}
	emit_entry(e, time && by_ip);
	if (time)
		rt_emit_push(e);
}
