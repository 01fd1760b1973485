/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions of x86-64 by the decoder for common ones, against capstone: they agree on where an
 * instruction ends and leads, and on the registers that it reads and writes.  Input: code.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arch/flow.h"
#include "arch/use.h"

static void check(bool same)
{
	if (!same)
		abort();
}

static void check_flow(const struct rt_flow *a, const struct rt_flow *b)
{
	check(a->kind == b->kind && a->size == b->size && a->has_target == b->has_target &&
	      a->target == b->target && a->condition == b->condition && a->order == b->order);
	check(a->sp == b->sp && a->amount == b->amount && a->fp == b->fp &&
	      a->fp_amount == b->fp_amount && a->writes == b->writes);
	check(a->op == b->op && a->to == b->to && a->from == b->from && a->other == b->other &&
	      a->bytes == b->bytes && a->value == b->value && a->is_signed == b->is_signed);
	check(a->has_mem == b->has_mem && a->mem.base == b->mem.base &&
	      a->mem.index == b->mem.index && a->mem.disp == b->mem.disp);
	check(a->uses == b->uses && a->used.base == b->used.base && a->used.disp == b->used.disp);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const struct rt_arch *arch = &rt_arch_x86_64;
	struct rt_decoder *decoder = rt_flow_open(arch);
	struct rt_user *user = rt_user_open(arch);
	struct rt_use use, want_use;
	struct rt_flow flow, want;
	size_t at;
	bool known;

	for (at = 0; at < n && decoder && user; at += known ? want.size : 1) {
		rt_flow_decode(arch, NULL, data, 0, 0, &want);
		known = rt_flow_capstone(decoder, data + at, n - at, at, &want);
		check(rt_flow_decode(arch, decoder, data + at, n - at, at, &flow) == known);
		if (known)
			check_flow(&flow, &want);
		memset(&want_use, 0, sizeof(want_use));
		known = rt_use_capstone(user, data + at, n - at, at, &want_use);
		check(rt_use(user, data + at, n - at, at, &use) == known);
		check(!known || memcmp(&use, &want_use, sizeof(use)) == 0);
		known &= want.size != 0;
	}
	rt_decoder_close(decoder);
	rt_user_close(user);
	return 0;
}
