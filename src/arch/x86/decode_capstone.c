/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arch/decode.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86/capstone.h"
#include "arch/flow.h"
#include "base/array.h"

/* The argument registers of x86-64 in their widths; a write to any is a write to the argument. */
static const uint16_t arguments[][5] = {
	{ X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL, X86_REG_INVALID },
	{ X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL, X86_REG_INVALID },
	{ X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH },
	{ X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH },
	{ X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B, X86_REG_INVALID },
	{ X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B, X86_REG_INVALID },
};

/* The others that a plain instruction may write, by their widest name. */
static const uint16_t scratch[] = {
	X86_REG_EFLAGS, X86_REG_RAX,  X86_REG_EAX,  X86_REG_AX,	  X86_REG_AL,
	X86_REG_AH,	X86_REG_RBX,  X86_REG_EBX,  X86_REG_BX,	  X86_REG_BL,
	X86_REG_RBP,	X86_REG_EBP,  X86_REG_R10,  X86_REG_R10D, X86_REG_R11,
	X86_REG_R11D,	X86_REG_R12,  X86_REG_R12D, X86_REG_R13,  X86_REG_R13D,
	X86_REG_R14,	X86_REG_R14D, X86_REG_R15,  X86_REG_R15D, X86_REG_RSP,
};

/*
 * Instructions that have no effect but on the registers that they name and on flags, and that
 * cannot fault on registers.
 */
static const uint16_t plain[] = {
	X86_INS_NOP,	      X86_INS_MOV,	    X86_INS_MOVABS,	  X86_INS_MOVZX,
	X86_INS_MOVSX,	      X86_INS_MOVSXD,	    X86_INS_LEA,	  X86_INS_ADD,
	X86_INS_SUB,	      X86_INS_AND,	    X86_INS_OR,		  X86_INS_XOR,
	X86_INS_CMP,	      X86_INS_TEST,	    X86_INS_NEG,	  X86_INS_NOT,
	X86_INS_INC,	      X86_INS_DEC,	    X86_INS_SHL,	  X86_INS_SHR,
	X86_INS_SAR,	      X86_INS_BT,	    X86_INS_IMUL,	  X86_INS_CDQE,
	X86_INS_CWDE,	      X86_INS_SETE,	    X86_INS_SETNE,	  X86_INS_SETA,
	X86_INS_SETAE,	      X86_INS_SETB,	    X86_INS_SETBE,	  X86_INS_SETG,
	X86_INS_SETGE,	      X86_INS_SETL,	    X86_INS_SETLE,	  X86_INS_SETS,
	X86_INS_SETNS,	      X86_INS_CMOVE,	    X86_INS_CMOVNE,	  X86_INS_CMOVA,
	X86_INS_CMOVAE,	      X86_INS_CMOVB,	    X86_INS_CMOVBE,	  X86_INS_CMOVG,
	X86_INS_CMOVGE,	      X86_INS_CMOVL,	    X86_INS_CMOVLE,	  X86_INS_CMOVS,
	X86_INS_CMOVNS,	      X86_INS_PXOR,	    X86_INS_XORPS,	  X86_INS_XORPD,
	X86_INS_MOVAPS,	      X86_INS_MOVAPD,	    X86_INS_MOVD,	  X86_INS_MOVQ,
	X86_INS_MOVUPS,	      X86_INS_MOVUPD,	    X86_INS_MOVDQU,	  X86_INS_MOVDQA,
	X86_INS_MOVSS,	      X86_INS_MOVSD,
	X86_INS_VMOVD,	      X86_INS_VMOVQ,	    X86_INS_VPXOR,	  X86_INS_VPXORD,
	X86_INS_VPXORQ,	      X86_INS_VPBROADCASTB, X86_INS_VPBROADCASTW, X86_INS_VPBROADCASTD,
	X86_INS_VPBROADCASTQ, X86_INS_VPCMPEQB,	    X86_INS_VPCMPEQD,	  X86_INS_VPOR,
};

/* Those that only read their first operand. */
static const uint16_t reading[] = { X86_INS_CMP, X86_INS_TEST, X86_INS_BT, X86_INS_NOP };

struct rt_decoder *rt_decoder_open(const struct rt_arch *arch)
{
	return arch->machine == EM_X86_64 ? rt_flow_open(arch) : NULL;
}

struct rt_decoder *rt_flow_open(const struct rt_arch *arch)
{
	bool wide = arch->machine == EM_X86_64;
	struct rt_decoder *d;

