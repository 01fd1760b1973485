/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions that kernels single-step at a probe, and that a BPF program can emulate: moves,
 * sums, comparisons and logic of registers, values and what memory has.
 *
 * Those that write memory are not here: a program's helper for that, bpf_probe_write_user, warns in
 * the kernel's log.  Nor are those of vector registers, which programs cannot see.  Neither are
 * those that write sp, other than returns: the kernel puts a uretprobe of the same function in
 * behind the programs, at the sp that they leave.
 */
#include <string.h>

#include "arch/arch.h"
#include "arch/emulation.h"

enum { REP = 0xf3, BND = 0xf2, WORD = 0x66, RET = 0xc3, RET_IMM16 = 0xc2 };

/* The numbers of registers in instructions, and ip; by these, words of struct pt_regs. */
enum { AX, SP = 4, BP = 5, IP = 16 };
static const uint8_t words[] = { 10, 11, 12, 5, 19, 4, 13, 14, 9, 8, 7, 6, 3, 2, 1, 0, IP };

/* Bits of the REX prefix. */
enum { REX_B = 1, REX_X = 2, REX_R = 4, REX_W = 8 };

/* An instruction, read from front to back. */
struct reader {
	const uint8_t *p;
	size_t n, at;		/* bytes; those that are read */
	uint8_t rex, size;	/* of the operation, in bytes */
	uint8_t reg;		/* the ModRM byte's middle */
	bool failed;
};

static int64_t read_number(struct reader *r, size_t bytes)
{
	size_t i, unused = 64 - 8 * bytes;
	uint64_t value = 0;

	if (bytes > r->n - r->at) {
		r->failed = true;
		return 0;
	}
	for (i = 0; i < bytes; i++)
		value |= (uint64_t)r->p[r->at++] << (8 * i);
	return bytes ? (int64_t)(value << unused) >> unused : 0;
}

static uint8_t read_byte(struct reader *r)
{
	return (uint8_t)read_number(r, 1);
}

static unsigned extend(const struct reader *r, unsigned number, unsigned rex)
{
	return (number & 7) | (r->rex & rex ? 8 : 0);
}

/* Its word.  %ah, %ch, %dh and %bh, which are parts of others, are not read. */
static uint8_t find_register(struct reader *r, unsigned number, unsigned size)
{
	r->failed |= size == 1 && !r->rex && number >= SP;
	return words[number];
}

/* The SIB byte.  The base's number, or -1: none. */
static int read_sib(struct reader *r, unsigned mod, struct rt_emulation *e)
{
	uint8_t sib = read_byte(r);
	unsigned index = extend(r, sib >> 3, REX_X);

	if (index != SP)
		e->index = words[index];
	e->scale = sib >> 6;
	return mod == 0 && (sib & 7) == BP ? -1 : (int)extend(r, sib, REX_B);
}

/*
 * The ModRM byte and what belongs to it: the operand, a register or RT_EMULATION_LOADED, of `size`
 * bytes.
 */
static uint8_t read_operand(struct reader *r, unsigned size, struct rt_emulation *e)
{
	uint8_t modrm = read_byte(r), mod = modrm >> 6;
	int base;

	r->reg = (uint8_t)extend(r, modrm >> 3, REX_R);
	if (mod == 3)
		return find_register(r, extend(r, modrm, REX_B), size);
	if ((modrm & 7) == SP)
		base = read_sib(r, mod, e);
	else if (mod == 0 && (modrm & 7) == BP)
		base = IP;
	else
		base = (int)extend(r, modrm, REX_B);
	if (base >= 0)
		e->base = words[base];
	e->offset = read_number(r, mod == 1 ? 1 : mod == 2 || base < 0 || base == IP ? 4 : 0);
	e->load = (uint8_t)size;
	return RT_EMULATION_LOADED;
}

static uint8_t middle_register(struct reader *r)
{
	return find_register(r, r->reg, r->size);
}

static void take_value(struct reader *r, size_t bytes, struct rt_emulation *e)
{
	e->value = read_number(r, bytes);
	e->second = RT_EMULATION_VALUE;
}

