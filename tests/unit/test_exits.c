/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elfgen.h"
#include "code/exits.h"
#include "go/go.h"
#include "elf/file.h"
#include "unit.h"
#include "base/array.h"

#define BASE 0x10000000u
#define CODE (BASE + ELFGEN_CODE)

/* call; pause; lfence; jmp; and lea 8(%rsp),%rsp or mov %rax,(%rsp); ret */
#define RETURN_THUNK "\xe8\x07\x00\x00\x00\xf3\x90\x0f\xae\xe8\xeb\xf9\x48\x8d\x64\x24\x08\xc3"
#define JUMP_THUNK "\xe8\x07\x00\x00\x00\xf3\x90\x0f\xae\xe8\xeb\xf9\x48\x89\x04\x24\xc3"

enum { THUNK = 0x40, JUMP_THUNK_AT = 0x60, SIZE = 256, OTHER = 0x80, COLD = 0xa0, ANOTHER_COLD = 0xc0, TABLE = 0xe0 };

static void put32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, 4);
}

/* What is asked of the code. */
typedef int asked(struct rt_code *code, size_t n, struct rt_exits *exits);

static int ask_exits(struct rt_code *code, size_t n, struct rt_exits *exits)
{
	return rt_exits_find(code, CODE, n, exits);
}

/*
 * The exits of function "f" of `n` bytes in a file with "other" at +0x80, "f.cold" at +0xa0, "g.cold" at +0xc0, thunks at +0x40 and
 * +0x60, and at +0xe0 four entries of a table, counted from the table, that lead to +0x10, +0x14, +0x18 and +0x1c; where 5 are asked for, one to f.cold, a ret then.
 */
