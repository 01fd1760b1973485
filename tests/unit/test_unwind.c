/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "elfgen.h"
#include "arch/flow.h"
#include "process/program.h"
#include "elf/file.h"
#include "safety/switches_walk.h"
#include "unit.h"

#define BASE 0x10000000u
#define CODE (BASE + ELFGEN_CODE)

static void unwinds(const struct elfgen *g, const char *want)
{
	struct rt_image *image = elfgen_open(g);
	const char *why = rt_image_unwinds(image);

	if (want) {
		RT_ASSERT_TEXT(why, want);
	} else {
		CU_ASSERT_PTR_NULL(why);
	}
	rt_image_close(image);
}

static void imports(const char *name, const char *soname, const char *want)
{
	const struct elfgen_sym dynsyms[] = { { name, 0, 0, STB_GLOBAL, STT_FUNC, SHN_UNDEF } };
	static const char *const needed[] = { "libc.so.6", NULL };
	const struct elfgen g = { .base = BASE, .dynsyms = dynsyms, .ndynsyms = 1, .needed = needed, .soname = soname };

	unwinds(&g, want);
}

static void test_unwind_imports(void)
{
	static const char *const needed[] = { "libgcc_s.so.1", "libstdc++.so.6", NULL };
	struct elfgen g = { .base = BASE, .needed = needed };

	imports("puts", NULL, NULL);
	imports("_Unwind_Resume", NULL, "imports _Unwind_Resume");
	imports("_Unwind_Backtrace", "libx.so", "imports _Unwind_Backtrace");
	imports("__cxa_throw", NULL, "is C++: imports __cxa_throw");
	imports("pthread_cancel", NULL, "imports pthread_cancel");
	imports("swapcontext", NULL, "imports swapcontext");
	imports("sigaltstack", NULL, "imports sigaltstack");
	imports("backtrace", NULL, "imports backtrace");
	imports("mcount", NULL, "imports mcount");
	imports("seccomp_load", NULL, "imports seccomp_load");
	imports("pthread_cancel", "libc.so.6", NULL);
	imports("_Unwind_Find_FDE", "libgcc_s.so.1", NULL);
	imports("puts", "libstdc++.so.6", "is the C++ library");
	unwinds(&g, "is C++: needs libstdc++.so.6");
	g.needed = needed + 2;
	unwinds(&g, NULL);
}

static void test_unwind_contains(void)
{
	struct elfgen_sym syms[] = { { "main", CODE, 0, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT } };
	struct elfgen g = { .base = BASE, .syms = syms, .nsyms = 1 };

	unwinds(&g, NULL);
	syms[0].name = "_Unwind_Resume";	/* the static C library has it always */
	unwinds(&g, NULL);
	syms[0].name = "pthread_exit";
	unwinds(&g, "contains pthread_exit");
	syms[0].name = "__cxa_throw";
	unwinds(&g, "is C++: contains __cxa_throw");
	syms[0].name = "_RNvCsfLfy6EI15iL_7___rustc17rust_begin_unwind";
	unwinds(&g, "contains _RNvCsfLfy6EI15iL_7___rustc17rust_begin_unwind");
	syms[0].name = "main";
	g.section = ".gcc_except_table";
	unwinds(&g, NULL);
	g.interp = "/lib/ld.so";
	unwinds(&g, "has exception handlers");
	g.section = ".go.buildinfo";
	unwinds(&g, "is a Go program");
	g.section = ".data.rel.ro.gopclntab";
	unwinds(&g, "is a Go program");
	g.section = NULL;
	g.no_sections = true;
	g.go_note = true;
	unwinds(&g, "is a Go program");
}

struct code {
	const char *text;
	size_t n;
	bool does;
};

#define CODE_OF(text, does) { text, sizeof(text) - 1, does }

/* `want` is said of a function `f` that has this code, and does; not where its name is `exempt`.  Only where `machine` runs. */
static void judge_code(uint16_t machine, const struct code *v, size_t n, const char *want, const char *exempt)
{
	struct elfgen_sym syms[] = { { "f", CODE, 0, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT } };
	struct elfgen g = { .base = BASE, .syms = syms, .nsyms = 1, .ncode = 64, .machine = machine };
	struct rt_decoder *decoder = rt_flow_open(rt_arch_of(machine));
	uint8_t code[64];
	size_t i;

	for (i = 0; i < n && rt_flow_works(rt_arch_of(machine), decoder) && rt_arch_native() == machine; i++) {
		memset(code, 0x90, sizeof(code));
		memcpy(code, v[i].text, v[i].n);
		syms[0].size = v[i].n;
		g.code = code;
		unwinds(&g, v[i].does ? want : NULL);
		syms[0].name = exempt;
		unwinds(&g, NULL);
		syms[0].name = "f";
	}
	rt_decoder_close(decoder);
}

