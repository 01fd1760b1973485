/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emit/program.h"

#include <errno.h>

#include "emit/count.h"
#include "emit/emulation.h"
#include "emit/frames.h"
#include "emit/pending.h"
#include "emit/saved.h"
#include "emit/private.h"
#include "emit/shelf.h"
#include "fetch/record.h"

/* When the tid has been written: the entry's saved values (emit/saved.h). */
enum { SAVED = PID_TGID };

/* The same register before that: how far errno is. */
enum { OFFSET = PID_TGID };

/* BPF's own limit. */
enum { STACK_MAX = 512 };

int rt_emit_field(const struct emitter *e, size_t offset)
{
	return e->record + (int)offset;
}

void rt_emit_read(struct emitter *e, int base, int to, int size)
{
	rt_bpf_mov(e->bpf, R1, base);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, to);
	rt_bpf_mov_imm(e->bpf, R2, size);
	/* Before 5.5 one helper reads kernel and user addresses alike. */
	rt_bpf_call(e->bpf, e->program->read_user ? RT_FN_probe_read_user : RT_FN_probe_read);
}

/* Follow one pointer: r3 has its address, then its value.  Jump to `fault` if it cannot be read. */
static void emit_follow(struct emitter *e, int fault)
{
	int word = e->program->plan->arch->word;

	rt_emit_read_value(e, R10, POINTER, word);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, fault);
	rt_bpf_load(e->bpf, word == 4 ? RT_BPF_W : RT_BPF_DW, R3, R10, POINTER);
}

/*
 * r3 = the thread pointer, which no helper gives; on to `fault` where this kernel's place for it is
 * not known.
 */
static void emit_thread_pointer(struct emitter *e, int fault)
{
	const struct rt_bpf_program *p = e->program;

	if (!p->thread_pointer) {
		/*
		 * Not a plain jump: before 5.1 a program that has code without a way to it is
		 * refused.
		 */
		rt_bpf_mov_imm(e->bpf, R3, 0);
		rt_bpf_jump(e->bpf, RT_BPF_JEQ, R3, 0, fault);
		return;
	}
	rt_bpf_call(e->bpf, RT_FN_get_current_task);
	rt_bpf_mov(e->bpf, R3, R0);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R3, (int32_t)p->thread_pointer);
	rt_bpf_mov(e->bpf, R1, R10);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, POINTER);
	rt_bpf_mov_imm(e->bpf, R2, p->plan->arch->word);
	rt_bpf_call(e->bpf, p->read_user ? RT_FN_probe_read_kernel : RT_FN_probe_read);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, fault);
	rt_bpf_load(e->bpf, RT_BPF_DW, R3, R10, POINTER);
}

static enum rt_bpf_size size_of(unsigned size)
{
	return size == 8 ? RT_BPF_DW : size == 4 ? RT_BPF_W : size == 2 ? RT_BPF_H : RT_BPF_B;
}

/* r3 += the index register's part, shifted. */
static void emit_index(struct emitter *e, const struct rt_fetch *f)
{
	int unused = 64 - 8 * f->index_size;

	rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, f->index.pt_regs);
	if (unused) {
		rt_bpf_alu_imm(e->bpf, RT_BPF_LSH, R1, unused);
		rt_bpf_alu_imm(e->bpf, f->index_signed ? RT_BPF_ARSH : RT_BPF_RSH, R1, unused);
	}
	rt_bpf_alu_imm(e->bpf, RT_BPF_LSH, R1, f->index_shift);
	rt_bpf_alu(e->bpf, RT_BPF_ADD, R3, R1);
	if (e->program->plan->arch->word < 8) {
		/* A negative index is a large one in 32 bits. */
		rt_bpf_alu_imm(e->bpf, RT_BPF_LSH, R3, 32);
		rt_bpf_alu_imm(e->bpf, RT_BPF_RSH, R3, 32);
	}
}

