/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "emit/emulation.h"

#include "arch/emulation.h"
#include "emit/private.h"

/* R8 in this part: the site's struct rt_emulation. */
enum { EMULATION = R8 };

/* The byte of a breakpoint, and the bits of an address that are not a user's (x86-64). */
enum { INT3 = 0xcc, USER_BITS = 47 };

/* KEY = the site's id. */
static void emit_site(struct emitter *e)
{
	const struct rt_bpf_program *p = e->program;

	if (p->key_source == RT_KEY_CONSTANT) {
		rt_bpf_store_imm(e->bpf, RT_BPF_W, R10, KEY, (int32_t)p->site);
		return;
	}
	rt_bpf_mov(e->bpf, R1, CTX);
	rt_bpf_call(e->bpf, RT_FN_get_attach_cookie);
	/* A program that does not record has its function in the lower half. */
	if (p->purpose != RT_PURPOSE_RECORD)
		rt_bpf_alu_imm(e->bpf, RT_BPF_RSH, R0, 32);
	rt_bpf_store(e->bpf, RT_BPF_W, R10, KEY, R0);
}

/* r10 + POINTER = `size` bytes at the address in r3; on to `none` if they cannot be read. */
static void emit_word(struct emitter *e, int size, int none)
{
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, POINTER, 0);
	rt_emit_read(e, R10, POINTER, size);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, none);
}

/* On to `none` if another program has emulated the instruction before. */
static void emit_unchanged(struct emitter *e, int none)
{
	rt_bpf_load(e->bpf, RT_BPF_DW, R3, CTX, e->program->plan->arch->ip.pt_regs);
	rt_bpf_mov(e->bpf, R1, R3);
	rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R1, RT_EMULATION_PLACE);
	rt_bpf_load(e->bpf, RT_BPF_H, R2, EMULATION, offsetof(struct rt_emulation, place));
	rt_bpf_jump_reg(e->bpf, RT_BPF_JNE, R1, R2, none);
	emit_word(e, 1, none);
	rt_bpf_load(e->bpf, RT_BPF_B, R1, R10, POINTER);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, INT3, none);
}

/*
 * The processor's exception for an address that is no user's comes before the return: the kernel
 * executes those.  It would not notice a return to the very same instruction.
 */
static void emit_return(struct emitter *e, int none)
{
	const struct rt_arch *arch = e->program->plan->arch;

	rt_bpf_load(e->bpf, RT_BPF_DW, R3, CTX, arch->sp.pt_regs);
	emit_word(e, arch->word, none);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, POINTER);
	rt_bpf_mov(e->bpf, R2, R1);
	rt_bpf_alu_imm(e->bpf, RT_BPF_RSH, R2, USER_BITS);
	rt_bpf_jump(e->bpf, RT_BPF_JNE, R2, 0, none);
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, CTX, arch->ip.pt_regs);
	rt_bpf_jump_reg(e->bpf, RT_BPF_JEQ, R1, R2, none);
	rt_bpf_store(e->bpf, RT_BPF_DW, CTX, arch->ip.pt_regs, R1);
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, CTX, arch->sp.pt_regs);
	rt_bpf_load(e->bpf, RT_BPF_W, R1, EMULATION, offsetof(struct rt_emulation, value));
	rt_bpf_alu(e->bpf, RT_BPF_ADD, R2, R1);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R2, arch->word);
	rt_bpf_store(e->bpf, RT_BPF_DW, CTX, arch->sp.pt_regs, R2);
}

void rt_emit_emulation(struct emitter *e)
{
	int none = rt_bpf_label(e->bpf);

	emit_site(e);
	e->out = none;
	rt_emit_lookup(e, RT_MAP_EMULATIONS, KEY);
	rt_bpf_mov(e->bpf, EMULATION, R0);
	emit_unchanged(e, none);
	emit_return(e, none);
	rt_bpf_place(e->bpf, none);
}
