/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_EMIT_COUNT_H
#define RT_EMIT_COUNT_H

struct emitter;

/* Emit counting or measuring, after the filter: the program adds to the cells (emit/cells.h). */
void rt_emit_counting(struct emitter *e);

#endif
