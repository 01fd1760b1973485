/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions that BPF programs emulate at probes, against the processor.  Each is in two
 * functions: probed_NAME and native_NAME.  Both run with the same random registers, flags and
 * memory, and must end with the same ones.
 * Arguments: the number of rounds; a file to wait for.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* In the order of struct state. */
#define LOAD                                                                                       \
	"mov 8(%rax), %rbx\n mov 16(%rax), %rcx\n mov 24(%rax), %rdx\n mov 32(%rax), %rsi\n"       \
	"mov 40(%rax), %rdi\n mov 48(%rax), %rbp\n mov 56(%rax), %r8\n mov 64(%rax), %r9\n"        \
	"mov 72(%rax), %r10\n mov 80(%rax), %r11\n mov 88(%rax), %r12\n mov 96(%rax), %r13\n"      \
	"mov 104(%rax), %r14\n mov 112(%rax), %r15\n mov (%rax), %rax\n"
#define STORE                                                                                      \
	"mov %rbx, 8(%rax)\n mov %rcx, 16(%rax)\n mov %rdx, 24(%rax)\n mov %rsi, 32(%rax)\n"       \
	"mov %rdi, 40(%rax)\n mov %rbp, 48(%rax)\n mov %r8, 56(%rax)\n mov %r9, 64(%rax)\n"        \
	"mov %r10, 72(%rax)\n mov %r11, 80(%rax)\n mov %r12, 88(%rax)\n mov %r13, 96(%rax)\n"      \
	"mov %r14, 104(%rax)\n mov %r15, 112(%rax)\n"

enum { REGISTERS = 15, RSI = 4, RBP = 6, R13 = 12, R14 = 13, WORDS = 512 };

struct state {
	uint64_t r[REGISTERS], sp, flags;
};

/* Its own stack, where nothing but the instructions writes, and what registers point to. */
static uint64_t memory[WORDS];
/* A page that is not in memory when an instruction reads it. */
static char *cold;
enum { PAGE = 4096 };
uint64_t run_sp, run_own_sp, run_code;
struct state *run_out;

void run(const struct state *in, struct state *out, void (*code)(void));
__asm__(".text\n"
	".globl run\n"
	".type run, %function\n"
	"run:\n"
	"push %rbx\n push %rbp\n push %r12\n push %r13\n push %r14\n push %r15\n"
	"mov %rsi, run_out(%rip)\n mov %rdx, run_code(%rip)\n mov %rsp, run_own_sp(%rip)\n"
	"mov 120(%rdi), %rax\n mov %rax, run_sp(%rip)\n"
	"mov %rdi, %rax\n"
	"pushq 128(%rax)\n popfq\n"
	LOAD
	"mov run_sp(%rip), %rsp\n"
	"call *run_code(%rip)\n"
	"mov %rsp, run_sp(%rip)\n"
	"mov run_own_sp(%rip), %rsp\n"
	"pushfq\n"
	"push %rax\n"
	"mov run_out(%rip), %rax\n"
	STORE
	"pop (%rax)\n"
	"pop 128(%rax)\n"
	"mov run_sp(%rip), %rcx\n"
	"mov %rcx, 120(%rax)\n"
	"cld\n"
	"pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbp\n pop %rbx\n"
	"ret\n"
	".size run, . - run\n");

#define FUNCTION(name, code)                                                                       \
	".globl " name "\n"                                                                        \
	".type " name ", %function\n"                                                              \
	".balign 16\n"                                                                             \
	name ":\n" code "\n"                                                                       \
	".size " name ", . - " name "\n"