static int ask(uint16_t machine, const char *code, size_t n, asked *how, struct rt_exits *exits)
{
	static const struct elfgen_sym syms[] = {
		{ "f", CODE, 0, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT }, { "other", CODE + OTHER, 0x20, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
		{ "f.cold", CODE + COLD, 0x20, STB_LOCAL, STT_FUNC, ELFGEN_TEXT },
		{ "g.cold", CODE + ANOTHER_COLD, 0x20, STB_LOCAL, STT_FUNC, ELFGEN_TEXT },
	};
	struct elfgen_sym mine[4];
	uint8_t bytes[SIZE];
	/* Files of aarch64 are refused elsewhere; their code is read all the same. */
	struct elfgen g = { .bits = machine == EM_386 ? 32 : 64, .machine = machine == 183 ? rt_arch_native() : machine, .base = BASE, .code = bytes, .ncode = SIZE, .syms = mine, .nsyms = 4 };
	struct rt_image *image = NULL;
	struct rt_code *code_of;
	struct rt_error err;
	char path[256] = "";
	uint8_t *file;
	size_t size, i;
	int r;

	memset(exits, 0, sizeof(*exits));
	memcpy(mine, syms, sizeof(mine));
	mine[0].size = n;
	memset(bytes, 0x90, sizeof(bytes));
	memcpy(bytes, code, n);
	memcpy(bytes + OTHER, "\x4c\x89\xc4\xff\xe2", 5);	/* mov %r8,%rsp; jmp *%rdx */
	mine[1].size = 5;
	memcpy(bytes + COLD, "\x58\xc3", 2);		/* pop %rax; ret */
	if (n <= THUNK) {
		memcpy(bytes + THUNK, RETURN_THUNK, sizeof(RETURN_THUNK) - 1);
		memcpy(bytes + JUMP_THUNK_AT, JUMP_THUNK, sizeof(JUMP_THUNK) - 1);
	}
	for (i = 0; i < 4; i++)
		put32(bytes + TABLE + 4 * i, (uint32_t)(0x10 + 4 * i - TABLE));
	if (n > 0x22 && bytes[0x20] == 0x83 && bytes[0x22] == 4) {	/* cmp $4,%edi */
		put32(bytes + TABLE + 16, (uint32_t)(COLD - TABLE));
		memcpy(bytes + COLD, "\xc3\x90", 2);
	}
	file = elfgen_build(&g, &size);
	CU_ASSERT_FATAL(file && elfgen_file(file, size, path));
	CU_ASSERT_FATAL(rt_image_open(path, NULL, &image, &err) == 0);
	image->arch = rt_arch_of(machine);
	code_of = rt_code_open(image);
	CU_ASSERT_FATAL(code_of != NULL);
	CU_ASSERT(rt_image_symbols(image, &(const struct rt_symbol *){ NULL }, &size, &err) == 0);
	r = how(code_of, n, exits);
	rt_code_close(code_of);
	rt_image_close(image);
	unlink(path);
	free(file);
	return r;
}

static void find(uint16_t machine, const char *code, size_t n, struct rt_exits *exits)
{
	CU_ASSERT(ask(machine, code, n, ask_exits, exits) == 0);
}

#define BYTES(text) text, sizeof(text) - 1

static const struct exit_case {
	uint16_t machine;
	const char *code;
	size_t n;
	const char *want;	/* "r5 j9": returns, jumps, conditional ones by offset; or the beginning of the reason */
} cases[] = {
	{ EM_X86_64, BYTES("\xc3"), "r0" },
	{ EM_X86_64, BYTES("\xf3\xc3"), "r0" },					/* repz ret */
	{ EM_X86_64, BYTES("\xf2\xc3"), "r0" },					/* bnd ret */
	{ EM_X86_64, BYTES("\xc2\x08\x00"), "r0" },				/* ret $8 */
	{ EM_X86_64, BYTES("\x55\x48\x89\xe5\x5d\xc3"), "r5" },
	{ EM_X86_64, BYTES("\x55\x90\x5d\xc3"), "r3*" },				/* a nop that may stand for it */
	{ EM_X86_64, BYTES("\x74\x01\xc3\x90\xc3"), "r2 r4*" },
	{ EM_X86_64, BYTES("\x74\x01\x90\x90\xc3"), "r4*" },			/* both ways pass the second nop */
	{ EM_X86_64, BYTES("\x85\xff\x74\x03\x90\x90\x90\xc3"), "r7" },		/* not both */
	/* Not before what may set the result or memory: mov %edi,%eax; pop %rax; movaps %xmm0,(%rdi); movl $0,(%rdi).  But before add $8,%rsp. */
	{ EM_X86_64, BYTES("\x90\x89\xf8\xc3"), "r3" },
	{ EM_X86_64, BYTES("\x50\x90\x58\xc3"), "r3" },
	{ EM_X86_64, BYTES("\x90\x0f\x29\x07\xc3"), "r4" },
	{ EM_X86_64, BYTES("\x90\xc7\x07\x00\x00\x00\x00\xc3"), "r7" },
	{ EM_X86_64, BYTES("\x55\x90\x48\x83\xc4\x08\xc3"), "r6*" },
	{ EM_X86_64, BYTES("\x55\xc3"), "it is left with" },
	{ EM_X86_64, BYTES("\xe9\x7b\x00\x00\x00"), "j0" },			/* jmp other */
	{ EM_X86_64, BYTES("\x55\xe9\x7a\x00\x00\x00"), "it jumps out with" },
	{ EM_X86_64, BYTES("\x0f\x84\x7a\x00\x00\x00\xc3"), "c0 r6" },		/* je other */
	{ EM_X86_64, BYTES("\x74\xfe\xc3"), "c0 r2" },				/* je f: a loop or a tail call */
	{ EM_X86_64, BYTES("\x50\x0f\x84\x99\x00\x00\x00\x58\xc3"), "r8 r161" },	/* into f.cold, and its return */
	{ EM_X86_64, BYTES("\x0f\x84\xba\x00\x00\x00\xc3"), "it jumps to a place" },	/* into g.cold */
	{ EM_X86_64, BYTES("\xe9\xfb\x0f\x00\x00"), "it jumps to a place" },
	{ EM_X86_64, BYTES("\xeb\x01\xb8\xc3\x90\x90\x90"), "r3" },		/* past a byte that is no code */
	{ EM_X86_64, BYTES("\x74\x01\xb8\x00\x00\x00\xc3\xc3"), "its code" },	/* into the middle of an instruction */
	{ EM_X86_64, BYTES("\x06\xc3"), "its code" },
	{ EM_X86_64, BYTES("\x90\x90"), "it runs on" },
	{ EM_X86_64, BYTES("\xe8\x7b\x00\x00\x00"), "" },				/* a call that does not come back */
	{ EM_X86_64, BYTES("\x0f\x0b"), "" },
	{ EM_X86_64, BYTES("\xe8\x01\x00\x00\x00\xc3\xc3"), "it calls into" },
	{ EM_X86_64, BYTES("\xcf"), "it has a jump" },				/* iret */
	{ EM_X86_64, BYTES("\xff\xe0"), "j0" },					/* jmp *%rax, and nothing points into it */
	{ EM_X86_64, BYTES("\x3e\xff\xe0"), "it jumps to where" },			/* notrack */
	{ EM_X86_64, BYTES("\x50\xff\xe0"), "it jumps to where" },
	{ EM_X86_64, BYTES("\x50\x58\xff\x67\x08"), "j2" },			/* jmp *8(%rdi), the frame given back */
	{ EM_X86_64, BYTES("\x48\x8d\x05\x02\x00\x00\x00\xff\xe1\x90\xc3"), "it jumps to where" },	/* lea of a place in itself */
	/* cmp $3,%edi; ja +0x1c; lea table,%rdx; movslq (%rdx,%rdi,4),%rax; add; jmp *%rax: here with the first bytes to fit. */
	{ EM_X86_64, BYTES("\xeb\x1e" "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90" "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\x83\xff\x03" "\x77\xe7" "\x48\x8d\x15\xb4\x00\x00\x00" "\x48\x63\x04\xba" "\x48\x01\xd0" "\xff\xe0"),
	  "r16 r20 r24 r28" },
	{ EM_X86_64, BYTES("\xeb\x1e" "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90" "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\x83\xff\x04" "\x77\xe7" "\x48\x8d\x15\xb4\x00\x00\x00" "\x48\x63\x04\xba" "\x48\x01\xd0" "\xff\xe0"),
	  "r16 r20 r24 r28 r160" },	/* an entry for the cold part */
	{ EM_X86_64, BYTES("\xeb\x1e" "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90" "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\x90\x90\x90" "\x90\x90" "\x48\x8d\x15\xb4\x00\x00\x00" "\x48\x63\x04\xba" "\x48\x01\xd0" "\xff\xe0"),
	  "r16 r20 r24 r28" },		/* not compared: by its entries */
	{ EM_X86_64, BYTES("\xeb\x1e" "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90" "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\x83\xff\x07" "\x77\xe7" "\x48\x8d\x15\xb4\x00\x00\x00" "\x48\x63\x04\xba" "\x48\x01\xd0" "\xff\xe0"),
	  "it has a table of jumps that also" },
	{ EM_X86_64, BYTES("\xeb\x1e" "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90" "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\x90\x90\x90\x90" "\x90\x90\x90\x90"
			   "\x83\xff\x01" "\x77\xe7" "\x48\x8d\x15\xb4\x00\x00\x00" "\x48\x63\x04\xba" "\x48\x01\xd0" "\xff\xe0"),
	  "r16 r20" },		/* two entries by the comparison, and nothing else */
	{ EM_X86_64, BYTES("\xeb\x1e" "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90" "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\x83\xff\x01" "\x77\xe7" "\x48\x8d\x15\xb4\x00\x00\x00" "\x48\x63\x04\xba" "\x48\x01\xd0" "\xff\xe0"),
	  "not all of its code" },
	{ EM_X86_64, BYTES("\xeb\x1e" "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90" "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\x90\x90\x90\x90" "\x90\x90\x90\x90"
			   "\x83\xff\x02" "\x73\xe7" "\x48\x8d\x15\xb4\x00\x00\x00" "\x48\x63\x04\xba" "\x48\x01\xd0" "\xff\xe0"),
	  "r16 r20" },		/* jae */
	{ EM_X86_64, BYTES("\xeb\x1e" "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90" "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\x90\x90\x90\x90" "\x90\x90\x90\x90"
			   "\x83\xe7\x01" "\x90\x90" "\x48\x8d\x15\xb4\x00\x00\x00" "\x48\x63\x04\xba" "\x48\x01\xd0" "\xff\xe0"),
	  "r16 r20" },		/* and $1,%edi */
	{ EM_X86_64, BYTES("\xeb\x1e" "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90" "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\x83\xe7\x03" "\x90\x90" "\x48\x8d\x15\xb4\x00\x00\x00" "\x48\x63\x04\xba" "\x48\x01\xd0" "\xff\xe0"),
	  "r16 r20 r24 r28" },
	{ EM_X86_64, BYTES("\xeb\x1e" "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90" "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\xc3\x90\x90\x90" "\x90\x90\x90\x90"
			   "\x83\xff\x02" "\x73\xe7" "\x48\x8d\x15\xb4\x00\x00\x00" "\x48\x63\x04\xba" "\x48\x01\xd0" "\xff\xe0"),
	  "not all of its code" },	/* not the third */
	{ EM_X86_64, BYTES("\xeb\x1e" "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90" "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\x90\x90\x90\x90" "\x90\x90\x90\x90"
			   "\x83\xff\x02" "\x72\x02" "\xeb\xe9" "\x48\x8d\x15\xb2\x00\x00\x00" "\x48\x63\x04\xba" "\x48\x01\xd0" "\xff\xe0"),
	  "r16 r20" },		/* jb to it */
	{ EM_X86_64, BYTES("\xeb\x1e" "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90" "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\xc3\x90\x90\x90" "\x90\x90\x90\x90"
			   "\x83\xff\x02" "\x72\x02" "\xeb\xe9" "\x48\x8d\x15\xb2\x00\x00\x00" "\x48\x63\x04\xba" "\x48\x01\xd0" "\xff\xe0"),
	  "not all of its code" },
	{ EM_X86_64, BYTES("\xeb\x1e" "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90" "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\x90\x90\x90\x90" "\x90\x90\x90\x90"
			   "\x83\xff\x01" "\x76\x02" "\xeb\xe9" "\x48\x8d\x15\xb2\x00\x00\x00" "\x48\x63\x04\xba" "\x48\x01\xd0" "\xff\xe0"),
	  "r16 r20" },		/* jbe */
	{ EM_X86_64, BYTES("\xeb\x1e" "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90" "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\xc3\x90\x90\x90" "\x90\x90\x90\x90"
			   "\x83\xff\x01" "\x76\x02" "\xeb\xe9" "\x48\x8d\x15\xb2\x00\x00\x00" "\x48\x63\x04\xba" "\x48\x01\xd0" "\xff\xe0"),
	  "not all of its code" },
	/* The way comes through mov $1,%edi: a number, and no address. */
	{ EM_X86_64, BYTES("\xeb\x1e" "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90" "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\xbf\x01\x00\x00\x00" "\x48\x8d\x15\xb4\x00\x00\x00" "\x48\x63\x04\xba" "\x48\x01\xd0" "\xff\xe0"),
	  "r16 r20 r24 r28" },
	/* movzbl (%rdi),%edi: no comparison either; and a ud2 that nothing leads to. */
	{ EM_X86_64, BYTES("\xeb\x1e" "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x0f\x0b" "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\x0f\xb6\x3f\x90\x90" "\x48\x8d\x15\xb4\x00\x00\x00" "\x48\x63\x04\xba" "\x48\x01\xd0" "\xff\xe0"),
	  "r16 r20 r24 r28" },
	/* A ret to which none of its entries leads. */
	{ EM_X86_64, BYTES("\xeb\x1e" "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\xc3" "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
			   "\x0f\xb6\x3f\x90\x90" "\x48\x8d\x15\xb4\x00\x00\x00" "\x48\x63\x04\xba" "\x48\x01\xd0" "\xff\xe0"),
	  "not all of its code" },
	/* Another table begins behind the second entry: lea +0xe8,%rcx; what would be the third leads into a mov. */
	{ EM_X86_64, BYTES("\xeb\x1e" "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90" "\xc3\x90\x90\x90" "\x85\xff\xb8\xc3"
			   "\xc3\xc3\xc3\xc3" "\x90\x90\x90\x90"
			   "\x48\x8d\x0d\xc1\x00\x00\x00" "\x48\x8d\x15\xb2\x00\x00\x00" "\x48\x63\x04\xba" "\x48\x01\xd0" "\xff\xe0"),
	  "r16 r27" },
	{ EM_X86_64, BYTES("\xeb\x1e" "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90" "\xc3\x90\x90\x90" "\x85\xff\xb8\xc3"
			   "\xc3\xc3\xc3\xc3" "\x90\x90\x90\x90"
			   "\x90\x90\x90\x90\x90" "\x48\x8d\x15\xb4\x00\x00\x00" "\x48\x63\x04\xba" "\x48\x01\xd0" "\xff\xe0"),
	  "its code" },
	{ EM_X86_64, BYTES("\x48\x89\xfc\xff\x25\x00\x01\x00\x00"), "j3" },	/* jmp *0x100(%rip), the depth not known: as after a catch */
	{ EM_X86_64, BYTES("\x48\x89\xfc\xff\xe0"), "it jumps to where" },
	{ EM_X86_64, BYTES("\x85\xff\xe9\x39\x00\x00\x00"), "r2" },		/* jmp __x86_return_thunk */
	{ EM_X86_64, BYTES("\x55\xe9\x3a\x00\x00\x00"), "it is left with" },
	{ EM_X86_64, BYTES("\xe9\x5b\x00\x00\x00"), "j0" },			/* jmp __x86_indirect_thunk_rax, and nothing points into it */
	{ EM_X86_64, BYTES("\x50\xe9\x5a\x00\x00\x00"), "it jumps to where" },
	{ EM_X86_64, BYTES("\x48\x8d\x0d\x05\x00\x00\x00\xe9\x54\x00\x00\x00\xc3"), "it jumps to where" },	/* lea of its own ret */
	{ EM_X86_64, BYTES("\x90" RETURN_THUNK), "r1*" },
	{ EM_X86_64, BYTES("\x90" JUMP_THUNK), "it calls into" },
	{ EM_386, BYTES("\x50\x58\xe8\x07\x00\x00\x00\xf3\x90\x0f\xae\xe8\xeb\xf9\x8d\x64\x24\x04\xc3"), "r2" },
	{ EM_386, BYTES("\x55\x89\xe5\x5d\xc3"), "r4" },
	{ EM_386, BYTES("\xe8\x00\x00\x00\x00\x58\xc3"), "r6" },			/* where am I */
	{ EM_386, BYTES("\xc2\x04\x00"), "r0" },
	{ EM_386, BYTES("\x55\x89\xe5\x83\xec\x08\xc9\xc2\x04\x00"), "r7" },		/* leave; ret $4 */
	{ EM_386, BYTES("\x53\x83\xec\x08\x83\xc4\x08\x5b\xc3"), "r8" },
	{ EM_386, BYTES("\x53\x83\xec\x08\x83\xc4\x08\xc3"), "it is left with" },
	{ EM_386, BYTES("\xe9\x7b\x00\x00\x00"), "j0" },				/* jmp other */
	{ EM_386, BYTES("\x53\xe9\x7a\x00\x00\x00"), "it jumps out with" },
	{ EM_386, BYTES("\x0f\x84\x7a\x00\x00\x00\xc3"), "c0 r6" },			/* je other */
	{ EM_386, BYTES("\x53\x5b\xff\xe0"), "j2" },				/* jmp *%eax, the frame given back */
	{ EM_386, BYTES("\xff\xe0"), "it jumps to where" },
	{ EM_386, BYTES("\x74\x01\xc3\x90\xc3"), "r2 r4*" },
	{ 183, BYTES("\xc0\x03\x5f\xd6"), "r0" },
	{ 183, BYTES("\x20\x00\x00\x14"), "j0" },				/* b other */
	{ 183, BYTES("\xfd\x7b\xbf\xa9\xfd\x7b\xc1\xa8\xc0\x03\x5f\xd6"), "r8" },	/* stp, ldp, ret */
	{ 183, BYTES("\xfd\x7b\xbf\xa9\xc0\x03\x5f\xd6"), "it is left with" },
	{ 183, BYTES("\x40\x00\x00\xb4\xc0\x03\x5f\xd6\xc0\x03\x5f\xd6"), "r4 r8" },	/* cbz */
	{ 183, BYTES("\x00\x04\x00\xb4\xc0\x03\x5f\xd6"), "it is left by a conditional" },	/* cbz other */
	{ 183, BYTES("\xfd\x7b\xbf\xa9\xfd\x7b\xc1\xa8\x1e\x00\x00\x14"), "j8" },	/* stp, ldp, b other */
	{ 183, BYTES("\xfd\x7b\xbf\xa9\x1f\x00\x00\x14"), "it jumps out with" },
	{ 183, BYTES("\x00\x00\x00\x14"), "j0" },				/* b to itself, from the entry: as if it were a call */
	{ 183, BYTES("\x60\x00\x00\x54\xc0\x03\x5f\xd6\xc0\x03\x5f\xd6\xc0\x03\x5f\xd6"), "r4 r12" },	/* b.eq */
	{ 183, BYTES("\x00\x04\x00\x54\xc0\x03\x5f\xd6"), "it is left by a conditional" },	/* b.eq other */
	{ 183, BYTES("\x00\x04\x00\x36\xc0\x03\x5f\xd6"), "it is left by a conditional" },	/* tbz other */
	{ 183, BYTES("\x5f\x24\x03\xd5\xc0\x03\x5f\xd6"), "r4" },			/* bti c */
	{ 183, BYTES("\x3f\x23\x03\xd5\xfd\x7b\xbf\xa9\xfd\x7b\xc1\xa8\xbf\x23\x03\xd5\xc0\x03\x5f\xd6"), "r16" },	/* paciasp, autiasp */
	{ 183, BYTES("\x20\x00\x1f\xd6"), "j0" },				/* br x1, and nothing points into it */
	{ 183, BYTES("\xfd\x7b\xbf\xa9\x20\x00\x1f\xd6"), "it jumps to where" },
	{ 183, BYTES("\x20\x00\x3f\xd6\xc0\x03\x5f\xd6"), "r4" },			/* blr x1 */
	{ 183, BYTES("\xff\x83\x00\xd1\xff\x83\x00\x91\xc0\x03\x5f\xd6"), "r8" },	/* sub, add of sp */
	{ 183, BYTES("\xfd\x7b\xbe\xa9\xfd\x03\x00\x91\xbf\x03\x00\x91\xfd\x7b\xc2\xa8\xc0\x03\x5f\xd6"), "r16" },	/* mov sp,x29 */
	{ 183, BYTES("\x20\x00\x20\xd4"), "" },					/* brk */
	{ 183, BYTES("\xff\x0f\x5f\xd6"), "it is left by an instruction" },	/* retab */
	{ 183, BYTES("\xff\x0b\x5f\xd6"), "it is left by an instruction" },	/* retaa, which the kernel refuses */
};

static void check_case(const struct exit_case *c)
{
	struct rt_exits exits;
	char text[256] = "";
	size_t i, at = 0;

	find(c->machine, c->code, c->n, &exits);
	for (i = 0; i < exits.n && at < sizeof(text) - 16; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%c%d%s", at ? " " : "", "rjc"[exits.v[i].kind],
				       (int)(exits.v[i].at.addr - CODE), exits.v[i].cheaper.addr ? "*" : "");
	if (exits.why ? !*c->want || strncmp(exits.why, c->want, strlen(c->want)) != 0 : strcmp(text, c->want) != 0) {
		printf("case %d: %s\n", (int)(c - cases), exits.why ? exits.why : text);
		CU_FAIL("other exits");
	}
	rt_exits_free(&exits);
}

static void test_find(void)
{
	struct rt_decoder *decoder = rt_flow_open(&rt_arch_x86_64);
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (cases[i].machine == 183 || (decoder && rt_arch_of(cases[i].machine)->kernel_machine == rt_arch_native()))
			check_case(&cases[i]);
	rt_decoder_close(decoder);
}

/* The same, where the table of a Go program has the function: `flags` as the linker has them. */
static void free_go(struct rt_go *go)
{
	free(go);
}

static int ask_go(struct rt_code *code, size_t n, struct rt_exits *exits, uint8_t flags)
{
	enum { NAMES = 72, LIST = 80, RECORD = 92, BYTES_OF_TABLE = 140 };
	struct rt_image *image = rt_code_image(code);
	struct rt_go *go = calloc(1, sizeof(*go));

	CU_ASSERT_FATAL(go && (go->bytes = calloc(1, BYTES_OF_TABLE)));
	memcpy(go->bytes, "\xf1\xff\xff\xff\0\0\x01\x08\x01", 9);
	put32(go->bytes + 24, CODE);
	put32(go->bytes + 32, NAMES);
	put32(go->bytes + 64, LIST);
	memcpy(go->bytes + NAMES, "main.f", 7);
	put32(go->bytes + LIST + 4, RECORD - LIST);
	put32(go->bytes + LIST + 8, (uint32_t)n);
	go->bytes[RECORD + 41] = flags;
	go->has_table = rt_pclntab_open(go->bytes, BYTES_OF_TABLE, &go->table) == 0;
	CU_ASSERT(go->has_table);
	image->go = go;
	image->free_go = free_go;
	image->go_read = true;
	return rt_exits_find(code, CODE, n, exits);
}

static int ask_compiled(struct rt_code *code, size_t n, struct rt_exits *exits)
{
	return ask_go(code, n, exits, 0);
}

static int ask_assembly(struct rt_code *code, size_t n, struct rt_exits *exits)
{
	return ask_go(code, n, exits, 1 << 2);
}

/* A table of two jumps, and behind a nop a pop and a ret that nothing leads to: of Go's compiler those are code all the same. */
static void test_go_unreached(void)
{
	static const char code[] = "\xeb\x1e" "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90" "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
		"\x90\x5b\xc3\x90" "\x90\x90\x90\x90" "\x83\xff\x01" "\x77\xe7" "\x48\x8d\x15\xb4\x00\x00\x00" "\x48\x63\x04\xba" "\x48\x01\xd0" "\xff\xe0";
	static const char broken[] = "\xeb\x1e" "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90" "\xc3\x90\x90\x90" "\xc3\x90\x90\x90"
		"\x90\x06\xc3\x90" "\x90\x90\x90\x90" "\x83\xff\x01" "\x77\xe7" "\x48\x8d\x15\xb4\x00\x00\x00" "\x48\x63\x04\xba" "\x48\x01\xd0" "\xff\xe0";
	struct rt_decoder *decoder = rt_flow_open(&rt_arch_x86_64);
	struct rt_exits exits;

	if (!decoder || rt_arch_native() != EM_X86_64) {
		rt_decoder_close(decoder);
		return;
	}
	CU_ASSERT(ask(EM_X86_64, code, sizeof(code) - 1, ask_compiled, &exits) == 0 && !exits.why && exits.n == 3);
	CU_ASSERT(exits.n == 3 && exits.v[2].at.addr == CODE + 26 && exits.v[2].kind == RT_EXIT_RETURN);
	rt_exits_free(&exits);
	CU_ASSERT(ask(EM_X86_64, code, sizeof(code) - 1, ask_assembly, &exits) == 0 && exits.why && strstr(exits.why, "not all of its code"));
	rt_exits_free(&exits);
	/* No instruction of x86-64 */
	CU_ASSERT(ask(EM_X86_64, broken, sizeof(broken) - 1, ask_compiled, &exits) == 0 && exits.why && strstr(exits.why, "its code cannot be told"));
	rt_exits_free(&exits);
	rt_decoder_close(decoder);
}

static void test_alone(void)
{
	struct rt_decoder *decoder = rt_flow_open(&rt_arch_x86_64);
	struct rt_exits exits;

	if (!decoder && rt_arch_native() == EM_X86_64) {
		find(EM_X86_64, BYTES("\xc3"), &exits);
		CU_ASSERT(exits.why && strstr(exits.why, "no disassembler"));
		rt_exits_free(&exits);
	}
	rt_decoder_close(decoder);
}

/* By which function longjmp leaves: its address from the file's first code, and 1; 0: it cannot be told. */
static int leap_of(struct rt_code *code, bool handed, size_t n)
{
	uint64_t addr = CODE, size = n;
	int r = rt_exits_find_leap(code, handed, &addr, &size);

	CU_ASSERT(r == 0 || r == -ENOENT);
	return r == 0 ? (int)(addr - CODE) + 1 : 0;
}

static int ask_leap(struct rt_code *code, size_t n, struct rt_exits *exits)
{
	(void)exits;
	return leap_of(code, false, n);
}

static int ask_handed(struct rt_code *code, size_t n, struct rt_exits *exits)
{
	(void)exits;
	return leap_of(code, true, n);
}

/* A function whose address is taken leaves, as glibc's for the cancelling of threads does. */
static void test_handed(void)
{
	struct rt_decoder *decoder = rt_flow_open(&rt_arch_x86_64);
	struct rt_exits exits;

	if (decoder && rt_arch_native() == EM_X86_64) {
#define TAKES BYTES("\x48\x8d\x15\x79\x00\x00\x00\xc3")	/* lea other(%rip),%rdx; ret */
		CU_ASSERT_EQUAL(ask(EM_X86_64, TAKES, ask_handed, &exits), OTHER + 1);
		CU_ASSERT_EQUAL(ask(EM_X86_64, TAKES, ask_leap, &exits), 0);
		CU_ASSERT_EQUAL(ask(EM_X86_64, BYTES("\xe8\x9b\x00\x00\x00\xc3"), ask_handed, &exits), 0);	/* call f.cold */
		CU_ASSERT_EQUAL(ask(EM_X86_64, BYTES("\x4c\x89\xc4\xc3"), ask_handed, &exits), 0);		/* mov %r8,%rsp; ret */
	}
	rt_decoder_close(decoder);
}

/* mov %r8,%rsp; jmp *%rdx at +0x80, and what calls it. */
static void test_leap(void)
{
	static const struct {
		uint16_t machine;
		const char *code;
		size_t n;
		int want;
	} v[] = {
		{ EM_X86_64, BYTES("\x4c\x89\xc4\xff\xe2"), 1 },				/* musl: longjmp is all of it */
		{ EM_386, BYTES("\x89\xcc\xff\xe2"), 1 },
		{ EM_X86_64, BYTES("\xe8\x7b\x00\x00\x00"), OTHER + 1 },			/* glibc: call other */
		{ EM_X86_64, BYTES("\x55\xe8\x9a\x00\x00\x00\xe8\x75\x00\x00\x00"), OTHER + 1 },	/* after a call that comes back */
		{ EM_X86_64, BYTES("\x74\x05\xe8\x79\x00\x00\x00\xe8\x74\x00\x00\x00"), OTHER + 1 },
		{ EM_X86_64, BYTES("\xe8\x9b\x00\x00\x00"), 0 },				/* call f.cold, which returns */
		{ EM_X86_64, BYTES("\xff\xe2"), 0 },					/* a tail call through a pointer */
		{ EM_X86_64, BYTES("\xc3"), 0 },
		{ EM_X86_64, BYTES("\x74\x01\xc3\x4c\x89\xc4\xff\xe2"), 0 },		/* it may also return */
		{ 183, BYTES("\xbf\x00\x00\x91\xc0\x03\x1f\xd6"), 1 },			/* mov sp,x5; br x30 */
		{ 183, BYTES("\xc0\x03\x1f\xd6"), 0 },
	};
	struct rt_decoder *decoder = rt_flow_open(&rt_arch_x86_64);
	struct rt_exits exits;
	size_t i;

	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		int got = v[i].want;

		if (v[i].machine == 183 || (decoder && rt_arch_native() == EM_X86_64))
			got = ask(v[i].machine, v[i].code, v[i].n, ask_leap, &exits);
		if (got == v[i].want)
			continue;
		printf("leap %d: %d\n", (int)i, got);
		CU_FAIL("leaves elsewhere");
	}
	rt_decoder_close(decoder);
}

