/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ARCH_ARCH_H
#define RT_ARCH_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The facts that rawtrace needs of an architecture: tables only, all compiled in, chosen by the
 * traced program's ELF machine, so that any rawtrace can print any program's plans (--dump).
 */

/*
 * A register: its word in the struct pt_regs that a BPF program of the tracing kernel sees, and its
 * tracefs name.
 */
struct rt_reg {
	const char *tracefs;	/* "%di" without the '%' */
	uint16_t pt_regs;	/* byte offset in struct pt_regs */
};

/*
 * A program of this architecture, made to be hurt: it ends with status 0 when its two functions got
 * their argument, saved it and gave the right result, each time.  Uretprobes are tried on it first,
 * because on some kernels they corrupt what is like it.
 */
struct rt_arch_trial {
	/*
	 * of a 32-bit ELF file with two program headers, right behind them; begins with the entry
	 */
	const uint8_t *code;
	uint16_t size;
	uint32_t base;			/* where that file is mapped */
	uint16_t functions[2];		/* their offsets in `code` */
	unsigned calls;			/* of both together */
	int64_t arguments, results;	/* the sums over all calls */
};

/*
 * A nop of 64-bit x86 code that is probed: the code that the kernel puts there after the first
 * hits.
 */
enum rt_nops {
	/* a breakpoint, as of other instructions; so on all other machines */
	RT_NOPS_TRAP,
	/*
	 * Linux 6.18 to 7.1: a 5-byte nop becomes a call into a page of the process's own.
	 * A forked child has the call and not the page: SIGSEGV.  The call overwrites 8 bytes of a
	 * leaf function's red zone.
	 */
	RT_NOPS_CALL5,
	/*
	 * a 10-byte nop does from 7.2 on; that call spares the red zone, and forked children have
	 * the page
	 */
	RT_NOPS_CALL10,
};

/*
 * Kinds of instructions that some kernel, at a probe, emulates where others
 * single-step them, which costs two to thirteen times as much; and the mark of an indirect branch's
 * target (endbr64), which is at entries and does nothing.
 */
enum rt_form {
	RT_FORM_OTHER,
	RT_FORM_PUSH,
	RT_FORM_PUSH_REX,
	RT_FORM_NOP,
	RT_FORM_NOP16,
	RT_FORM_NOP_LONG,
	RT_FORM_NOP5,
	RT_FORM_NOP10,
	RT_FORM_JMP,
	RT_FORM_JCC,
	RT_FORM_CALL,
	RT_FORM_ENDBR,
	RT_FORM_SUB_SP,
	RT_FORM_MOV,
	RT_FORM_TEST,
	RT_FORM_XOR,
	RT_FORM_LEA,
	RT_FORM_RET,
	RT_FORM_EMULATED, /* any, which a BPF program emulates (attach/emulations.h) */
	RT_FORMS
};
#define RT_FORM_BIT(form) (1u << (form))
#define RT_FORMS_NOPS (RT_FORM_BIT(RT_FORM_NOP16) | RT_FORM_BIT(RT_FORM_NOP_LONG) | \
	RT_FORM_BIT(RT_FORM_NOP5) | RT_FORM_BIT(RT_FORM_NOP10))
/* No kernel is slower at one of these than at endbr64, which none has emulated so far. */
#define RT_FORMS_ASSUMED                                                                           \
	(RT_FORM_BIT(RT_FORM_PUSH) | RT_FORM_BIT(RT_FORM_PUSH_REX) | RT_FORM_BIT(RT_FORM_NOP) |    \
	 RT_FORMS_NOPS | RT_FORM_BIT(RT_FORM_JMP) | RT_FORM_BIT(RT_FORM_JCC) |                     \
	 RT_FORM_BIT(RT_FORM_CALL) | RT_FORM_BIT(RT_FORM_EMULATED))

/* The C calling conventions. */
enum rt_c_abi {
	RT_C_ABI_SYSV_I386,
	RT_C_ABI_SYSV_X86_64,
	RT_C_ABI_AAPCS64,
};

struct rt_emulation;
struct rt_errno_at;
struct rt_flow;
struct rt_go_code;
struct rt_samples;
struct rt_word_switches;
struct rt_operand;
struct rt_use;

