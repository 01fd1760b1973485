/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arch/flow.h"

#include <string.h>

bool rt_flow_works(const struct rt_arch *arch, const struct rt_decoder *decoder)
{
	return decoder || arch->flow;
}

bool rt_flow_decode(const struct rt_arch *arch, struct rt_decoder *decoder, const uint8_t *bytes,
		    size_t n, uint64_t addr, struct rt_flow *flow)
{
	memset(flow, 0, sizeof(*flow));
	flow->to = flow->from = flow->other = flow->mem.base = flow->mem.index = RT_NO_REG;
	if (arch->flow)
		return arch->flow(bytes, n, addr, flow);
	return decoder && rt_flow_x86(decoder, bytes, n, addr, flow);
}