#define FRAME "\x55\x48\x89\xe5"

/* Code that changes stacks by itself; what compilers make of arrays of variable length is none. */
static void test_switches(void)
{
	static const struct code cases[] = {
		CODE_OF("\x55\x48\x89\x27\x48\x89\xf4\x5d\xc3", true),			/* mov %rsp,(%rdi); mov %rsi,%rsp */
		CODE_OF("\x48\x89\xfc\xc3", true),					/* mov %rdi,%rsp */
		CODE_OF("\x48\x8b\x67\x08\xc3", true),					/* mov 8(%rdi),%rsp */
		CODE_OF("\x48\x8b\x25\x00\x01\x00\x00\xc3", true),			/* mov 0x100(%rip),%rsp */
		CODE_OF("\x48\x87\xe0\xc3", true),					/* xchg %rsp,%rax */
		CODE_OF("\x55\x48\x89\xe5\x48\x89\x27\x48\x89\xf4\x5d\xc3", true),	/* with a frame pointer */
		CODE_OF(FRAME "\x48\x89\x7d\xf8\x48\x8b\x45\xf8\x48\x89\xc4\xc9\xc3", true),	/* by way of -8(%rbp) and %rax */
		CODE_OF(FRAME "\x48\x89\x7d\xf8\x48\x8b\x65\xf8\xc9\xc3", true),		/* by way of -8(%rbp) */
		CODE_OF(FRAME "\xe8\x00\x00\x00\x00\x48\x89\xc4\xc9\xc3", true),		/* call; mov %rax,%rsp */
		CODE_OF(FRAME "\x48\x8b\x07\x48\x8d\x20\xc9\xc3", true),			/* mov (%rdi),%rax; lea (%rax),%rsp */
		CODE_OF("\x48\x87\x27\xc3", true),					/* xchg %rsp,(%rdi) */
		CODE_OF(FRAME "\x48\x89\xf2\x48\x89\x27\x48\x89\xd4\xc9\xc3", true),	/* mov %rsi,%rdx; mov %rsp,(%rdi); mov %rdx,%rsp */
		CODE_OF("\x55\x48\x89\xf5\x48\x89\x27\x48\x89\xec\xc3", true),		/* mov %rsi,%rbp; mov %rsp,(%rdi); mov %rbp,%rsp */
		CODE_OF("\x48\x0f\x45\xe6\xc3", true),				/* cmovne %rsi,%rsp */
		CODE_OF("\x48\x0f\xc1\xc4\xc3", true),				/* xadd %rax,%rsp */
		CODE_OF("\x48\x29\xe6\x48\x01\xf4\xc3", true),			/* sub %rsp,%rsi; add %rsi,%rsp */
		CODE_OF("\x48\x29\xe6\x48\x8d\x24\x34\xc3", true),			/* sub %rsp,%rsi; lea (%rsp,%rsi),%rsp */
		CODE_OF("\x48\x89\xe0\x48\x29\xf0\x48\x29\xc4\xc3", true),		/* mov %rsp,%rax; sub %rsi,%rax; sub %rax,%rsp */
		CODE_OF("\x31\xe4\x48\x09\xf4\xc3", true),				/* xor %esp,%esp; or %rsi,%rsp */
		CODE_OF("\x56\x5c\xc3", true),						/* push %rsi; pop %rsp */
		CODE_OF("\x56\x48\x8b\x24\x24\xc3", true),				/* push %rsi; mov (%rsp),%rsp */
		CODE_OF("\x48\x8d\x6e\xf8\xc9\xc3", true),				/* lea -8(%rsi),%rbp; leave */
		CODE_OF("\x48\x89\xe0\x48\x89\x07\x48\x89\xf0\x48\x89\xc4\xc3", true),	/* %rsp -> %rax -> (%rdi); %rsi -> %rax -> %rsp */
		CODE_OF("\x48\x29\xc4\xc3", false),					/* sub %rax,%rsp */
		CODE_OF(FRAME "\x48\x8d\x47\x0f\x48\x83\xe0\xf0\x48\x29\xc4\xc9\xc3", false),	/* lea 15(%rdi),%rax; and $-16,%rax; sub %rax,%rsp */
		CODE_OF("\x49\x89\xc3\x49\x81\xeb\0\x10\0\0\x4c\x29\xdc\x48\x01\xc4\xc3", false),	/* Rust's probe of the stack: %rax is its size */
		CODE_OF("\x49\xc7\xc7\x80\x0f\0\0\x49\x21\xe7\x4d\x29\xf7\x4c\x29\xfc", false),	/* OpenSSL's way round a cache */
		CODE_OF("\x8b\x40\x5c\xc3", false),					/* mov 0x5c(%rax),%eax */
		CODE_OF("\x41\x5c\xc3", false),						/* pop %r12 */
		CODE_OF("\x48\x8b\x2f\x31\xc9\x5b\xc3", false),			/* mov (%rdi),%rbp; xor %ecx,%ecx; pop %rbx */
		CODE_OF("\x48\x01\xe6\x48\x31\xe2\x48\x0f\x45\xc4\xc3", false),	/* add %rsp,%rsi; xor %rsp,%rdx; cmovne %rsp,%rax */
		CODE_OF("\x48\x8d\x64\x24\x08\xc3", false),			/* lea 8(%rsp),%rsp */
		CODE_OF(FRAME "\x48\x89\xe0\x48\x89\x45\xf8\x48\x8b\x45\xf8\x48\x89\xc4\xc9\xc3", false),	/* clang's arrays */
		CODE_OF(FRAME "\xeb\x04\x48\x8b\x65\xf8\x48\x89\x65\xf8\xeb\xf6", false),	/* stored behind where it is loaded */
		CODE_OF("\x49\x89\xe2\xe8\x00\x00\x00\x00\x49\x8d\x22\xc3", false),	/* mov %rsp,%r10; call; lea (%r10),%rsp */
		CODE_OF("\x55\x48\x89\xe5\x48\x89\xec\x5d\xc3", false),			/* mov %rbp,%rsp */
		CODE_OF("\x55\x48\x89\xe5\x48\x8b\x65\xf8\x5d\xc3", false),		/* mov -8(%rbp),%rsp */
		CODE_OF("\x55\x48\x89\xe5\x48\x89\xc4\x5d\xc3", false),			/* mov %rax,%rsp */
		CODE_OF("\x49\x89\xe6\x6a\x00\x4c\x89\xf4\xc3", false),			/* mov %rsp,%r14; push; mov %r14,%rsp */
		CODE_OF("\x48\x8b\x64\x24\x08\xc3", false),				/* mov 8(%rsp),%rsp */
		CODE_OF("\xb8\x48\x89\xf4\x00\xc3", false),				/* it is in a number */
	};

	judge_code(EM_X86_64, cases, sizeof(cases) / sizeof(cases[0]), "switches stacks in f", "__longjmp");
}

