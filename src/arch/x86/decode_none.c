/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In place of decode_capstone.c and flow_capstone.c where there is no capstone. */
#include "arch/flow.h"

#include <string.h>

#include "arch/use.h"

struct rt_decoder *rt_decoder_open(const struct rt_arch *arch)
{
	(void)arch;
	return NULL;
}

void rt_decoder_close(struct rt_decoder *decoder)
{
	(void)decoder;
}

bool rt_decode(struct rt_decoder *decoder, const uint8_t *bytes, size_t n, uint64_t addr,
	       struct rt_insn *insn)
{
	(void)decoder;
	(void)bytes;
	(void)n;
	(void)addr;
	memset(insn, 0, sizeof(*insn));
	return false;
}

struct rt_decoder *rt_flow_open(const struct rt_arch *arch)
{
	(void)arch;
	return NULL;
}

bool rt_flow_capstone(struct rt_decoder *decoder, const uint8_t *bytes, size_t n, uint64_t addr,
		      struct rt_flow *flow)
{
	(void)decoder;
	(void)bytes;
	(void)n;
	(void)addr;
	(void)flow;
	return false;
}

/* Built without capstone: nothing is guessed. */

struct rt_user *rt_user_open(const struct rt_arch *arch)
{
	(void)arch;
	return NULL;
}

void rt_user_close(struct rt_user *user)
{
	(void)user;
}

bool rt_use_capstone(struct rt_user *user, const uint8_t *bytes, size_t n, uint64_t addr,
		     struct rt_use *use)
{
	(void)user;
	(void)bytes;
	(void)n;
	(void)addr;
	(void)use;
	return false;
}
