/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emit/program.h"

#include <errno.h>

/* Registers by the calling convention: r0 result, r1-r5 arguments (lost in a call), r6-r9 kept, r10 frame pointer. */
enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10 };

/* Ours: the context, the pid and tid, the mask of values that could not be read. */
enum { CTX = R6, PID_TGID = R7, FAULTS = R8 };

/* The frame, downwards from r10: the thread's slot, a word for pointers on the way, then the record. */
enum { SLOT = -4, POINTER = -16, FRAME_TOP = 16, STACK_MAX = 512 };

struct emitter {
	const struct rt_program *program;
	struct rt_bpf *bpf;
	int record;		/* offset of the rt_record from r10 */
};

static int field(const struct emitter *e, size_t offset)
{
	return e->record + (int)offset;
}

/* r0 = 0 when `size` bytes at the address in r3 were copied to r10 + to. */
static void emit_read(struct emitter *e, int to, int size)
{
	rt_bpf_mov(e->bpf, R1, R10);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, to);
	rt_bpf_mov_imm(e->bpf, R2, size);
	/* Before 5.5 one helper reads kernel and user addresses alike. */
	rt_bpf_call(e->bpf, e->program->read_user ? RT_FN_probe_read_user : RT_FN_probe_read);
}

/* The word at r10 + POINTER, as a pointer of the traced program, into `dst`. */
static void emit_pointer(struct emitter *e, int dst)
{
	bool narrow = e->program->plan->arch->word == 4;

	rt_bpf_load(e->bpf, narrow ? RT_BPF_W : RT_BPF_DW, dst, R10, POINTER);
}

/* Follow one pointer: r3 holds its address, then its value.  Where it cannot be read: on to `fault`. */
static void emit_follow(struct emitter *e, int fault)
{
	emit_read(e, POINTER, e->program->plan->arch->word);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, fault);
	emit_pointer(e, R3);
}

/* Cut the 64-bit value in r1 to the fetch's size, or extend its sign. */
static void emit_extend(struct emitter *e, const struct rt_fetch *f)
{
	int bits = 64 - 8 * f->size;

	if (!bits)
		return;
	rt_bpf_alu_imm(e->bpf, RT_BPF_LSH, R1, bits);
	rt_bpf_alu_imm(e->bpf, f->is_signed ? RT_BPF_ARSH : RT_BPF_RSH, R1, bits);
}

static void emit_zero(struct emitter *e, int to, size_t size)
{
	size_t i;

	for (i = 0; i < size; i += 8)
		rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, to + (int)i, 0);
}

/*
 * Leave in r3 the address of the value's last step.  Derefs that lead to other pointers are read on the way; an integer's last
 * deref is only added.
 */
static void emit_address(struct emitter *e, const struct rt_fetch *f, int fault)
{
	unsigned i, follow = f->nderef;

	if (f->base == RT_BASE_REG) {
		rt_bpf_load(e->bpf, RT_BPF_DW, R3, CTX, f->reg.pt_regs);
	} else {
		rt_bpf_load(e->bpf, RT_BPF_DW, R3, CTX, e->program->plan->arch->sp.pt_regs);
		rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R3, f->offset);
		if (f->nderef || f->type == RT_TYPE_STRING)
			emit_follow(e, fault);
	}
	if (f->type == RT_TYPE_INT && follow)
		follow--;
	for (i = 0; i < follow; i++) {
		rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R3, f->deref[i]);
		emit_follow(e, fault);
	}
	if (follow < f->nderef)
		rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R3, f->deref[follow]);
}

static void emit_string(struct emitter *e, const struct rt_fetch *f, int at, int fault)
{
	int ok = rt_bpf_label(e->bpf);

	rt_bpf_mov(e->bpf, R1, R10);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, at + 8);
	rt_bpf_mov_imm(e->bpf, R2, f->max);
	rt_bpf_call(e->bpf, e->program->read_user ? RT_FN_probe_read_user_str : RT_FN_probe_read_str);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, at, R0);
	/* "s> -1", because BPF_JSLT is only from 4.14. */
	rt_bpf_jump(e->bpf, RT_BPF_JSGT, R0, -1, ok);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, fault);
	rt_bpf_place(e->bpf, ok);
}

