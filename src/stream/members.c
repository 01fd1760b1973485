/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/members.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"

/* The index of the first thread that is not below `tid`. */
static size_t lower(const struct rt_members *m, pid_t tid)
{
	size_t i;

	RT_SEARCH(i, m->n, m->v[i] < tid);
	return i;
}

bool rt_members_has(const struct rt_members *m, pid_t tid)
{
	size_t i = lower(m, tid);

	return i < m->n && m->v[i] == tid;
}

int rt_members_add(struct rt_members *m, pid_t tid)
{
	size_t i = lower(m, tid);
	int r;

	if (i < m->n && m->v[i] == tid)
		return 0;
	r = RT_ROOM(&m->v, m->n, &m->cap);
	if (r < 0)
		return r;
	memmove(m->v + i + 1, m->v + i, (m->n - i) * sizeof(*m->v));
	m->v[i] = tid;
	m->n++;
	return 0;
}

void rt_members_remove(struct rt_members *m, pid_t tid)
{
	size_t i = lower(m, tid);

	if (i == m->n || m->v[i] != tid)
		return;
	m->n--;
	memmove(m->v + i, m->v + i + 1, (m->n - i) * sizeof(*m->v));
}

void rt_members_free(struct rt_members *m)
{
	free(m->v);
	memset(m, 0, sizeof(*m));
}