struct rt_arch {
	const char *name;		/* "x86-64" */
	uint16_t machine;		/* e_machine of programs of this kind */
	/* e_machine of the kernel with these pt_regs */
	uint16_t kernel_machine;
	uint8_t word;			/* bytes in a pointer and a stack slot */
	uint8_t insn_size;		/* of every instruction; 0: they differ */
	struct rt_reg ip, sp, result;
	struct rt_reg result2;		/* the upper half of a result that takes two registers */
	/* what conditional jumps look at; tracefs NULL: exits by such jumps are not known */
	struct rt_reg flags;
	/* holds the return address at entry; tracefs NULL: it is on top of the stack */
	struct rt_reg link;
	/*
	 * the integer argument and result registers of Go's convention, in order; NULL: not known
	 */
	const struct rt_reg *go;
	unsigned ngo;
	const struct rt_go_code *go_code;	/* arch/go_code.h; NULL: not known */
	const struct rt_word_switches *switches;	/* arch/switches.h; NULL: not of words */
	const struct rt_samples *samples;	/* arch/sample.h; NULL: nothing is measured */
	/* holds Go's g while Go code runs (registers ABI); tracefs NULL: not known */
	struct rt_reg goroutine;
	bool goroutine_always;		/* in assembly, and before there was that ABI, too */
	const struct rt_reg *args;	/* integer argument registers, in order */
	unsigned nargs;
	const struct rt_reg *dwarf;	/* general registers by their DWARF numbers */
	unsigned ndwarf;
	/*
	 * DWARF numbers, a bit each: registers that calls preserve, and `link`
	 */
	uint32_t saved;
	/* DWARF number of the first floating-point register, of 32 or fewer; 0: not known */
	uint16_t dwarf_float;
	const char *float_name;		/* "xmm", "v" */
	enum rt_c_abi c_abi;		/* its C calling convention (fetch/abi.c) */
	/* has the address of a result in memory; tracefs NULL: the first argument has */
	struct rt_reg indirect;
	bool char_is_unsigned;		/* a plain char */
	bool has_quad;			/* long double has 16 bytes, all of them used */
	bool has_x87;			/* long double has 10 bytes */
	bool has_rela;			/* relocations of a static program have addends */
	uint16_t relative;		/* its R_..._RELATIVE */
	/* structures have the alignment that alignas() says in calls, too */
	bool aligns_structs;
	/* clang passes __int128 as the ABI says since this version; 0: always */
	uint8_t clang_int128;
	/* of a file of another class than `word`'s, or NULL: it is damaged */
	const char *other_class;
	/* the bytes of the instruction that calls the kernel; NULL: not asked for */
	const char *system_call;
	bool has_uretprobe_call;	/* uretprobes make a system call from Linux 6.11 on */
	/* EINVAL is the errno of a refused instruction (arch_uprobe_analyze_insn) */
	bool refuses_by_einval;
	/* safety/copies.c and walks.c know its code that copies or climbs a stack */
	bool has_stack_walks;
	/*
	 * the DWARF numbers of the first `nnumbers` registers, as instructions number them; NULL:
	 * they are the same
	 */
	const uint8_t *numbers;
	uint8_t nnumbers;
	bool stores_in_order;		/* other CPUs see stores in their order */
	uint16_t stack_args;		/* the first stack argument's offset from sp at entry */
	uint8_t return_pop;		/* sp at a uretprobe less sp at entry */
	/*
	 * more than that, where a function takes its own arguments off the stack: at most so much
	 */
	uint16_t callee_pop;
	/* NULL: a uretprobe is right on every kernel that has it */
	const struct rt_arch_trial *trial;
	/*
	 * Why an instruction at a probe's place must not be probed, or NULL where it may be.
	 * `insn` holds the `n` bytes (up to 16) that begin there, `nops` is the kernel's kind.
	 */
	const char *(*refuses)(const uint8_t *insn, size_t n, enum rt_nops nops);
	/* The bytes of a nop, in any form; 0: it is none.  A NULL pointer: not asked for. */
	size_t (*nop_size)(const uint8_t *insn, size_t n);
	/*
	 * Does it push a word, a return address say?  Kernels that fail the trial push 8 bytes in
	 * its place, where they do not let the processor do it.  NULL: not asked for.
	 */
	bool (*pushes)(const uint8_t *insn, size_t n);
	/*
	 * Why the return of a function must not be probed that begins with these `n` bytes
	 * (whole, or up to RT_ARCH_BODY), or NULL where it may be.  A NULL pointer: code does not
	 * tell.
	 */
	const char *(*unsafe_return)(const uint8_t *code, size_t n);
	/*
	 * Reads an IFUNC's resolver: its code is examined from every multiple of `insn_align` on,
	 * without decoding the bytes between.  loads_address: do the `n` bytes at `insn`, which run
	 * at `pc`, put an address into a register, in a way that resolvers use?  `fixed`: the file
	 * is linked to its addresses.
	 */
	uint8_t insn_align;
	bool (*loads_address)(const uint8_t *insn, size_t n, uint64_t pc, bool fixed,
			      uint64_t *addr);
	/*
	 * May the RT_ARCH_BEFORE bytes at `code` stand before a function: padding, or the end of
	 * another one?
	 */
	bool (*ends_code)(const uint8_t *code);
	/*
	 * Is it (4 bytes) what functions begin with that may be called indirectly, where programs
	 * are built so that this is checked?
	 */
	bool (*is_landing)(const uint8_t *insn);
	/*
	 * of the entries of ld.so.cache that are for such programs (glibc, sysdeps/.../dl-cache.h)
	 */
	uint16_t cache_flags;
	uint64_t cache_hwcap;	/* bits of AT_HWCAP that those may ask for */
	/* $PLATFORM in search paths: AT_PLATFORM, or what glibc makes of it */
	const char *(*platform)(void);
	/*
	 * The subfolders of glibc-hwcaps that this CPU can use, best first; NULL after the last.  A
	 * NULL pointer: there are none.
	 */
	const char *(*hwcaps)(unsigned i);
	/*
	 * Finds errno by the `n` bytes of __errno_location (arch/errno_at.h), which run at `pc`.
	 * False: they are not understood.  NULL: not known.
	 */
	bool (*errno_at)(const uint8_t *code, size_t n, uint64_t pc, struct rt_errno_at *at);
	/*
	 * The target of the direct call or jump in the `n` bytes (4 or more), which run at `pc`; 0:
	 * it is none.  `*next` is behind it.  Conditional jumps count if the compiler makes tail
	 * calls of them.
	 */
	uint64_t (*direct_target)(const uint8_t *insn, size_t n, uint64_t pc, uint64_t *next);
	/*
	 * The same of a call or jump by a word at a fixed distance, as of -fno-plt: where that
	 * stands; 0: it is none.  NULL: there are none.
	 */
	uint64_t (*target_slot)(const uint8_t *insn, size_t n, uint64_t pc, uint64_t *next);
	/*
	 * Decoders that need no disassembler: of what flow.h and use.h know of the instruction in
	 * the `n` bytes at `addr`.  False: they are none.  NULL: capstone decodes.
	 */
	bool (*flow)(const uint8_t *bytes, size_t n, uint64_t addr, struct rt_flow *flow);
	bool (*use)(const uint8_t *bytes, size_t n, uint64_t addr, struct rt_use *use);
	/*
	 * Parse the operand of a USDT probe's argument (arch/operand.h) in [at, end), which is not
	 * empty; a NUL follows somewhere.  False: it cannot be read, and `why` may say more.
	 */
	bool (*operand)(const struct rt_arch *arch, const char *at, const char *end,
			struct rt_operand *operand);
	/* The kind of the instruction; NULL: probes always stay at the entry. */
	enum rt_form (*form)(const uint8_t *insn, size_t n);
	/*
	 * Sets by which operation a BPF program emulates the instruction (arch/emulation.h); false:
	 * it cannot.  NULL: it emulates none.
	 */
	bool (*emulation)(const uint8_t *insn, size_t n, struct rt_emulation *emulation);
};

