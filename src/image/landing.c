/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a function catches exceptions: no instruction leads there, only the unwinder, by the tables of .eh_frame and
 * .gcc_except_table (LSB Core, "Exception Frames"; the Itanium C++ ABI).
 */
#include <string.h>

#include "image/code.h"
#include "image/go.h"
#include "image/private.h"

enum {
	ENC_ABSOLUTE = 0x00, ENC_ULEB = 0x01, ENC_U2 = 0x02, ENC_U4 = 0x03, ENC_U8 = 0x04, ENC_SLEB = 0x09, ENC_S2 = 0x0a,
	ENC_S4 = 0x0b, ENC_S8 = 0x0c, ENC_PC = 0x10, ENC_DATA = 0x30, ENC_INDIRECT = 0x80, ENC_NONE = 0xff,
};

/* Reading on through the file from an address. */
struct cursor {
	const struct rt_image *image;
	uint64_t at;
	bool bad;
	uint64_t start;		/* of buf */
	size_t n;
	uint8_t buf[256];
};

static void seek(struct cursor *c, const struct rt_image *image, uint64_t at)
{
	c->image = image;
	c->at = at;
	c->bad = false;
	c->n = 0;
}

static uint8_t byte(struct cursor *c)
{
	if (c->n == 0 || c->at - c->start >= c->n) {
		c->start = c->at;
		c->n = rt_image_read(c->image, c->at, c->buf, sizeof(c->buf));
		if (!c->n) {
			c->bad = true;
			return 0;
		}
	}
	return c->buf[c->at++ - c->start];
}

static uint64_t number(struct cursor *c, unsigned size, bool is_signed)
{
	uint64_t v = 0;
	unsigned i;

	for (i = 0; i < size; i++)
		v |= (uint64_t)byte(c) << 8 * i;
	return is_signed && size < 8 ? (uint64_t)((int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size)) : v;
}

static uint64_t leb(struct cursor *c, bool is_signed)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t b;

	do {
		b = byte(c);
		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
	} while ((b & 0x80) && !c->bad && shift < 70);
	if (is_signed && shift < 64 && (b & 0x40))
		v |= ~(uint64_t)0 << shift;
	return v;
}

/* A value as `encoding` says; `data` is what it may count from.  0 stays 0: there is none. */
static uint64_t encoded(struct cursor *c, uint8_t encoding, uint64_t data)
{
	uint64_t here = c->at, v;
	unsigned word = c->image->arch->word;

	switch (encoding & 0x0f) {
	case ENC_ABSOLUTE:
		v = number(c, word, false);
		break;
	case ENC_ULEB: case ENC_SLEB:
		v = leb(c, (encoding & 0x0f) == ENC_SLEB);
		break;
	case ENC_U2: case ENC_S2:
		v = number(c, 2, (encoding & 0x0f) == ENC_S2);
		break;
	case ENC_U4: case ENC_S4:
		v = number(c, 4, (encoding & 0x0f) == ENC_S4);
		break;
	case ENC_U8: case ENC_S8:
		v = number(c, 8, false);
		break;
	default:
		c->bad = true;
		return 0;
	}
	if (!v)
		return 0;
	if ((encoding & 0x70) == ENC_PC)
		v += here;
	else if ((encoding & 0x70) == ENC_DATA)
		v += data;
	else if (encoding & 0x70)
		c->bad = true;
	return word == 4 ? v & UINT32_MAX : v;
}

/* The index of .eh_frame; false: the file has none. */
static bool find_index(const struct rt_image *image, uint64_t *addr)
{
	GElf_Phdr phdr;
	size_t i, n;

	if (elf_getphdrnum(image->elf, &n) < 0)
		return false;
	for (i = 0; i < n; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &phdr) || phdr.p_type != PT_GNU_EH_FRAME)
			continue;
		*addr = phdr.p_vaddr;
		return true;
	}
	return false;
}

/* The address of what describes `addr`; 0: nothing does.  The index is pairs of 32-bit distances from itself, in order. */
static uint64_t find_fde(struct cursor *c, uint64_t index, uint64_t addr)
{
	uint64_t count, first, low = 0, mid, found = 0;
	uint8_t frame, counted, table;

	if (byte(c) != 1)
		c->bad = true;
	frame = byte(c);
	counted = byte(c);
	table = byte(c);
	encoded(c, frame, index);
	count = counted == ENC_NONE ? 0 : encoded(c, counted, index);
	if (table != (ENC_DATA | ENC_S4) || count > UINT32_MAX)
		c->bad = true;
	for (first = c->at; low < count && !c->bad;) {
		mid = (low + count) / 2;
		seek(c, c->image, first + 8 * mid);
		if (index + number(c, 4, true) > addr) {
			count = mid;
		} else {
			found = index + number(c, 4, true);
			low = mid + 1;
		}
	}
	return found;
}

/* What a CIE says of its FDEs. */
struct cie {
	uint8_t addresses, lsda;	/* encodings */
	bool sized;
};