/* The bytes of a value beside operands of the operation's size. */
static size_t value_size(const struct reader *r)
{
	return r->size == 8 ? 4 : r->size;
}

/* add, or, and, sub, xor and cmp, by the three bits that say which; adc and sbb are not read. */
static void set_group(struct rt_emulation *e, unsigned group)
{
	enum { CMP = 7 };
	static const uint8_t ops[] = {
		RT_EMULATE_ADD, RT_EMULATE_OR,	RT_EMULATE_NOTHING, RT_EMULATE_NOTHING,
		RT_EMULATE_AND, RT_EMULATE_SUB, RT_EMULATE_XOR,	    RT_EMULATE_SUB,
	};

	e->op = ops[group];
	e->to = group == CMP ? RT_EMULATION_ZERO : e->first;
}

/* 00 to 3f: one of the group, its operands by the lowest bits. */
static void read_group(struct reader *r, uint8_t op, struct rt_emulation *e)
{
	enum { TO_REGISTER = 2, OF_VALUE = 4, OTHERS = 6 };
	unsigned operands = op & 7;
	uint8_t rm;

	if (!(op & 1))
		r->size = 1;
	if (operands >= OTHERS) {
		r->failed = true;
	} else if (operands >= OF_VALUE) {
		e->first = words[AX];
		take_value(r, value_size(r), e);
	} else {
		rm = read_operand(r, r->size, e);
		e->first = operands < TO_REGISTER ? rm : middle_register(r);
		e->second = operands < TO_REGISTER ? middle_register(r) : rm;
	}
	set_group(e, op >> 3);
}

/* movzx, movsx, movsxd: of `size` bytes. */
static void read_widening(struct reader *r, unsigned size, bool sign, struct rt_emulation *e)
{
	e->op = RT_EMULATE_MOVE;
	e->second = read_operand(r, size, e);
	e->to = middle_register(r);
	e->narrow = (uint8_t)(64 - 8 * size);
	e->sign = sign;
}

static void read_test(struct reader *r, uint8_t op, struct rt_emulation *e)
{
	e->op = RT_EMULATE_AND;
	if (!(op & 1))
		r->size = 1;
	if (op == 0xa8 || op == 0xa9)
		e->first = words[AX];
	else
		e->first = read_operand(r, r->size, e);
	if (op == 0x84 || op == 0x85)
		e->second = middle_register(r);
	else
		take_value(r, value_size(r), e);
	r->failed |= (op == 0xf6 || op == 0xf7) && (r->reg & 7);
}

static void read_move(struct reader *r, uint8_t op, struct rt_emulation *e)
{
	enum { LEA = 0x8d, OF_VALUES = 0xc6, OF_BYTE = 0xb0, OF_LONG = 0xb8, TO_REGISTER = 2 };
	uint8_t rm;

	e->op = RT_EMULATE_MOVE;
	if (op >= OF_BYTE && op < OF_VALUES) {
		if (op < OF_LONG)
			r->size = 1;
		e->to = find_register(r, extend(r, op, REX_B), r->size);
		take_value(r, r->size, e);
		return;
	}
	if (!(op & 1))
		r->size = 1;
	rm = read_operand(r, r->size, e);
	if (op >= OF_VALUES) {
		e->to = rm;
		take_value(r, value_size(r), e);
		r->failed |= (r->reg & 7) != 0;
	} else if (op == LEA) {
		e->to = middle_register(r);
		e->second = RT_EMULATION_ADDRESS;
		e->load = 0;
		r->failed |= rm != RT_EMULATION_LOADED;
	} else {
		e->to = op & TO_REGISTER ? middle_register(r) : rm;
		e->second = op & TO_REGISTER ? rm : middle_register(r);
	}
}

