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

enum { REGISTERS = 15, RSI = 4, RDI = 5, RBP = 6, WORDS = 512 };

struct state {
	uint64_t r[REGISTERS], sp, flags;
};

/* Its own stack, where nothing but the instructions writes, and what registers point to. */
static uint64_t memory[WORDS];
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

static const struct {
	const char *name;
	void (*probed)(void), (*native)(void);
} forms[] = {
	{ "ret", probed_ret, native_ret },
	{ "ret_rep", probed_ret_rep, native_ret_rep },
	{ "ret_pops", probed_ret_pops, native_ret_pops },
	{ "ret_twice", probed_ret_twice, native_ret_twice },
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
	s->sp = (uint64_t)(uintptr_t)&memory[256 + next(seed) % 64];
	s->flags = (next(seed) & FLAGS) | ALWAYS;
}

/* 0: both forms end with the same registers, flags and memory. */
static int compare(unsigned form, uint64_t *seed)
{
	static uint64_t before[WORDS], after[WORDS];
	struct state in, native, probed;

	make_state(&in, seed);
	fill(before, seed);
	memcpy(memory, before, sizeof(memory));
	run(&in, &native, forms[form].native);
	memcpy(after, memory, sizeof(memory));
	memcpy(memory, before, sizeof(memory));
	run(&in, &probed, forms[form].probed);
	if (memcmp(&native, &probed, sizeof(native)) == 0 &&
	    memcmp(memory, after, sizeof(memory)) == 0)
		return 0;
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

	if (argc > 2)
		wait_for(argv[2]);
	for (i = 0; i < rounds && !r; i++)
		for (form = 0; form < n && !r; form++)
			r = compare(form, &seed);
	if (!r)
		printf("%lu rounds of %u forms: all the same\n", rounds, n);
	return r;
}
