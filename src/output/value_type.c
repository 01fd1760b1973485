/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "image/go.h"
#include "output/text.h"
#include "output/value.h"

/* Types may be deeper, and go in circles; what is read never does, so this is for hostile files only. */
enum { DEPTH = 12 };

static const char unreadable[] = "<unreadable>", more[] = "...";

/* An object that is being printed, or a part of one: `at` bytes into it. */
struct view {
	const struct rt_printer *p;
	const struct rt_show *show;
	unsigned depth;
};

static bool is_fault(const struct view *v, const struct rt_piece *piece)
{
	return !v->p->values->data || v->p->values->faults >> piece->value & 1;
}

/* Where `size` bytes of the object stand in the record, from `at` on; NULL and `why` where they were not read. */
static const uint8_t *find_bytes(const struct view *v, uint64_t at, uint64_t size, const char **why)
{
	const struct rt_show *s = v->show;
	unsigned i;
	uint64_t end;

	*why = s->mark ? s->mark : more;
	for (i = 0; i < s->npieces; i++) {
		const struct rt_piece *first = &s->pieces[i];

		if (at < first->offset || at >= (uint64_t)first->offset + first->size)
			continue;
		end = first->offset;
		/* Pieces that are next to each other in the object may be so in the record too. */
		for (; i < s->npieces; i++) {
			const struct rt_piece *piece = &s->pieces[i];

			if (piece->value == RT_NO_VALUE || is_fault(v, piece)) {
				*why = piece->value != RT_NO_VALUE ? unreadable : piece->mark ? piece->mark : more;
				return NULL;
			}
			if (piece->offset != end || piece->at - first->at != piece->offset - first->offset)
				return NULL;
			end += piece->size;
			if (at + size <= end)
				return v->p->values->data + first->at + (at - first->offset);
		}
	}
	return NULL;
}

static void show_type(const struct view *v, const struct rt_ctype *type, uint64_t at, enum rt_style style);

/* ---- numbers ---- */

static void put_signed(const struct rt_printer *p, uint64_t word, bool is_signed)
{
	if (is_signed && (int64_t)word < 0)
		rt_value_int(p, -word, true);
	else
		rt_value_int(p, word, false);
}

static void put_styled(const struct rt_printer *p, uint64_t word, unsigned bits, bool is_signed, enum rt_style style)
{
	uint64_t cut = bits < 64 ? word & ((UINT64_C(1) << bits) - 1) : word;

	if (bits < 64 && is_signed)
		word = (uint64_t)((int64_t)(word << (64 - bits)) >> (64 - bits));
	else
		word = cut;
	switch (style) {
	case RT_STYLE_HEX:
		rt_value_hex(p, cut);
		break;
	case RT_STYLE_OCT:
		rt_value_octal(p, cut);
		break;
	case RT_STYLE_CHAR:
		if (cut < 0x100)
			rt_value_char(p, (uint8_t)cut);
		else
			put_signed(p, word, is_signed);
		break;
	case RT_STYLE_GUESSED:
		/* Addresses are above 4 GB, but for old programs' data. */
		if ((int64_t)word > UINT32_MAX)
			rt_value_hex(p, word);
		else
			put_signed(p, word, is_signed);
		break;
	case RT_STYLE_FD:
		rt_value_fd(p, (int64_t)word);
		break;
	default:
		put_signed(p, word, is_signed);
		break;
	}
}

/* 128 bits: in hexadecimal where 64 are too few. */
static void put_wide(const struct rt_printer *p, const uint8_t *bytes, bool is_signed)
{
	uint64_t low = rt_fetch_load(bytes, 8), high = rt_fetch_load(bytes + 8, 8);
	char text[40];

	if (high == 0 && (!is_signed || (int64_t)low >= 0)) {
		rt_value_int(p, low, false);
	} else if (is_signed && high == UINT64_MAX && (int64_t)low < 0) {
		rt_value_int(p, -low, true);
	} else {
		snprintf(text, sizeof(text), "0x%" PRIx64 "%016" PRIx64, high, low);
		rt_value_word(p, text);
	}
}