static void read_instruction(struct reader *r, struct rt_emulation *e)
{
	uint8_t op = read_byte(r);

	switch (op) {
	case 0x63:
		r->failed |= r->size != 8;
		read_widening(r, 4, true, e);
		break;
	case 0x80: case 0x81: case 0x83:
		if (op == 0x80)
			r->size = 1;
		e->first = read_operand(r, r->size, e);
		set_group(e, r->reg & 7);
		take_value(r, op == 0x81 ? value_size(r) : 1, e);
		break;
	case 0x84: case 0x85: case 0xa8: case 0xa9: case 0xf6: case 0xf7:
		read_test(r, op, e);
		break;
	case 0x88: case 0x89: case 0x8a: case 0x8b: case 0x8d: case 0xc6: case 0xc7:
	case 0xb0: case 0xb1: case 0xb2: case 0xb3: case 0xb4: case 0xb5: case 0xb6: case 0xb7:
	case 0xb8: case 0xb9: case 0xba: case 0xbb: case 0xbc: case 0xbd: case 0xbe: case 0xbf:
		read_move(r, op, e);
		break;
	case 0x0f:
		op = read_byte(r);
		r->failed |= op != 0xb6 && op != 0xb7 && op != 0xbe && op != 0xbf;
		read_widening(r, op & 1 ? 2 : 1, op >= 0xbe, e);
		break;
	default:
		r->failed |= op >= 0x40;
		if (!r->failed)
			read_group(r, op, e);
	}
}

static bool read_return(const uint8_t *insn, size_t n, struct rt_emulation *e)
{
	/* repz ret of old AMD code, bnd ret of MPX: the prefixes do nothing. */
	size_t at = n && (insn[0] == REP || insn[0] == BND);

	if (at + 2 < n && insn[at] == RET_IMM16)
		e->offset = insn[at + 1] | insn[at + 2] << 8;
	else if (at >= n || insn[at] != RET)
		return false;
	e->op = RT_EMULATE_RETURN;
	return true;
}

/* endbr64 does nothing: kernels do not track the indirect jumps of user space. */
static bool read_endbr(const uint8_t *insn, size_t n, struct rt_emulation *e)
{
	static const uint8_t endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };

	if (n < sizeof(endbr) || memcmp(insn, endbr, sizeof(endbr)) != 0)
		return false;
	e->op = RT_EMULATE_MOVE;
	e->length = sizeof(endbr);
	return true;
}

/* A tail call to another file, where that is linked without stubs, as Rust programs are. */
static bool read_jump(const uint8_t *insn, size_t n, struct rt_emulation *e)
{
	struct reader r = { .p = insn, .n = n, .at = 2 };

	if (n < 2 || insn[0] != 0xff || insn[1] != 0x25)
		return false;
	e->offset = read_number(&r, 4) + (int64_t)r.at;
	if (r.failed) {
		e->offset = 0;
		return false;
	}
	e->op = RT_EMULATE_JUMP;
	e->length = (uint8_t)r.at;
	return true;
}

bool rt_x86_64_emulation(const uint8_t *insn, size_t n, struct rt_emulation *emulation)
{
	static const struct rt_emulation none = {
		.place = RT_EMULATION_NOWHERE, .to = RT_EMULATION_ZERO,
		.first = RT_EMULATION_ZERO, .second = RT_EMULATION_ZERO,
		.base = RT_EMULATION_ZERO, .index = RT_EMULATION_ZERO,
	};
	bool word = n && insn[0] == WORD;
	struct reader r = { .p = insn, .n = n, .at = word };
	struct rt_emulation *e = emulation;

	*e = none;
	if (read_return(insn, n, e) || read_endbr(insn, n, e) || read_jump(insn, n, e))
		return true;
	if (r.at < n && (insn[r.at] & 0xf0) == 0x40)
		r.rex = insn[r.at++];
	r.size = r.rex & REX_W ? 8 : word ? 2 : 4;
	read_instruction(&r, e);
	if (r.failed || e->op == RT_EMULATE_NOTHING || e->to == words[SP] ||
	    e->to == RT_EMULATION_LOADED) {
		*e = none;
		return false;
	}
	e->length = (uint8_t)r.at;
	e->unused = (uint8_t)(64 - 8 * r.size);
	if (!e->narrow)
		e->narrow = e->unused;
	if (e->base == words[IP])
		e->offset += e->length;
	return true;
}