void rt_emit_address(struct emitter *e, const struct rt_fetch *f, int fault)
{
	unsigned i, follow = f->nderef;

	if (f->base == RT_BASE_REG) {
		rt_bpf_load(e->bpf, RT_BPF_DW, R3, CTX, f->reg.pt_regs);
	} else if (f->base == RT_BASE_THREAD) {
		emit_thread_pointer(e, fault);
	} else if (f->base == RT_BASE_CONSTANT) {
		rt_bpf_mov_imm64(e->bpf, R3, f->constant);
	} else if (f->base == RT_BASE_SAVED) {
		rt_bpf_load(e->bpf, RT_BPF_DW, R3, SAVED, rt_emit_saved_at((unsigned)f->offset));
	} else {
		rt_bpf_load(e->bpf, RT_BPF_DW, R3, CTX, e->program->plan->arch->sp.pt_regs);
		rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R3, f->offset);
		if (f->nderef || f->type == RT_TYPE_STRING)
			emit_follow(e, fault);
	}
	if (f->index_size)
		emit_index(e, f);
	if (f->type != RT_TYPE_STRING && follow)
		follow--;
	for (i = 0; i < follow; i++) {
		rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R3, f->deref[i]);
		emit_follow(e, fault);
	}
	if (follow < f->nderef)
		rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R3, f->deref[follow]);
}

/*
 * r7 = how far errno is from the thread pointer, on to `fault` where that is not known.  The tid
 * has been written.
 */
static void emit_errno_offset(struct emitter *e, const struct rt_fetch *f, int fault)
{
	int out = e->out;

	if (!f->from_map) {
		rt_bpf_mov_imm(e->bpf, OFFSET, f->deref[0]);
		return;
	}
	rt_bpf_store_imm(e->bpf, RT_BPF_W, R10, KEY, 0);
	e->out = fault;
	rt_emit_lookup(e, RT_MAP_ERRNO, KEY);
	e->out = out;
	rt_bpf_load(e->bpf, RT_BPF_DW, OFFSET, R0, 0);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, OFFSET, 0, fault);
}

void rt_emit_has_failed(struct emitter *e, const struct rt_fetch *f, int failed)
{
	int shift = 64 - 8 * f->failed_size;

	if (shift) {
		rt_bpf_alu_imm(e->bpf, RT_BPF_LSH, R1, shift);
		rt_bpf_alu_imm(e->bpf, RT_BPF_ARSH, R1, shift);
	}
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, -1, failed);
	if (f->null_fails)
		rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, 0, failed);
}

/* Read errno if the result, which is in the record, says that the call has failed. */
static void emit_errno(struct emitter *e, const struct rt_fetch *f, int at, int fault)
{
	int result = rt_emit_field(e, offsetof(struct rt_record, data) +
					      rt_plan_offset(e->program->plan, f->if_failed - 1u));
	int failed = rt_bpf_label(e->bpf), done = rt_bpf_label(e->bpf);

	rt_bpf_store_imm(e->bpf, RT_BPF_W, e->base, at, 0);
	rt_bpf_load(e->bpf, size_of(f->failed_size), R1, e->base, result);
	rt_emit_has_failed(e, f, failed);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, done);
	rt_bpf_place(e->bpf, failed);
	emit_errno_offset(e, f, fault);
	emit_thread_pointer(e, fault);
	rt_bpf_alu(e->bpf, RT_BPF_ADD, R3, OFFSET);
	rt_emit_read(e, e->base, at, f->size);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, fault);
	rt_bpf_place(e->bpf, done);
}

/*
 * RT_ROLE_ERRNO: how far it is, to its map; of a second C library of the process, that nobody knows
 * which is meant.
 */
static void emit_errno_source(struct emitter *e)
{
	const struct rt_plan *plan = e->program->plan;

	rt_bpf_store_imm(e->bpf, RT_BPF_W, R10, KEY, 0);
	rt_emit_lookup(e, RT_MAP_ERRNO, KEY);
	rt_bpf_mov(e->bpf, ROOM, R0);
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, ROOM, 0, 0);
	if (plan->nvalues > 1) {
		rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, plan->values[1].reg.pt_regs);
		rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R1, 0xff);
		rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, 0, e->out);
	}
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, POINTER, 0);
	rt_emit_address(e, &plan->values[0], e->out);
	rt_emit_read(e, R10, POINTER, plan->values[0].size);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, e->out);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, POINTER);
	rt_bpf_store(e->bpf, RT_BPF_DW, ROOM, 0, R1);
}

/* The thread's name, which the helper fills up with zeroes. */
static void emit_comm(struct emitter *e, int at)
{
	rt_bpf_store_imm(e->bpf, RT_BPF_W, e->base, at, RT_COMM_BYTES);
	rt_bpf_mov(e->bpf, R1, e->base);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, at + (int)sizeof(int32_t));
	rt_bpf_mov_imm(e->bpf, R2, RT_COMM_BYTES);
	rt_bpf_call(e->bpf, RT_FN_get_current_comm);
}