/* A|B|0x40 */
static void put_flags(const struct rt_printer *p, const struct rt_ctype *type, uint64_t value)
{
	uint64_t left = value;
	bool some = false;
	unsigned i;
	char hex[24];

	if (p->json)
		putc_unlocked('"', p->file);
	for (i = 0; i < type->nvalues; i++) {
		uint64_t flag = (uint64_t)type->values[i].value, mask = type->values[i].mask;

		if (mask ? (left & mask) != flag : !flag || (left & flag) != flag)
			continue;
		rt_put(p->file, some ? "|" : "");
		rt_json_chars(p->file, type->values[i].name, strlen(type->values[i].name));
		left &= ~(mask ? mask : flag);
		some = true;
	}
	if (left || !some) {
		snprintf(hex, sizeof(hex), "%s0x%" PRIx64, some ? "|" : "", left);
		rt_put(p->file, left ? hex : "0");
	}
	if (p->json)
		putc_unlocked('"', p->file);
}

static void put_enum(const struct rt_printer *p, const struct rt_ctype *type, uint64_t word, unsigned bits)
{
	uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
	unsigned i;

	/* Flags of which some are numbers have no name for all of a value. */
	for (i = 0; i < type->nvalues && !(type->is_flags && type->values[0].mask); i++)
		if (((uint64_t)type->values[i].value & mask) == (word & mask)) {
			rt_value_word(p, type->values[i].name);
			return;
		}
	if (type->is_flags)
		put_flags(p, type, word & mask);
	else
		put_styled(p, word, bits, type->is_signed, RT_STYLE_DEC);
}

/* "signed char" and "unsigned char" are what int8_t and uint8_t are. */
static bool is_number(const struct rt_ctype *type)
{
	return type->name && strstr(type->name, "signed ");
}

static void put_word(const struct rt_printer *p, const struct rt_ctype *type, uint64_t word, unsigned bits, enum rt_style style)
{
	if (style == RT_STYLE_TYPE)
		style = type->style;
	if (style == RT_STYLE_TYPE && type->kind == RT_CT_BOOL && word <= 1)
		rt_put(p->file, word ? "true" : "false");
	else if (style == RT_STYLE_TYPE && type->kind == RT_CT_CHAR && !is_number(type))
		rt_value_char(p, (uint8_t)word);
	else if (style == RT_STYLE_TYPE && type->kind == RT_CT_ENUM)
		put_enum(p, type, word, bits);
	else
		put_styled(p, word, bits, type->is_signed, style);
}

/* ---- pointers ---- */

static const struct rt_follow *find_follow(const struct rt_show *show, uint64_t at)
{
	unsigned i;

	for (i = 0; i < show->nfollows; i++)
		if (show->follows[i].offset == at)
			return &show->follows[i];
	return NULL;
}

/* The address, and that what it leads to could not be read. */
static void put_bad(const struct rt_printer *p, uint64_t address)
{
	char text[48];

	snprintf(text, sizeof(text), "0x%" PRIx64 "%s", address, unreadable);
	rt_value_word(p, text);
}

/* Room for strings is given in steps. */
static void put_text(const struct rt_printer *p, const uint8_t *text, size_t len, bool cut)
{
	size_t most = p->out && p->out->string ? p->out->string : SIZE_MAX;

	rt_value_text(p, text, len < most ? len : most, cut || len > most);
}

static bool put_string(const struct rt_printer *p, const struct rt_piece *piece)
{
	const struct rt_fetch *fetch = &p->values->plan->values[piece->value];
	const uint8_t *text;
	bool cut;
	size_t len;

	if (rt_value_string(fetch, p->values->data + piece->at, p->values->faults >> piece->value & 1, &text, &len, &cut) < 0)
		return false;
	put_text(p, text, len, cut);
	return true;
}