#define MOV_SP_X1 "\x3f\x00\x00\x91"
#define MOV_X9_SP "\xe9\x03\x00\x91"
#define RET "\xc0\x03\x5f\xd6"

/* The same of aarch64, */
static void test_switches_aarch64(void)
{
	static const struct code cases[] = {
		CODE_OF(MOV_X9_SP "\x09\x00\x00\xf9" MOV_SP_X1 RET, true),		/* str x9, [x0] */
		CODE_OF("\x29\x00\x40\xf9" "\x3f\x01\x00\x91" RET, true),			/* ldr x9, [x1]; mov sp, x9 */
		CODE_OF(MOV_X9_SP "\x21\x00\x09\xcb" "\xff\x63\x21\x8b" RET, true),	/* sub x1, x1, x9; add sp, sp, x1 */
		CODE_OF("\xfd\x7b\xbf\xa9\xfd\x03\x00\x91" "\x2a\x2c\x40\xa9" "\x7f\x01\x00\x91" RET, true),	/* ldp x10, x11, [x1]; mov sp, x11 */
		CODE_OF("\xfd\x03\x01\xaa" "\xbf\x03\x00\x91" RET, true),			/* mov x29, x1; mov sp, x29 */
		CODE_OF("\xfd\x7b\xbf\xa9\xfd\x03\x00\x91" MOV_X9_SP "\x3f\x01\x00\x91" RET, false),	/* stp; mov x29, sp; mov x9, sp; mov sp, x9 */
		CODE_OF("\xfd\x7b\xbf\xa9\xfd\x03\x00\x91" "\xbf\x03\x00\x91" RET, false),		/* mov sp, x29 */
		CODE_OF("\x00\x3c\x00\x91\x00\xec\x7c\x92\xff\x63\x20\xcb" RET, false),	/* add x0, x0, 15; and x0, x0, -16; sub sp, sp, x0 */
		CODE_OF("\x0c\x00\xa2\xd2\xff\x63\x2c\x8b" RET, false),			/* mov x12, 0x10000000; add sp, sp, x12 */
	};

	judge_code(EM_AARCH64, cases, sizeof(cases) / sizeof(cases[0]), "switches stacks in f", "__longjmp");
}

