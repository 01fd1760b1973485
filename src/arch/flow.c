/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arch/flow.h"

#include <string.h>

#define AARCH64 183	/* EM_AARCH64: old elf.h lack it */

bool rt_flow_works(const struct rt_arch *arch, const struct rt_decoder *decoder)
{
	return decoder || arch->machine == AARCH64;
}

bool rt_flow_decode(const struct rt_arch *arch, struct rt_decoder *decoder, const uint8_t *bytes,
		    size_t n, uint64_t addr, struct rt_flow *flow)
{
	memset(flow, 0, sizeof(*flow));
	flow->to = flow->from = flow->other = flow->mem.base = flow->mem.index = RT_NO_REG;
	if (arch->machine == AARCH64)
		return rt_flow_aarch64(bytes, n, addr, flow);
	return decoder && rt_flow_x86(decoder, bytes, n, addr, flow);
}