/* How many of the elements stand in the value, and how many there are. */
static uint64_t counted(const struct rt_printer *p, const struct rt_piece *piece, const struct rt_ctype *element, uint64_t *all)
{
	uint64_t size = element && element->size ? element->size : 1;
	size_t have = rt_plan_block(p->values->plan, piece->value, p->values->data, all);

	*all /= size;
	return have / size;
}

static void show_elements(const struct view *v, const struct rt_ctype *element, uint64_t at, uint64_t n, bool cut)
{
	uint64_t i;

	putc_unlocked('[', v->p->file);
	for (i = 0; i < n; i++) {
		rt_put(v->p->file, i ? ", " : "");
		show_type(v, element, at + i * element->size, RT_STYLE_TYPE);
	}
	if (cut) {
		rt_put(v->p->file, n ? ", " : "");
		rt_value_word(v->p, more);
	}
	putc_unlocked(']', v->p->file);
}

static bool is_text(const struct rt_ctype *type)
{
	return !type || type->kind == RT_CT_CHAR || type->kind == RT_CT_VOID;
}

/* false: nothing of it could be read. */
static bool show_counted(const struct view *v)
{
	const struct rt_piece *piece = &v->show->pieces[0];
	const struct rt_ctype *element = v->show->type->target;
	uint64_t n, all;

	n = counted(v->p, piece, element, &all);
	if (all && is_fault(v, piece))
		return false;
	if (is_text(element))
		put_text(v->p, v->p->values->data + piece->at, (size_t)n, all > n);
	else
		show_elements(v, element, 0, n, all > n);
	return true;
}

/* What a pointer leads to. */
static bool show_target(const struct view *v, const struct rt_show *target)
{
	const struct view inside = { .p = v->p, .show = target, .depth = v->depth + 1 };
	const struct rt_piece *piece = &target->pieces[0];
	const struct rt_fetch *fetch;

	if (!v->p->values->data || !target->npieces || v->depth > DEPTH)
		return false;
	fetch = &v->p->values->plan->values[piece->value];
	if (fetch->type == RT_TYPE_STRING)
		return put_string(v->p, piece);
	if (fetch->length)
		return show_counted(&inside);
	if (is_fault(&inside, piece))
		return false;
	show_type(&inside, target->type, 0, target->style);
	return true;
}

static void show_pointer(const struct view *v, const struct rt_ctype *type, uint64_t at, uint64_t address)
{
	const struct rt_follow *f = find_follow(v->show, at);
	char name[256];

	if (!address) {
		rt_put(v->p->file, v->p->json ? "null" : "NULL");
	} else if (f) {
		if (!show_target(v, &f->target))
			put_bad(v->p, address);
	} else if (type->target && type->target->kind == RT_CT_FUNCTION && v->p->out && v->p->out->symbol &&
		   v->p->out->symbol(v->p->out->symbol_ctx, v->p->pid, address, name, sizeof(name))) {
		rt_value_word(v->p, name);
	} else {
		rt_value_hex(v->p, address);
	}
}

/* Text and lists that lie elsewhere. */
static void show_sequence(const struct view *v, const struct rt_ctype *type, uint64_t at)
{
	unsigned word = v->p->values->plan->arch->word;
	const struct rt_sequence *s = &type->sequence;
	const struct rt_follow *f = find_follow(v->show, at + s->pointer);
	const char *why;
	const uint8_t *pointer = find_bytes(v, at + s->pointer, word, &why);

	if (!pointer) {
		rt_value_word(v->p, why);
		return;
	}
	if (!f) {
		rt_value_hex(v->p, rt_fetch_load(pointer, word));
		return;
	}
	if (!show_target(v, &f->target))
		put_bad(v->p, rt_fetch_load(pointer, word));
}

