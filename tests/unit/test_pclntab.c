/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "go/go.h"
#include "unit.h"

/*
 * Tables as the four linkers lay them out, of three functions: main.leaf without a frame, main.fib
 * whose frame is made 10 bytes from its entry, and main.(*T).M, whose is made after 0x81 bytes, a
 * number that takes two.
 */
struct made {
	uint8_t bytes[512];
	size_t n;
};

static void put(struct made *m, size_t at, uint64_t v, size_t size)
{
	memcpy(m->bytes + at, &v, size);
	if (m->n < at + size)
		m->n = at + size;
}

enum { TEXT = 0x401000, NAMES = 128, DELTAS = 192, FUNCTIONS = 256 };

static const uint32_t starts[] = { 0, 0x20, 0x100, 0x300 };

static void put_names(struct made *m)
{
	memcpy(m->bytes + NAMES, "\0main.leaf\0main.fib\0main.(*T).M", 32);
	/* 0 for the function's 32 bytes; 0, then 24; 0, then 8, then 0 again. */
	memcpy(m->bytes + DELTAS,
	       "\0\x02\x20\0"
	       "\x02\x0a\x30\xd6\x01\0"
	       "\x02\x81\x01\x10\xf0\x01\x0f\x0f\0",
	       20);
}

static const uint32_t names[] = { 1, 11, 20 }, deltas[] = { 1, 4, 10 };

static void put_record(struct made *m, size_t at, size_t head, uint64_t entry, unsigned i,
		       uint32_t name, uint32_t delta)
{
	put(m, at, entry, head);
	put(m, at + head, name + names[i], 4);
	put(m, at + head + 4, 8, 4);
	put(m, at + head + 8, 0, 4);
	put(m, at + head + 12, delta + deltas[i], 4);
}

static void make_old(struct made *m, bool since_16)
{
	size_t list = since_16 ? FUNCTIONS : 16, record = since_16 ? 80 : 320, i;

	memset(m, 0, sizeof(*m));
	memcpy(m->bytes, since_16 ? "\xfa\xff\xff\xff\0\0\x01\x08" : "\xfb\xff\xff\xff\0\0\x01\x08",
	       8);
	put(m, 8, 3, 8);
	if (since_16) {
		put(m, 24, NAMES, 8);
		put(m, 48, DELTAS, 8);
		put(m, 56, FUNCTIONS, 8);
	}
	put_names(m);
	for (i = 0; i < 3; i++) {
		put(m, list + i * 16, TEXT + starts[i], 8);
		put(m, list + i * 16 + 8, record + i * 40, 8);
		put_record(m, (since_16 ? FUNCTIONS : 0) + record + i * 40, 8, TEXT + starts[i],
			   (unsigned)i, since_16 ? 0 : NAMES, since_16 ? 0 : DELTAS);
	}
	put(m, list + 48, TEXT + starts[3], 8);
}

static void make_new(struct made *m, uint8_t magic, uint64_t text)
{
	size_t i;

	memset(m, 0, sizeof(*m));
	memcpy(m->bytes, "\xf0\xff\xff\xff\0\0\x01\x08", 8);
	m->bytes[0] = magic;
	put(m, 8, 3, 8);
	put(m, 24, text, 8);
	put(m, 32, NAMES, 8);
	put(m, 56, DELTAS, 8);
	put(m, 64, FUNCTIONS, 8);
	put_names(m);
	for (i = 0; i < 3; i++) {
		put(m, FUNCTIONS + i * 8, starts[i], 4);
		put(m, FUNCTIONS + i * 8 + 4, 40 + i * 40, 4);
		put_record(m, FUNCTIONS + 40 + i * 40, 4, starts[i], (unsigned)i, 0, 0);
	}
	put(m, FUNCTIONS + 24, starts[3], 4);
}

static void make(struct made *m, unsigned since)
{
	if (since >= 18)
		make_new(m, since == 18 ? 0xf0 : 0xf1, TEXT);
	else
		make_old(m, since == 16);
}

static const unsigned layouts[] = { 2, 16, 18, 20 };

