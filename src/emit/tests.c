/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparisons of arguments and results with constants, made before anything is written. */
#include <errno.h>

#include "emit/private.h"

/*
 * A string: its length, then its characters, which are aligned, below what else is on the stack
 * while it is read (ADDRESS).
 */
enum { WORD = 8, PAGE_ZERO = 4096 /* no kernel lets a program have its first page */ };

/* On to `failed` from where nothing can be: NULL, and what it leads to. */
static void emit_none(struct emitter *e, int failed)
{
	int some = rt_bpf_label(e->bpf);

	if (e->program->sleepable)
		return;
	rt_bpf_jump(e->bpf, RT_BPF_JGT, R3, PAGE_ZERO - 1, some);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, failed);
	rt_bpf_place(e->bpf, some);
}

/*
 * A call that is left out as its memory was not there, or could not be waited for: it is counted.
 */
static void emit_unread(struct emitter *e, int unread, int failed)
{
	int done = rt_bpf_label(e->bpf), out = e->out;

	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, done);
	rt_bpf_place(e->bpf, unread);
	rt_bpf_store_imm(e->bpf, RT_BPF_W, R10, POINTER, 0);
	e->out = failed;
	rt_emit_lookup(e, RT_MAP_UNREAD, POINTER);
	e->out = out;
	rt_bpf_mov_imm(e->bpf, R1, 1);
	rt_bpf_atomic_add(e->bpf, R0, 0, R1);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, failed);
	rt_bpf_place(e->bpf, done);
}

/* r1 = the value, or the bits of it that are compared, extended to 64 bits. */
static void emit_operand(struct emitter *e, const struct rt_test *test, int failed, int unread)
{
	const struct rt_fetch *f = &e->program->plan->values[test->value];

	if (f->base == RT_BASE_REG && !f->nderef) {
		rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, f->reg.pt_regs);
	} else {
		/* The 4.4 verifier takes only initialised stack as a helper's buffer. */
		rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, POINTER, 0);
		rt_emit_address(e, f, failed);
		if ((f->base == RT_BASE_THREAD || f->base == RT_BASE_CONSTANT) && !f->nderef) {
			rt_bpf_mov(e->bpf, R1, R3);
		} else {
			emit_none(e, failed);
			rt_emit_read_value(e, R10, POINTER, f->size);
			rt_bpf_jump(e->bpf, RT_BPF_JNE, R0, 0, unread);
			rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, POINTER);
		}
	}
	if (test->of_register) {
		int whole = rt_bpf_label(e->bpf);

		rt_bpf_mov(e->bpf, R2, R1);
		rt_bpf_alu_imm(e->bpf, RT_BPF_RSH, R2, 32);
		rt_bpf_jump(e->bpf, RT_BPF_JNE, R2, 0, whole);
		rt_bpf_alu_imm(e->bpf, RT_BPF_LSH, R1, 32);
		rt_bpf_alu_imm(e->bpf, RT_BPF_ARSH, R1, 32);
		rt_bpf_place(e->bpf, whole);
	}
	if (rt_test_up(test, f))
		rt_bpf_alu_imm(e->bpf, RT_BPF_LSH, R1, (int32_t)rt_test_up(test, f));
	if (rt_test_down(test, f))
		rt_bpf_alu_imm(e->bpf, f->is_signed ? RT_BPF_ARSH : RT_BPF_RSH, R1,
			       (int32_t)rt_test_down(test, f));
}

/*
 * The jump that is taken where the comparison of r1 with r2 fails.  There is no "less than" before
 * 4.14.
 */
static void emit_compare(struct emitter *e, const struct rt_test *test, int failed)
{
	enum rt_bpf_jmp gt = test->is_signed ? RT_BPF_JSGT : RT_BPF_JGT,
			ge = test->is_signed ? RT_BPF_JSGE : RT_BPF_JGE;

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
	case RT_TEST_BEGINS:
		break;
	}
}

/* The test's characters from `from` on, eight of them or what is left, as the memory's word. */
static uint64_t word_of(const struct rt_test *test, unsigned from, unsigned n)
{
	uint64_t word = 0;

	while (n--)
		/* little-endian, as all of our machines are */
		word = word << 8 | (from + n < test->length ? (uint8_t)test->string[from + n] : 0u);
	return word;
}

static int text_room(const struct rt_test *test)
{
	return (test->length + 2 + WORD - 1) / WORD * WORD;
}

/*
 * Compare by words, as no program before 5.17 has a helper for it.  One more byte is read than the
 * constant has, with its NUL: so the helper's length shows a longer string.  Without the helper,
 * the NUL is compared too.
 */