	if (!wide && arch->machine != EM_386)
		return NULL;
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	d->wide = wide;
	if (cs_open(CS_ARCH_X86, wide ? CS_MODE_64 : CS_MODE_32, &d->handle) != CS_ERR_OK) {
		free(d);
		return NULL;
	}
	cs_option(d->handle, CS_OPT_DETAIL, CS_OPT_ON);
	d->insn = cs_malloc(d->handle);
	if (d->insn)
		return d;
	rt_decoder_close(d);
	return NULL;
}

void rt_decoder_close(struct rt_decoder *d)
{
	if (!d)
		return;
	if (d->insn)
		cs_free(d->insn, 1);
	cs_close(&d->handle);
	free(d);
}

static bool has(const uint16_t *v, size_t n, unsigned id)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (v[i] == id)
			return true;
	return false;
}

static bool is_vector(unsigned reg)
{
	return (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM31) ||
	       (reg >= X86_REG_YMM0 && reg <= X86_REG_YMM31) ||
	       (reg >= X86_REG_ZMM0 && reg <= X86_REG_ZMM31);
}

/* Note what is written.  False: a register that is neither an argument nor known to be harmless. */
static bool note_write(struct rt_insn *insn, unsigned reg)
{
	unsigned i;

	for (i = 0; i < RT_COUNT(arguments); i++) {
		if (reg != X86_REG_INVALID && has(arguments[i], RT_COUNT(arguments[i]), reg)) {
			insn->writes |= 1u << i;
			return true;
		}
	}
	return is_vector(reg) || has(scratch, RT_COUNT(scratch), reg);
}

/* A change of the stack pointer by more is taken for no frame. */
enum { FRAME_MAX = 1 << 20 };

/* The bytes by which a write lowers the stack pointer.  False: not known. */
static bool stack_change(const cs_insn *c, struct rt_insn *insn)
{
	const cs_x86 *x = &c->detail->x86;

	if ((c->id != X86_INS_SUB && c->id != X86_INS_ADD) || x->op_count != 2 ||
	    x->operands[0].type != X86_OP_REG || x->operands[0].reg != X86_REG_RSP ||
	    x->operands[1].type != X86_OP_IMM || x->operands[1].imm < -FRAME_MAX ||
	    x->operands[1].imm > FRAME_MAX)
		return false;
	insn->sp_down = (int32_t)(c->id == X86_INS_SUB ? x->operands[1].imm : -x->operands[1].imm);
	return true;
}

static bool may_be_unaligned(const cs_insn *c)
{
	return c->id == X86_INS_MOVUPS || c->id == X86_INS_MOVUPD || c->id == X86_INS_MOVDQU;
}

/* Is operand `i` a fixed address?  A vector has to be aligned.  bt reads elsewhere. */
static bool is_fixed(const cs_insn *c, unsigned i, struct rt_insn *insn)
{
	const cs_x86_op *op = &c->detail->x86.operands[i];
	uint64_t addr = c->address + c->size + (uint64_t)op->mem.disp;

	if (op->mem.base != X86_REG_RIP || op->mem.index != X86_REG_INVALID ||
	    op->mem.segment != X86_REG_INVALID || !op->size || op->size > 16 ||
	    c->id == X86_INS_BT || (op->size > 8 && addr % op->size && !may_be_unaligned(c)))
		return false;
	insn->fixed = addr;
	insn->nfixed = op->size;
	insn->stores = i == 0 && !has(reading, RT_COUNT(reading), c->id);
	return true;
}

/* Does operand `i` read the stack protector's word, which every thread of libc has? */
static bool reads_guard(const cs_insn *c, unsigned i)
{
	enum { GUARD = 0x28 };		/* stack_guard in glibc's and musl's tcb */
	const cs_x86_op *op = &c->detail->x86.operands[i];

	return c->id == X86_INS_MOV && i == 1 && op->mem.segment == X86_REG_FS &&
	       op->mem.base == X86_REG_INVALID && op->mem.index == X86_REG_INVALID &&
	       op->mem.disp == GUARD && op->size == 8;
}

/* Is operand `i` at a fixed distance above the stack pointer, of which no alignment is known? */
static bool is_in_frame(const cs_insn *c, unsigned i, struct rt_insn *insn)
{
	const cs_x86_op *op = &c->detail->x86.operands[i];

	if (op->mem.base != X86_REG_RSP || op->mem.index != X86_REG_INVALID ||
	    op->mem.segment != X86_REG_INVALID || !op->size ||
	    (op->size > 8 && !may_be_unaligned(c)) || c->id == X86_INS_BT ||
	    op->mem.disp < 0 || op->mem.disp > FRAME_MAX)
		return false;
	insn->frame = (uint32_t)op->mem.disp + op->size;
	return true;
}