/* and its single words, wherever this runs. */
static void test_loads_aarch64(void)
{
	static const struct {
		uint32_t word;
		enum rt_load load;
		enum rt_flow_op op;
		int8_t to, from;
	} v[] = {
		{ 0x9100003f, RT_LOAD_STRANGE, RT_OP_COPY, 31, 1 }, { 0x9100403f, RT_LOAD_STRANGE, RT_OP_PLUS, 31, 1 },
		{ 0x910003ff, RT_LOAD_NOT, RT_OP_COPY, 31, 31 }, { 0x910003bf, RT_LOAD_OF_COMPILERS, RT_OP_COPY, 31, 29 },
		{ 0xcb2063ff, RT_LOAD_OF_SIZE, RT_OP_OTHER, 31, 31 }, { 0x8b2163ff, RT_LOAD_OF_SUM, RT_OP_OTHER, 31, 31 },
		{ 0x927cec3f, RT_LOAD_STRANGE, RT_OP_COPY, 31, 1 }, { 0x927cec20, RT_LOAD_NOT, RT_OP_MASK, 0, 1 },
		{ 0xaa0103e9, RT_LOAD_NOT, RT_OP_COPY, 9, 1 }, { 0xf9400029, RT_LOAD_NOT, RT_OP_LOAD, 9, RT_NO_REG },
		{ 0xf9000009, RT_LOAD_NOT, RT_OP_STORE, RT_NO_REG, 9 }, { 0xa9bf7bfd, RT_LOAD_NOT, RT_OP_STORE, RT_NO_REG, 29 },
		{ 0xa8c17bfd, RT_LOAD_NOT, RT_OP_LOAD, 29, RT_NO_REG }, { 0xf8617809, RT_LOAD_NOT, RT_OP_LOAD, 9, RT_NO_REG },
		{ 0xb24003e9, RT_LOAD_NOT, RT_OP_MASK, 9, RT_NO_REG }, { 0xd2a0020c, RT_LOAD_NOT, RT_OP_OTHER, 12, RT_NO_REG },
	};
	struct rt_flow f;
	size_t i;

	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		uint8_t bytes[4] = { (uint8_t)v[i].word, (uint8_t)(v[i].word >> 8), (uint8_t)(v[i].word >> 16), (uint8_t)(v[i].word >> 24) };

		CU_ASSERT(rt_load_word(v[i].word) == v[i].load);
		CU_ASSERT(rt_walk_aarch64(bytes, 4, &f) && f.op == v[i].op && f.to == v[i].to && f.from == v[i].from);
		CU_ASSERT(!rt_walk_aarch64(bytes, 3, &f));
	}
}

