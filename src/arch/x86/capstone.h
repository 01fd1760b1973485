/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ARCH_X86_CAPSTONE_H
#define RT_ARCH_X86_CAPSTONE_H

#include <capstone/capstone.h>

/* For decode_capstone.c and flow_capstone.c only. */
struct rt_decoder {
	csh handle;
	cs_insn *insn;
	bool wide;		/* 64-bit mode */
};

#endif
