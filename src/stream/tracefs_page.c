/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/tracefs_page.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "stream/load.h"

/*
 * An event's header: 5 bits of type or length, 27 of time since the one before
 * (events/header_event).
 */
enum {
	TYPE_BITS = 5,
	DELTA_BITS = 27,
	TYPE_LONG = 0,		/* the length is in the next word, which it counts */
	TYPE_PADDING = 29,	/* a discarded event, or the rest of the page */
	TYPE_TIME_EXTEND = 30,	/* the next word has the upper bits of the delta */
	TYPE_TIME_STAMP = 31,	/* the next word has the upper bits of the time itself; 4.17 */
};

/* Flags in the low half of `commit`; the upper half of an 8-byte one is the sign of the first. */
#define MISSED_EVENTS	(1u << 31)
#define MISSED_STORED	(1u << 30)

/* An absolute time stamp has 59 bits; the upper 5 are those of the time before it. */
#define TIME_MSB	(0xf8ull << 56)

struct walk {
	const uint8_t *at, *end;
	uint64_t time;
	const struct rt_page_sink *sink;
};

static uint64_t absolute(uint64_t stamp, uint64_t before)
{
	uint64_t time = stamp | (before & TIME_MSB);

	/*
	 * The upper bits have counted on since; a kernel clock that never sets them needs no such
	 * repair.
	 */
	if ((before & TIME_MSB) && time < before)
		time += 1ull << (64 - TYPE_BITS);
	return time;
}

/*
 * Time of a discarded event: the kernel makes a delta of 0 into 1, since 0 says that the page ends
 * here.
 */
static uint64_t discarded(uint64_t delta)
{
	return delta == 1 ? 0 : delta;
}

/* The second word of the event at walk->at. */
static int second_word(const struct walk *walk, uint32_t *word)
{
	if (walk->end - walk->at < 8)
		return -EBADMSG;
	*word = rt_load_u32(walk->at + 4);
	return 0;
}

/* Hand on the `len` bytes at `data` and step over them; events begin at multiples of 4. */
static int pass_record(struct walk *walk, const uint8_t *data, size_t len)
{
	size_t left = (size_t)(walk->end - data);

	if (len > left || ((len + 3) & ~(size_t)3) > left)
		return -EBADMSG;
	walk->at = data + ((len + 3) & ~(size_t)3);
	return walk->sink->record(walk->sink->ctx, walk->time, data, len);
}

static int one_event(struct walk *walk)
{
	uint32_t head, word = 0;
	unsigned type;
	uint64_t delta;

	if (walk->end - walk->at < 4)
		return -EBADMSG;
	head = rt_load_u32(walk->at);
	type = head & ((1u << TYPE_BITS) - 1);
	delta = head >> TYPE_BITS;
	if (type == TYPE_PADDING && !delta) {
		walk->at = walk->end;
		return 0;
	}
	if ((type == TYPE_LONG || type >= TYPE_PADDING) && second_word(walk, &word) < 0)
		return -EBADMSG;
	switch (type) {
	case TYPE_PADDING:
		if (word < 4 || word > (size_t)(walk->end - walk->at) - 4)
			return -EBADMSG;
		walk->time += discarded(delta);
		walk->at += 4 + (size_t)word;
		return 0;
	case TYPE_TIME_EXTEND:
		walk->time += ((uint64_t)word << DELTA_BITS) + delta;
		walk->at += 8;
		return 0;
	case TYPE_TIME_STAMP:
		walk->time = absolute(((uint64_t)word << DELTA_BITS) + delta, walk->time);
		walk->at += 8;
		return 0;
	case TYPE_LONG:
		walk->time += delta;
		/* The word counts itself, and the kernel makes no event of less than one more. */
		return word < 8 ? -EBADMSG : pass_record(walk, walk->at + 8, word - 4);
	default:
		walk->time += delta;
		return pass_record(walk, walk->at + 4, type * 4);
	}
}

/*
 * Events dropped before this page; their number is a kernel `long` behind the last event, where
 * there was room.
 */
static int pass_lost(const struct rt_page_layout *layout, const struct walk *walk, size_t room,
		     uint32_t flags)
{
	uint64_t count = 0;

	if (!(flags & MISSED_EVENTS))
		return 0;
	if (flags & MISSED_STORED) {
		if (room < layout->commit_size)
			return -EBADMSG;
		count = layout->commit_size == 8 ? rt_load_u64(walk->end) : rt_load_u32(walk->end);
	}
	return walk->sink->lost(walk->sink->ctx, walk->time, count);
}

