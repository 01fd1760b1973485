/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/resolver.h"

const char *rt_resolve_symbol(const struct rt_resolver *r, pid_t pid, uint64_t addr)
{
	return r && r->ops->symbol ? r->ops->symbol(r->ctx, pid, addr) : NULL;
}

bool rt_resolve_go_type(const struct rt_resolver *r, pid_t pid, uint64_t addr, char *buf,
			size_t size, unsigned *kind)
{
	return r && r->ops->go_type && r->ops->go_type(r->ctx, pid, addr, buf, size, kind);
}

bool rt_resolve_descriptor(const struct rt_resolver *r, pid_t pid, int64_t fd, char *buf,
			   size_t size)
{
	return r && r->ops->descriptor && r->ops->descriptor(r->ctx, pid, fd, buf, size);
}

void rt_resolve_opened(const struct rt_resolver *r, pid_t pid, int64_t fd, const char *path,
		       bool sure)
{
	if (r && r->ops->opened)
		r->ops->opened(r->ctx, pid, fd, path, sure);
}

size_t rt_resolve_constant(const struct rt_resolver *r, pid_t pid, uint64_t addr, void *buf,
			   size_t size)
{
	return r && r->ops->constant ? r->ops->constant(r->ctx, pid, addr, buf, size) : 0;
}

bool rt_resolve_stack(const struct rt_resolver *r, const struct rt_stack_top *top,
		      rt_stack_put *put, void *ctx)
{
	return r && r->ops->stack && r->ops->stack(r->ctx, top, put, ctx);
}
