/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call frame information: this program unwinds its own stack by it, through the C library and a
 * signal's frame, and has to find what backtrace(3) finds.
 */
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include "elf/cfi.h"
#include "unit.h"

enum { FRAMES = 64 };

#ifdef __x86_64__
static bool take_registers(struct rt_cfi_frame *frame)
{
	/* By DWARF numbers; 16 is the instruction pointer. */
	static const int regs[] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
		REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};
	ucontext_t context;
	size_t i;

	getcontext(&context);
	for (i = 0; i < sizeof(regs) / sizeof(*regs); i++)
		frame->regs[i] = (uint64_t)context.uc_mcontext.gregs[regs[i]];
	frame->known = (1 << 17) - 1;
	frame->pc = frame->regs[16];
	return true;
}
#else
static bool take_registers(struct rt_cfi_frame *frame)
{
	(void)frame;
	return false;
}
#endif

struct place {
	uint64_t pc, base;
	char path[512];
};

static int find_place(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct place *place = ctx;
	unsigned i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || place->pc - info->dlpi_addr < p->p_vaddr ||
		    place->pc - info->dlpi_addr - p->p_vaddr >= p->p_memsz)
			continue;
		place->base = info->dlpi_addr;
		snprintf(place->path, sizeof(place->path), "%s",
			 *info->dlpi_name ? info->dlpi_name : "/proc/self/exe");
		return 1;
	}
	return 0;
}

static bool read_own(void *ctx, uint64_t addr, uint64_t *word)
{
	(void)ctx;
	memcpy(word, (const void *)(uintptr_t)addr, sizeof(*word));
	return true;
}

static enum rt_cfi_step step(struct rt_cfi_frame *frame, bool *exact)
{
	struct place place = { .pc = frame->pc };
	struct rt_image *image;
	struct rt_error err = { 0 };
	struct rt_cfi_row row;
	enum rt_cfi_step r = RT_CFI_DAMAGED;

	if (!dl_iterate_phdr(find_place, &place) ||
	    rt_image_open(place.path, NULL, &image, &err) < 0)
		return RT_CFI_LAST;
	if (rt_cfi_find(image, frame->pc - place.base - !*exact, &row)) {
		*exact = row.is_signal;
		r = rt_cfi_step(image, &row, frame, read_own, NULL);
	}
	rt_image_close(image);
	return r;
}

static struct {
	uint64_t v[FRAMES];
	void *expected[FRAMES];
	int n, nexpected;
	enum rt_cfi_step end;
	bool known;
} found;

static __attribute__((noinline)) void unwind_self(void)
{
	struct rt_cfi_frame frame = { 0 };
	bool exact = true;

	found.known = take_registers(&frame);
	if (!found.known)
		return;
	found.nexpected = backtrace(found.expected, FRAMES);
	for (found.n = 0; found.n < FRAMES; found.n++) {
		found.v[found.n] = frame.pc;
		found.end = step(&frame, &exact);
		if (found.end != RT_CFI_STEP)
			break;
	}
}

static void check_found(void)
{
	int i;

	if (!found.known)
		return;
	CU_ASSERT_EQUAL(found.end, RT_CFI_LAST);
	CU_ASSERT_FATAL(found.n >= found.nexpected - 1);
	CU_ASSERT_FATAL(found.nexpected > 3);
	/* The first one is where the registers were taken. */
	for (i = 1; i < found.nexpected && found.expected[i]; i++)
		CU_ASSERT_EQUAL(found.v[i + 1], (uint64_t)(uintptr_t)found.expected[i]);
}

static int compare(const void *a, const void *b)
{
	(void)a;
	(void)b;
	unwind_self();
	return 0;
}

/* The frame of a function that aligns its stack and has an array of any size. */
static __attribute__((noinline)) void use_stack(size_t n)
{
	char bytes[n] __attribute__((aligned(64)));
	int v[2] = { 2, 1 };

	memset(bytes, 1, n);
	qsort(v, 2, sizeof(*v), compare);
	CU_ASSERT_EQUAL(bytes[n - 1], 1);
}

static void test_self(void)
{
	/* getcontext() is a frame of its own no longer, so its caller is the first. */
	use_stack(100);
	check_found();
}

static void on_signal(int sig)
{
	(void)sig;
	unwind_self();
}

static void test_signal(void)
{
	struct sigaction old, action = { .sa_handler = on_signal };

	CU_ASSERT_FATAL(sigaction(SIGUSR2, &action, &old) == 0);
	raise(SIGUSR2);
	sigaction(SIGUSR2, &old, NULL);
	check_found();
}

CU_TestInfo rt_tests_cfi[] = {
	{ "own stack, through the C library", test_self },
	{ "own stack, from a signal's handler", test_signal },
	CU_TEST_INFO_NULL,
};