static void emit_value(struct emitter *e, unsigned i)
{
	const struct rt_fetch *f = &e->program->plan->values[i];
	int at = rt_emit_field(e, offsetof(struct rt_record, data) +
					  rt_plan_offset(e->program->plan, i));
	int fault, done;

	if (f->type == RT_TYPE_INT && f->base == RT_BASE_REG && !f->nderef) {
		rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, f->reg.pt_regs);
		rt_bpf_store(e->bpf, size_of(f->size), e->base, at, R1);
		return;
	}
	if (f->base == RT_BASE_COMM) {
		emit_comm(e, at);
		return;
	}
	if (f->type == RT_TYPE_INT && (f->base == RT_BASE_SAVED || f->base == RT_BASE_CONSTANT) &&
	    !f->nderef) {
		rt_emit_address(e, f, e->out);
		rt_bpf_store(e->bpf, size_of(f->size), e->base, at, R3);
		return;
	}
	fault = rt_bpf_label(e->bpf);
	done = rt_bpf_label(e->bpf);
	if (f->list)
		rt_emit_element(e, f, done);
	if (!f->if_failed)
		rt_emit_address(e, f, fault);
	if (f->if_failed) {
		emit_errno(e, f, at, fault);
	} else if (f->type == RT_TYPE_STRING) {
		rt_emit_string(e, f, at, fault);
	} else if (f->type == RT_TYPE_STACK) {
		rt_emit_stack(e, f, at, fault);
	} else if (f->type == RT_TYPE_BYTES && f->length) {
		rt_emit_counted(e, f, at, fault);
	} else if (f->type == RT_TYPE_BYTES) {
		rt_emit_read_value(e, e->base, at, f->max);
		rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, fault);
	} else if (f->base == RT_BASE_THREAD && !f->nderef) {
		rt_bpf_store(e->bpf, size_of(f->size), e->base, at, R3);
	} else {
		rt_emit_read_value(e, e->base, at, f->size);
		rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, fault);
	}
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, done);
	rt_bpf_place(e->bpf, fault);
	/* an immediate operand would be sign-extended from bit 31 */
	rt_bpf_mov_imm64(e->bpf, R1, 1ull << i);
	rt_bpf_alu(e->bpf, RT_BPF_OR, FAULTS, R1);
	rt_bpf_place(e->bpf, done);
}

static void emit_id(struct emitter *e)
{
	const struct rt_bpf_program *p = e->program;
	int id = rt_emit_field(e, offsetof(struct rt_record, id));

	switch (p->key_source) {
	case RT_KEY_CONSTANT:
		rt_bpf_store_imm(e->bpf, RT_BPF_W, e->base, id, (int32_t)p->key);
		break;
	case RT_KEY_COOKIE:
		rt_bpf_mov(e->bpf, R1, CTX);
		rt_bpf_call(e->bpf, RT_FN_get_attach_cookie);
		rt_bpf_store(e->bpf, RT_BPF_W, e->base, id, R0);
		break;
	case RT_KEY_POINTER:
		rt_bpf_store_imm(e->bpf, RT_BPF_W, e->base, id, p->plan_id);
		rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, p->plan->arch->ip.pt_regs);
		rt_bpf_store(e->bpf, RT_BPF_DW, e->base, rt_emit_field(e, e->tail.ip), R1);
		break;
	}
}

/*
 * The return address tells a tail call from a new call at the same stack pointer (calls/stack.h); 0
 * where it cannot be read.
 */
static void emit_return_address(struct emitter *e)
{
	const struct rt_arch *arch = e->program->plan->arch;
	int ra = rt_emit_field(e, e->tail.ra);

	if (!e->tail.ra)
		return;
	if (arch->link.tracefs) {
		rt_bpf_load(e->bpf, RT_BPF_DW, R0, CTX, arch->link.pt_regs);
		rt_bpf_store(e->bpf, RT_BPF_DW, e->base, ra, R0);
	} else {
		rt_bpf_store_imm(e->bpf, RT_BPF_DW, e->base, ra, 0);
		rt_bpf_load(e->bpf, RT_BPF_DW, R3, CTX, arch->sp.pt_regs);
		rt_emit_read(e, e->base, ra, arch->word);
	}
}

