/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calls/stepped.h"

#include "emit/cells.h"

void rt_stepped_hit(struct rt_form_hits *hits, const struct rt_function *f,
		    const struct rt_exit *exit, uint64_t n)
{
	if (exit)
		hits->exits[exit->place.form] += n;
	else
		hits->entries[f->form] += n;
}

void rt_stepped_cell(struct rt_form_hits *hits, const struct rt_function *f, unsigned cell,
		     uint64_t value)
{
	if (cell == RT_CELL_CALLS)
		rt_stepped_hit(hits, f, NULL, value);
	else if (cell >= RT_CELL_BUCKET && f->how == RT_HOW_INSN && f->exits.n)
		rt_stepped_hit(hits, f, &f->exits.v[0], value);
}
