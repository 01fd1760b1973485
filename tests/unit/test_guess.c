/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code.h"
#include "code/guess.h"
#include "arch/use.h"
#include "unit.h"

static void check_guess(const struct code *code, const struct code_part *c)
{
	struct rt_image *image = code_image(code, c, "f");
	struct rt_guesser *guesser = rt_guesser_open(image);
	struct rt_guess g;
	char got[32], result;
	unsigned i;

	CU_ASSERT_FATAL(guesser != NULL);
	rt_guess(guesser, CODE_FIRST + c->at, c->size, &g);
	for (i = 0; i < g.nargs; i++)
		got[i] = g.pointers >> i & 1 ? 'p' : g.bytes[i] ? (char)('0' + g.bytes[i]) : '-';
	result = g.no_result ? 'v' : g.not_integer ? 'x' : g.result ? (char)('0' + g.result) : '?';
	snprintf(got + i, sizeof(got) - i, "%s%c%s", i ? " " : "", result,
		 g.variadic ? "..." : "");
	code_check_text(code, c, g.decided ? got : "undecided");
	rt_guesser_close(guesser);
	rt_image_close(image);
}

static void test_registers(void)
{
	code_each_working("guess_registers.x86_64", check_guess);
}

static void test_bytes(void)
{
	code_each_working("guess_bytes.x86_64", check_guess);
}

static void test_results(void)
{
	code_each_working("guess_results.x86_64", check_guess);
}

static void test_saved(void)
{
	code_each_working("guess_saved.x86_64", check_guess);
}

static void test_variadic(void)
{
	code_each_working("guess_variadic.x86_64", check_guess);
}

static void test_paths(void)
{
	code_each_working("guess_paths.x86_64", check_guess);
}

static uint64_t callee_of(const struct code *code)
{
	return CODE_FIRST + code_part(code, "callee")->at;
}

static void check_callers(const struct code *code, const struct code_part *c)
{
	static const char *const names[] = {
		[RT_CALLERS_UNKNOWN] = "unknown", [RT_CALLERS_READ] = "read",
		[RT_CALLERS_IGNORE] = "ignore", [RT_CALLERS_REAL] = "real",
	};
	struct rt_image *image = code_image(code, c, "f");
	struct rt_guesser *guesser = rt_guesser_open(image);

	CU_ASSERT_FATAL(guesser != NULL);
	code_check_text(code, c, names[rt_guess_callers(guesser, callee_of(code))]);
	rt_guesser_close(guesser);
	rt_image_close(image);
}

static void test_callers(void)
{
	code_each_working("callers.x86_64", check_callers);
}

static void check_ignored(const struct code *code, const struct code_part *c)
{
	struct rt_image *image = code_image(code, c, "f");
	struct rt_guesser *guesser = rt_guesser_open(image);
	uint64_t callee = callee_of(code);
	bool called, yes;

	CU_ASSERT_FATAL(guesser != NULL);
	yes = rt_guess_ignored(guesser, callee);
	called = rt_guess_called(guesser, callee);
	code_check_text(code, c, !called && !yes ? "none" : yes ? "yes" : "no");
	CU_ASSERT_FALSE(rt_guess_called(guesser, callee + 1));
	rt_guesser_close(guesser);
	rt_image_close(image);
}

static void test_ignored(void)
{
	code_each_working("ignored.x86_64", check_ignored);
}