/* The errors of Go's own packages whose record begins with their text. */
static bool begins_with_text(const char *name)
{
	return strcmp(name, "*errors.errorString") == 0 || strcmp(name, "*fmt.wrapError") == 0 || strcmp(name, "*fmt.fmtError") == 0;
}

/* An object of a type of that name: what it says, or where it is.  In JSON it is {"NAME":...}. */
static void put_held(const struct view *v, const char *name, const uint8_t *pointer, const struct rt_show *text)
{
	FILE *file = v->p->file;

	if (v->p->json) {
		putc_unlocked('{', file);
		rt_json_string(file, name, strlen(name));
		putc_unlocked(':', file);
	} else {
		rt_put(file, name);
		putc_unlocked('(', file);
	}
	if (!text || !show_target(v, text))
		rt_value_hex(v->p, rt_fetch_load(pointer, 8));
	putc_unlocked(v->p->json ? '}' : ')', file);
}

/* Go's interface: nil, or the object's type and what is known of it: its text, its address. */
static void show_dynamic(const struct view *v, const struct rt_ctype *type, uint64_t at)
{
	const struct rt_follow *table = find_follow(v->show, at), *text = find_follow(v->show, at + 8);
	const char *why;
	const uint8_t *first = find_bytes(v, at, 8, &why), *second = first ? find_bytes(v, at + 8, 8, &why) : NULL;
	char name[128];
	uint64_t of;

	if (!first || !second) {
		rt_value_word(v->p, why);
		return;
	}
	of = rt_fetch_load(first, 8);
	if (!of) {
		rt_put(v->p->file, v->p->json ? "null" : "nil");
		return;
	}
	if (type->interface == RT_INTERFACE_TABLE)
		of = table && !is_fault(v, &table->target.pieces[0]) ? rt_fetch_load(v->p->values->data + table->target.pieces[0].at, 8) : 0;
	if (!of || !v->p->out || !v->p->out->program || !rt_go_type_name(v->p->out->program, of, name, sizeof(name)))
		put_held(v, type->name ? type->name : "interface", second, NULL);
	else
		put_held(v, name, second, text && begins_with_text(name) ? &text->target : NULL);
}

/* ---- aggregates ---- */

static void show_member(const struct view *v, const struct rt_member *m, uint64_t at)
{
	const char *why;
	const uint8_t *bytes;
	uint64_t word;
	unsigned n;

	at += m->offset;
	if (!m->bit_size) {
		show_type(v, m->type, at, RT_STYLE_TYPE);
		return;
	}
	n = (m->bit_offset + m->bit_size + 7u) / 8;
	bytes = n <= 8 ? find_bytes(v, at, n, &why) : NULL;
	if (n > 8 || !bytes) {
		rt_value_word(v->p, n > 8 ? more : why);
		return;
	}
	word = rt_fetch_load(bytes, n) >> m->bit_offset;
	if (m->bit_size < 64)
		word &= (UINT64_C(1) << m->bit_size) - 1;
	put_word(v->p, m->type, word, m->bit_size, RT_STYLE_TYPE);
}

static void put_member_name(const struct view *v, const char *name)
{
	if (v->p->json) {
		rt_json_string(v->p->file, name, strlen(name));
		putc_unlocked(':', v->p->file);
		return;
	}
	putc_unlocked('.', v->p->file);
	rt_json_chars(v->p->file, name, strlen(name));
	putc_unlocked('=', v->p->file);
}

/* The members of an anonymous one are the outer one's.  Returns how many were printed, at most `room`. */
static unsigned show_members(const struct view *v, const struct rt_ctype *type, uint64_t at, unsigned room, unsigned before)
{
	unsigned i, n = 0;

	for (i = 0; i < type->nmembers && n < room; i++) {
		const struct rt_member *m = &type->members[i];
		bool aggregate = m->type->kind == RT_CT_STRUCT || m->type->kind == RT_CT_UNION;

		if (!m->name && aggregate && v->depth < DEPTH) {
			const struct view inside = { .p = v->p, .show = v->show, .depth = v->depth + 1 };

			n += show_members(&inside, m->type, at + m->offset, room - n, before + n);
			continue;
		}
		if (!m->name)
			continue;
		rt_put(v->p->file, before + n ? ", " : "");
		put_member_name(v, m->name);
		show_member(v, m, at);
		n++;
	}
	return n;
}

