/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ARCH_OPERAND_H
#define RT_ARCH_OPERAND_H

#include "arch/arch.h"

/*
 * The arguments of USDT probes.  A note has them as one text, "-4@%edi 8@8(%rsp) 4@$7": for each
 * its size in bytes, negative for a signed one, and the operand that the compiler would write into
 * an instruction (systemtap's <sys/sdt.h>; "f" behind the size: floating point).
 *
 *   x86      $7  %eax  %ah  -8(%rbp)  (%rax,%rbx,8)  table(,%rax,4)  var+4(%rip)  var@GOTOFF(%ebx)
 *   aarch64  7  x0  w0  [sp, 12]  [x1, x2, lsl 3]  [x1, w2, sxtw 3]  [x21, #:lo12:var]
 */
enum rt_operand_kind {
	RT_OPERAND_UNREADABLE,		/* `why` */
	RT_OPERAND_CONSTANT,		/* `constant` */
	RT_OPERAND_REGISTER,		/* `base`: `width` bytes of it from bit `shift` on */
	/* at base + (index << scale) + displacement + symbol */
	RT_OPERAND_MEMORY,
};

enum rt_operand_symbol {
	RT_OPERAND_NO_SYMBOL,
	RT_OPERAND_ADDRESS,		/* the symbol's address, as var(%rip) or i386's var */
	RT_OPERAND_FROM_GOT,		/* the address less that of the GOT: var@GOTOFF */
	RT_OPERAND_LOW12,		/* the lowest 12 bits of it: #:lo12:var */
};

struct rt_operand {
	enum rt_operand_kind kind;
	uint8_t size;			/* of the argument: 1, 2, 4 or 8 where it is readable */
	bool is_signed, is_float;
	/* of the architecture's tables; NULL: none */
	const struct rt_reg *base, *index;
	/* bytes of `base` that count, the lowest ones behind `shift` bits (8: %ah) */
	uint8_t width, shift;
	/* the same of the index, which may be signed (sxtw); its `scale` is a shift by 0 to 4 */
	uint8_t index_width, scale;
	bool index_signed;
	int64_t displacement;
	uint64_t constant;		/* extended to 64 bits by the argument's sign */
	/*
	 * a part of the text; rt_usdt_resolve (elf/usdt.h) puts its address in `displacement`, and
	 * symbol_kind is none then
	 */
	enum rt_operand_symbol symbol_kind;
	const char *symbol;
	uint8_t symbol_length;
	const char *why;		/* it cannot be read; a string literal */
	/* the operand as it is written in the note, without its size */
	const char *text;
	uint16_t length;
};

enum { RT_OPERANDS_MAX = 12 /* of <sys/sdt.h> */ };

/*
 * Take the next argument from `*args`, which moves behind it.  Blanks separate arguments, but not
 * inside brackets.  False: there are no more.  An argument that is no operand of the architecture
 * is unreadable, and those behind it are not harmed.
 */
bool rt_operand_next(const struct rt_arch *arch, const char **args, struct rt_operand *operand);

/* "s32", "u64", "f64"; "?" where the size is none of a number.  `buf` may be used. */
const char *rt_operand_type(const struct rt_operand *operand, char buf[8]);

/* For those that make operands: make the operand unreadable; returns false. */
bool rt_operand_refuse(struct rt_operand *operand, const char *why);
/* An address that no instruction can have is unreadable. */
void rt_operand_check(struct rt_operand *operand);
/* A register of the architecture by its tracefs name, or NULL. */
const struct rt_reg *rt_operand_register(const struct rt_arch *arch, const char *name, size_t n);
/* "-4+var@GOTOFF+0x10" up to `end` into displacement and symbol.  False: it is none. */
bool rt_operand_expression(const char **at, const char *end, struct rt_operand *operand);
/* For rt_arch.operand. */
bool rt_x86_operand(const struct rt_arch *arch, const char *at, const char *end,
		    struct rt_operand *operand);
bool rt_aarch64_operand(const struct rt_arch *arch, const char *at, const char *end,
			struct rt_operand *operand);

#endif