void rt_emit_lookup(struct emitter *e, enum rt_bpf_map map, int key)
{
	rt_bpf_mov_map(e->bpf, R1, map);
	rt_bpf_mov(e->bpf, R2, R10);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R2, key);
	rt_bpf_call(e->bpf, RT_FN_map_lookup_elem);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R0, 0, e->out);
}

/*
 * Count the thread's hits, so that one which the ring does not take shows as a gap.  Only the
 * thread itself adds to its count, so this needs no atomic operation, which could fetch only from
 * 5.12 on.
 */
void rt_emit_number(struct emitter *e)
{
	rt_bpf_mov(e->bpf, R1, PID_TGID);
	rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R1, (int32_t)e->program->slots - 1);
	rt_bpf_store(e->bpf, RT_BPF_W, R10, KEY, R1);
	rt_emit_lookup(e, RT_MAP_HITS, KEY);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R0, 0);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, 1);
	rt_bpf_store(e->bpf, RT_BPF_DW, R0, 0, R1);
	rt_bpf_store(e->bpf, RT_BPF_W, R10, SEQ, R1);
}

static void emit_header(struct emitter *e)
{
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, e->program->plan->arch->sp.pt_regs);
	rt_bpf_store(e->bpf, RT_BPF_DW, e->base, rt_emit_field(e, offsetof(struct rt_record, sp)),
		     R1);
	rt_bpf_store(e->bpf, RT_BPF_W, e->base, rt_emit_field(e, offsetof(struct rt_record, tid)),
		     PID_TGID);
	rt_bpf_load(e->bpf, RT_BPF_W, R1, R10, SEQ);
	rt_bpf_store(e->bpf, RT_BPF_W, e->base, rt_emit_field(e, offsetof(struct rt_record, seq)),
		     R1);
	if (e->tail.tgid) {
		rt_bpf_mov(e->bpf, R1, PID_TGID);
		rt_bpf_alu_imm(e->bpf, RT_BPF_RSH, R1, 32);
		rt_bpf_store(e->bpf, RT_BPF_W, e->base, rt_emit_field(e, e->tail.tgid), R1);
	}
	emit_id(e);
	emit_return_address(e);
}

/* ---- the whole ---- */

void rt_emit_pid_tgid(struct rt_bpf *bpf, const struct rt_pid_space *space, int out)
{
	/* struct bpf_pidns_info: the tid, then the pid. */
	enum { INFO = -16, INFO_SIZE = 8 };

	if (!space->ino) {
		rt_bpf_call(bpf, RT_FN_get_current_pid_tgid);
		return;
	}
	rt_bpf_mov_imm64(bpf, R1, space->dev);
	rt_bpf_mov_imm64(bpf, R2, space->ino);
	rt_bpf_mov(bpf, R3, R10);
	rt_bpf_alu_imm(bpf, RT_BPF_ADD, R3, INFO);
	rt_bpf_mov_imm(bpf, R4, INFO_SIZE);
	rt_bpf_call(bpf, RT_FN_get_ns_current_pid_tgid);
	rt_bpf_jump(bpf, RT_BPF_JNE, R0, 0, out);
	/* Two numbers, so that the order of bytes does not matter. */
	rt_bpf_load(bpf, RT_BPF_W, R1, R10, INFO);
	rt_bpf_load(bpf, RT_BPF_W, R0, R10, INFO + 4);
	rt_bpf_alu_imm(bpf, RT_BPF_LSH, R0, 32);
	rt_bpf_alu(bpf, RT_BPF_OR, R0, R1);
}

/*
 * On to `out` in the processes that are not recorded.  RT_REACH_PROCESSES: forked children inherit
 * the breakpoints, and perf's own pid filter does not hold for BPF programs.
 */
