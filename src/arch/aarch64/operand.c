/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operands as the GNU assembler takes them; compilers write constants with or without '#'. */
#include <ctype.h>
#include <string.h>

#include "arch/operand.h"
#include "base/scan.h"

struct named {
	const struct rt_reg *reg;	/* NULL: xzr */
	uint8_t width;
};

static bool is(const char *name, size_t n, const char *text)
{
	return strlen(text) == n && memcmp(name, text, n) == 0;
}

static bool find_register(const struct rt_arch *arch, const char *name, size_t n, struct named *out)
{
	char whole[4] = { 0 };

	out->width = name[0] == 'w' ? 4 : 8;
	out->reg = NULL;
	if (is(name, n, "xzr") || is(name, n, "wzr"))
		return true;
	if (is(name, n, "sp") || is(name, n, "wsp"))
		out->reg = &arch->sp;
	else if (is(name, n, "fp"))
		out->reg = rt_operand_register(arch, "x29", 3);
	else if (is(name, n, "lr"))
		out->reg = rt_operand_register(arch, "x30", 3);
	else if ((n == 2 || n == 3) && (name[0] == 'x' || name[0] == 'w')) {
		memcpy(whole, name, n);
		whole[0] = 'x';
		out->reg = rt_operand_register(arch, whole, n);
	}
	return out->reg;
}

static void skip_blanks(const char **at, const char *end)
{
	while (*at < end && isspace((unsigned char)**at))
		(*at)++;
}

static bool take_char(const char **at, const char *end, char c)
{
	skip_blanks(at, end);
	if (*at == end || **at != c)
		return false;
	(*at)++;
	skip_blanks(at, end);
	return true;
}

static size_t word_length(const char *at, const char *end)
{
	const char *p = at;

	while (p < end && isalnum((unsigned char)*p))
		p++;
	return (size_t)(p - at);
}

static bool take_register(const struct rt_arch *arch, const char **at, const char *end,
			  struct named *out)
{
	size_t n = word_length(*at, end);

	if (!n || !find_register(arch, *at, n, out))
		return false;
	*at += n;
	return true;
}

/* "lsl 3", "sxtw #2", "uxtw" */
static bool take_extension(const char **at, const char *end, struct rt_operand *operand)
{
	size_t n = word_length(*at, end);
	bool has_width = is(*at, n, "uxtw") || is(*at, n, "sxtw");
	uint64_t shift = 0;

	operand->index_signed = is(*at, n, "sxtw") || is(*at, n, "sxtx");
	/* A w register has to be extended, an x register has nothing to extend. */
	if (!has_width && !is(*at, n, "lsl") && !is(*at, n, "sxtx"))
		return false;
	if (has_width != (operand->index_width == 4))
		return false;
	*at += n;
	skip_blanks(at, end);
	take_char(at, end, '#');
	if (*at < end && isdigit((unsigned char)**at) && !rt_scan_number(at, 10, &shift))
		return false;
	operand->scale = (uint8_t)(shift & 7);
	return shift <= 4;
}

static bool take_index(const struct rt_arch *arch, const char **at, const char *end,
		       struct rt_operand *operand)
{
	struct named reg;

	if (!take_register(arch, at, end, &reg) || !reg.reg || reg.reg == &arch->sp)
		return false;
	operand->index = reg.reg;
	operand->index_width = reg.width;
	if (take_char(at, end, ','))
		return take_extension(at, end, operand);
	return reg.width == 8;
}

static bool take_low12(const char **at, const char *end, struct rt_operand *operand)
{
	if ((size_t)(end - *at) < 6 || memcmp(*at, ":lo12:", 6) != 0)
		return false;
	*at += 6;
	if (!rt_operand_expression(at, end, operand) || operand->symbol_kind != RT_OPERAND_ADDRESS)
		return false;
	operand->symbol_kind = RT_OPERAND_LOW12;
	return true;
}

static bool take_offset(const struct rt_arch *arch, const char **at, const char *end,
			struct rt_operand *operand)
{
	bool marked = take_char(at, end, '#');

	if (*at < end && **at == ':')
		return take_low12(at, end, operand);
	if (!marked && *at < end && isalpha((unsigned char)**at))
		return take_index(arch, at, end, operand);
	return rt_operand_expression(at, end, operand) && !operand->symbol_kind;
}

static bool take_memory(const struct rt_arch *arch, const char *at, const char *end,
			struct rt_operand *operand)
{
	struct named reg;

	operand->kind = RT_OPERAND_MEMORY;
	if (!take_char(&at, end, '[') || !take_register(arch, &at, end, &reg) || reg.width != 8)
		return false;
	operand->base = reg.reg;
	operand->width = reg.width;
	if (take_char(&at, end, ',') && !take_offset(arch, &at, end, operand))
		return false;
	/* "[x0, 8]!" and "[x0], 8" change the register; no argument does. */
	return reg.reg && take_char(&at, end, ']') && at == end;
}

/* a vector register, or one of its parts: b, h, s, d, q and v */
static bool is_vector(const char *at, const char *end)
{
	return end - at >= 2 && strchr("bhsdqvz", at[0]) && isdigit((unsigned char)at[1]);
}

bool rt_aarch64_operand(const struct rt_arch *arch, const char *at, const char *end,
			struct rt_operand *operand)
{
	struct named reg;

	if (*at == '[')
		return take_memory(arch, at, end, operand);
	if (take_register(arch, &at, end, &reg)) {
		operand->kind = reg.reg ? RT_OPERAND_REGISTER : RT_OPERAND_CONSTANT;
		operand->base = reg.reg;
		operand->width = reg.width;
		return at == end;
	}
	if (is_vector(at, end))
		return rt_operand_refuse(operand, "the kernel does not pass on that register");
	take_char(&at, end, '#');
	if (!rt_operand_expression(&at, end, operand) || at != end)
		return false;
	/* A symbol alone is memory beside the code. */
	operand->kind = operand->symbol_kind ? RT_OPERAND_MEMORY : RT_OPERAND_CONSTANT;
	return true;
}