static unsigned limit_members(const struct view *v)
{
	unsigned n = v->p->out ? v->p->out->members : 0;

	return n ? n : RT_LIMIT_MEMBERS;
}

static void show_struct(const struct view *v, const struct rt_ctype *type, uint64_t at)
{
	unsigned n, room = limit_members(v);

	/* Bits that are shown by themselves. */
	if (type->nmembers == 1 && !type->members[0].name && type->members[0].bit_size) {
		show_member(v, &type->members[0], at);
		return;
	}
	putc_unlocked('{', v->p->file);
	n = show_members(v, type, at, room, 0);
	if (n == room && type->nmembers > n)
		rt_put(v->p->file, v->p->json ? ", \"...\":\"...\"" : ", ...");
	putc_unlocked('}', v->p->file);
}

/* Rust numbers the members of a tuple: __0, or 0. */
static bool is_tuple(const struct rt_ctype *type)
{
	const char *name = type->nmembers ? type->members[0].name : NULL;

	return name && (strncmp(name, "__", 2) == 0 ? isdigit((unsigned char)name[2]) : isdigit((unsigned char)name[0]));
}

static void show_tuple(const struct view *v, const struct rt_ctype *type, uint64_t at)
{
	unsigned i, n = limit_members(v);

	rt_put(v->p->file, v->p->json ? "[" : "(");
	for (i = 0; i < type->nmembers && i < n; i++) {
		rt_put(v->p->file, i ? ", " : "");
		show_member(v, &type->members[i], at);
	}
	if (i < type->nmembers) {
		rt_put(v->p->file, ", ");
		rt_value_word(v->p, more);
	}
	rt_put(v->p->file, v->p->json ? "]" : ")");
}

static void show_body(const struct view *v, const struct rt_ctype *type, uint64_t at)
{
	if (is_tuple(type))
		show_tuple(v, type, at);
	else
		show_struct(v, type, at);
}

static void show_variant(const struct view *v, const struct rt_ctype *type, uint64_t at)
{
	const struct rt_member *m = type->nmembers ? &type->members[0] : NULL, *other = NULL;
	const uint8_t *bytes;
	const char *why = more;
	uint64_t tag, size, mask;
	unsigned i;

	if (type->tag) {
		size = type->tag->type ? type->tag->type->size : 0;
		bytes = size && size <= 8 ? find_bytes(v, at + type->tag->offset, size, &why) : NULL;
		if (!bytes) {
			rt_value_word(v->p, why);
			return;
		}
		tag = rt_fetch_load(bytes, (unsigned)size);
		mask = size < 8 ? (UINT64_C(1) << 8 * size) - 1 : UINT64_MAX;
		for (i = 0, m = NULL; i < type->nmembers && !m; i++) {
			if (type->members[i].tag_default)
				other = &type->members[i];
			else if ((type->members[i].tag & mask) == tag)
				m = &type->members[i];
		}
		m = m ? m : other;
	}
	if (!m || !m->name) {
		rt_value_word(v->p, "<no such variant>");
		return;
	}
	if (!m->type || m->type->kind != RT_CT_STRUCT || !m->type->nmembers) {
		rt_value_word(v->p, m->name);
		return;
	}
	if (v->p->json) {
		putc_unlocked('{', v->p->file);
		put_member_name(v, m->name);
	} else {
		rt_json_chars(v->p->file, m->name, strlen(m->name));
	}
	show_body(v, m->type, at + m->offset);
	if (v->p->json)
		putc_unlocked('}', v->p->file);
}

