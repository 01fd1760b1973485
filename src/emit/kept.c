/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emit/kept.h"

#include "emit/private.h"
#include "fetch/record.h"

enum { SLOT = R8, FOUND = R7 };

/* Fibonacci hashing; the lowest bits of a stack pointer say nothing. */
enum { HASH = 0x61c88647, HASH_SHIFT = 16, ALIGN_SHIFT = 3 };

#define AT(member) ((int)offsetof(struct rt_kept, member))

int rt_emit_kept_at(unsigned i)
{
	return AT(v) + (int)(i * sizeof(uint64_t));
}

/* What no other function's program keeps there, as far as it knows its function. */
static int32_t stands_for(const struct rt_program *p)
{
	uint32_t h = 2166136261u;
	unsigned i;

	if (p->key_source == RT_KEY_CONSTANT)
		return (int32_t)p->function;
	for (i = 0; i < p->plan->nkept; i++) {
		const struct rt_fetch *f = &p->plan->kept[i];

		h = (h ^ (f->base == RT_BASE_REG ? f->reg.pt_regs : 0x10000u + (uint32_t)f->offset)) * 16777619u;
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
	rt_bpf_mov_imm64(e->bpf, R0, (uint32_t)stands_for(e->program));
}

/* r1 = the stack pointer at the entry. */
static void emit_entry_sp(struct emitter *e)
{
	const struct rt_plan *plan = e->program->plan;

	rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, plan->arch->sp.pt_regs);
	if (rt_plan_is_uretprobe(plan))
		rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, -(int32_t)plan->arch->return_pop);
}

/* r10 + POINTER = the stack pointer at the entry; r0 = its slot.  On to `none` where there is none, which cannot be. */
static void emit_slot(struct emitter *e, int none)
{
	int out = e->out;

	emit_entry_sp(e);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, POINTER, R1);
	rt_bpf_alu_imm(e->bpf, RT_BPF_RSH, R1, ALIGN_SHIFT);
	rt_bpf_alu_imm(e->bpf, RT_BPF_MUL, R1, HASH);
	rt_bpf_alu_imm(e->bpf, RT_BPF_RSH, R1, HASH_SHIFT);
	rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R1, (int32_t)e->program->kept_slots - 1);
	rt_bpf_store(e->bpf, RT_BPF_W, R10, KEY, R1);
	/* Not out of the program: a record that is reserved has to be submitted. */
	e->out = none;
	rt_emit_lookup(e, RT_MAP_KEPT, KEY);
	e->out = out;
}

void rt_emit_keep(struct emitter *e)
{
	const struct rt_plan *plan = e->program->plan;
	unsigned i;

	emit_slot(e, e->out);
	rt_bpf_mov(e->bpf, SLOT, R0);
	/* Whole or not there: it is used up while it is written. */
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, SLOT, AT(sp), 0);
	emit_function(e);
	rt_bpf_store(e->bpf, RT_BPF_W, SLOT, AT(function), R0);
	rt_bpf_store(e->bpf, RT_BPF_W, SLOT, AT(tid), PID_TGID);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, POINTER);
	rt_bpf_store(e->bpf, RT_BPF_DW, SLOT, AT(sp), R1);
	for (i = 0; i < plan->nkept; i++) {
		const struct rt_fetch *f = &plan->kept[i];

		if (f->base == RT_BASE_REG) {
			rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, f->reg.pt_regs);
		} else {
			/* By way of the frame, as a map's value is no buffer before 4.14.  What cannot be read is 0: nothing is there. */
			rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, POINTER, 0);
			rt_bpf_load(e->bpf, RT_BPF_DW, R3, CTX, plan->arch->sp.pt_regs);
			rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R3, f->offset);
			rt_emit_read(e, R10, POINTER, f->size);
			rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, POINTER);
		}
		rt_bpf_store(e->bpf, RT_BPF_DW, SLOT, rt_emit_kept_at(i), R1);
	}
}

void rt_emit_find_kept(struct emitter *e, int none)
{
	emit_slot(e, none);
	rt_bpf_mov(e->bpf, FOUND, R0);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, FOUND, AT(sp));
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, R10, POINTER);
	rt_bpf_alu(e->bpf, RT_BPF_SUB, R1, R2);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, none);
	rt_bpf_load(e->bpf, RT_BPF_W, R1, FOUND, AT(tid));
	rt_bpf_load(e->bpf, RT_BPF_W, R2, e->base, rt_emit_field(e, offsetof(struct rt_record, tid)));
	rt_bpf_alu(e->bpf, RT_BPF_SUB, R1, R2);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, none);
	emit_function(e);
	rt_bpf_load(e->bpf, RT_BPF_W, R1, FOUND, AT(function));
	rt_bpf_alu(e->bpf, RT_BPF_SUB, R1, R0);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, none);
}

void rt_emit_use_up(struct emitter *e, int none)
{
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, FOUND, AT(sp));
	emit_entry_sp(e);
	rt_bpf_alu(e->bpf, RT_BPF_SUB, R1, R2);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, none);
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, FOUND, AT(sp), 0);
}