static void read_cie(struct cursor *c, struct cie *cie)
{
	char letters[8] = "";
	unsigned i, version;
	uint8_t encoding;

	cie->addresses = ENC_ABSOLUTE;
	cie->lsda = ENC_NONE;
	if (number(c, 4, false) == UINT32_MAX || number(c, 4, false) != 0)
		c->bad = true;
	version = byte(c);
	for (i = 0; i < sizeof(letters) && (letters[i] = (char)byte(c)) && !c->bad; i++)
		;
	if (i == sizeof(letters) || (version != 1 && version != 3) || (letters[0] && letters[0] != 'z')) {
		c->bad = true;
		return;
	}
	leb(c, false);
	leb(c, true);
	if (version == 1)
		byte(c);
	else
		leb(c, false);
	cie->sized = letters[0] == 'z';
	if (cie->sized)
		leb(c, false);
	for (i = 1; cie->sized && letters[i]; i++) {
		if (letters[i] == 'R') {
			cie->addresses = byte(c);
		} else if (letters[i] == 'L') {
			cie->lsda = byte(c);
		} else if (letters[i] == 'P') {
			encoding = byte(c);
			encoded(c, encoding & 0x7f, 0);
		} else if (letters[i] != 'S' && letters[i] != 'B') {
			c->bad = true;
		}
	}
}

/* Where the table of a function's exceptions stands, 0: it has none; and where the function is, which `addr` must be in. */
static uint64_t read_fde(struct cursor *c, uint64_t fde, uint64_t addr, uint64_t *begin, uint64_t *length)
{
	uint64_t size, cie_at;
	struct cie cie;

	*length = 0;

	seek(c, c->image, fde);
	if (number(c, 4, false) == UINT32_MAX)
		c->bad = true;
	cie_at = c->at - number(c, 4, false);
	seek(c, c->image, cie_at);
	read_cie(c, &cie);
	if (c->bad)
		return 0;
	seek(c, c->image, fde + 8);
	*begin = encoded(c, cie.addresses, 0);
	*length = encoded(c, cie.addresses & 0x0f, 0);
	if (c->bad || addr < *begin || addr - *begin >= *length) {
		*length = 0;
		return 0;
	}
	if (cie.lsda == ENC_NONE || !cie.sized)
		return 0;
	size = leb(c, false);
	return size ? encoded(c, cie.lsda & 0x7f, 0) : 0;
}

static int read_sites(struct cursor *c, uint64_t table, uint64_t begin, uint64_t *v, int max)
{
	uint64_t size, end, pad;
	uint8_t encoding;
	int n = 0;

	seek(c, c->image, table);
	encoding = byte(c);
	if (encoding != ENC_NONE)
		begin = encoded(c, encoding, 0);
	if (byte(c) != ENC_NONE)
		leb(c, false);
	encoding = byte(c);
	size = leb(c, false);
	end = c->at + size;
	while (!c->bad && c->at < end) {
		encoded(c, encoding, 0);
		encoded(c, encoding, 0);
		pad = encoded(c, encoding, 0);
		leb(c, false);
		if (!pad)
			continue;
		if (n == max)
			return -1;
		v[n++] = begin + pad;
	}
	return c->bad ? -1 : n;
}

/* What describes `addr`; 0: nothing does, or it cannot be read. */
static uint64_t describe(struct cursor *c, struct rt_image *image, uint64_t addr)
{
	uint64_t index;

	memset(c, 0, sizeof(*c));
	if (!find_index(image, &index)) {
		/* Static C programs without an index (i386) have the C library's own tables, of places that only clean up and go on unwinding. */
		c->bad = image->has_except_table && rt_image_unwinds(image);
		return 0;
	}
	seek(c, image, index);
	return find_fde(c, index, addr);
}

int rt_code_landings(struct rt_code *code, uint64_t addr, uint64_t *v, int max)
{
	const struct rt_go *go = rt_image_go(rt_code_image(code));
	uint64_t fde, table, begin, length;
	struct rt_go_function f;
	struct cursor c;

	if (go && go->has_table && max > 0 && rt_pclntab_find(&go->table, addr, &f)) {
		v[0] = f.addr + f.recovers;
		return f.recovers != 0;
	}
	fde = describe(&c, rt_code_image(code), addr);
	if (c.bad)
		return -1;
	if (!fde)
		return 0;
	table = read_fde(&c, fde, addr, &begin, &length);
	if (c.bad)
		return -1;
	return table ? read_sites(&c, table, begin, v, max) : 0;
}

bool rt_code_span(struct rt_code *code, uint64_t addr, uint64_t *start, uint64_t *end)
{
	struct cursor c;
	uint64_t fde, length;

	fde = describe(&c, rt_code_image(code), addr);
	if (!fde || c.bad)
		return false;
	read_fde(&c, fde, addr, start, &length);
	*end = *start + length;
	return length && *end > *start && !c.bad;
}
