/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/verifier.h"

#include "emit/bpf.h"
#include "kernel/sys.h"

/* The program that `write` begins. */
static int try_program(void (*write)(struct rt_bpf *bpf))
{
	struct rt_bpf bpf;
	int r;

	rt_bpf_init(&bpf);
	write(&bpf);
	rt_bpf_mov_imm(&bpf, 0, 0);
	rt_bpf_exit(&bpf);
	r = rt_bpf_finish(&bpf, NULL, NULL);
	if (r == 0)
		r = rt_bpf_prog_try(bpf.insns, bpf.n);
	rt_bpf_free(&bpf);
	return r;
}

static void write_loop(struct rt_bpf *bpf)
{
	int loop = rt_bpf_label(bpf);

	rt_bpf_mov_imm(bpf, 1, 0);
	rt_bpf_place(bpf, loop);
	rt_bpf_alu_imm(bpf, RT_BPF_ADD, 1, 1);
	rt_bpf_mov_imm(bpf, 2, 10);
	rt_bpf_jump_reg(bpf, RT_BPF_JGT, 2, 1, loop);
}

int rt_verifier_loops(void)
{
	return try_program(write_loop);
}

static void write_fetch_add(struct rt_bpf *bpf)
{
	rt_bpf_store_imm(bpf, RT_BPF_DW, 10, -8, 0);
	rt_bpf_mov_imm(bpf, 0, 0);
	rt_bpf_fetch_add(bpf, 10, -8, 0);
}

int rt_verifier_fetch_add(void)
{
	return try_program(write_fetch_add);
}

static void write_cmpxchg(struct rt_bpf *bpf)
{
	rt_bpf_store_imm(bpf, RT_BPF_DW, 10, -8, 0);
	rt_bpf_mov_imm(bpf, 0, 0);
	rt_bpf_mov_imm(bpf, 1, 1);
	rt_bpf_cmpxchg(bpf, 10, -8, 1);
}

int rt_verifier_cmpxchg(void)
{
	return try_program(write_cmpxchg);
}