int rt_tracefs_page_walk(const struct rt_page_layout *layout, const uint8_t *page, size_t len,
			 const struct rt_page_sink *sink)
{
	struct walk walk = { .sink = sink };
	uint32_t flags;
	size_t size;
	int err;

	if (len < layout->data || len < layout->timestamp + 8u || len < layout->commit + 4u)
		return -EBADMSG;
	flags = rt_load_u32(page + layout->commit);
	size = flags & ~(MISSED_EVENTS | MISSED_STORED);
	if (size > len - layout->data)
		return -EBADMSG;
	walk.time = rt_load_u64(page + layout->timestamp);
	walk.at = page + layout->data;
	walk.end = walk.at + size;
	err = pass_lost(layout, &walk, len - layout->data - size, flags);
	while (!err && walk.at < walk.end)
		err = one_event(&walk);
	return err;
}

/* ---- the format file ---- */

#define DATA_LOC "__data_loc "
#define MALFORMED "this kernel's layout of trace events is unknown to rawtrace"

/*
 * A line "field:DECLARATION;\toffset:N;\tsize:N;\tsigned:N;" as it is: the numbers are judged
 * by who uses them.
 */
struct field_line {
	char name[64];
	unsigned long offset, size;
	bool is_signed, data_loc;
};

/* The number behind `key` (a field's attribute), up to its ';'.  `*p` is put behind that. */
static bool attribute(const char **p, const char *key, unsigned long *value)
{
	const char *s = *p;
	unsigned long v = 0;

	while (*s == ' ' || *s == '\t')
		s++;
	if (strncmp(s, key, strlen(key)) != 0)
		return false;
	s += strlen(key);
	if (!isdigit((unsigned char)*s))
		return false;
	for (; isdigit((unsigned char)*s); s++) {
		v = v * 10 + (unsigned long)(*s - '0');
		if (v > INT32_MAX)
			return false;
	}
	if (*s != ';')
		return false;
	*p = s + 1;
	*value = v;
	return true;
}

/*
 * The name in a C declaration of `n` characters: the identifier that it ends with, but for array
 * bounds.
 */
static bool declared_name(const char *declaration, size_t n, char *name, size_t size)
{
	size_t end = n, begin;

	while (end && declaration[end - 1] == ']') {
		while (end && declaration[end - 1] != '[')
			end--;
		if (!end--)
			return false;
	}
	for (begin = end; begin; begin--) {
		if (!isalnum((unsigned char)declaration[begin - 1]) &&
		    declaration[begin - 1] != '_')
			break;
	}
	if (begin == end || end - begin >= size)
		return false;
	memcpy(name, declaration + begin, end - begin);
	name[end - begin] = '\0';
	return true;
}

/* Parse one line that begins with "field:", `s` standing behind that. */
static bool parse_field(const char *s, struct field_line *field)
{
	size_t n = strcspn(s, ";\n");
	unsigned long is_signed = 0;

	if (s[n] != ';')
		return false;
	/*
	 * The bounds of a dynamic array are part of its type, not of its declarator: "__data_loc
	 * char[] name".
	 */
	field->data_loc = strncmp(s, DATA_LOC, strlen(DATA_LOC)) == 0;
	if (!declared_name(s, n, field->name, sizeof(field->name)))
		return false;
	s += n + 1;
	if (!attribute(&s, "offset:", &field->offset) || !attribute(&s, "size:", &field->size))
		return false;
	/* Not every field of every kernel says it. */
	attribute(&s, "signed:", &is_signed);
	field->is_signed = is_signed != 0;
	return true;
}

/* Behind `key` if the line `s` begins with that (and blanks before it), else NULL. */
static const char *after(const char *s, const char *key)
{
	while (*s == ' ' || *s == '\t')
		s++;
	return strncmp(s, key, strlen(key)) == 0 ? s + strlen(key) : NULL;
}

static const char *next_line(const char *s)
{
	s += strcspn(s, "\n");
	return *s ? s + 1 : s;
}

static bool take_name(const char *s, struct rt_format *format)
{
	size_t n;

	while (*s == ' ')
		s++;
	n = strcspn(s, "\n");
	if (!n || n >= sizeof(format->name))
		return false;
	memcpy(format->name, s, n);
	format->name[n] = '\0';
	return true;
}

/* An event's id is a u16 in its records. */
static bool take_id(const char *s, struct rt_format *format)
{
	unsigned long id = 0;

	while (*s == ' ')
		s++;
	if (!isdigit((unsigned char)*s))
		return false;
	for (; isdigit((unsigned char)*s) && id <= UINT16_MAX; s++)
		id = id * 10 + (unsigned long)(*s - '0');
	format->id = (unsigned)id;
	return id && id <= UINT16_MAX && (*s == '\n' || !*s);
}