static void expect_functions(const struct rt_pclntab *t)
{
	static const char *const want[] = { "main.leaf", "main.fib", "main.(*T).M" };
	static const uint32_t frames[] = { 0, 10, 0x81 };
	struct rt_go_function f;
	uint32_t at, depth;
	uint64_t i;

	CU_ASSERT_EQUAL(t->count, 3);
	for (i = 0; i < 3; i++) {
		CU_ASSERT_FATAL(rt_pclntab_function(t, i, &f));
		CU_ASSERT_STRING_EQUAL(f.name, want[i]);
		CU_ASSERT_EQUAL(f.addr, TEXT + starts[i]);
		CU_ASSERT_EQUAL(f.end, TEXT + starts[i + 1]);
		CU_ASSERT(rt_pclntab_frame(t, &f, &at));
		CU_ASSERT_EQUAL(at, frames[i]);
	}
	CU_ASSERT(rt_pclntab_depth(t, &f, f.addr + 0x80, &depth) && depth == 0);
	CU_ASSERT(rt_pclntab_depth(t, &f, f.addr + 0x81, &depth) && depth == 8);
	CU_ASSERT(rt_pclntab_depth(t, &f, f.addr + 0x81 + 0xf0, &depth) && depth == 0);
	CU_ASSERT_FALSE(rt_pclntab_depth(t, &f, f.addr + 0x81 + 0xf0 + 0x0f, &depth));
	CU_ASSERT_FALSE(rt_pclntab_function(t, 3, &f));
	CU_ASSERT(rt_pclntab_find(t, TEXT + 0x20, &f));
	CU_ASSERT_STRING_EQUAL(f.name, "main.fib");
	CU_ASSERT(rt_pclntab_find(t, TEXT + 0x2ff, &f));
	CU_ASSERT_STRING_EQUAL(f.name, "main.(*T).M");
	CU_ASSERT_FALSE(rt_pclntab_find(t, TEXT - 1, &f));
	CU_ASSERT_FALSE(rt_pclntab_find(t, TEXT + 0x300, &f));
}

static void test_layouts(void)
{
	struct rt_pclntab t;
	struct made m;
	size_t i;

	for (i = 0; i < 4; i++) {
		make(&m, layouts[i]);
		CU_ASSERT_EQUAL_FATAL(rt_pclntab_open(m.bytes, m.n, &t), 0);
		CU_ASSERT_EQUAL(t.since, layouts[i]);
		expect_functions(&t);
	}
}

/* From Go 1.26 on the table does not say where the text begins. */
static void test_text_elsewhere(void)
{
	struct rt_pclntab t;
	struct made m;

	make_new(&m, 0xf1, 0);
	CU_ASSERT_EQUAL_FATAL(rt_pclntab_open(m.bytes, m.n, &t), 0);
	CU_ASSERT_EQUAL(t.text, 0);
	t.text = TEXT;
	expect_functions(&t);
}

static void test_no_table(void)
{
	struct rt_pclntab t;
	struct made m;

	make(&m, 20);
	CU_ASSERT_EQUAL(rt_pclntab_open(m.bytes, 7, &t), -ENOENT);
	m.bytes[0] = 0xf2;
	CU_ASSERT_EQUAL(rt_pclntab_open(m.bytes, m.n, &t), -ENOENT);
	make(&m, 20);
	m.bytes[7] = 4;		/* of a 32-bit program */
	CU_ASSERT_EQUAL(rt_pclntab_open(m.bytes, m.n, &t), -ENOENT);
}

/* Cut anywhere, with any byte changed: no byte outside it is read, and what is told holds together.
 */
static void test_damaged(void)
{
	struct rt_go_function f;
	struct rt_pclntab t;
	uint32_t frame;
	struct made m;
	size_t i, at, k;

	for (i = 0; i < 4; i++) {
		make(&m, layouts[i]);
		put(&m, 8, UINT64_MAX / 8, 8);
		CU_ASSERT_EQUAL(rt_pclntab_open(m.bytes, m.n, &t), -EBADMSG);
		put(&m, 8, 0, 8);
		CU_ASSERT_EQUAL(rt_pclntab_open(m.bytes, m.n, &t), -EBADMSG);
		for (at = 8; at < 400; at++) {
			make(&m, layouts[i]);
			m.bytes[at] ^= 0xff;
			if (rt_pclntab_open(m.bytes, m.n, &t) < 0)
				continue;
			for (k = 0; k < 3; k++)
				if (rt_pclntab_function(&t, k, &f) &&
				    rt_pclntab_frame(&t, &f, &frame))
					CU_ASSERT(frame <= f.end - f.addr);
			make(&m, layouts[i]);
			if (at < m.n)
				rt_pclntab_open(m.bytes, at, &t);
		}
	}
}

