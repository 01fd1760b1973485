/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/file.h"

/*
 * Symbol versions.  .gnu.version has an index for each symbol of .dynsym; what an index is called
 * is in .gnu.version_d (defined here) and .gnu.version_r (wanted from libraries).  The tables
 * are the same in 32 and 64 bits.
 */

enum { HIDDEN = 0x8000, FIRST = 2, MOST = 4096 };

static int name_version(struct rt_image *image, uint16_t index, uint32_t at)
{
	const char *name = rt_image_dynamic_string(image, at);
	const char **v;

	index &= HIDDEN - 1;
	if (!name || index < FIRST || index >= MOST)
		return 0;
	if (index >= image->versions.cap) {
		v = realloc(image->versions.v, MOST * sizeof(*v));
		if (!v)
			return -ENOMEM;
		memset(v, 0, MOST * sizeof(*v));
		image->versions.v = v;
		image->versions.cap = MOST;
	}
	image->versions.v[index] = rt_image_clean_name(image, name);
	return image->versions.v[index] ? 0 : -ENOMEM;
}

static bool read_at(const struct rt_image *image, uint64_t addr, void *to, size_t n)
{
	return rt_image_read(image, addr, to, n) == n;
}

static int read_defined(struct rt_image *image)
{
	uint64_t at = image->dynamic.verdef;
	Elf64_Verdef def;
	Elf64_Verdaux aux;
	unsigned i;
	int r = 0;

	for (i = 0; at && i < MOST && r == 0; i++) {
		if (!read_at(image, at, &def, sizeof(def)) ||
		    !read_at(image, at + def.vd_aux, &aux, sizeof(aux)))
			break;
		r = name_version(image, def.vd_ndx, aux.vda_name);
		if (!def.vd_next)
			break;
		at += def.vd_next;
	}
	return r;
}

static int read_wanted(struct rt_image *image)
{
	uint64_t at = image->dynamic.verneed, aux_at;
	Elf64_Verneed need;
	Elf64_Vernaux aux;
	unsigned i = 0, k;
	int r = 0;

	while (at && i < MOST && r == 0 && read_at(image, at, &need, sizeof(need))) {
		aux_at = at + need.vn_aux;
		for (k = 0; k < need.vn_cnt && i++ < MOST && r == 0 &&
			    read_at(image, aux_at, &aux, sizeof(aux));
		     k++) {
			r = name_version(image, aux.vna_other, aux.vna_name);
			aux_at += aux.vna_next;
		}
		if (!need.vn_next)
			break;
		at += need.vn_next;
		i++;
	}
	return r;
}

/* The indexes, one a symbol of .dynsym: as many as the file has bytes for. */
static void read_indexes(struct rt_image *image)
{
	uint64_t offset, n = image->dynsym.entsize ? image->dynsym.size / image->dynsym.entsize : 0;
	Elf_Data *data;

	if (rt_image_offset(image, image->dynamic.versym, &offset) ||
	    !rt_image_contains(image, offset, n * 2))
		return;
	data = n ? elf_getdata_rawchunk(image->elf, (int64_t)offset, n * 2, ELF_T_HALF) : NULL;
	if (!data)
		return;
	image->version_of = data->d_buf;
	image->nversion_of = data->d_size / 2;
}

int rt_image_read_versions(struct rt_image *image)
{
	int r;

	if (!image->dynamic.versym || image->versions.v)
		return 0;
	read_indexes(image);
	r = read_defined(image);
	return r ? r : read_wanted(image);
}

const char *rt_image_version(const struct rt_image *image, size_t i, bool *is_default)
{
	uint16_t index;

	*is_default = false;
	if (i >= image->nversion_of)
		return NULL;
	memcpy(&index, image->version_of + i, sizeof(index));
	*is_default = !(index & HIDDEN);
	index &= HIDDEN - 1;
	return index < image->versions.cap ? image->versions.v[index] : NULL;
}
