/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_FETCH_ABI_H
#define RT_FETCH_ABI_H

#include "arch/arch.h"
#include "lang/type.h"

/* The location of an argument or a result by the C calling convention. */
enum rt_abi_location_kind {
	RT_ABI_NONE,	/* nowhere: an empty object, no result */
	RT_ABI_UNKNOWN, /* not known, and nor is what comes after */
	/*
	 * in registers, 8 bytes each (a word each on 32-bit machines) unless `parts` says otherwise
	 */
	RT_ABI_PARTS,
	/* whole in memory, `offset` bytes above the stack pointer at entry */
	RT_ABI_STACK,
	/*
	 * in memory at the address in parts[0], or where that has no register on the stack at
	 * `offset`
	 */
	RT_ABI_POINTER,
	RT_ABI_OPERAND, /* `operand`: a USDT probe's, a constant or in memory */
	RT_ABI_ELSEWHERE, /* whole where no probe can read it: "<in st0>" */
};

enum { RT_ABI_PARTS_MAX = 9 };

struct rt_abi_location {
	enum rt_abi_location_kind kind;
	unsigned n, part;	/* parts, and the bytes of each */
	struct {
		/* tracefs NULL: a floating-point register, which a probe cannot read */
		struct rt_reg reg;
		const char *mark;	/* of that one: "<in xmm0>" */
		/*
		 * 1 + the number under which the entry saved it, for the return; 0: it is in `reg`
		 */
		uint8_t saved;
		uint8_t skip;		/* bytes of the register below the object (1: %ah) */
		/*
		 * which bytes of the object it has; size 0: `part` bytes behind those of the one
		 * before
		 */
		uint16_t offset, size;
	} parts[RT_ABI_PARTS_MAX];
	int32_t offset;
	const char *mark;
	const struct rt_operand *operand; /* RT_ABI_OPERAND */
};

/* The registers and stack that arguments have used so far. */
struct rt_abi {
	const struct rt_arch *arch;
	unsigned general, floating;	/* registers taken */
	/* the next argument on the stack, above the stack pointer at entry */
	int32_t stack;
	bool go_registers;
	/* an argument of unknown type: where those after it are is not known */
	bool lost;
};

/*
 * Before the first argument: a result may be passed by a hidden pointer, which takes an argument's
 * place.
 */
void rt_abi_begin(struct rt_abi *abi, const struct rt_arch *arch, const struct rt_ctype *result);
void rt_abi_argument(struct rt_abi *abi, const struct rt_ctype *type,
		     struct rt_abi_location *location);
/* Eightbytes in registers (bits) that no caller has set: nothing of them is read. */
void rt_abi_unset(struct rt_abi_location *location, unsigned unset);
void rt_abi_result(const struct rt_arch *arch, const struct rt_ctype *type,
		   struct rt_abi_location *location);

/* The text for a number in floating-point register `i`, which probes cannot read: "<in xmm0>". */
const char *rt_abi_float_mark(const struct rt_arch *arch, unsigned i);

/*
 * The same for Go: its convention with registers or that on the stack; each argument,
 * with what debug information says of where it begins; then, after rt_abi_go_results, each result.
 */
void rt_abi_go_begin(struct rt_abi *abi, const struct rt_arch *arch, bool registers);
void rt_abi_go_results(struct rt_abi *abi);
void rt_abi_go_argument(struct rt_abi *abi, const struct rt_ctype *type,
			const struct rt_location *stated, struct rt_abi_location *location);
/*
 * The `n` parameters, or results, as rt_abi_go_argument takes them on the stack: may they be in
 * that order?  Up to Go 1.17 debug information for aarch64 is sorted by where they are, and takes
 * those that have a location for 8 bytes further up.  So one without may be before one that it
 * comes behind: unless that one's place tells that it does not.
 */
bool rt_abi_go_in_order(struct rt_abi *abi, const struct rt_param *v, unsigned n);

#endif
