/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spec/type.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 15, ALIGN = 16 };

struct block {
	struct block *next;
	size_t used, size;
	/* `size` bytes from the next multiple of ALIGN on */
};

enum { HEAD = (sizeof(struct block) + ALIGN - 1) & ~(ALIGN - 1) };

struct rt_types {
	struct block *blocks;
};

struct rt_types *rt_types_new(void)
{
	return calloc(1, sizeof(struct rt_types));
}

void rt_types_free(struct rt_types *types)
{
	struct block *block, *next;

	if (!types)
		return;
	for (block = types->blocks; block; block = next) {
		next = block->next;
		free(block);
	}
	free(types);
}

void *rt_types_alloc(struct rt_types *types, size_t n)
{
	struct block *block = types->blocks;
	size_t size;

	if (n > SIZE_MAX / 2)
		return NULL;
	n = (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (!block || block->size - block->used < n) {
		size = n > BLOCK ? n : BLOCK;
		block = calloc(1, HEAD + size);
		if (!block)
			return NULL;
		block->size = size;
		block->next = types->blocks;
		types->blocks = block;
	}
	block->used += n;
	return (char *)block + HEAD + block->used - n;
}

const char *rt_types_name(struct rt_types *types, const char *name, size_t n)
{
	char *copy = rt_types_alloc(types, n + 1);

	if (copy)
		memcpy(copy, name, n);
	return copy;
}

struct rt_ctype *rt_types_add(struct rt_types *types, enum rt_ctype_kind kind, const char *name, uint64_t size)
{
	struct rt_ctype *type = rt_types_alloc(types, sizeof(*type));

	if (!type)
		return NULL;
	type->kind = kind;
	type->size = size;
	if (name) {
		type->name = rt_types_name(types, name, strlen(name));
		if (!type->name)
			return NULL;
	}
	return type;
}

const struct rt_ctype *rt_types_pointer(struct rt_types *types, const struct rt_ctype *target, unsigned word)
{
	struct rt_ctype *type = rt_types_add(types, RT_CT_POINTER, NULL, word);

	if (type) {
		type->align = word;
		type->target = target;
	}
	return type;
}
