/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operands as the GNU assembler takes them, in AT&T's syntax. */
#include <ctype.h>
#include <string.h>

#include "arch/operand.h"
#include "base/scan.h"

/* A register as it is written: a part of one of the architecture's. */
struct named {
	const struct rt_reg *reg;
	uint8_t width, shift;
};

static bool is(const char *name, size_t n, const char *text)
{
	return strlen(text) == n && memcmp(name, text, n) == 0;
}

/* %r8 to %r15, with d, w or b behind it. */
static bool find_numbered(const struct rt_arch *arch, const char *name, size_t n, struct named *out)
{
	static const char suffixes[] = "bwld";
	static const uint8_t widths[] = { 1, 2, 1, 4 };
	const char *suffix = strchr(suffixes, name[n - 1]);

	out->width = suffix ? widths[suffix - suffixes] : 8;
	out->reg = rt_operand_register(arch, name, n - (suffix != NULL));
	return out->reg;
}

/* %al, %ah, %sil */
static bool find_byte(const struct rt_arch *arch, const char *name, size_t n, struct named *out)
{
	const char whole[] = { name[0], 'x' };
	bool high = n == 2 && name[1] == 'h';

	out->width = 1;
	out->shift = high ? 8 : 0;
	if (n == 2 && strchr("abcd", name[0]) && (high || name[1] == 'l'))
		out->reg = rt_operand_register(arch, whole, 2);
	else if (n == 3 && strchr("sdb", name[0]) && name[2] == 'l' && arch->word == 8)
		out->reg = rt_operand_register(arch, name, 2);
	return out->reg;
}

static bool find_register(const struct rt_arch *arch, const char *name, size_t n, struct named *out)
{
	bool wide = n == 3 && (name[0] == 'e' || (name[0] == 'r' && arch->word == 8));

	*out = (struct named){ 0 };
	if (n < 2)
		return false;
	if (isdigit((unsigned char)name[1]))
		return find_numbered(arch, name, n, out);
	out->width = !wide ? 2 : name[0] == 'e' ? 4 : 8;
	if (n == 2 || wide)
		out->reg = rt_operand_register(arch, name + wide, 2);
	return out->reg || find_byte(arch, name, n, out);
}

static bool take_register(const struct rt_arch *arch, const char **at, const char *end,
			  struct named *out, struct rt_operand *operand)
{
	const char *name = *at + 1, *p = name;

	if (**at != '%')
		return false;
	while (p < end && strchr("abcdefghijklmnopqrstuvwxyz0123456789", *p))
		p++;
	*at = p;
	if (p < end && *p == ':')
		return rt_operand_refuse(operand, "it is in thread-local memory");
	/* %ip of pt_regs, for addresses only. */
	if (is(name, (size_t)(p - name), "rip") && arch->word == 8) {
		*out = (struct named){ &arch->ip, 8, 0 };
		return true;
	}
	if (find_register(arch, name, (size_t)(p - name), out))
		return true;
	return rt_operand_refuse(operand, "the kernel does not pass on that register");
}

static bool take_base(const struct rt_arch *arch, const char **at, const char *end,
		      struct rt_operand *operand)
{
	struct named reg;

	if (**at == ',')
		return true;
	/* 64-bit code has "(%eax)" only where pointers have 32 bits (x32). */
	if (!take_register(arch, at, end, &reg, operand) || reg.width != arch->word)
		return false;
	operand->base = reg.reg;
	operand->width = reg.width;
	return true;
}

/* ",%rbx,8" */
static bool take_index(const struct rt_arch *arch, const char **at, const char *end,
		       struct rt_operand *operand)
{
	struct named reg;
	uint64_t scale = 1;

	(*at)++;
	if (!take_register(arch, at, end, &reg, operand) || reg.width != arch->word)
		return false;
	operand->index = reg.reg;
	operand->index_width = reg.width;
	if (*at < end && **at == ',') {
		(*at)++;
		if (!rt_scan_number(at, 10, &scale))
			return false;
	}
	if (scale != 1 && scale != 2 && scale != 4 && scale != 8)
		return false;
	operand->scale = (uint8_t)(scale == 8 ? 3 : scale >> 1);
	return reg.reg != &arch->ip;
}

/* var(%rip): the register counts from an instruction that only the compiler knew. */
static bool check_ip(const struct rt_arch *arch, struct rt_operand *operand)
{
	if (operand->base != &arch->ip)
		return true;
	operand->base = NULL;
	operand->width = 0;
	return operand->symbol_kind == RT_OPERAND_ADDRESS && !operand->index;
}

static bool take_memory(const struct rt_arch *arch, const char *at, const char *end,
			struct rt_operand *operand)
{
	operand->kind = RT_OPERAND_MEMORY;
	if (*at != '(' && !rt_operand_expression(&at, end, operand))
		return false;
	if (at == end)
		return true;
	if (*at++ != '(' || end[-1] != ')' || !take_base(arch, &at, end, operand))
		return false;
	if (*at == ',' && !take_index(arch, &at, end, operand))
		return false;
	if (!check_ip(arch, operand))
		return false;
	return at + 1 == end && (operand->base || operand->index || operand->symbol_kind);
}

bool rt_x86_operand(const struct rt_arch *arch, const char *at, const char *end,
		    struct rt_operand *operand)
{
	struct named reg;

	if (*at == '$') {
		at++;
		operand->kind = RT_OPERAND_CONSTANT;
		if (!rt_operand_expression(&at, end, operand) || at != end)
			return false;
		return !operand->symbol_kind ||
		       rt_operand_refuse(operand, "it is the address of a symbol");
	}
	if (*at != '%')
		return take_memory(arch, at, end, operand);
	operand->kind = RT_OPERAND_REGISTER;
	if (!take_register(arch, &at, end, &reg, operand) || at != end || reg.reg == &arch->ip)
		return false;
	operand->base = reg.reg;
	operand->width = reg.width;
	operand->shift = reg.shift;
	return true;
}
