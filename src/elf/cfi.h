/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ELF_CFI_H
#define RT_ELF_CFI_H

#include "elf/image.h"

/*
 * Call frame information: for each instruction how a frame is unwound (DWARF 5, section 6.4; the
 * form in .eh_frame is LSB Core's, "Exception Frames").  The CFA is the stack pointer of the caller
 * before the call; registers of the caller are found from it.
 *
 *	401136 <f>:	push %rbp	CFA = rsp + 8			return address at CFA - 8
 *	401137:		mov %rsp,%rbp	CFA = rsp + 16, rbp at CFA - 16	return address at CFA - 8
 *	40113a:		...		CFA = rbp + 16, rbp at CFA - 16	return address at CFA - 8
 *
 * Registers have their DWARF numbers.  Vector registers have larger numbers and are passed over.
 */
enum { RT_CFI_REGS = 33 };

enum rt_cfi_how {
	RT_CFI_SAME,			/* it is the caller's */
	RT_CFI_UNDEFINED,		/* of the return address: there is no caller */
	RT_CFI_OFFSET,			/* in memory at CFA + v */
	RT_CFI_VALUE,			/* CFA + v; of the CFA: register + v */
	RT_CFI_REGISTER,		/* in register v */
	RT_CFI_EXPRESSION,		/* in memory at the result of the expression at v */
	RT_CFI_VALUE_EXPRESSION,	/* the result of the expression at v */
};

struct rt_cfi_rule {
	enum rt_cfi_how how;
	int64_t v;			/* an expression: its address in the file, a length first */
};

struct rt_cfi_row {
	struct rt_cfi_rule cfa;
	unsigned cfa_reg;		/* RT_CFI_VALUE */
	unsigned ra;			/* the register that has the return address */
	bool is_signal;			/* it returns from a signal's handler, to before a call */
	struct rt_cfi_rule regs[RT_CFI_REGS];
};

/* The row of the instruction at `addr`.  False: none, or it is damaged. */
bool rt_cfi_find(struct rt_image *image, uint64_t addr, struct rt_cfi_row *row);

/* A frame: its registers, and which of them are known (bits). */
struct rt_cfi_frame {
	uint64_t pc, cfa;		/* cfa: of the frame that was unwound last; 0: none */
	uint64_t known;
	uint64_t regs[RT_CFI_REGS];
};

/* Read a word of the process's memory.  False: it is not there. */
typedef bool rt_cfi_read(void *ctx, uint64_t addr, uint64_t *word);

enum rt_cfi_step {
	RT_CFI_STEP,			/* the frame is the caller's now */
	RT_CFI_LAST,			/* it has no caller */
	RT_CFI_NO_MEMORY,		/* memory was asked for that is not there */
	RT_CFI_DAMAGED,			/* the row makes no sense */
};

/*
 * Turn the frame into its caller's.  Expressions are read from `image`, which has that row.
 * Without RT_CFI_STEP the frame is not changed.
 */
enum rt_cfi_step rt_cfi_step(const struct rt_image *image, const struct rt_cfi_row *row,
			     struct rt_cfi_frame *frame, rt_cfi_read *read, void *ctx);

/* The DWARF number of the stack pointer; RT_CFI_REGS: not known. */
unsigned rt_cfi_stack_pointer(const struct rt_arch *arch);

#endif