static void emit_text(struct emitter *e, const struct rt_test *test, int failed, int unread)
{
	struct rt_fetch f = e->program->plan->values[test->value];
	int text = ADDRESS - text_room(test), length = text - (int)sizeof(int32_t), base = e->base;
	int differs = test->op == RT_TEST_NE ? rt_bpf_label(e->bpf) : failed;
	unsigned at, n,
		all = test->length + (e->program->no_read_str && test->op != RT_TEST_BEGINS);
	int i;

	for (i = length - (int)sizeof(int32_t); i < ADDRESS; i += WORD)
		rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, i, 0);
	rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, POINTER, 0);
	f.max = (uint16_t)(test->length + (test->op == RT_TEST_BEGINS ? 1 : 2));
	e->base = R10;
	rt_emit_address(e, &f, failed);
	emit_none(e, failed);
	rt_emit_string(e, &f, length, unread);
	e->base = base;
	if (!e->program->no_read_str) {
		rt_bpf_load(e->bpf, RT_BPF_W, R1, R10, length);
		rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, test->length + 1, differs);
	}
	for (at = 0; at < all; at += n) {
		n = all - at < WORD ? all - at : WORD;
		rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, text + (int)at);
		/* Kernels before 5.10 leave behind the NUL what was there. */
		if (n < WORD)
			rt_bpf_alu_imm(e->bpf, RT_BPF_LSH, R1, (int32_t)(WORD - n) * 8);
		rt_bpf_mov_imm64(e->bpf, R2, word_of(test, at, n) << (WORD - n) * 8);
		rt_bpf_jump_reg(e->bpf, RT_BPF_JNE, R1, R2, differs);
	}
	if (test->op != RT_TEST_NE)
		return;
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, failed);
	rt_bpf_place(e->bpf, differs);
}

/* Are the time and errno, which the record is needed for, left to the reader? */
static bool is_left(const struct rt_plan *plan, const struct rt_test *test)
{
	return test->of_time ||
	       (test->value < plan->nvalues && plan->values[test->value].if_failed) ||
	       (test->value < plan->nvalues && plan->values[test->value].base == RT_BASE_SAVED);
}

/* The result that must say failure for the test of errno, which is 0 else; or NULL. */
static const struct rt_fetch *result_of(const struct rt_plan *plan, const struct rt_test *test)
{
	const struct rt_fetch *f = test->value < plan->nvalues ? &plan->values[test->value] : NULL;
	const struct rt_fetch *result;

	if (test->of_time || !f || !f->if_failed || f->if_failed > plan->nvalues ||
	    !(test->constant ? test->op == RT_TEST_EQ : test->op == RT_TEST_NE))
		return NULL;
	result = &plan->values[f->if_failed - 1];
	return result->base == RT_BASE_REG && !result->nderef && !result->index_size ? result
										     : NULL;
}

/* The reader makes the test of errno itself, of the calls that have failed. */
static void emit_failure(struct emitter *e, const struct rt_fetch *errno_value,
			 const struct rt_fetch *result, int failed)
{
	int done = rt_bpf_label(e->bpf);

	rt_bpf_load(e->bpf, RT_BPF_DW, R1, CTX, result->reg.pt_regs);
	rt_emit_has_failed(e, errno_value, done);
	rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, failed);
	rt_bpf_place(e->bpf, done);
}

static void emit_test(struct emitter *e, const struct rt_test *test, int failed)
{
	const struct rt_plan *plan = e->program->plan;
	const struct rt_fetch *f = &plan->values[test->value], *result = result_of(plan, test);
	bool counts;
	int unread = failed;

	if (result) {
		emit_failure(e, f, result, failed);
		return;
	}
	if (is_left(plan, test)) {
		/* Not nothing: code without a way to it is refused, as of alternatives. */
		rt_bpf_mov_imm(e->bpf, R1, 0);
		rt_bpf_jump(e->bpf, RT_BPF_JNE, R1, 0, failed);
		return;
	}
	counts = !e->program->sleepable && test->value < plan->nvalues &&
		 (test->string ||
		  (f->base != RT_BASE_THREAD && (f->nderef || (f->base != RT_BASE_REG &&
							       f->base != RT_BASE_CONSTANT))));
	if (counts)
		unread = rt_bpf_label(e->bpf);
	if (test->value >= plan->nvalues ||
	    plan->values[test->value].type != (test->string ? RT_TYPE_STRING : RT_TYPE_INT)) {
		if (!e->bpf->error)
			e->bpf->error = -EINVAL;
	} else if (test->string) {
		emit_text(e, test, failed, unread);
	} else {
		emit_operand(e, test, failed, unread);
		rt_bpf_mov_imm64(e->bpf, R2, test->constant);
		emit_compare(e, test, failed);
	}
	if (counts)
		emit_unread(e, unread, failed);
}

/* Is there another alternative behind test `i`, in its group? */
static bool has_other(const struct rt_plan *plan, unsigned i)
{
	while (++i < plan->ntests && i < RT_MAX_TESTS && plan->tests[i].join != RT_TEST_ALSO)
		if (plan->tests[i].join == RT_TEST_ELSE)
			return true;
	return false;
}

void rt_emit_tests(struct emitter *e, int failed)
{
	const struct rt_plan *plan = e->program->plan;
	int holds = rt_bpf_label(e->bpf), next = failed;
	unsigned i;

	for (i = 0; i < plan->ntests && i < RT_MAX_TESTS; i++) {
		const struct rt_test *test = &plan->tests[i];

		if (i && test->join == RT_TEST_ALSO) {
			rt_bpf_place(e->bpf, holds);
			holds = rt_bpf_label(e->bpf);
		}
		if (test->join == RT_TEST_ELSE) {
			rt_bpf_jump(e->bpf, RT_BPF_JA, 0, 0, holds);
			rt_bpf_place(e->bpf, next);
		}
		if (!i || test->join != RT_TEST_WITH)
			next = has_other(plan, i) ? rt_bpf_label(e->bpf) : failed;
		emit_test(e, test, next);
	}
	rt_bpf_place(e->bpf, holds);
}