/* The return address, read by the stack pointer and by the frame pointer; its neighbours are others. */
static void test_looks(void)
{
	static const struct {
		uint16_t machine;
		const char *code;
		size_t n;
		bool looks;
	} t[] = {
		{ EM_X86_64, BYTES("\x48\x8b\x04\x24\xc3"), true },					/* mov (%rsp),%rax */
		{ EM_X86_64, BYTES("\x48\x8b\x44\x24\x08\xc3"), false },				/* mov 8(%rsp),%rax */
		{ EM_X86_64, BYTES("\x48\x83\xec\x18\x48\x8b\x54\x24\x18\x48\x83\xc4\x18\xc3"), true },	/* sub $24; mov 24(%rsp) */
		{ EM_X86_64, BYTES("\x48\x83\xec\x18\x48\x8b\x54\x24\x10\x48\x83\xc4\x18\xc3"), false },
		{ EM_X86_64, BYTES("\x55\x48\x89\xe5\x48\x8b\x45\x08\x5d\xc3"), true },			/* mov 8(%rbp),%rax */
		{ EM_X86_64, BYTES("\x55\x48\x89\xe5\x48\x8b\x45\x10\x5d\xc3"), false },
		{ EM_X86_64, BYTES("\x55\x48\x89\xe5\x48\x89\x45\x08\x5d\xc3"), false },			/* written */
		{ EM_X86_64, BYTES("\x48\x83\x04\x24\x01\xc3"), true },				/* addq $1,(%rsp) */
		{ EM_X86_64, BYTES("\x48\x39\x44\x24\x00\xc3"), true },				/* cmp %rax,(%rsp) */
		{ EM_X86_64, BYTES("\x48\x83\xec\x18\x48\x3b\x44\x24\x18\x48\x83\xc4\x18\xc3"), true },	/* cmp 24(%rsp),%rax */
		{ EM_X86_64, BYTES("\x51\x48\x39\x44\x24\x00\x59\xc3"), false },
		{ EM_X86_64, BYTES("\xff\x34\x24\x59\xc3"), true },					/* push (%rsp); pop %rcx */
		{ EM_X86_64, BYTES("\x48\x89\x04\x24\xc3"), false },				/* mov %rax,(%rsp) */
		{ EM_X86_64, BYTES("\x58\x50\xc3"), true },						/* pop %rax; push %rax */
		{ EM_386, BYTES("\x8b\x04\x24\xc3"), true },						/* mov (%esp),%eax */
		{ EM_386, BYTES("\x8b\x44\x24\x04\xc3"), false },					/* the first argument */
	};
	struct rt_exits exits;
	size_t i;

	/* Files of x86 are refused elsewhere. */
	for (i = 0; rt_arch_native() == EM_X86_64 && i < RT_COUNT(t); i++) {
		find(t[i].machine, t[i].code, t[i].n, &exits);
		/* Without a disassembler nothing is known. */
		if (exits.reads_return_address != t[i].looks &&
		    (!exits.why || exits.reads_return_address)) {
			printf("case %d\n", (int)i);
			CU_FAIL("looks");
		}
		rt_exits_free(&exits);
	}
}

CU_TestInfo rt_tests_exits[] = {
	{ "a function's look at its return address", test_looks },
	{ "by which instructions a function is left", test_find },
	{ "code of Go that nothing leads to", test_go_unreached },
	{ "without a disassembler", test_alone },
	{ "where longjmp leaves", test_leap },
	{ "by what cancelled threads leave calls", test_handed },
	CU_TEST_INFO_NULL,
};
