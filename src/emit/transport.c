/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The transports: where a record is written, and how it is handed over. */
#include <elf.h>

#include "emit/pending.h"
#include "emit/private.h"
#include "fetch/record.h"

/* Below the frame of a program that records, and what holding back takes, a record for perf. */
enum { FRAME_TOP = RECORD_FRAME };

int rt_emit_frame_top(const struct emitter *e)
{
	return e->program->pending ? PENDING_TOP + PENDING_FRAME : FRAME_TOP;
}

/*
 * The 4.4 verifier takes only initialised stack as a helper's buffer, and none takes holes in what
 * is put out.
 */
static void zero_record(struct emitter *e)
{
	int at;

	for (at = e->record; at < -rt_emit_frame_top(e); at += 8)
		rt_bpf_store_imm(e->bpf, RT_BPF_DW, R10, at, 0);
}

static void output_perf(struct emitter *e)
{
	/* An explicit CPU, because 4.4 takes BPF_F_CURRENT_CPU and delivers nothing. */
	rt_bpf_call(e->bpf, RT_FN_get_smp_processor_id);
	rt_bpf_mov(e->bpf, R1, CTX);
	rt_bpf_mov_map(e->bpf, R2, RT_MAP_EVENTS);
	rt_bpf_mov(e->bpf, R3, R0);
	rt_bpf_mov(e->bpf, R4, R10);
	rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R4, e->record);
	rt_bpf_mov_imm(e->bpf, R5, e->tail.size);
	rt_bpf_call(e->bpf, RT_FN_perf_event_output);
}

static void reserve_ringbuf(struct emitter *e)
{
	rt_bpf_mov_map(e->bpf, R1, RT_MAP_EVENTS);
	rt_bpf_mov_imm(e->bpf, R2, (int)sizeof(uint64_t) + e->tail.size);
	rt_bpf_mov_imm(e->bpf, R3, 0);
	rt_bpf_call(e->bpf, RT_FN_ringbuf_reserve);
	rt_bpf_jump(e->bpf, RT_BPF_JEQ, R0, 0, e->out);
	rt_bpf_mov(e->bpf, ROOM, R0);
	/*
	 * After the reservation: records behind one that is not whole yet are not older
	 * than it.
	 */
	rt_bpf_call(e->bpf, RT_FN_ktime_get_ns);
	rt_bpf_store(e->bpf, RT_BPF_DW, ROOM, 0, R0);
}

static void submit_ringbuf(struct emitter *e)
{
	rt_bpf_mov(e->bpf, R1, ROOM);
	rt_bpf_mov_imm(e->bpf, R2, RT_BPF_RB_NO_WAKEUP);
	rt_bpf_call(e->bpf, RT_FN_ringbuf_submit);
}

void rt_emit_reserve_array(struct emitter *e, int bytes, int slot, int full)
{
	uint32_t size = e->program->ring_size;

	rt_bpf_call(e->bpf, RT_FN_get_smp_processor_id);
	rt_bpf_store(e->bpf, RT_BPF_W, R10, KEY, R0);
	rt_emit_lookup(e, RT_MAP_EVENTS, KEY);
	rt_bpf_mov(e->bpf, ROOM, R0);
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, ROOM, offsetof(struct rt_array_ring, head));
	rt_bpf_load(e->bpf, RT_BPF_DW, R2, ROOM, offsetof(struct rt_array_ring, tail));
	rt_bpf_alu(e->bpf, RT_BPF_SUB, R1, R2);
	rt_bpf_jump(e->bpf, RT_BPF_JGT, R1, (int32_t)(size - rt_array_ring_margin(size)), full);
	if (slot) {
		rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, slot);
		rt_bpf_alu_imm(e->bpf, RT_BPF_ADD, R1, bytes + 7);
		rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R1, -8);
	} else {
		rt_bpf_mov_imm(e->bpf, R1, (bytes + 7) & ~7);
	}
	rt_bpf_fetch_add(e->bpf, ROOM, offsetof(struct rt_array_ring, head), R1);
	rt_bpf_alu_imm(e->bpf, RT_BPF_AND, R1, (int32_t)size - 8);
	rt_bpf_alu(e->bpf, RT_BPF_ADD, ROOM, R1);
	rt_bpf_call(e->bpf, RT_FN_ktime_get_ns);
	rt_bpf_store(e->bpf, RT_BPF_DW, R10, TIME, R0);
}

/* The time last: it says that the record is whole. */
static void submit_array(struct emitter *e)
{
	rt_bpf_load(e->bpf, RT_BPF_DW, R1, R10, TIME);
	/* If stores may be reordered, only an atomic operation keeps their order. */
	if (e->program->plan->arch->stores_in_order)
		rt_bpf_store(e->bpf, RT_BPF_DW, ROOM, offsetof(struct rt_array_ring, data), R1);
	else
		rt_bpf_xchg(e->bpf, ROOM, offsetof(struct rt_array_ring, data), R1);
}

void rt_emit_reserve(struct emitter *e)
{
	switch (e->program->transport) {
	case RT_TRANSPORT_PERF:
		e->base = R10;
		e->record = -((e->tail.size + 7) & ~7) - rt_emit_frame_top(e);
		zero_record(e);
		break;
	case RT_TRANSPORT_RINGBUF:
		e->base = ROOM;
		e->record = sizeof(uint64_t);
		reserve_ringbuf(e);
		break;
	case RT_TRANSPORT_ARRAY:
		e->base = ROOM;
		e->record = offsetof(struct rt_array_ring, data) + sizeof(uint64_t);
		rt_emit_reserve_array(e, (int)sizeof(uint64_t) + e->tail.size, 0, e->out);
		break;
	}
}

void rt_emit_submit(struct emitter *e)
{
	switch (e->program->transport) {
	case RT_TRANSPORT_PERF:
		output_perf(e);
		break;
	case RT_TRANSPORT_RINGBUF:
		submit_ringbuf(e);
		break;
	case RT_TRANSPORT_ARRAY:
		submit_array(e);
		break;
	}
}