static void show_array(const struct view *v, const struct rt_ctype *type, uint64_t at)
{
	uint64_t n = type->count, most = limit_members(v), have;
	const uint8_t *bytes = NULL;
	const char *why;

	if (!type->target || !type->target->size) {
		rt_value_word(v->p, more);
		return;
	}
	if (is_text(type->target)) {
		/* As much of it as was read. */
		for (have = n < UINT16_MAX ? n : UINT16_MAX; have && !bytes; have -= !bytes)
			bytes = find_bytes(v, at, have, &why);
		if (n && !bytes) {
			rt_value_word(v->p, why);
			return;
		}
		most = n ? strnlen((const char *)bytes, have) : 0;
		put_text(v->p, bytes, (size_t)most, have < n && most == have);
		return;
	}
	show_elements(v, type->target, at, n < most ? n : most, n > most);
}

/* ---- any type ---- */

static void show_word(const struct view *v, const struct rt_ctype *type, uint64_t at, enum rt_style style)
{
	const struct rt_printer *p = v->p;
	bool pointer = rt_ctype_is_pointer(type);
	uint64_t size = pointer ? p->values->plan->arch->word : type->size ? type->size : p->values->plan->arch->word;
	const char *why;
	const uint8_t *bytes = find_bytes(v, at, type->kind == RT_CT_FLOAT && size > 8 ? 10 : size, &why);

	if (!bytes)
		rt_value_word(p, why);
	else if (type->kind == RT_CT_FLOAT)
		rt_value_float(p, bytes, size);
	else if (pointer)
		show_pointer(v, type, at, rt_fetch_load(bytes, (unsigned)size));
	else if (type->kind == RT_CT_UNKNOWN || type->kind == RT_CT_FUNCTION || type->kind == RT_CT_VOID)
		rt_value_hex(p, rt_fetch_load(bytes, size > 8 ? 8 : (unsigned)size));
	else if (size == 16)
		put_wide(p, bytes, type->is_signed);
	else if (size > 8)
		rt_value_word(p, more);
	else
		put_word(p, type, rt_fetch_load(bytes, (unsigned)size), (unsigned)size * 8, style);
}

static void show_type(const struct view *v, const struct rt_ctype *type, uint64_t at, enum rt_style style)
{
	const struct view inside = { .p = v->p, .show = v->show, .depth = v->depth + 1 };

	if (!type || v->depth > DEPTH) {
		rt_value_word(v->p, more);
		return;
	}
	if (type->sequence.element) {
		show_sequence(&inside, type, at);
		return;
	}
	if (type->interface) {
		show_dynamic(&inside, type, at);
		return;
	}
	switch (type->kind) {
	case RT_CT_STRUCT:
	case RT_CT_UNION:
		show_body(&inside, type, at);
		break;
	case RT_CT_VARIANT:
		show_variant(&inside, type, at);
		break;
	case RT_CT_ARRAY:
		show_array(&inside, type, at);
		break;
	default:
		show_word(&inside, type, at, style);
		break;
	}
}

/* Text that was read from where the user said. */
static bool is_string(const struct rt_printer *p, const struct rt_show *show)
{
	return show->npieces == 1 && show->pieces[0].value != RT_NO_VALUE &&
	       p->values->plan->values[show->pieces[0].value].type == RT_TYPE_STRING;
}

void rt_value_show(const struct rt_printer *p, const struct rt_show *show)
{
	const struct view v = { .p = p, .show = show };
	bool empty = !show->npieces && (show->type->kind == RT_CT_STRUCT || show->type->kind == RT_CT_UNION);

	if (show->mark) {
		rt_value_word(p, show->mark);
	} else if (empty) {
		rt_put(p->file, "{}");
	} else if (is_string(p, show)) {
		if (!p->values->data || !put_string(p, &show->pieces[0]))
			rt_value_word(p, unreadable);
	} else {
		show_type(&v, show->type, 0, show->style);
	}
}