/* Code that goes from frame to frame; a frame pointer that is not one, or is only kept, is none. */
static void test_walks(void)
{
	static const struct code cases[] = {
		CODE_OF(FRAME "\x48\x8b\x45\x00\x48\x8b\x40\x08\x5d\xc3", true),		/* mov 0(%rbp),%rax; mov 8(%rax),%rax */
		CODE_OF(FRAME "\x48\x89\xe9\x48\x8b\x09\x5d\xc3", true),			/* mov %rbp,%rcx; mov (%rcx),%rcx */
		CODE_OF(FRAME "\x49\x89\xe8\x4c\x89\xc0\x48\x8b\x10\x5d\xc3", true),		/* %rbp -> %r8 -> %rax; mov (%rax),%rdx */
		CODE_OF(FRAME "\x48\x89\x6d\xf8\x48\x8b\x45\xf8\x48\x8b\x00\xc9\xc3", true),	/* by way of -8(%rbp) */
		CODE_OF(FRAME "\x48\x89\xef\xe8\x00\x00\x00\x00\x5d\xc3", true),		/* mov %rbp,%rdi; call */
		CODE_OF("\x85\xf6\x7e\x02" FRAME "\x48\x89\xe9\x48\x8b\x09\x5d\xc3", true),	/* behind a branch */
		CODE_OF(FRAME "\x48\x89\xec\x5d\xc3", false),					/* mov %rbp,%rsp */
		CODE_OF(FRAME "\x48\x89\xe9\x31\xc9\x48\x8b\x09\x5d\xc3", false),		/* %rcx is another number by then */
		CODE_OF(FRAME "\x48\x89\xef\x31\xff\xe8\x00\x00\x00\x00\x5d\xc3", false),
		CODE_OF(FRAME "\x48\x89\xe8\x48\x39\xf8\x5d\xc3", false),			/* only compared */
		CODE_OF(FRAME "\x48\x8b\x45\x10\x48\x8b\x00\x5d\xc3", false),			/* an argument on the stack */
		CODE_OF("\x53\x48\x89\xe5\x48\x8b\x45\x00\x5b\xc3", true),			/* another register's */
		CODE_OF("\x55\x53\x48\x89\xe5\x48\x8b\x45\x00\x5b\x5d\xc3", false),		/* push %rbp; push %rbx; mov %rsp,%rbp */
		CODE_OF("\x55\x48\x83\xec\x10\x48\x89\xe5\x48\x8b\x45\x00\xc9\xc3", false),	/* a variable at %rsp */
		CODE_OF("\x48\x89\xfd\x48\x8b\x45\x00\xc3", false),				/* mov %rdi,%rbp */
	};

	judge_code(EM_X86_64, cases, sizeof(cases) / sizeof(cases[0]), "follows frame pointers in f", "_Unwind_Resume");
}

/* Code that copies as much as there is and leaves by longjmp. */
static void test_copies(void)
{
	static const struct code cases[] = {
		CODE_OF("\x48\x8b\x57\x08\xe8\x2f\0\0\0\xe8\x22\0\0\0", true),		/* mov 8(%rdi),%rdx; call memcpy; call longjmp */
		CODE_OF("\xba\xc8\0\0\0\xe8\x2e\0\0\0\xe8\x21\0\0\0", false),		/* mov $200,%edx */
		CODE_OF("\x48\x8b\x4f\x08\xf3\x48\xa5\xe8\x24\0\0\0", true),		/* mov 8(%rdi),%rcx; rep movsq; call longjmp */
		CODE_OF("\xb9\x19\0\0\0\xf3\x48\xa5\xe8\x23\0\0\0", false),		/* mov $25,%ecx */
		CODE_OF("\x48\x8b\x57\x08\xe8\x2f\0\0\0\xc3", false),			/* no longjmp */
		CODE_OF("\xe8\x2b\0\0\0", false),						/* nothing else */
		CODE_OF("\xe8\x23\0\0\0\xe8\x26\0\0\0", true),				/* call g, which jumps to memcpy; call longjmp */
		/* mov (%rdi),%rax; mov %rax,(%rsi); ret, and behind that a jump there: no loop; with jne over the ret it is one */
		CODE_OF("\x75\x08\x48\x8b\x07\x48\x89\x06\xc3\x90\x48\x8b\x07\xeb\xf3\xe8\x1c\0\0\0", false),
		CODE_OF("\x90\x90\x48\x8b\x07\x48\x89\x06\x75\x01\xc3\x48\x8b\x07\xeb\xf2\xe8\x1b\0\0\0", true),
	};
	/* call _setjmp; then */
	static const struct code turns[] = {
		CODE_OF("\xe8\x33\0\0\0\x85\xc0\x75\x05\xe8\x22\0\0\0\xc3", true),		/* test %eax,%eax; jne 1f; call longjmp; 1: ret */
		CODE_OF("\xe8\x33\0\0\0\x85\xc0\x74\x05\xe8\x22\0\0\0\xc3", false),		/* je: an exception is thrown on */
		CODE_OF("\xe8\x33\0\0\0\x83\xf8\0\x74\x01\xc3\xe8\x20\0\0\0", true),		/* cmp $0,%eax; je 1f; ret; 1: call longjmp */
		CODE_OF("\xe8\x33\0\0\0\x83\xf8\0\x75\x01\xc3\xe8\x20\0\0\0", false),
		CODE_OF("\xe8\x33\0\0\0\x89\xc3\x85\xdb\x74\x05\xe8\x20\0\0\0\xc3", true),	/* it is not seen what is asked */
		CODE_OF("\xe8\x33\0\0\0\x85\xc0\x75\x0a\xe8\x1a\0\0\0\xe8\x1d\0\0\0\xc3", false),	/* call g; call longjmp */
	};
	struct elfgen_sym syms[] = {
		{ "f", CODE, 0, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT }, { "longjmp", CODE + 48, 8, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
		{ "memcpy", CODE + 56, 8, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT }, { "g", CODE + 40, 8, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
	};
	struct elfgen g = { .base = BASE, .syms = syms, .nsyms = 4, .ncode = 64, .machine = EM_X86_64 };
	struct rt_decoder *decoder = rt_flow_open(&rt_arch_x86_64);
	uint8_t code[64];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]) && decoder && rt_arch_native() == EM_X86_64; i++) {
		memset(code, 0x90, sizeof(code));
		memcpy(code, cases[i].text, cases[i].n);
		memcpy(code + 40, "\x48\x89\xc2\xe9\x08\0\0", 8);	/* mov %rax,%rdx; jmp memcpy */
		syms[0].size = cases[i].n;
		g.code = code;
		unwinds(&g, cases[i].does ? "may put back a copy of its stack in f" : NULL);
	}
	/* What copies is setjmp now. */
	syms[2].name = "_setjmp";
	for (i = 0; i < sizeof(turns) / sizeof(turns[0]) && decoder && rt_arch_native() == EM_X86_64; i++) {
		memset(code, 0x90, sizeof(code));
		memcpy(code, turns[i].text, turns[i].n);
		syms[0].size = turns[i].n;
		g.code = code;
		unwinds(&g, turns[i].does ? "has coroutines of setjmp and longjmp in f" : NULL);
	}
	rt_decoder_close(decoder);
}