static const char *operands_harm(const cs_insn *c, struct rt_insn *insn)
{
	const cs_x86 *x = &c->detail->x86;
	unsigned i;

	for (i = 0; i < x->op_count; i++) {
		if (x->operands[i].type == X86_OP_MEM && c->id != X86_INS_LEA &&
		    c->id != X86_INS_NOP && !is_fixed(c, i, insn) && !reads_guard(c, i) &&
		    !is_in_frame(c, i, insn))
			return RT_READS_MEMORY;
		if (x->operands[i].type == X86_OP_REG && x->operands[i].reg >= X86_REG_CR0 &&
		    x->operands[i].reg <= X86_REG_DR15)
			return "what comes first is not a plain instruction";
	}
	return NULL;
}

/*
 * The registers that are written; the first operand too, whatever capstone says of it.  Returns
 * their number.
 */
static int find_writes(struct rt_decoder *d, const cs_insn *c, cs_regs writes)
{
	const cs_x86 *x = &c->detail->x86;
	uint8_t nreads, n;
	cs_regs reads;

	/* With one operand imul writes to others. */
	if (c->id == X86_INS_IMUL && x->op_count < 2)
		return -1;
	if (cs_regs_access(d->handle, c, reads, &nreads, writes, &n) != CS_ERR_OK ||
	    n + 1u > sizeof(cs_regs) / sizeof(writes[0]))
		return -1;
	if (x->op_count && x->operands[0].type == X86_OP_REG &&
	    !has(reading, RT_COUNT(reading), c->id))
		writes[n++] = (uint16_t)x->operands[0].reg;
	return n;
}

static const char *not_plain(struct rt_decoder *d, const cs_insn *c, struct rt_insn *insn)
{
	static const char other[] = "what comes first is not a plain instruction";
	const char *harm;
	cs_regs writes;
	int n, i;

	if (!has(plain, RT_COUNT(plain), c->id) || c->detail->x86.prefix[0])
		return c->id == X86_INS_PUSH
			       ? "push is single-stepped here, and it changes the stack"
			       : other;
	harm = operands_harm(c, insn);
	if (harm)
		return harm;
	n = find_writes(d, c, writes);
	for (i = 0; i < n; i++) {
		if (!note_write(insn, writes[i]))
			return other;
		if (writes[i] == X86_REG_RSP && !stack_change(c, insn))
			return "the stack pointer changes by what cannot be known";
	}
	return n < 0 ? other : NULL;
}

static void find_target(const cs_insn *c, struct rt_insn *insn)
{
	const cs_x86 *x = &c->detail->x86;
	const cs_x86_op *op = &x->operands[0];

	insn->branch = x->op_count == 1 && op->type == X86_OP_IMM;
	if (insn->branch)
		insn->target = (uint64_t)op->imm;
	/*
	 * Through one fixed slot beside the code it leaves the file: a tail call to another
	 * library.  Tables are indexed.
	 */
	else
		insn->indirect = c->id != X86_INS_CALL &&
				 !(op->type == X86_OP_MEM && op->mem.base == X86_REG_RIP);
}

bool rt_x86_disassemble(csh handle, cs_insn *insn, bool wide, const uint8_t *bytes, size_t n,
			uint64_t addr, uint8_t *size, uint32_t *writes)
{
	const uint8_t *at = bytes;
	size_t left = n;

	*writes = 0;
	*size = 0;
	if (cs_disasm_iter(handle, &at, &left, &addr, insn) && insn->size) {
		*size = (uint8_t)insn->size;
		return true;
	}
	if (wide)
		*size = (uint8_t)rt_x86_mask_size(bytes, n, writes);
	return false;
}

bool rt_decode(struct rt_decoder *d, const uint8_t *bytes, size_t n, uint64_t addr,
	       struct rt_insn *insn)
{
	const cs_insn *c = d->insn;
	uint32_t writes;
	uint8_t i;

	memset(insn, 0, sizeof(*insn));
	if (!rt_x86_disassemble(d->handle, d->insn, d->wide, bytes, n, addr, &insn->size,
				&writes)) {
		insn->not_plain = "what comes first is not a plain instruction";
		return insn->size != 0;
	}
	insn->not_plain = not_plain(d, c, insn);
	for (i = 0; i < c->detail->groups_count; i++)
		if (c->detail->groups[i] == CS_GRP_JUMP || c->detail->groups[i] == CS_GRP_CALL ||
		    c->detail->groups[i] == CS_GRP_BRANCH_RELATIVE) {
			find_target(c, insn);
			break;
		}
	return true;
}
