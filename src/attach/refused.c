/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attach/refused.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "kernel/sys.h"

/* More than these are no few odd functions: the kernel means something else. */
enum { REFUSED_MAX = 64 };

struct search {
	const struct rt_attach_request *request;
	const struct rt_attach_ops *forced;
	bool no_bpf;
	uint32_t *functions;	/* those that have probes */
	bool *in;		/* by function: in the part that is tried */
	struct rt_probe *probes;
	bool *bad;
	unsigned found;
	struct rt_error *err;
};

bool rt_attach_is_refusal(const struct rt_attach_request *request, int r)
{
	if (r >= 0)
		return false;
	/* On arm64 it is the errno of much else (arch_uprobe_analyze_insn). */
	if (r == -EINVAL)
		return request->program && rt_image_arch(request->program)->machine == EM_AARCH64;
	return rt_probe_refused(-r);
}

/* Attach the probes of `n` functions, and take them out. */
static int try_part(const struct search *s, size_t first, size_t n)
{
	struct rt_attach_request part = *s->request;
	struct rt_attach *attach;
	size_t i;
	int r;

	for (i = first; i < first + n; i++)
		s->in[s->functions[i]] = true;
	part.probes = s->probes;
	part.nprobes = 0;
	for (i = 0; i < s->request->nprobes; i++)
		if (s->in[s->request->probes[i].function])
			s->probes[part.nprobes++] = s->request->probes[i];
	for (i = first; i < first + n; i++)
		s->in[s->functions[i]] = false;
	r = rt_attach_open(&part, s->forced, s->no_bpf, NULL, &attach, s->err);
	if (r == 0)
		attach->ops->close(attach);
	return r;
}

/*
 * `surely`: there must be one among them, as the kernel has taken the rest of those that it
 * refused.
 */
static int search(struct search *s, size_t first, size_t n, bool surely)
{
	unsigned before = s->found;
	int r = 0;

	if (!surely || n == 1) {
		r = try_part(s, first, n);
		if (!rt_attach_is_refusal(s->request, r))
			return r;
	}
	if (n == 1) {
		const struct rt_function *f = &s->request->functions->v[s->functions[first]];

		if (f->named || ++s->found > REFUSED_MAX)
			return rt_fail(s->err, r, "%s: %s", f->name, rt_probe_strerror(-r));
		s->bad[s->functions[first]] = true;
		return 0;
	}
	r = search(s, first, n / 2, false);
	return r < 0 ? r : search(s, first + n / 2, n - n / 2, s->found == before);
}

/* The functions that have probes, each once; their number. */
static size_t list_functions(struct search *s)
{
	size_t i, n = 0;

	for (i = 0; i < s->request->nprobes; i++) {
		uint32_t function = s->request->probes[i].function;

		if (!s->in[function])
			s->functions[n++] = function;
		s->in[function] = true;
	}
	for (i = 0; i < n; i++)
		s->in[s->functions[i]] = false;
	return n;
}

int rt_attach_find_refused(const struct rt_attach_request *request,
			   const struct rt_attach_ops *forced, bool no_bpf, bool *bad,
			   struct rt_error *err)
{
	struct rt_error why = { 0 };
	struct search s = {
		.request = request,
		.forced = forced,
		.no_bpf = no_bpf,
		.bad = bad,
		.err = &why,
		.functions = calloc(request->functions->n, sizeof(*s.functions)),
		.in = calloc(request->functions->n, sizeof(*s.in)),
		.probes = calloc(request->nprobes, sizeof(*s.probes)),
	};
	size_t n;
	int r = -ENOMEM;

	if (s.functions && s.in && s.probes) {
		n = list_functions(&s);
		r = n ? search(&s, 0, n, true) : 0;
		if (r < 0 && err)
			*err = why;
	} else {
		rt_nomem(err);
	}
	free(s.functions);
	free(s.in);
	free(s.probes);
	return r;
}