enum { RT_ARCH_BEFORE = 8, RT_ARCH_BODY = 4096 };

/* The table for an ELF e_machine, or NULL where rawtrace has none. */
const struct rt_arch *rt_arch_of(uint16_t machine);

/*
 * The e_machine of the machine that rawtrace itself runs on, EM_NONE where it has no table for it.
 */
uint16_t rt_arch_native(void);

/*
 * A name for any ELF e_machine, for messages ("aarch64", "machine 243"); `buf` of `size` bytes may
 * be used.
 */
const char *rt_arch_name(uint16_t machine, char *buf, size_t size);

extern const struct rt_arch rt_arch_x86_64, rt_arch_i386, rt_arch_aarch64;
extern const struct rt_arch_trial rt_i386_trial;

/* The tables one after another, NULL after the last. */
const struct rt_arch *rt_arch_at(unsigned i);

/* The shared x86 rules for rt_arch.refuses, .loads_address and .ends_code. */
const char *rt_x86_refuses(const uint8_t *insn, size_t n);
/* Bytes of the ModRM byte at `p`, its SIB byte and its displacement; 0: cut off. */
size_t rt_x86_operand_size(const uint8_t *p, size_t n);
/* x86_nop.c: rt_arch.nop_size, and what 64-bit code adds to rt_x86_refuses. */
size_t rt_x86_64_nop_size(const uint8_t *insn, size_t n);
const char *rt_x86_64_refuses(const uint8_t *insn, size_t n, enum rt_nops nops);
/*
 * AVX-512 instructions of 64-bit code that capstone 4 does not know: moves and comparisons of mask
 * registers, and comparisons into these.  Returns the size, 0: it is none, and in `*writes` a bit
 * for the general register that it writes.  Execution continues at the next instruction.
 */
size_t rt_x86_mask_size(const uint8_t *insn, size_t n, uint32_t *writes);
uint64_t rt_x86_direct_target(const uint8_t *insn, size_t n, uint64_t pc, uint64_t *next);
bool rt_x86_loads_address(const uint8_t *insn, size_t n, uint64_t pc, bool fixed, uint64_t *addr);
bool rt_x86_ends_code(const uint8_t *code);

/* A little-endian word, as instructions have them. */
static inline uint32_t rt_arch_word(const uint8_t *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}
/* For rt_arch.hwcaps and .platform. */
const char *rt_x86_64_hwcaps(unsigned i);
const char *rt_x86_64_platform(void);
/* For rt_arch.form. */
enum rt_form rt_x86_64_form(const uint8_t *insn, size_t n);
enum rt_form rt_i386_form(const uint8_t *insn, size_t n);
/* For rt_arch.errno_at. */
bool rt_x86_64_errno_at(const uint8_t *code, size_t n, uint64_t pc, struct rt_errno_at *at);
bool rt_aarch64_errno_at(const uint8_t *code, size_t n, uint64_t pc, struct rt_errno_at *at);
/* "push", "endbr"; "another instruction" for RT_FORM_OTHER. */
const char *rt_form_name(enum rt_form form);

#endif
