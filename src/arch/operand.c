/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "arch/operand.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/scan.h"

bool rt_operand_refuse(struct rt_operand *operand, const char *why)
{
	operand->kind = RT_OPERAND_UNREADABLE;
	operand->why = why;
	return false;
}

static bool is_register(const struct rt_reg *reg, const char *name, size_t n)
{
	return reg->tracefs && strlen(reg->tracefs) == n && memcmp(reg->tracefs, name, n) == 0;
}

const struct rt_reg *rt_operand_register(const struct rt_arch *arch, const char *name, size_t n)
{
	unsigned i;

	for (i = 0; i < arch->ndwarf; i++)
		if (is_register(&arch->dwarf[i], name, n))
			return &arch->dwarf[i];
	return NULL;
}

/* ---- expressions ---- */

static bool is_symbol_start(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '.';
}

static bool is_symbol_char(char c)
{
	return is_symbol_start(c) || isdigit((unsigned char)c) || c == '$';
}

static bool take_symbol(const char **at, const char *end, struct rt_operand *operand)
{
	const char *begin = *at, *p = begin;
	size_t suffix;

	while (p < end && is_symbol_char(*p))
		p++;
	if (operand->symbol_kind || p - begin > UINT8_MAX)
		return false;
	operand->symbol_kind = RT_OPERAND_ADDRESS;
	operand->symbol = begin;
	operand->symbol_length = (uint8_t)(p - begin);
	if (p < end && *p == '@') {
		for (suffix = 1; p + suffix < end && isalpha((unsigned char)p[suffix]); suffix++)
			;
		/* The others lead to a word that has the address, or to a thread's variable. */
		if (suffix != 7 || memcmp(p, "@GOTOFF", 7) != 0)
			return false;
		operand->symbol_kind = RT_OPERAND_FROM_GOT;
		p += suffix;
	}
	*at = p;
	return true;
}

static bool take_number(const char **at, uint64_t *value)
{
	bool hex = (*at)[0] == '0' && ((*at)[1] | 0x20) == 'x';

	if (!isdigit((unsigned char)**at))
		return false;
	*at += hex ? 2 : 0;
	return rt_scan_number(at, hex ? 16 : 10, value);
}

bool rt_operand_expression(const char **at, const char *end, struct rt_operand *operand)
{
	uint64_t value, sum = (uint64_t)operand->displacement;
	bool first = true, minus;

	for (; *at < end; first = false) {
		minus = **at == '-';
		if (minus || **at == '+')
			(*at)++;
		else if (!first)
			break;
		if (*at < end && !minus && is_symbol_start(**at)) {
			if (!take_symbol(at, end, operand))
				return false;
			continue;
		}
		if (*at >= end || !take_number(at, &value) || *at > end)
			return false;
		sum += minus ? -value : value;
	}
	operand->displacement = (int64_t)sum;
	return !first;
}

/* ---- arguments ---- */

static const char *find_end(const char *at)
{
	int depth = 0;

	for (; *at && (depth > 0 || !isspace((unsigned char)*at)); at++)
		if (*at == '(' || *at == '[')
			depth++;
		else if (*at == ')' || *at == ']')
			depth--;
	return at;
}

/* "-4@", "8f@" */
static bool take_size(const char **at, struct rt_operand *operand)
{
	uint64_t size;

	operand->is_signed = **at == '-';
	*at += operand->is_signed;
	if (!isdigit((unsigned char)**at) || !rt_scan_number(at, 10, &size) || size > UINT8_MAX)
		return false;
	operand->size = (uint8_t)size;
	operand->is_float = **at == 'f';
	*at += operand->is_float;
	return *(*at)++ == '@';
}

static uint64_t extend(uint64_t value, unsigned size, bool is_signed)
{
	unsigned bits = 64 - 8 * size;

	value <<= bits;
	return is_signed ? (uint64_t)((int64_t)value >> bits) : value >> bits;
}

/* Instructions have no larger ones. */
static bool is_far(const struct rt_operand *operand)
{
	return operand->kind == RT_OPERAND_MEMORY && (operand->base || operand->index) &&
	       operand->displacement != (int32_t)operand->displacement;
}

void rt_operand_check(struct rt_operand *operand)
{
	if (is_far(operand))
		rt_operand_refuse(operand, "its displacement has more than 32 bits");
}

static bool is_number_size(const struct rt_operand *operand)
{
	if (operand->is_float)
		return operand->size == 4 || operand->size == 8;
	return operand->size == 1 || operand->size == 2 || operand->size == 4 || operand->size == 8;
}

static void parse(const struct rt_arch *arch, const char *at, const char *end,
		  struct rt_operand *operand)
{
	size_t length;

	if (!take_size(&at, operand)) {
		operand->size = 0;
		rt_operand_refuse(operand, "it has no size");
		return;
	}
	length = (size_t)(end - at);
	operand->text = at;
	operand->length = (uint16_t)(length < UINT16_MAX ? length : UINT16_MAX);
	if (!arch->operand || at >= end || !arch->operand(arch, at, end, operand))
		rt_operand_refuse(operand, operand->why ? operand->why : "it is not understood");
	else if (!is_number_size(operand))
		rt_operand_refuse(operand, "its size is not that of a number");
	else if (operand->kind == RT_OPERAND_CONSTANT)
		operand->constant = extend((uint64_t)operand->displacement, operand->size,
					   operand->is_signed);
	rt_operand_check(operand);
}

bool rt_operand_next(const struct rt_arch *arch, const char **args, struct rt_operand *operand)
{
	const char *at = *args;

	memset(operand, 0, sizeof(*operand));
	while (isspace((unsigned char)*at))
		at++;
	if (!*at)
		return false;
	*args = find_end(at);
	operand->text = at;
	operand->length = (uint16_t)(*args - at < UINT16_MAX ? *args - at : UINT16_MAX);
	parse(arch, at, *args, operand);
	return true;
}

const char *rt_operand_type(const struct rt_operand *operand, char buf[8])
{
	if (!is_number_size(operand))
		return "?";
	snprintf(buf, 8, "%c%d", operand->is_float ? 'f' : operand->is_signed ? 's' : 'u',
		 operand->size * 8 & 0x7f);
	return buf;
}
