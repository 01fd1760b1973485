/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "arch/operand.h"
#include "elf/usdt.h"
#include "elfgen.h"
#include "unit.h"

/* ---- operands ---- */

static void describe_memory(FILE *f, const struct rt_operand *o)
{
	static const char *const kinds[] = { "", "+", "+got:", "+lo12:" };

	fprintf(f, "%" PRId64 "%s%.*s(", o->displacement, kinds[o->symbol_kind],
		o->symbol_kind ? o->symbol_length : 0, o->symbol_kind ? o->symbol : "");
	if (o->base)
		fprintf(f, "%s:%u", o->base->tracefs, o->width);
	if (o->index)
		fprintf(f, "+%s:%s%u<<%u", o->index->tracefs, o->index_signed ? "s" : "",
			o->index_width, o->scale);
	fputc(')', f);
}

/* All that was understood: "s32 8(sp:8+bx:4<<3)". */
static void describe(const struct rt_operand *o, char *buf, size_t size)
{
	FILE *f = fmemopen(buf, size, "w");
	char type[8];

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	fprintf(f, "%s ", rt_operand_type(o, type));
	if (o->kind == RT_OPERAND_UNREADABLE)
		fprintf(f, "! %s", o->why);
	else if (o->kind == RT_OPERAND_CONSTANT)
		fprintf(f, "$0x%" PRIx64, o->constant);
	else if (o->kind == RT_OPERAND_REGISTER)
		fprintf(f, "%s:%u>>%u", o->base->tracefs, o->width, o->shift);
	else
		describe_memory(f, o);
	fclose(f);
}

struct row {
	const char *text, *want;
};

static void check_rows(const struct rt_arch *arch, const struct row *row)
{
	struct rt_operand o;
	const char *at;
	char buf[256];

	for (; row->text; row++) {
		at = row->text;
		CU_ASSERT_TRUE(rt_operand_next(arch, &at, &o));
		describe(&o, buf, sizeof(buf));
		if (!rt_same_text(buf, row->want))
			printf("of %s\n", row->text);
		CU_ASSERT_STRING_EQUAL(buf, row->want);
		CU_ASSERT_FALSE(rt_operand_next(arch, &at, &o));
	}
}

#define UNKNOWN "! it is not understood"
#define NOT_PASSED "! the kernel does not pass on that register"

