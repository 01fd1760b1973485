/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparisons of arguments with constants, made before anything is written. */
#include <errno.h>

#include "emit/private.h"

/* r1 = the value, extended to 64 bits. */
static void emit_operand(struct emitter *e, const struct rt_fetch *f, int failed)
{
	int shift = 64 - 8 * f->size;

	if (f->base == RT_BASE_REG && !f->nderef) {
		rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, f->reg.pt_regs);
	} else {
		/* The 4.4 verifier takes only initialised stack as a helper's buffer. */
		rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, POINTER, 0);
		rt_emit_address(e, f, failed);
		if (f->base == RT_BASE_THREAD && !f->nderef) {
			rt_bpf_mov(e->bpf, R1, R3);
		} else {
			rt_emit_read(e, R10, POINTER, f->size);
			rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, failed);
			rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, POINTER);
		}
	}
	if (!shift)
		return;
	rt_bpf_alu_imm(e->bpf, RT_BPF_LSH, R1, shift);
	rt_bpf_alu_imm(e->bpf, f->is_signed ? RT_BPF_ARSH : RT_BPF_RSH, R1, shift);
}

/* The jump that is taken where the comparison of r1 with r2 fails.  There is no "less than" before 4.14. */
static void emit_compare(struct emitter *e, const struct rt_test *test, int failed)
{
	enum rt_bpf_jmp gt = test->is_signed ? RT_BPF_JSGT : RT_BPF_JGT, ge = test->is_signed ? RT_BPF_JSGE : RT_BPF_JGE;

	switch (test->op) {
	case RT_TEST_EQ:
		rt_bpf_jump_reg(e->bpf, RT_BPF_JNE, R1, R2, failed);
		break;
	case RT_TEST_NE:
		rt_bpf_jump_reg(e->bpf, RT_BPF_JEQ, R1, R2, failed);
		break;
	case RT_TEST_LT:
		rt_bpf_jump_reg(e->bpf, ge, R1, R2, failed);
		break;
	case RT_TEST_LE:
		rt_bpf_jump_reg(e->bpf, gt, R1, R2, failed);
		break;
	case RT_TEST_GT:
		rt_bpf_jump_reg(e->bpf, ge, R2, R1, failed);
		break;
	case RT_TEST_GE:
		rt_bpf_jump_reg(e->bpf, gt, R2, R1, failed);
		break;
	case RT_TEST_AND:
		rt_bpf_alu(e->bpf, RT_BPF_AND, R1, R2);
		rt_bpf_jump(e->bpf, RT_BPF_JEQ, R1, 0, failed);
		break;
	}
}

void rt_emit_tests(struct emitter *e, int failed)
{
	const struct rt_plan *plan = e->program->plan;
	unsigned i;

	for (i = 0; i < plan->ntests && i < RT_MAX_TESTS; i++) {
		const struct rt_test *test = &plan->tests[i];

		if (test->string)
			continue;
		if (test->value >= plan->nvalues || plan->values[test->value].type != RT_TYPE_INT) {
			if (!e->bpf->error)
				e->bpf->error = -EINVAL;
			return;
		}
		emit_operand(e, &plan->values[test->value], failed);
		rt_bpf_mov_imm64(e->bpf, R2, test->constant);
		emit_compare(e, test, failed);
	}
}