/* The stack checks that compilers make, and what is none. */
static void test_checks(void)
{
	static const struct {
		const char *bytes;
		size_t n;
		uint32_t past;
	} v[] = {
		/* 1.27: cmp 0x10(%r14),%rsp; jbe; push %rbp */
		{ "\x49\x3b\x66\x10\x76\x45\x55\x48\x89\xe5", 10, 6 },
		/* the same with a frame that is large: lea, cmp, jbe near */
		{ "\x4c\x8d\xa4\x24\x78\xff\xff\xff\x4d\x3b\x66\x10\x0f\x86\x01\x02\0\0\x55", 19,
		  18 },
		/* huge: mov %rsp,%r12; sub; jb; cmp; jbe */
		{ "\x49\x89\xe4\x49\x81\xec\0\0\0\x40\x0f\x82\x04\x01\0\0\x4d\x3b\x66\x10\x0f\x86"
		  "\xfa\0\0\0\x55",
		  27, 26 },
		/* 1.15: mov %fs:-8,%rcx; cmp 0x10(%rcx),%rsp; jbe; sub */
		{ "\x64\x48\x8b\x0c\x25\xf8\xff\xff\xff\x48\x3b\x61\x10\x76\x7c\x48\x83\xec\x20",
		  19, 15 },
		/* no check: push %rbp; a conditional jump that compares with no guard */
		{ "\x55\x48\x89\xe5", 4, 0 },
		{ "\x48\x8d\x44\x24\x08\x74\x05\x90", 8, 0 },
		/* cut in the middle */
		{ "\x49\x3b\x66\x10\x76", 5, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		CU_ASSERT_EQUAL(rt_x86_64_go_code.past_check((const uint8_t *)v[i].bytes, v[i].n),
				v[i].past);
}

/* Frames of Go up to 1.20, and what is none. */
static void test_frames(void)
{
	static const struct {
		const char *bytes;
		size_t n;
		uint32_t past;
		int32_t down;
	} v[] = {
		/* sub $32,%rsp; mov %rbp,24(%rsp); lea 24(%rsp),%rbp */
		{ "\x48\x83\xec\x20\x48\x89\x6c\x24\x18\x48\x8d\x6c\x24\x18", 14, 9, 32 },
		/* add $-128,%rsp */
		{ "\x48\x83\xc4\x80\x48\x89\x6c\x24\x78\x48\x8d\x6c\x24\x78", 14, 9, 128 },
		/* sub $0x210,%rsp; mov %rbp,0x208(%rsp); lea 0x208(%rsp),%rbp */
		{ "\x48\x81\xec\x10\x02\0\0\x48\x89\xac\x24\x08\x02\0\0"
		  "\x48\x8d\xac\x24\x08\x02\0\0",
		  23, 15, 528 },
		/* the frame pointer is not saved; saved elsewhere; not set; set elsewhere */
		{ "\x48\x83\xec\x20\x48\x8d\x6c\x24\x18\x48\x8d\x6c\x24\x18", 14, 0, 0 },
		{ "\x48\x83\xec\x20\x48\x89\x6c\x24\x10\x48\x8d\x6c\x24\x10", 14, 0, 0 },
		{ "\x48\x83\xec\x20\x48\x89\x6c\x24\x18\x48\x89\x6c\x24\x18", 14, 0, 0 },
		{ "\x48\x83\xec\x20\x48\x89\x6c\x24\x18\x48\x8d\x6c\x24\x10", 14, 0, 0 },
		/* push %rbp; mov %rsp,%rbp */
		{ "\x55\x48\x89\xe5", 4, 0, 0 },
		/* cut in the middle */
		{ "\x48\x83\xec\x20\x48\x89\x6c\x24\x18\x48\x8d\x6c\x24", 13, 0, 0 },
		{ "\x48\x83\xec", 3, 0, 0 },
	};
	int32_t down;
	size_t i;

	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		CU_ASSERT_EQUAL(rt_x86_64_go_code.past_frame((const uint8_t *)v[i].bytes, v[i].n,
							     &down),
				v[i].past);
		CU_ASSERT(!v[i].past || down == v[i].down);
	}
}

#define LDR1 "\x81\x0b\x40\xf9"	/* ldr x1,[x28,#16] */
#define LDR16 "\x90\x0b\x40\xf9"
#define STR "\xfe\x0f\x1e\xf8"	/* str x30,[sp,#-32]! */

static void test_checks_aarch64(void)
{
	static const struct {
		const char *bytes;
		size_t n;
		uint32_t past;
	} v[] = {
		/* 1.27: cmp sp,x16; b.ls */
		{ LDR16 "\xff\x63\x30\xeb\x69\x06\x00\x54" STR, 16, 12 },
		/* a frame that is large: sub x17,sp,#16; cmp x17,x16 */
		{ LDR16 "\xf1\x43\x00\xd1\x3f\x02\x10\xeb\x69\x06\x00\x54" STR, 20, 16 },
		/* huge: mov x27,#; movk; subs x17,sp,x27; b.cc; cmp; b.ls */
		{ LDR16 "\x1b\xca\x90\xd2\x3b\x00\xa0\xf2\xf1\x63\x3b\xeb\x63\x07\x00\x54\x3f\x02"
			"\x10\xeb\x29\x07\x00\x54" STR,
		  32, 28 },
		/* 1.15: mov x2,sp; cmp x2,x1 */
		{ LDR1 "\xe2\x03\x00\x91\x5f\x00\x01\xeb\x29\x08\x00\x54" STR, 20, 16 },
		/* mov x27,#-1314; cmp x1,x27; b.eq; add x2,sp,#928; sub x2,x2,x1; mov x3,#; movk;
		   cmp x2,x3; b.ls */
		{ LDR1 "\x3b\xa4\x80\x92\x3f\x00\x1b\xeb\xc0\x07\x00\x54\xe2\x83\x0e\x91\x42\x00"
		       "\x01\xcb\x03\x3e\x91\xd2\x23\x00\xa0\xf2"
		       "\x5f\x00\x03\xeb\x29\x07\x00\x54" STR,
		  44, 40 },
		/* the other guard, at 24 */
		{ "\x90\x0f\x40\xf9\xff\x63\x30\xeb\x69\x06\x00\x54", 12, 12 },
		/* no check: a frame; another register's member; arguments are changed; a jump back;
		   a call */
		{ STR "\xff\x63\x30\xeb\x69\x06\x00\x54", 12, 0 },
		{ "\x70\x0b\x40\xf9\xff\x63\x30\xeb\x69\x06\x00\x54", 12, 0 },
		{ LDR16 "\x00\x00\x02\x8b\xff\x63\x30\xeb\x69\x06\x00\x54", 16, 0 },
		{ LDR16 "\xff\x63\x30\xeb\xe9\xff\xff\x54", 12, 0 },
		{ LDR16 "\x04\x00\x00\x94\xff\x63\x30\xeb\x69\x06\x00\x54", 16, 0 },
		/* cut in the middle */
		{ LDR16 "\xff\x63\x30\xeb\x69\x06\x00", 11, 0 },
		{ "\x90\x0b\x40", 3, 0 },
	};
	uint64_t target;
	size_t i;

	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		CU_ASSERT_EQUAL(rt_aarch64_go_code.past_check((const uint8_t *)v[i].bytes, v[i].n),
				v[i].past);
	/* str x0,[sp,#8]; bl, back and on; str x1 */
	CU_ASSERT(rt_aarch64_go_code.calls((const uint8_t *)"\xe0\x07\x00\xf9\xff\xff\xff\x97",
					   0x41000, &target) &&
		  target == 0x40ffc);
	CU_ASSERT(rt_aarch64_go_code.calls((const uint8_t *)"\xe0\x07\x00\xf9\xf8\xde\x00\x94",
					   0x509b0, &target) &&
		  target == 0x88590);
	CU_ASSERT(!rt_aarch64_go_code.calls((const uint8_t *)"\xe1\x07\x00\xf9\xf8\xde\x00\x94",
					    0x509b0, &target));
	CU_ASSERT(!rt_aarch64_go_code.calls((const uint8_t *)"\xe0\x07\x00\xf9\xf8\xde\x00\x14",
					    0x509b0, &target));
}

#define TEMPORARY(bytes)                                                                           \
	rt_aarch64_go_code.past_temporary((const uint8_t *)bytes, sizeof(bytes) - 1)

/* Instruction sequences that the runtime restarts after a signal. */
static void test_temporary(void)
{
	/* adrp x27; add x27,x27,#; ldrb w1,[x27] */
	CU_ASSERT_EQUAL(TEMPORARY("\xbb\x07\x00\xb0\x7b\x8b\x02\x91\x61\x03\x40\x39"), 8);
	/* mov x27,#; movk x27,#; sub x20,sp,x27; and loaded from beside the code */
	CU_ASSERT_EQUAL(TEMPORARY("\x1b\xca\x90\xd2\x3b\x00\xa0\xf2\xf4\x63\x3b\xcb"), 8);
	CU_ASSERT_EQUAL(TEMPORARY("\xdb\x06\x00\x58\xe0\x63\x3b\x8b"), 4);
	/* adrp x27; ldr x27,[x27,#8]; str x0,[x27] */
	CU_ASSERT_EQUAL(TEMPORARY("\xbb\x07\x00\xb0\x7b\x07\x40\xf9\x60\x03\x00\xf9"), 8);
	/* adrp x1; ldrsb x27,[x0], which faults; str; x27 is not used; nothing comes behind */
	CU_ASSERT_EQUAL(TEMPORARY("\xa1\x07\x00\xb0\x21\x8b\x02\x91"), 0);
	CU_ASSERT_EQUAL(TEMPORARY("\x1b\x00\x80\x39\x7b\x8b\x02\x91\x61\x03\x40\x39"), 0);
	CU_ASSERT_EQUAL(TEMPORARY(STR STR), 0);
	CU_ASSERT_EQUAL(TEMPORARY("\x1b\xca\x90\xd2" STR), 0);
	CU_ASSERT_EQUAL(TEMPORARY("\x1b\xca\x90\xd2"), 0);
	CU_ASSERT_EQUAL(TEMPORARY(""), 0);
}

/* The place of a thread's goroutine, by the stack checks of each way to link. */
static void test_thread_offset(void)
{
	static const struct {
		const char *bytes;
		size_t n;
		bool tells;
		int32_t at;
	} v[] = {
		{ "\x64\x48\x8b\x0c\x25\xf8\xff\xff\xff\x48\x3b\x61\x10", 13, true, -8 },
		/* linked with C that has variables of threads */
		{ "\x64\x48\x8b\x0c\x25\x80\xff\xff\xff", 9, true, -128 },
		/* position-independent */
		{ "\x48\xc7\xc1\xf8\xff\xff\xff\x64\x48\x8b\x09", 11, true, -8 },
		/* 1.17 and later, in what assembly calls */
		{ "\x64\x4c\x8b\x34\x25\xf0\xff\xff\xff", 9, true, -16 },
		/* by a table; another segment; a number for something else; cut */
		{ "\x48\x8b\x0d\1\2\3\4\x64\x48\x8b\x09", 11, false, 0 },
		{ "\x65\x48\x8b\x0c\x25\xf8\xff\xff\xff", 9, false, 0 },
		{ "\x48\xc7\xc1\xf8\xff\xff\xff\x48\x89\xc8\x90", 11, false, 0 },
		{ "\x64\x48\x8b\x0c\x25\xf8\xff\xff\xff", 8, false, 0 },
	};
	int32_t at = 0;
	size_t i;

	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		CU_ASSERT_EQUAL(
			rt_x86_64_go_code.thread_offset((const uint8_t *)v[i].bytes, v[i].n, &at),
			v[i].tells);
		CU_ASSERT(!v[i].tells || at == v[i].at);
	}
}

CU_TestInfo rt_tests_pclntab[] = {
	{ "the four layouts", test_layouts },
	{ "where the text begins stands elsewhere", test_text_elsewhere },
	{ "no such table", test_no_table },
	{ "damaged ones", test_damaged },
	{ "stack checks", test_checks },
	{ "frames", test_frames },
	{ "stack checks of aarch64", test_checks_aarch64 },
	{ "what a signal makes begin anew", test_temporary },
	{ "where threads have their goroutine", test_thread_offset },
	CU_TEST_INFO_NULL,
};