/* Guesses that another process has made are taken as they are, and its answers on callers once. */
static void check_learned(const struct code *code, const struct code_part *c)
{
	struct rt_image *image = code_image(code, c, "f");
	struct rt_guesser *first = rt_guesser_open(image), *second = rt_guesser_open(image);
	uint64_t callee = callee_of(code);
	enum rt_callers_do callers;
	struct rt_guessed *v;
	struct rt_guess own, g;
	size_t i, n, found = 0;

	CU_ASSERT_FATAL(first && second);
	rt_guess(first, CODE_FIRST + c->at, c->size, &own);
	callers = rt_guess_callers(first, callee);
	n = rt_guesser_known(first, &v);
	for (i = 0; i < n; i++) {
		if (v[i].done && v[i].addr == CODE_FIRST + c->at) {
			v[i].guess.nargs = 6;
			found++;
		}
		if (v[i].called && v[i].addr == callee) {
			CU_ASSERT_EQUAL(v[i].callers, callers);
			v[i].callers = RT_CALLERS_REAL;
			found++;
		}
		rt_guesser_learn(second, &v[i]);
	}
	CU_ASSERT_EQUAL(found, 2);
	rt_guess(second, CODE_FIRST + c->at, c->size, &g);
	CU_ASSERT_EQUAL(g.nargs, 6);
	CU_ASSERT_EQUAL(g.decided, own.decided);
	CU_ASSERT_EQUAL(rt_guess_callers(second, callee), RT_CALLERS_REAL);
	CU_ASSERT_EQUAL(rt_guess_callers(second, callee), callers);
	free(v);
	rt_guesser_close(first);
	rt_guesser_close(second);
	rt_image_close(image);
}

static void test_learned(void)
{
	code_each_working("callers.x86_64", check_learned);
}

static void check_use(const struct code *code, const struct code_part *c)
{
	static const char *const flows[] = {
		[RT_USE_NEXT] = "", [RT_USE_BRANCH] = "branch ", [RT_USE_JUMP] = "jump ",
		[RT_USE_CALL] = "call ", [RT_USE_RETURN] = "return ", [RT_USE_STOP] = "stop ",
	};
	struct rt_use use;
	char *got = NULL;
	size_t size;
	FILE *f = open_memstream(&got, &size);
	unsigned i;

	CU_ASSERT_TRUE_FATAL(f && rt_use_aarch64(c->bytes, c->size, 0x1000, &use));
	for (i = 0; i < RT_USE_ARGS; i++)
		if (use.reads[i])
			fprintf(f, "r%u:%u%s ", i, use.reads[i], use.pointers >> i & 1 ? "*" : "");
	for (i = 0; i < RT_USE_ARGS; i++)
		if (use.writes >> i & 1)
			fprintf(f, "w%u ", i);
	if (use.result_write)
		fprintf(f, "=%u ", use.result_write);
	fprintf(f, "%s%s%s%s", use.vector_read ? "rv " : "", use.vector_write ? "wv " : "",
		use.tests_vectors ? "variadic " : "", flows[use.flow]);
	if (use.target)
		fprintf(f, "%+d ", (int)(use.target - 0x1000));
	fclose(f);
	if (size)
		got[size - 1] = '\0';
	code_check_text(code, c, got);
	free(got);
}

static void test_aarch64(void)
{
	struct rt_use use;
	uint32_t word, i;

	code_each("use.aarch64", check_use);
	CU_ASSERT_FALSE(rt_use_aarch64((const uint8_t *)"\x1f\x20\x03", 3, 0, &use));
	/* Any word is decoded or refused, and has a target within a word's reach. */
	for (i = 0, word = 1; i < 300000; i++, word = word * 1664525 + 1013904223)
		if (rt_use_aarch64((const uint8_t *)&word, 4, 1 << 28, &use))
			CU_ASSERT_TRUE_FATAL(use.size == 4 && use.target % 4 == 0);
}

CU_TestInfo rt_tests_guess[] = {
	{ "registers", test_registers },
	{ "callers", test_callers },
	{ "guesses of another process", test_learned },
	{ "results of a byte", test_bytes },
	{ "functions without a result", test_results },
	{ "registers that are saved", test_saved },
	{ "variadic functions", test_variadic },
	{ "paths and calls", test_paths },
	{ "results that nobody looks at", test_ignored },
	{ "aarch64 instructions", test_aarch64 },
	CU_TEST_INFO_NULL,
};