#define FORM(name, code)                                                                           \
	void probed_##name(void);                                                                  \
	void native_##name(void);                                                                  \
	__asm__(".text\n" FUNCTION("probed_" #name, code) FUNCTION("native_" #name, code))

/* A push first: no kernel single-steps the entry. */
FORM(ret, "push %rbx\n pop %rbx\n ret");
FORM(ret_rep, "push %rbx\n pop %rbx\n .byte 0xf3, 0xc3");
FORM(ret_pops, "push %rbx\n pop %rbx\n ret $24");
FORM(ret_twice, "push %rbx\n pop %rbx\n test %rdi, %rdi\n js 1f\n ret\n 1: not %rax\n ret");

/* A tail call through the file's data. */
__asm__(".data\n.balign 8\njump_target: .quad jumped_to\n.text\n"
	FUNCTION("jumped_to", "not %r10\n ret"));
FORM(jump, "push %rbx\n pop %rbx\n jmp *jump_target(%rip)");
FORM(jump_entry, "jmp *jump_target(%rip)");

/* Entries. */
FORM(mov, "mov %rdi, %rax\n ret");
FORM(mov_long, "mov %esi, %eax\n ret");
FORM(mov_word, "mov %di, %ax\n ret");
FORM(mov_byte, "mov %dil, %al\n ret");
FORM(mov_high, "mov %r9b, %r11b\n ret");
FORM(value, "mov $0x12345678, %eax\n ret");
FORM(value_quad, "movabs $0x8123456789abcdef, %r11\n ret");
FORM(value_byte, "mov $0x85, %r9b\n ret");
FORM(value_signed, "movq $-5, %r10\n ret");
FORM(load, "mov 8(%rsi), %rax\n ret");
FORM(load_long, "mov (%rsi), %eax\n ret");
FORM(load_word, "mov 4(%rsi), %ax\n ret");
FORM(load_byte, "mov 3(%rsi), %al\n ret");
FORM(load_far, "mov 0x100(%rsi), %r10\n ret");
FORM(load_index, "mov 8(%rsi,%r14,8), %rax\n ret");
FORM(load_ip, "mov run_sp(%rip), %rax\n ret");
FORM(load_sp, "mov 8(%rsp), %rax\n ret");
FORM(load_bp, "mov -16(%rbp), %eax\n ret");
FORM(load_cold, "mov 64(%r13), %rax\n ret");
FORM(zx_byte, "movzbl %dil, %eax\n ret");
FORM(zx_word, "movzwl 2(%rsi), %eax\n ret");
FORM(sx_byte, "movsbq (%rsi), %rax\n ret");
FORM(sx_word, "movswl %di, %eax\n ret");
FORM(sx_long, "movslq %esi, %rax\n ret");
FORM(sx_load, "movslq 4(%rsi), %rax\n ret");
FORM(sx_short, "movsbw %dil, %ax\n ret");
FORM(lea, "lea 5(%rdi,%rdx,4), %rax\n ret");
FORM(lea_long, "lea 7(%rdi), %eax\n ret");
FORM(lea_word, "lea 9(%rdi), %ax\n ret");
FORM(lea_ip, "lea run_sp(%rip), %r11\n ret");
FORM(lea_index, "lea 0(,%rcx,8), %rax\n ret");
FORM(lea_sp, "lea -0x80(%rsp), %r12\n ret");
FORM(test, "test %rdi, %rdi\n ret");
FORM(test_long, "test %edi, %esi\n ret");
FORM(test_byte, "test %dil, %dl\n ret");
FORM(test_value, "test $0x80, %dil\n ret");
FORM(test_load, "testl $0x100, 8(%rsi)\n ret");
FORM(test_ax, "test $0x40, %al\n ret");
FORM(test_other, "testb $1, 5(%rsi)\n ret");
FORM(cmp, "cmp %rdi, %rsi\n ret");
FORM(cmp_long, "cmp %edi, %edx\n ret");
FORM(cmp_byte, "cmp %dil, %dl\n ret");
FORM(cmp_word, "cmp $5, %di\n ret");
FORM(cmp_value, "cmp $-1, %rdx\n ret");
FORM(cmp_load, "cmp 8(%rsi), %rdi\n ret");
FORM(cmp_to, "cmp %edi, 4(%rsi)\n ret");
FORM(cmp_in, "cmpb $7, (%rsi)\n ret");
FORM(cmp_short, "cmpw $300, 2(%rsi)\n ret");
FORM(cmp_sp, "cmp 16(%rsi), %rsp\n ret");
FORM(cmp_ax, "cmp $0x12345, %eax\n ret");
FORM(xor, "xor %eax, %eax\n ret");
FORM(xor_quad, "xor %rdi, %rax\n ret");
FORM(and_byte, "and $0xf0, %al\n ret");
FORM(and_word, "and $-16, %ax\n ret");
FORM(or, "or %edi, %r10d\n ret");
FORM(add, "add %rdi, %rax\n ret");
FORM(add_byte, "add $0x7f, %al\n ret");
FORM(add_load, "add 8(%rsi), %rax\n ret");
FORM(sub, "sub %esi, %eax\n ret");
FORM(sub_value, "sub $1, %r11\n ret");
FORM(sub_byte, "sub %dil, %al\n ret");
FORM(endbr, "endbr64\n ret");

/* The probe is behind what moves the stack pointer. */
FORM(sub_sp, "sub $24, %rsp\n lea 8(%rsp), %rax\n add $24, %rsp\n ret");
FORM(sub_guard, "sub $24, %rsp\n mov %fs:40, %rax\n mov %rax, 8(%rsp)\n xor %eax, %eax\n "
		"add $24, %rsp\n ret");
FORM(sub_load, "sub $136, %rsp\n mov 8(%rsi), %rax\n add $136, %rsp\n ret");

/* An empty function, and a return inside another instruction, which takes its place. */
FORM(only, "ret");
FORM(value_return, "mov $0xc3, %eax\n ret");

/* They write arguments' registers: emulated unless another probe was there before. */
FORM(argument, "mov %rsi, %rdi\n ret");
FORM(argument_zero, "xor %edx, %edx\n ret");
FORM(argument_load, "mov 8(%rsi), %rsi\n ret");

/* The kernel executes these. */
FORM(store, "mov %rdi, 8(%rsi)\n ret");
FORM(borrow, "sbb %eax, %eax\n ret");

#define ROW(name) { #name, probed_##name, native_##name }
static const struct {
	const char *name;
	void (*probed)(void), (*native)(void);
} forms[] = {
	ROW(ret), ROW(ret_rep), ROW(ret_pops), ROW(ret_twice), ROW(mov), ROW(mov_long),
	ROW(value_byte), ROW(mov_word), ROW(mov_byte), ROW(mov_high), ROW(value), ROW(value_quad),
	ROW(value_signed), ROW(load), ROW(load_long), ROW(load_word), ROW(load_byte),
	ROW(load_far), ROW(load_index), ROW(load_ip), ROW(load_sp), ROW(load_bp),
	ROW(load_cold), ROW(zx_byte), ROW(zx_word), ROW(sx_byte), ROW(sx_word), ROW(sx_long),
	ROW(sx_load), ROW(sx_short), ROW(lea), ROW(lea_long), ROW(lea_word), ROW(lea_ip),
	ROW(lea_index), ROW(lea_sp), ROW(test), ROW(test_long), ROW(test_byte),
	ROW(test_value), ROW(test_load), ROW(test_ax), ROW(test_other), ROW(cmp),
	ROW(cmp_long), ROW(cmp_byte), ROW(cmp_word), ROW(cmp_value), ROW(cmp_load),
	ROW(cmp_to), ROW(cmp_in), ROW(cmp_short), ROW(cmp_sp), ROW(cmp_ax), ROW(xor),
	ROW(xor_quad), ROW(and_byte), ROW(and_word), ROW(or), ROW(add), ROW(add_byte),
	ROW(add_load), ROW(sub), ROW(sub_value), ROW(sub_byte), ROW(endbr), ROW(argument),
	ROW(argument_zero), ROW(argument_load), ROW(sub_sp), ROW(sub_load), ROW(sub_guard),
	ROW(only), ROW(value_return), ROW(jump), ROW(jump_entry),
	ROW(store), ROW(borrow),
};

/* xorshift64* by Vigna; some values are extremes. */
static uint64_t next(uint64_t *seed)
{
	static const uint64_t extremes[] = { 0, 1, UINT64_MAX, INT64_MAX, 1ull << 63, UINT32_MAX,
					     INT32_MAX, 1ull << 31 };
	uint64_t x = *seed;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	*seed = x;
	x *= 0x2545f4914f6cdd1dull;
	return x >> 61 == 0 ? extremes[x & 7] : x;
}

static void fill(uint64_t *words, uint64_t *seed)
{
	unsigned i;

	for (i = 0; i < WORDS; i++)
		words[i] = next(seed);
}

static void make_state(struct state *s, uint64_t *seed)
{
	/* carry, parity, adjust, zero, sign, direction, overflow; and interrupts, always */
	enum { FLAGS = 0xcd5, ALWAYS = 0x202 };
	unsigned i;

	for (i = 0; i < REGISTERS; i++)
		s->r[i] = next(seed);
	s->r[RSI] = (uint64_t)(uintptr_t)&memory[64 + next(seed) % 64];
	s->r[RBP] = (uint64_t)(uintptr_t)&memory[384 + next(seed) % 64];
	s->r[R13] = (uint64_t)(uintptr_t)cold;
	s->r[R14] = next(seed) % 64;
	s->sp = (uint64_t)(uintptr_t)&memory[256 + next(seed) % 64];
	s->flags = (next(seed) & FLAGS) | ALWAYS;
}

/* 0: both forms end with the same registers, flags and memory. */
static int compare(unsigned form, uint64_t *seed)
{
	static uint64_t before[WORDS], after[WORDS];
	struct state in, native, probed;
	unsigned i;

	make_state(&in, seed);
	fill(before, seed);
	memcpy(memory, before, sizeof(memory));
	run(&in, &native, forms[form].native);
	memcpy(after, memory, sizeof(memory));
	memcpy(memory, before, sizeof(memory));
	madvise(cold, PAGE, MADV_DONTNEED);
	run(&in, &probed, forms[form].probed);
	if (memcmp(&native, &probed, sizeof(native)) == 0 &&
	    memcmp(memory, after, sizeof(memory)) == 0)
		return 0;
	for (i = 0; i < REGISTERS; i++)
		if (native.r[i] != probed.r[i])
			printf("%s: register %u: %llx %llx\n", forms[form].name, i,
			       (unsigned long long)native.r[i], (unsigned long long)probed.r[i]);
	printf("%s: differs, sp %llx %llx, flags %llx %llx\n", forms[form].name,
	       (unsigned long long)native.sp, (unsigned long long)probed.sp,
	       (unsigned long long)native.flags, (unsigned long long)probed.flags);
	return 1;
}

/* Probes are put in meanwhile. */
static void wait_for(const char *path)
{
	enum { TRIES = 6000, PAUSE_US = 10000 };
	unsigned i;

	for (i = 0; i < TRIES && access(path, F_OK) != 0; i++)
		usleep(PAUSE_US);
}

int main(int argc, char **argv)
{
	unsigned long i, rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
	uint64_t seed = 0x9e3779b97f4a7c15ull;
	unsigned form, n = sizeof(forms) / sizeof(forms[0]);
	int r = 0;

	cold = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (cold == MAP_FAILED)
		return 1;
	if (argc > 2)
		wait_for(argv[2]);
	for (i = 0; i < rounds && !r; i++)
		for (form = 0; form < n && !r; form++)
			r = compare(form, &seed);
	if (!r)
		printf("%lu rounds of %u forms: all the same\n", rounds, n);
	return r;
}