/* What may come later: library calls of a program that can become another one are traced at their entries only. */
static void test_becomes(void)
{
	static const char *const needed[] = { "libc.so.6", NULL };
	struct elfgen_sym import = { "puts", 0, 0, STB_GLOBAL, STT_FUNC, SHN_UNDEF };
	struct elfgen g = { .base = BASE, .dynsyms = &import, .ndynsyms = 1, .needed = needed };
	static const struct {
		const char *name, *soname;
		bool becomes, unwinds, jumps, filters;
	} cases[] = {
		{ "prctl", NULL, false, false, false, true },
		{ "prctl", "libx.so", false, false, false, true },
		{ "prctl", "libc.so.6", false, false, false, false },
		{ "puts", NULL, false, false, false, false },
		{ "execvp", NULL, true, false, false, false },
		{ "execve", "libx.so", true, false, false, false },
		{ "execve", "libc.so.6", false, false, false, false },
		{ "dlopen", NULL, true, true, true, false },		/* a program with plugins */
		{ "longjmp", NULL, false, false, true, false },
		{ "__longjmp_chk", "libx.so", false, false, true, false },
		{ "siglongjmp", "libc.so.6", false, false, false, false },
	};
	struct rt_image *image;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		import.name = cases[i].name;
		g.soname = cases[i].soname;
		image = elfgen_open(&g);
		CU_ASSERT_EQUAL(rt_image_becomes(image) != NULL, cases[i].becomes);
		CU_ASSERT_EQUAL(rt_image_unwinds(image) != NULL, cases[i].unwinds);
		CU_ASSERT_EQUAL(rt_image_jumps(image) != NULL, cases[i].jumps);
		CU_ASSERT_EQUAL(rt_image_filters(image) != NULL, cases[i].filters);
		rt_image_close(image);
	}
}

