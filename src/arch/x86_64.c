/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>

#include "arch/arch.h"
#include "util/array.h"

/* Offsets in struct pt_regs: arch/x86/include/uapi/asm/ptrace.h, unchanged since x86-64 exists. */
static const struct rt_reg args[] = {
	{ "di", 112 }, { "si", 104 }, { "dx", 96 }, { "cx", 88 }, { "r8", 72 }, { "r9", 64 },
};

const struct rt_arch rt_arch_x86_64 = {
	.name = "x86-64",
	.machine = EM_X86_64,
	.kernel_machine = EM_X86_64,
	.word = 8,
	.ip = { "ip", 128 },
	.sp = { "sp", 152 },
	.result = { "ax", 80 },
	.args = args,
	.nargs = RT_COUNT(args),
	.stack_args = 8,
	.return_pop = 8,
	.refuses = rt_x86_refuses,
	.form = rt_x86_64_form,
};