static int add_field(struct rt_format *format, const struct field_line *line)
{
	struct rt_field *field;

	if (line->offset > UINT16_MAX || line->size > UINT16_MAX ||
	    (line->data_loc && line->size != 4))
		return -EBADMSG;
	if (RT_ROOM(&format->fields, format->nfields, &format->cap) < 0)
		return -ENOMEM;
	field = &format->fields[format->nfields++];
	memcpy(field->name, line->name, sizeof(field->name));
	field->offset = (uint16_t)line->offset;
	field->size = (uint16_t)line->size;
	field->is_signed = line->is_signed;
	field->data_loc = line->data_loc;
	return 0;
}

/* One line of a format file; lines that say nothing of the layout are passed over. */
static int format_line(struct rt_format *format, const char *line)
{
	struct field_line field = { .offset = 0 };
	const char *s;

	s = after(line, "name:");
	if (s)
		return take_name(s, format) ? 0 : -EBADMSG;
	s = after(line, "ID:");
	if (s)
		return take_id(s, format) ? 0 : -EBADMSG;
	s = after(line, "field:");
	if (s)
		return parse_field(s, &field) ? add_field(format, &field) : -EBADMSG;
	return 0;
}

static int line_error(struct rt_error *err, int code, const char *what, unsigned number,
		      const char *line)
{
	size_t n = strcspn(line, "\n");

	if (code == -ENOMEM)
		return rt_nomem(err);
	return rt_fail(err, code, "%s, line %u: \"%.*s\": " MALFORMED, what, number,
		       n < 100 ? (int)n : 100, line);
}

int rt_format_parse(const char *text, const char *what, struct rt_format *format,
		    struct rt_error *err)
{
	const char *line;
	unsigned number = 1;
	int code;

	memset(format, 0, sizeof(*format));
	for (line = text; *line && !after(line, "print fmt:"); line = next_line(line), number++) {
		code = format_line(format, line);
		if (code < 0) {
			line_error(err, code, what, number, line);
			goto fail;
		}
	}
	if (format->name[0] && format->id && format->nfields)
		return 0;
	code = rt_fail(err, -EBADMSG, "%s: no %s: " MALFORMED, what,
		       !format->name[0] ? "name" : !format->id ? "ID" : "fields");
fail:
	rt_format_free(format);
	return code;
}

void rt_format_free(struct rt_format *format)
{
	free(format->fields);
	memset(format, 0, sizeof(*format));
}

const struct rt_field *rt_format_field(const struct rt_format *format, const char *name)
{
	size_t i;

	for (i = 0; i < format->nfields; i++) {
		if (strcmp(format->fields[i].name, name) == 0)
			return &format->fields[i];
	}
	return NULL;
}

/* A page's field by its name; false where its place is not one that a page can have. */
static bool layout_field(const struct field_line *field, struct rt_page_layout *layout)
{
	if (field->offset > UINT16_MAX)
		return false;
	if (strcmp(field->name, "timestamp") == 0) {
		layout->timestamp = (uint16_t)field->offset;
		return field->size == 8;
	}
	if (strcmp(field->name, "commit") == 0) {
		layout->commit = (uint16_t)field->offset;
		layout->commit_size = (uint16_t)field->size;
		return field->size == 4 || field->size == 8;
	}
	if (strcmp(field->name, "data") == 0) {
		layout->data = (uint16_t)field->offset;
		layout->page = (uint32_t)(field->offset + field->size);
		return field->size > 0;
	}
	/* `overwrite`, which lies within `commit`, and what later kernels may add */
	return true;
}

int rt_page_layout_parse(const char *text, struct rt_page_layout *layout, struct rt_error *err)
{
	static const char what[] = "events/header_page";
	struct field_line field = { .offset = 0 };
	const char *line, *s;
	unsigned number = 1;

	memset(layout, 0, sizeof(*layout));
	layout->timestamp = UINT16_MAX;	/* no page has it there */
	for (line = text; *line; line = next_line(line), number++) {
		s = after(line, "field:");
		if (s && (!parse_field(s, &field) || !layout_field(&field, layout)))
			return line_error(err, -EBADMSG, what, number, line);
	}
	/* The parts may stand in any order, but the data come last. */
	if (!layout->commit_size || !layout->page || layout->timestamp + 8u > layout->data ||
	    layout->commit + (unsigned)layout->commit_size > layout->data)
		return rt_fail(err, -EBADMSG,
			       "%s: no place for timestamp, commit and data: " MALFORMED, what);
	return 0;
}