static void emit_value(struct emitter *e, unsigned i)
{
	const struct rt_fetch *f = &e->program->plan->values[i];
	int at = field(e, sizeof(struct rt_record) + rt_plan_offset(e->program->plan, i));
	int fault, done;

	if (f->type == RT_TYPE_INT && f->base == RT_BASE_REG && !f->nderef) {
		rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, f->reg.pt_regs);
		emit_extend(e, f);
		rt_bpf_store(e->bpf, RT_BPF_DW, R10, at, R1);
		return;
	}
	fault = rt_bpf_label(e->bpf);
	done = rt_bpf_label(e->bpf);
	/* The 4.4 verifier takes only initialised stack as a helper's buffer; and what is not read must not leak. */
	emit_zero(e, at, f->type == RT_TYPE_STRING ? 8u + f->max : 8u);
	emit_address(e, f, fault);
	if (f->type == RT_TYPE_STRING) {
		emit_string(e, f, at, fault);
	} else {
		emit_read(e, at, f->size);
		rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, fault);
		rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, at);
		emit_extend(e, f);
		rt_bpf_store(e->bpf, RT_BPF_DW, R10, at, R1);
	}
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, done);
	rt_bpf_place(e->bpf, fault);
	rt_bpf_mov_imm64(e->bpf, R1, 1ull << i);	/* an immediate operand would be sign-extended from bit 31 */
	rt_bpf_or(e->bpf, FAULTS, R1);
	rt_bpf_place(e->bpf, done);
}

static void emit_key(struct emitter *e)
{
	switch (e->program->key_source) {
	case RT_KEY_CONSTANT:
		rt_bpf_mov_imm64(e->bpf, R0, e->program->key);
		break;
	case RT_KEY_COOKIE:
		rt_bpf_mov(e->bpf, R1, CTX);
		rt_bpf_call(e->bpf, RT_FN_get_attach_cookie);
		break;
	case RT_KEY_POINTER:
		rt_bpf_load(e->bpf, RT_BPF_DW, R0, CTX, e->program->plan->arch->ip.pt_regs);
		break;
	}
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, field(e, offsetof(struct rt_record, key)), R0);
}

/* The return address tells a tail call from a new call at the same stack pointer (stack/stack.h). */
static void emit_return_address(struct emitter *e)
{
	const struct rt_arch *arch = e->program->plan->arch;
	int ra = field(e, offsetof(struct rt_record, ra));

	if (!e->program->plan->return_address) {
		rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, ra, 0);
	} else if (arch->link.tracefs) {
		rt_bpf_load(e->bpf, RT_BPF_DW, R0, CTX, arch->link.pt_regs);
		rt_bpf_store(e->bpf, RT_BPF_DW, R10, ra, R0);
	} else {
		rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, ra, 0);
		rt_bpf_load(e->bpf, RT_BPF_DW, R3, CTX, arch->sp.pt_regs);
		emit_read(e, ra, arch->word);
	}
}

/*
 * Count the thread's hits, so that one which the ring does not take shows as a gap.  Only the thread itself adds to its count,
 * so this needs no atomic operation, which could fetch only from 5.12 on.
 */
static void emit_count(struct emitter *e, int out)
{
	rt_bpf_mov(e->bpf, R1, PID_TGID);
	rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R1, (int32_t)e->program->slots - 1);
	rt_bpf_store(e->bpf, RT_BPF_W, R10, SLOT, R1);
	rt_bpf_mov_map(e->bpf, R1, RT_MAP_HITS);
	rt_bpf_mov(e->bpf, R2, R10);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R2, SLOT);
	rt_bpf_call(e->bpf, RT_FN_map_lookup_elem);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R0, 0, out);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R0, 0);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, 1);
	rt_bpf_store(e->bpf, RT_BPF_DW, R0, 0, R1);
	rt_bpf_store(e->bpf, RT_BPF_W, R10, field(e, offsetof(struct rt_record, seq)), R1);
}