static void test_unsafe_returns(void)
{
	static const struct elfgen_sym syms[] = {
		{ "_start", CODE, 8, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
		{ "plain", CODE + 8, 8, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
		{ "_setjmp", CODE + 16, 8, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
		{ "my_setjmp", CODE + 16, 8, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
		{ "begin", CODE + 24, 8, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
	};
	const struct elfgen g = { .base = BASE, .entry = CODE + 24, .syms = syms, .nsyms = 5 };
	const struct rt_symbol *v;
	struct rt_image *image = elfgen_open(&g);
	size_t n;

	CU_ASSERT_EQUAL(rt_image_symbols(image, &v, &n, NULL), 0);
#define WHY(name, at) rt_image_unsafe_return(image, name, CODE + (at))
	RT_ASSERT_TEXT(WHY("_start", 0), "is the program's entry: there is no return address");
	RT_ASSERT_TEXT(WHY("begin", 24), "is the program's entry: there is no return address");
	RT_ASSERT_TEXT(WHY("my_setjmp", 16), "returns twice");	/* by its alias */
	CU_ASSERT_PTR_NULL(WHY("plain", 8));
	CU_ASSERT_PTR_NULL(WHY("setjmp_helper", 8));
	CU_ASSERT_PTR_NULL(WHY("partition", 8));
	CU_ASSERT_PTR_NULL(WHY("f.constprop.0", 8));
	RT_ASSERT_TEXT(WHY("__sigsetjmp", 8), "returns twice");
	RT_ASSERT_TEXT(WHY("vfork", 8), "returns twice, first in a child");
	RT_ASSERT_TEXT(WHY("swapcontext", 8), "switches stacks");
	RT_ASSERT_TEXT(WHY("dlsym", 8), "looks at its return address to know its caller");
	RT_ASSERT_TEXT(WHY("_dl_runtime_resolve_xsavec", 8), "its stack top is not a return address");
	RT_ASSERT_TEXT(WHY("__x86.get_pc_thunk.bx", 8), "uses its own return address");
	RT_ASSERT_TEXT(WHY("__restore_rt", 8), "is entered by a signal's return");
	RT_ASSERT_TEXT(WHY("f.cold", 8), "is the cold part of a function, entered by a jump");
	RT_ASSERT_TEXT(WHY("f.cold.3", 8), "is the cold part of a function, entered by a jump");
	RT_ASSERT_TEXT(WHY("f.part.0", 8), "is a part of a function, which may be entered by a jump");
#undef WHY
	rt_image_close(image);
}

/* clone() of the C library, and a program's own function of that name. */
static void test_clones(void)
{
	static const struct elfgen_sym syms[] = {
		{ "clone", CODE, 8, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT }, { "vfork", CODE + 8, 8, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
		{ "setjmp", CODE + 16, 8, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
	};
	uint8_t code[24];
	const struct elfgen g = { .base = BASE, .syms = syms, .nsyms = 3, .code = code, .ncode = sizeof(code), .machine = EM_X86_64 };
	const struct rt_symbol *v;
	struct rt_image *image;
	unsigned asks;
	size_t n;

	for (asks = 0; asks < 2 && rt_arch_native() == EM_X86_64; asks++) {
		memset(code, 0x90, sizeof(code));
		if (asks)
			memcpy(code + 3, "\x0f\x05", 2);
		image = elfgen_open(&g);
		if (!image)
			return;
		CU_ASSERT_EQUAL(rt_image_symbols(image, &v, &n, NULL), 0);
		CU_ASSERT_EQUAL(rt_image_unsafe_exits(image, "clone", CODE) != NULL, asks == 1);
		CU_ASSERT_PTR_NULL(rt_image_unsafe_exits(image, "vfork", CODE + 8));
		RT_ASSERT_TEXT(rt_image_unsafe_exits(image, "setjmp", CODE + 16), "returns twice");
		RT_ASSERT_TEXT(rt_image_unsafe_return(image, "clone", CODE), "returns once more, in a child");
		rt_image_close(image);
	}
}

CU_TestInfo rt_tests_unwind[] = {
	{ "unwinding imports", test_unwind_imports },
	{ "unwinding contents", test_unwind_contains },
	{ "code that switches stacks", test_switches },
	{ "code of aarch64 that switches stacks", test_switches_aarch64 },
	{ "loads of aarch64's stack pointer", test_loads_aarch64 },
	{ "code that follows frame pointers", test_walks },
	{ "code that puts back a copy of the stack", test_copies },
	{ "what a program may become", test_becomes },
	{ "unsafe returns", test_unsafe_returns },
	{ "functions named clone", test_clones },
	CU_TEST_INFO_NULL,
};
