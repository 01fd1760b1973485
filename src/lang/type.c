/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lang/type.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 15, ALIGN = 16 };

struct block {
	struct block *next;
	size_t used, size;
	/* `size` bytes from the next multiple of ALIGN on */
};

enum { HEAD = (sizeof(struct block) + ALIGN - 1) & ~(ALIGN - 1) };

struct slot {
	const void *key;
	void *value;
};

struct rt_types {
	struct block *blocks;
	struct slot *slots;		/* open addressing; `room` is a power of two */
	size_t nslots, room;
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
	free(types->slots);
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

struct rt_ctype *rt_types_add(struct rt_types *types, enum rt_ctype_kind kind, const char *name,
			      uint64_t size)
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

const struct rt_ctype *rt_types_pointer(struct rt_types *types, const struct rt_ctype *target,
					unsigned word)
{
	struct rt_ctype *type = rt_types_add(types, RT_CT_POINTER, NULL, word);

	if (type) {
		type->align = word;
		type->target = target;
	}
	return type;
}

static struct slot *probe(struct slot *slots, size_t room, const void *key)
{
	size_t at = (size_t)((uintptr_t)key * 0x9e3779b97f4a7c15u >> 20) & (room - 1);

	while (slots[at].key && slots[at].key != key)
		at = (at + 1) & (room - 1);
	return &slots[at];
}

static bool grow(struct rt_types *types)
{
	size_t room = types->room ? types->room * 2 : 256, i;
	struct slot *slots = calloc(room, sizeof(*slots));

	if (!slots)
		return false;
	for (i = 0; i < types->room; i++)
		if (types->slots[i].key)
			*probe(slots, room, types->slots[i].key) = types->slots[i];
	free(types->slots);
	types->slots = slots;
	types->room = room;
	return true;
}

void **rt_types_slot(struct rt_types *types, const void *key)
{
	struct slot *slot;

	if (types->nslots * 2 >= types->room && !grow(types))
		return NULL;
	slot = probe(types->slots, types->room, key);
	if (!slot->key) {
		slot->key = key;
		types->nslots++;
	}
	return &slot->value;
}

enum rt_style rt_param_style(const struct rt_param *param)
{
	const struct rt_ctype *type = param->type;
	size_t n = param->name ? strlen(param->name) : 0;

	if (n < 2 || strcmp(param->name + n - 2, "fd") != 0 ||
	    (n > 2 && param->name[n - 3] != '_') || !type || type->kind != RT_CT_INT ||
	    type->size != 4 || !type->is_signed || type->style != RT_STYLE_TYPE)
		return RT_STYLE_TYPE;
	return RT_STYLE_FD;
}