static void emit_reach(struct emitter *e)
{
	const struct rt_pids *pids = e->program->pids;
	unsigned i;
	int ours;

	switch (e->program->reach) {
	case RT_REACH_PROCESSES:
		break;
	case RT_REACH_CHILDREN:
		return;
	case RT_REACH_FOLLOWED:
		rt_emit_followed(e, &e->program->space);
		return;
	case RT_REACH_ALL:
		/* A record of each call by which we read records would be a record more. */
		rt_bpf_alu_imm(e->bpf, RT_BPF_RSH, R0, 32);
		rt_bpf_jump(e->bpf, RT_BPF_JEQ, R0, (int32_t)e->program->self, e->out);
		return;
	}
	if (!pids || !pids->n)
		return;
	rt_bpf_alu_imm(e->bpf, RT_BPF_RSH, R0, 32);
	ours = pids->n > 1 ? rt_bpf_label(e->bpf) : 0;
	for (i = 0; i + 1 < pids->n; i++)
		rt_bpf_jump(e->bpf, RT_BPF_JEQ, R0, (int32_t)pids->v[i], ours);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, (int32_t)pids->v[i], e->out);
	if (i)
		rt_bpf_place(e->bpf, ours);
}

/* On to `out`, and counted, in processes of other control groups. */
static void emit_group(struct emitter *e)
{
	int ours = rt_bpf_label(e->bpf);

	rt_bpf_mov_map(e->bpf, R1, RT_MAP_GROUP);
	rt_bpf_mov_imm(e->bpf, R2, 0);
	rt_bpf_call(e->bpf, RT_FN_current_task_under_cgroup);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R0, 1, ours);
	rt_bpf_store_imm(e->bpf, RT_BPF_W, R10, KEY, 0);
	rt_emit_lookup(e, RT_MAP_STRANGERS, KEY);
	rt_bpf_mov_imm(e->bpf, R1, 1);
	rt_bpf_atomic_add(e->bpf, R0, 0, R1);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, e->out);
	rt_bpf_place(e->bpf, ours);
}

void rt_emit_filter(struct emitter *e)
{
	rt_bpf_mov(e->bpf, CTX, R1);
	rt_emit_pid_tgid(e->bpf, &e->program->space, e->out);
	rt_bpf_mov(e->bpf, PID_TGID, R0);
	emit_reach(e);
	if (e->program->grouped)
		emit_group(e);
	if (!e->program->gated)
		return;
	rt_bpf_store_imm(e->bpf, RT_BPF_W, R10, KEY, 0);
	rt_emit_lookup(e, RT_MAP_GATE, KEY);
	rt_bpf_load(e->bpf, RT_BPF_DW, R0, R0, 0);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, e->out);
}

/* The values that begin with what the entry saved. */
static uint32_t mask_of_saved(const struct rt_plan *plan)
{
	uint32_t mask = 0;
	unsigned i;

	for (i = 0; i < plan->nvalues; i++)
		mask |= plan->values[i].base == RT_BASE_SAVED ? UINT32_C(1) << i : 0;
	return mask;
}

/* After all others, among which may be their lengths. */
static void emit_saved_values(struct emitter *e)
{
	const struct rt_plan *plan = e->program->plan;
	int none = rt_bpf_label(e->bpf), done = rt_bpf_label(e->bpf);
	unsigned i;

	rt_emit_find_saved(e, none);
	for (i = 0; i < plan->nvalues; i++)
		if (plan->values[i].base == RT_BASE_SAVED)
			emit_value(e, i);
	rt_emit_use_up(e, none);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, done);
	rt_bpf_place(e->bpf, none);
	rt_bpf_mov_imm64(e->bpf, R1, mask_of_saved(plan));
	rt_bpf_alu(e->bpf, RT_BPF_OR, FAULTS, R1);
	rt_bpf_place(e->bpf, done);
}

static void emit_values(struct emitter *e)
{
	unsigned i;

	if (e->tail.faults) {
		rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, POINTER, 0);
		rt_bpf_mov_imm(e->bpf, FAULTS, 0);
	}
	for (i = 0; i < e->program->plan->nvalues; i++)
		if (e->program->plan->values[i].base != RT_BASE_SAVED)
			emit_value(e, i);
	if (mask_of_saved(e->program->plan))
		emit_saved_values(e);
	if (e->tail.faults)
		rt_bpf_store(e->bpf, RT_BPF_W, e->base, rt_emit_field(e, e->tail.faults), FAULTS);
}

void rt_emit_contents(struct emitter *e)
{
	emit_header(e);
	emit_values(e);
	if (e->tail.entered)
		rt_bpf_store_imm(e->bpf, RT_BPF_DW, e->base, rt_emit_field(e, e->tail.entered), 0);
}

static bool keeps(const struct rt_plan *plan)
{
	return plan->kind == RT_KIND_ENTRY && plan->nsaved;
}

