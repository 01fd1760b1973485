/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "arch/arch.h"
#include "base/array.h"

struct pattern {
	uint8_t n;		/* bytes that are looked at */
	uint8_t bytes[10], mask[3];	/* mask of the first three; the others must be equal */
	enum rt_form form;
};

#define ALL { 0xff, 0xff, 0xff }

/* The first that fits. */
static const struct pattern patterns[] = {
	{ 1, { 0x50 }, { 0xf8 }, RT_FORM_PUSH },
	{ 1, { 0x90 }, { 0xff }, RT_FORM_NOP },
	{ 2, { 0x66, 0x90 }, ALL, RT_FORM_NOP16 },
	{ 1, { 0xeb }, { 0xff }, RT_FORM_JMP },
	{ 1, { 0xe9 }, { 0xff }, RT_FORM_JMP },
	{ 1, { 0x70 }, { 0xf0 }, RT_FORM_JCC },
	{ 2, { 0x0f, 0x80 }, { 0xff, 0xf0 }, RT_FORM_JCC },
	{ 1, { 0xe8 }, { 0xff }, RT_FORM_CALL },
	{ 5, { 0x0f, 0x1f, 0x44, 0x00, 0x00 }, ALL, RT_FORM_NOP5 },
	{ 3, { 0x0f, 0x1f, 0x00 }, { 0xff, 0xff, 0x38 }, RT_FORM_NOP_LONG },
	{ 2, { 0x83, 0xec }, ALL, RT_FORM_SUB_SP },
	{ 2, { 0x81, 0xec }, ALL, RT_FORM_SUB_SP },
	{ 2, { 0x89, 0xc0 }, { 0xff, 0xc0 }, RT_FORM_MOV },
	{ 2, { 0x8b, 0xc0 }, { 0xff, 0xc0 }, RT_FORM_MOV },
	{ 2, { 0x84, 0xc0 }, { 0xfe, 0xc0 }, RT_FORM_TEST },
	{ 2, { 0x31, 0xc0 }, { 0xff, 0xc0 }, RT_FORM_XOR },
	{ 2, { 0x33, 0xc0 }, { 0xff, 0xc0 }, RT_FORM_XOR },
	{ 1, { 0x8d }, { 0xff }, RT_FORM_LEA },
	{ 1, { 0xc3 }, { 0xff }, RT_FORM_RET },
};

static const struct pattern patterns_64[] = {
	{ 2, { 0x41, 0x50 }, { 0xff, 0xf8 }, RT_FORM_PUSH_REX },
	{ 4, { 0xf3, 0x0f, 0x1e, 0xfa }, ALL, RT_FORM_ENDBR },
	{ 10, { 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00 }, ALL, RT_FORM_NOP10 },
};

static const struct pattern patterns_32[] = {
	{ 4, { 0xf3, 0x0f, 0x1e, 0xfb }, ALL, RT_FORM_ENDBR },
};

static bool fits(const struct pattern *p, const uint8_t *insn, size_t n)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (i >= n || (insn[i] & (i < 3 ? p->mask[i] : 0xff)) != p->bytes[i])
			return false;
	return true;
}

static enum rt_form find(const struct pattern *v, size_t count, const uint8_t *insn, size_t n)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (fits(&v[i], insn, n))
			return v[i].form;
	return RT_FORM_OTHER;
}

enum rt_form rt_x86_64_form(const uint8_t *insn, size_t n)
{
	enum rt_form form = find(patterns_64, RT_COUNT(patterns_64), insn, n);
	bool rex = n && (insn[0] & 0xf0) == 0x40;

	if (form)
		return form;
	form = find(patterns, RT_COUNT(patterns), insn + rex, n - rex);
	/*
	 * A REX prefix is no part of the others: there it would be another instruction to the
	 * kernel.
	 */
	return rex && form < RT_FORM_SUB_SP ? RT_FORM_OTHER : form;
}

enum rt_form rt_i386_form(const uint8_t *insn, size_t n)
{
	enum rt_form form = find(patterns_32, RT_COUNT(patterns_32), insn, n);

	return form ? form : find(patterns, RT_COUNT(patterns), insn, n);
}