static void test_x86_64(void)
{
	static const struct row rows[] = {
		{ "8@%rax", "u64 ax:8>>0" },
		{ "-4@%edi", "s32 di:4>>0" },
		{ "2@%bp", "u16 bp:2>>0" },
		{ "1@%al", "u8 ax:1>>0" },
		{ "-1@%ah", "s8 ax:1>>8" },
		{ "1@%bh", "u8 bx:1>>8" },
		{ "1@%sil", "u8 si:1>>0" },
		{ "1@%bpl", "u8 bp:1>>0" },
		{ "8@%r8", "u64 r8:8>>0" },
		{ "4@%r8d", "u32 r8:4>>0" },
		{ "2@%r15w", "u16 r15:2>>0" },
		{ "1@%r10b", "u8 r10:1>>0" },
		{ "8@%rsp", "u64 sp:8>>0" },
		{ "4@%rdx", "u32 dx:8>>0" },
		{ "8f@%rax", "f64 ax:8>>0" },
		{ "-4@$-9", "s32 $0xfffffffffffffff7" },
		{ "4@$-9", "u32 $0xfffffff7" },
		{ "8@$0x7fffffffffffffff", "u64 $0x7fffffffffffffff" },
		{ "-1@$200", "s8 $0xffffffffffffffc8" },
		{ "8@(%rax)", "u64 0(ax:8)" },
		{ "-4@-8(%rbp)", "s32 -8(bp:8)" },
		{ "4@0x10(%rsp)", "u32 16(sp:8)" },
		{ "4@8+16(%rsp)", "u32 24(sp:8)" },
		{ "8@(%rax,%rbx)", "u64 0(ax:8+bx:8<<0)" },
		{ "8@-16(%rax,%r12,8)", "u64 -16(ax:8+r12:8<<3)" },
		{ "2@(%rax,%rbx,2)", "u16 0(ax:8+bx:8<<1)" },
		{ "4@8(,%rcx,4)", "u32 8(+cx:8<<2)" },
		{ "4@table(,%rcx,4)", "u32 0+table(+cx:8<<2)" },
		{ "-4@counter(%rip)", "s32 0+counter()" },
		{ "4@sizes+4(%rip)", "u32 4+sizes()" },
		{ "4@-4+sizes(%rip)", "u32 -4+sizes()" },
		{ "8@name.1234+0x18(%rip)", "u64 24+name.1234()" },
		{ "8@table+8(%rbx)", "u64 8+table(bx:8)" },
		{ "4f@12(%rsp)", "f32 12(sp:8)" },
		{ "8f@%xmm0", "f64 " NOT_PASSED },
		{ "16@%xmm0", "? " NOT_PASSED },
		{ "4@%st", "u32 " NOT_PASSED },
		{ "16@(%rax)", "? ! its size is not that of a number" },
		{ "2f@(%rax)", "? ! its size is not that of a number" },
		{ "0@%al", "? ! its size is not that of a number" },
		{ "4@%fs:0x10", "u32 ! it is in thread-local memory" },
		{ "4@errno@tpoff(%rax)", "u32 " UNKNOWN },
		{ "8@table@GOTPCREL(%rip)", "u64 " UNKNOWN },
		{ "8@$table", "u64 ! it is the address of a symbol" },
		{ "8@%rip", "u64 " UNKNOWN },
		{ "4@8(%rip)", "u32 " UNKNOWN },
		{ "4@a+b(%rip)", "u32 " UNKNOWN },
		{ "4@(%rax,%rbx,3)", "u32 " UNKNOWN },
		{ "4@(%ax)", "u32 " UNKNOWN },
		{ "4@(%eax)", "u32 " UNKNOWN },
		{ "4@(%rax,%ebx,4)", "u32 " UNKNOWN },
		{ "4@0x80000000(%rax)", "u32 ! its displacement has more than 32 bits" },
		{ "4@0x80000000", "u32 2147483648()" },
		{ "4@()", "u32 " UNKNOWN },
		{ "4@8(%rax", "u32 " UNKNOWN },
		{ "4@8(%rax)x", "u32 " UNKNOWN },
		{ "4@", "u32 " UNKNOWN },
		{ "4@$", "u32 " UNKNOWN },
		{ "4@$99999999999999999999", "u32 " UNKNOWN },
		{ "4@%", "u32 " NOT_PASSED },
		{ "4@%eaxx", "u32 " NOT_PASSED },
		{ "4@%r16", "u32 " NOT_PASSED },
		{ "%eax", "? ! it has no size" },
		{ "-@%eax", "? ! it has no size" },
		{ "999@%eax", "? ! it has no size" },
		{ NULL, NULL },
	};

	check_rows(&rt_arch_x86_64, rows);
}

static void test_i386(void)
{
	static const struct row rows[] = {
		{ "4@%eax", "u32 ax:4>>0" },
		{ "-2@%si", "s16 si:2>>0" },
		{ "1@%dl", "u8 dx:1>>0" },
		{ "1@%ch", "u8 cx:1>>8" },
		{ "-4@$7", "s32 $0x7" },
		{ "-4@8(%ebp)", "s32 8(bp:4)" },
		{ "8@-16(%esp)", "u64 -16(sp:4)" },
		{ "4@(%eax,%ebx,4)", "u32 0(ax:4+bx:4<<2)" },
		{ "4@counter", "u32 0+counter()" },
		{ "4@counter+4", "u32 4+counter()" },
		{ "4@table(,%eax,4)", "u32 0+table(+ax:4<<2)" },
		{ "4@counter@GOTOFF(%ebx)", "u32 0+got:counter(bx:4)" },
		{ "4@8+table@GOTOFF(%ebx,%eax,4)", "u32 8+got:table(bx:4+ax:4<<2)" },
		{ "4@counter@GOT(%ebx)", "u32 " UNKNOWN },
		{ "4@%rax", "u32 " NOT_PASSED },
		{ "4@%r8d", "u32 " NOT_PASSED },
		{ "1@%sil", "u8 " NOT_PASSED },
		{ "4@counter(%rip)", "u32 " NOT_PASSED },
		{ "4@%gs:8", "u32 ! it is in thread-local memory" },
		{ NULL, NULL },
	};

	check_rows(&rt_arch_i386, rows);
}