static void emit_header(struct emitter *e)
{
	const struct rt_program *p = e->program;

	rt_bpf_store(e->bpf, RT_BPF_W, R10, field(e, offsetof(struct rt_record, tid)), PID_TGID);
	if (p->stamp) {
		rt_bpf_call(e->bpf, RT_FN_ktime_get_ns);
		rt_bpf_store(e->bpf, RT_BPF_DW, R10, field(e, offsetof(struct rt_record, time)), R0);
	} else {
		rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, field(e, offsetof(struct rt_record, time)), 0);
	}
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, p->plan->arch->sp.pt_regs);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, field(e, offsetof(struct rt_record, sp)), R1);
	emit_key(e);
	emit_return_address(e);
	rt_bpf_store_imm(e->bpf, RT_BPF_W, R10, field(e, offsetof(struct rt_record, plan)),
			 (int32_t)(p->plan_id | (uint32_t)rt_plan_size(p->plan) << 16));
}

static void emit_output(struct emitter *e)
{
	size_t size = sizeof(struct rt_record) + rt_plan_size(e->program->plan);

	/* An explicit CPU, because 4.4 takes BPF_F_CURRENT_CPU and delivers nothing. */
	rt_bpf_call(e->bpf, RT_FN_get_smp_processor_id);
	rt_bpf_mov(e->bpf, R1, CTX);
	rt_bpf_mov_map(e->bpf, R2, RT_MAP_EVENTS);
	rt_bpf_mov(e->bpf, R3, R0);
	rt_bpf_mov(e->bpf, R4, R10);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R4, e->record);
	rt_bpf_mov_imm(e->bpf, R5, (int32_t)size);
	rt_bpf_call(e->bpf, RT_FN_perf_event_output);
}

int rt_program_emit(const struct rt_program *program, struct rt_bpf *bpf, struct rt_error *err)
{
	size_t size = sizeof(struct rt_record) + rt_plan_size(program->plan);
	struct emitter e = { .program = program, .bpf = bpf, .record = -(int)(size + FRAME_TOP) };
	unsigned i;
	int out;

	if (size + FRAME_TOP > STACK_MAX)
		return rt_fail(err, -EOPNOTSUPP, "the values of one call take %zu bytes, a BPF program's stack has room for %zu",
			       rt_plan_size(program->plan), STACK_MAX - FRAME_TOP - sizeof(struct rt_record));
	out = rt_bpf_label(bpf);
	rt_bpf_mov(bpf, CTX, R1);
	rt_bpf_call(bpf, RT_FN_get_current_pid_tgid);
	rt_bpf_mov(bpf, PID_TGID, R0);
	/* Forked children inherit the breakpoints, and perf's own pid filter does not hold for BPF programs. */
	if (program->pid) {
		rt_bpf_alu_imm(bpf, RT_BPF_RSH, R0, 32);
		rt_bpf_jump(bpf, RT_BPF_JNE, R0, (int32_t)program->pid, out);
	}
	rt_bpf_store_imm(bpf, RT_BPF_DW, R10, POINTER, 0);
	rt_bpf_mov_imm(bpf, FAULTS, 0);
	emit_count(&e, out);
	emit_header(&e);
	for (i = 0; i < program->plan->nvalues; i++)
		emit_value(&e, i);
	rt_bpf_store(bpf, RT_BPF_W, R10, field(&e, offsetof(struct rt_record, faults)), FAULTS);
	emit_output(&e);
	rt_bpf_place(bpf, out);
	rt_bpf_mov_imm(bpf, R0, 0);
	rt_bpf_exit(bpf);
	return bpf->error ? rt_fail(err, bpf->error, "the BPF program could not be assembled") : 0;
}
