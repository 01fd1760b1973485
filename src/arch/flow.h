/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ARCH_FLOW_H
#define RT_ARCH_FLOW_H

#include "arch/decode.h"

/*
 * One machine instruction, as far as the way through a function goes: where it leads, and what it
 * does to the stack pointer.
 */
enum rt_flow_kind {
	RT_FLOW_NEXT,		/* on to the next one */
	RT_FLOW_CALL,		/* the same, after a call */
	RT_FLOW_JUMP,		/* to `target` */
	RT_FLOW_BRANCH,		/* to `target` or to the next one */
	RT_FLOW_INDIRECT,	/* to a place that is not in it: `to` or `mem` has it */
	RT_FLOW_RETURN,
	RT_FLOW_STOP,		/* nowhere: ud2, hlt, a breakpoint */
	RT_FLOW_STRANGE,	/* iret, a far jump: not followed */
};

/* The condition of a branch, about the numbers last compared, unsigned. */
enum rt_flow_order {
	RT_ORDER_NONE,
	RT_ORDER_ABOVE,
	RT_ORDER_NOT_BELOW,
	RT_ORDER_BELOW,
	RT_ORDER_NOT_ABOVE
};

enum rt_flow_sp {
	RT_SP_UNCHANGED,
	RT_SP_ADDED,	/* sp += amount */
	RT_SP_OF_FRAME, /* sp = frame pointer + amount */
	RT_SP_LOST,
};

enum rt_flow_fp {
	RT_FP_UNCHANGED,
	/* frame pointer = sp + fp_amount, sp as it is before the instruction */
	RT_FP_OF_SP,
	RT_FP_LOST,
};

/*
 * Operations from which compilers build jump tables.  Registers have the machine's own numbers,
 * RT_NO_REG is none.
 */
enum rt_flow_op {
	RT_OP_OTHER,
	RT_OP_ADDRESS,		/* to = value, an address in the file */
	RT_OP_PLUS,		/* to = from + value */
	RT_OP_SCALE,		/* to = from * value */
	RT_OP_SUM,		/* to = from + (other << shift) */
	RT_OP_COPY,		/* to = from, also only a part of it */
	RT_OP_LOAD,		/* to = memory, `bytes` of it */
	RT_OP_STORE,		/* memory = from */
	RT_OP_COMPARE,		/* from, or memory, with value */
	RT_OP_MASK,		/* to = from & value */
};

#define RT_NO_REG (-1)

struct rt_flow_mem {
	int8_t base, index;
	/* disp is an address in the file, and counts from no register but the index */
	bool fixed;
	uint8_t scale;
	int64_t disp;
};

/* Short, as it is cleared for each instruction. */
struct rt_flow {
	enum rt_flow_kind kind : 8;
	uint8_t size;
	bool has_target;
	/* indirect: it may lead to places without the mark of a branch's target, as tables do */
	bool marked;
	/*
	 * branch of x86: the number of the condition that the flags tell, and 1; 0: flags do not
	 * tell
	 */
	uint8_t condition;
	enum rt_flow_order order : 8;
	enum rt_flow_sp sp : 8;
	enum rt_flow_fp fp : 8;
	enum rt_flow_op op : 8;
	int8_t to, from, other;	/* other, x86: what add, sub, or, xor and xchg change `to` by */
	uint8_t shift, bytes;
	bool is_signed;
	bool has_mem;
	bool uses;		/* x86: an operand in memory, `used`, is not only written */
	uint32_t writes;	/* bit i: register i */
	int32_t amount, fp_amount;
	uint64_t target;
	int64_t value;
	struct rt_flow_mem mem, used;
};

/*
 * A decoder for this, for more architectures than rt_decoder_open knows; NULL: none.  Close with
 * rt_decoder_close.
 */
struct rt_decoder *rt_flow_open(const struct rt_arch *arch);

/* Does rt_flow_decode work for `arch` with this decoder?  aarch64 needs none. */
bool rt_flow_works(const struct rt_arch *arch, const struct rt_decoder *decoder);

/* The instruction in the `n` bytes at `addr`.  False: they are none that is known. */
bool rt_flow_decode(const struct rt_arch *arch, struct rt_decoder *decoder, const uint8_t *bytes,
		    size_t n, uint64_t addr, struct rt_flow *flow);

/* The architectures' own.  `wide`: of x86-64, and then common instructions need no capstone. */
bool rt_flow_x86(struct rt_decoder *decoder, bool wide, const uint8_t *bytes, size_t n,
		 uint64_t addr, struct rt_flow *flow);
bool rt_flow_capstone(struct rt_decoder *decoder, const uint8_t *bytes, size_t n, uint64_t addr,
		      struct rt_flow *flow);
bool rt_flow_aarch64(const uint8_t *bytes, size_t n, uint64_t addr, struct rt_flow *flow);

#endif