static void test_aarch64(void)
{
	static const struct row rows[] = {
		{ "8@x0", "u64 x0:8>>0" },
		{ "-4@w30", "s32 x30:4>>0" },
		{ "-4@x19", "s32 x19:8>>0" },
		{ "8@sp", "u64 sp:8>>0" },
		{ "8@xzr", "u64 $0x0" },
		{ "4@5", "u32 $0x5" },
		{ "-4@-1", "s32 $0xffffffffffffffff" },
		{ "-4@#-1", "s32 $0xffffffffffffffff" },
		{ "8@[x1]", "u64 0(x1:8)" },
		{ "-4@[sp, 12]", "s32 12(sp:8)" },
		{ "-4@[sp, #12]", "s32 12(sp:8)" },
		{ "-4@[x29,-20]", "s32 -20(x29:8)" },
		{ "8@[x1, x2]", "u64 0(x1:8+x2:8<<0)" },
		{ "8@[x1, x2, lsl 3]", "u64 0(x1:8+x2:8<<3)" },
		{ "8@[x1, x2, lsl #3]", "u64 0(x1:8+x2:8<<3)" },
		{ "4@[x1, w2, sxtw 2]", "u32 0(x1:8+x2:s4<<2)" },
		{ "4@[x1, w2, uxtw #2]", "u32 0(x1:8+x2:4<<2)" },
		{ "1@[x1, w2, sxtw]", "u8 0(x1:8+x2:s4<<0)" },
		{ "8@[x21, #:lo12:counter]", "u64 0+lo12:counter(x21:8)" },
		{ "8@[x21, :lo12:counter+8]", "u64 8+lo12:counter(x21:8)" },
		{ "8@counter", "u64 0+counter()" },
		{ "8f@[sp, 8]", "f64 8(sp:8)" },
		{ "8f@d0", "f64 " NOT_PASSED },
		{ "16@v3", "? " NOT_PASSED },
		{ "8@[x21, #:got_lo12:counter]", "u64 " UNKNOWN },
		{ "8@[x0, 8]!", "u64 " UNKNOWN },
		{ "8@[w0]", "u64 " UNKNOWN },
		{ "8@[xzr]", "u64 " UNKNOWN },
		{ "8@[x1, w2]", "u64 " UNKNOWN },
		{ "8@[x1, x2, sxtw]", "u64 " UNKNOWN },
		{ "8@[x1, x2, ror 3]", "u64 " UNKNOWN },
		{ "8@[x1, x2, lsl 7]", "u64 " UNKNOWN },
		{ "8@[x1", "u64 " UNKNOWN },
		{ "8@[]", "u64 " UNKNOWN },
		{ "8@%rax", "u64 " UNKNOWN },
		{ "8@x32", "u64 0+x32()" },
		{ NULL, NULL },
	};

	check_rows(&rt_arch_aarch64, rows);
}

/* A damaged argument does not harm those behind it. */
static void test_arguments(void)
{
	const char *args = "  -4@[x1, x2]  8@x0 rubbish 4@[sp, 12] ", *at = args;
	const struct rt_arch *arch = &rt_arch_aarch64;
	struct rt_operand o;

	CU_ASSERT(rt_operand_next(arch, &at, &o) && o.index && o.length == 8);
	CU_ASSERT(memcmp(o.text, "[x1, x2]", 8) == 0);
	CU_ASSERT(rt_operand_next(arch, &at, &o) && o.kind == RT_OPERAND_REGISTER);
	CU_ASSERT(rt_operand_next(arch, &at, &o) && o.kind == RT_OPERAND_UNREADABLE);
	CU_ASSERT(memcmp(o.text, "rubbish", 7) == 0 && o.length == 7);
	CU_ASSERT(rt_operand_next(arch, &at, &o) && o.displacement == 12);
	CU_ASSERT_FALSE(rt_operand_next(arch, &at, &o));
	at = "";
	CU_ASSERT_FALSE(rt_operand_next(arch, &at, &o));
}

/* ---- notes ---- */

enum { CODE = 0x401000, DATA = 0x410000 };

struct notes {
	uint8_t buf[2048];
	size_t n;
	unsigned word;
	uint64_t base;			/* where .stapsdt.base was */
};

static void put(struct notes *notes, uint64_t value, unsigned size)
{
	for (; size; size--, value >>= 8)
		notes->buf[notes->n++] = (uint8_t)value;
}