static void emit_filtered(struct emitter *e)
{
	const struct rt_plan *plan = e->program->plan;
	int failed = rt_bpf_label(e->bpf), passed = rt_bpf_label(e->bpf);

	if (plan->role == RT_ROLE_UNWOUND)
		rt_emit_limit_unwound(e);
	if (plan->role != RT_ROLE_CALL)
		return;
	/* Those of an end decide which calls are recorded (emit/pending.h). */
	if (plan->kind == RT_KIND_ENTRY)
		rt_emit_tests(e, failed);
	if (keeps(plan))
		rt_emit_save(e);
	rt_emit_limit(e);
	if (plan->kind != RT_KIND_ENTRY || !plan->ntests)
		return;
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, passed);
	rt_bpf_place(e->bpf, failed);
	rt_emit_limit_failed(e);
	rt_bpf_place(e->bpf, passed);
}

/*
 * From 6.13 the x86-64 JIT (6.17: arm64's) gives a program with a frame of 64 bytes or more a stack
 * per CPU, not per thread (BPF_PRIV_STACK_MIN_SIZE in kernel/bpf/verifier.c).  But a uprobe's
 * program can be preempted, and another thread's hit on that CPU then writes over its frame.  A
 * program with a tail call in it keeps the thread's stack (check_max_stack_depth()).  This one is
 * never reached, and so needs no map.
 */
static void emit_end(struct emitter *e)
{
	enum { PRIVATE_STACK_MIN = 64, STACK_ROUND = 16 };
	int frame = (rt_bpf_frame(e->bpf) + STACK_ROUND - 1) & ~(STACK_ROUND - 1), end;

	rt_bpf_mov_imm(e->bpf, R0, 0);
	if (frame >= PRIVATE_STACK_MIN) {
		end = rt_bpf_label(e->bpf);
		rt_bpf_jump(e->bpf, RT_BPF_JEQ, R0, 0, end);
		rt_bpf_call(e->bpf, RT_FN_tail_call);
		rt_bpf_place(e->bpf, end);
	}
	rt_bpf_exit(e->bpf);
}

int rt_bpf_program_emit(const struct rt_bpf_program *program, struct rt_bpf *bpf,
			struct rt_error *err)
{
	const struct rt_layout layout = {
		.key = program->key_source == RT_KEY_POINTER ? RT_KEY_IP : RT_KEY_ID,
		.tgid = program->reach != RT_REACH_PROCESSES,
	};
	struct emitter e = { .program = program, .bpf = bpf };
	int direct;

	rt_plan_tail(program->plan, layout, &e.tail);
	if (program->pending) {
		rt_tail_set_size(&e.tail, program->pending);
		e.frames = -PENDING_TOP;
	}
	if (program->shelved)
		e.frames = -PENDING_TOP;
	if (program->transport == RT_TRANSPORT_PERF &&
	    e.tail.size + rt_emit_frame_top(&e) > STACK_MAX - 8)
		return rt_fail(err, -E2BIG,
			       "values of one call: %u bytes; a BPF program's stack has %d",
			       e.tail.size, STACK_MAX - 8 - rt_emit_frame_top(&e));
	if (e.tail.size + sizeof(uint64_t) > RT_ARRAY_RING_OVERHANG)
		return rt_fail(err, -E2BIG, "values of one call: %u bytes; a ring has %u",
			       e.tail.size, RT_ARRAY_RING_OVERHANG - (unsigned)sizeof(uint64_t));
	e.out = rt_bpf_label(bpf);
	rt_emit_filter(&e);
	if (program->purpose != RT_PURPOSE_RECORD) {
		rt_emit_counting(&e);
		goto end;
	}
	if (program->plan->role == RT_ROLE_ERRNO) {
		emit_errno_source(&e);
		goto end;
	}
	direct = rt_bpf_label(bpf);
	if (program->shelved)
		rt_emit_shelved(&e, direct);
	else if (program->filtered)
		emit_filtered(&e);
	else if (keeps(program->plan))
		rt_emit_save(&e);
	rt_bpf_place(bpf, direct);
	rt_emit_number(&e);
	rt_emit_reserve(&e);
	rt_emit_contents(&e);
	rt_emit_submit(&e);
end:
	rt_bpf_place(bpf, e.out);
	if (program->emulates)
		rt_emit_emulation(&e);
	emit_end(&e);
	return bpf->error ? rt_fail(err, bpf->error, "BPF program: cannot be assembled") : 0;
}