static void put_note(struct notes *notes, uint32_t type, uint64_t pc, uint64_t semaphore,
		     const char *strings, size_t n)
{
	put(notes, 8, 4);
	put(notes, 3 * notes->word + n, 4);
	put(notes, type, 4);
	memcpy(notes->buf + notes->n, "stapsdt", 8);
	notes->n += 8;
	put(notes, pc, notes->word);
	put(notes, notes->base, notes->word);
	put(notes, semaphore, notes->word);
	memcpy(notes->buf + notes->n, strings, n);
	notes->n += (n + 3) & ~(size_t)3;
}
#define NOTE(notes, pc, semaphore, strings)                                                        \
	put_note(notes, 3, pc, semaphore, strings, sizeof(strings))

/* An x86-64 file's, or with 4-byte words an i386 file's. */
static struct rt_image *open_notes(const struct notes *notes, uint64_t base,
				   const struct elfgen_sym *syms, size_t nsyms)
{
	const struct elfgen g = { .bits = notes->word == 4 ? 32 : 64,
				  .machine = notes->word == 4 ? EM_386 : 0,
				  .base = 0x400000,
				  .dynamic = true,
				  .notes = notes->buf,
				  .nnotes = notes->n,
				  .notes_base = base,
				  .syms = syms,
				  .nsyms = nsyms };

	return elfgen_open(&g);
}

static void check_site(const struct rt_image *image, const struct rt_usdt_site *site,
		       const char *want, uint64_t address, uint64_t semaphore)
{
	uint64_t offset = 0;
	char name[64];

	snprintf(name, sizeof(name), "%s:%s %s", site->provider, site->name, site->args);
	RT_ASSERT_TEXT(name, want);
	CU_ASSERT_EQUAL(site->address, address);
	CU_ASSERT(rt_image_offset(image, address, &offset) == 0 && site->offset == offset);
	CU_ASSERT_EQUAL(site->semaphore_address, semaphore);
	offset = 0;
	CU_ASSERT(!semaphore || rt_image_offset(image, semaphore, &offset) == 0);
	CU_ASSERT_EQUAL(site->semaphore, offset);
}

/* `moved`: all addresses are so far from those in the notes. */
static void check_sites(unsigned word, uint64_t moved)
{
	struct notes notes = { .word = word, .base = moved ? 0x400100 - moved : 0 };
	struct rt_image *image;
	struct rt_usdt usdt;
	struct rt_error err;

	NOTE(&notes, CODE + 0x20 - moved, 0, "p\0two\0-4@%eax");
	NOTE(&notes, CODE + 0x10 - moved, DATA + 2 - moved, "p\0two\0004@$1");
	NOTE(&notes, CODE + 0x30 - moved, DATA + 4 - moved, "p\0one\0");
	NOTE(&notes, CODE - moved, 0, "a\0z\x1b\0");
	image = open_notes(&notes, moved ? 0x400100 : 0, NULL, 0);
	CU_ASSERT_EQUAL_FATAL(rt_image_usdt(image, &usdt, &err), 0);
	CU_ASSERT_EQUAL_FATAL(usdt.n, 4);
	CU_ASSERT_EQUAL(usdt.damaged, 0);
	check_site(image, &usdt.v[0], "a:z? ", CODE, 0);
	check_site(image, &usdt.v[1], "p:one ", CODE + 0x30, DATA + 4);
	check_site(image, &usdt.v[2], "p:two 4@$1", CODE + 0x10, DATA + 2);
	check_site(image, &usdt.v[3], "p:two -4@%eax", CODE + 0x20, 0);
	CU_ASSERT(rt_usdt_is_same(&usdt.v[2], &usdt.v[3]));
	CU_ASSERT_FALSE(rt_usdt_is_same(&usdt.v[1], &usdt.v[2]));
	CU_ASSERT(rt_usdt_fits(&usdt.v[1], "p", "o*") && rt_usdt_fits(&usdt.v[1], "?", "one"));
	CU_ASSERT_FALSE(rt_usdt_fits(&usdt.v[1], "a", "*") || rt_usdt_fits(&usdt.v[1], "*", "on"));
	rt_usdt_free(&usdt);
	rt_image_close(image);
}

static void test_sites(void)
{
	check_sites(8, 0);
	check_sites(8, 0x2000);
	if (rt_arch_native() == EM_X86_64) {
		check_sites(4, 0);
		check_sites(4, 0x2000);
	}
}

/* The notes behind a damaged one are read. */
static void test_damage(void)
{
	struct notes notes = { .word = 8 };
	struct rt_image *image;
	struct rt_usdt usdt;

	NOTE(&notes, DATA, 0, "p\0data\0");
	NOTE(&notes, CODE + 0x1000000, 0, "p\0nowhere\0");
	NOTE(&notes, CODE, CODE + 2, "p\0readonly\0");
	NOTE(&notes, CODE, 0, "\0empty\0");
	put_note(&notes, 3, CODE, 0, "p\0x\0abc", 7);
	put_note(&notes, 3, CODE, 0, "p\0cut", 5);
	put_note(&notes, 4, CODE, 0, "p\0other\0", 9);
	put_note(&notes, 3, CODE, 0, "p\0none", 7);	/* without arguments, and their NUL */
	NOTE(&notes, CODE + 1, 0, "p\0good\0");
	NOTE(&notes, CODE, 0, "p\0long\0");
	notes.n -= 8;
	image = open_notes(&notes, 0, NULL, 0);
	CU_ASSERT_EQUAL_FATAL(rt_image_usdt(image, &usdt, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(usdt.n, 2);
	check_site(image, &usdt.v[0], "p:good ", CODE + 1, 0);
	check_site(image, &usdt.v[1], "p:none ", CODE, 0);
	CU_ASSERT_EQUAL(usdt.damaged, 7);
	RT_ASSERT_TEXT(usdt.problem, "the site is not in an executable segment");
	rt_usdt_free(&usdt);
	rt_image_close(image);
}

static void resolve(struct rt_image *image, const struct rt_usdt_site *site, const char *text,
		    const char *want)
{
	struct rt_operand o;
	char buf[256];

	CU_ASSERT_FATAL(rt_operand_next(&rt_arch_x86_64, &text, &o));
	rt_usdt_resolve(image, site, &o);
	describe(&o, buf, sizeof(buf));
	RT_ASSERT_TEXT(buf, want);
}

/* The distance from the site; the address itself where a register is added, as in ET_EXEC alone. */
static void test_symbols(void)
{
	static const struct elfgen_sym syms[] = {
		{ "var", DATA + 8, 4, STB_LOCAL, STT_OBJECT, ELFGEN_TEXT },
		{ "twice", DATA + 12, 4, STB_LOCAL, STT_OBJECT, ELFGEN_TEXT },
		{ "twice", DATA + 16, 4, STB_LOCAL, STT_OBJECT, ELFGEN_TEXT },
		{ "far", 0, 4, STB_GLOBAL, STT_OBJECT, SHN_UNDEF },
		{ "exported@@V1", DATA, 4, STB_GLOBAL, STT_OBJECT, ELFGEN_TEXT },
	};
	const struct rt_usdt_site site = { .address = DATA - 0x100 };
	struct notes notes = { .word = 8 };
	struct rt_image *image;

	if (rt_arch_native() != EM_X86_64)
		return;
	NOTE(&notes, CODE, 0, "p\0n\0");
	image = open_notes(&notes, 0, syms, sizeof(syms) / sizeof(syms[0]));
	resolve(image, &site, "4@var(%rip)", "u32 264(ip:8)");
	resolve(image, &site, "4@var+4(%rip)", "u32 268(ip:8)");
	resolve(image, &site, "4@exported(%rip)", "u32 256(ip:8)");
	resolve(image, &site, "4@var(%rbx)", "u32 4259848(bx:8)");
	resolve(image, &site, "4@8(%rbx)", "u32 8(bx:8)");
	resolve(image, &site, "4@var+0x7fffffff(%rip)",
		"u32 ! its displacement has more than 32 bits");
	resolve(image, &site, "4@twice(%rip)", "u32 ! several symbols have that name");
	resolve(image, &site, "4@far(%rip)", "u32 ! the file does not have that symbol");
	resolve(image, &site, "4@va(%rip)", "u32 ! the file does not have that symbol");
	rt_image_close(image);
}

CU_TestInfo rt_tests_usdt[] = {
	{ "operands of x86-64", test_x86_64 },
	{ "operands of i386", test_i386 },
	{ "operands of aarch64", test_aarch64 },
	{ "arguments of a note", test_arguments },
	{ "sites", test_sites },
	{ "damaged notes", test_damage },
	{ "symbols of operands", test_symbols },
	CU_TEST_INFO_NULL,
};
