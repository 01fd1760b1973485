/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fnmatch.h>
#include <string.h>

#include "unit.h"
#include "base/array.h"
#include "base/clean.h"
#include "base/glob.h"
#include "base/pairs.h"
#include "base/scan.h"
#include "base/sort.h"

static void test_numbers(void)
{
	const char *at = "18446744073709551615,7fFFg";
	uint64_t v = 0;

	CU_ASSERT(rt_scan_number(&at, 10, &v) && v == UINT64_MAX);
	CU_ASSERT(!rt_scan_number(&at, 10, &v) && v == UINT64_MAX);
	CU_ASSERT(rt_scan_text(&at, ",") && rt_scan_number(&at, 16, &v) && v == 0x7fff);
	RT_ASSERT_TEXT(at, "g");
	at = "18446744073709551616";
	CU_ASSERT(!rt_scan_number(&at, 10, &v) && *at == '1');
	at = "10000000000000000";
	CU_ASSERT(!rt_scan_number(&at, 16, &v) && *at == '1');
	at = "178";
	CU_ASSERT(rt_scan_number(&at, 8, &v) && v == 017);
	RT_ASSERT_TEXT(at, "8");
	at = "-1";
	CU_ASSERT(!rt_scan_number(&at, 10, &v));
	at = "";
	CU_ASSERT(!rt_scan_number(&at, 16, &v));
}

static void test_words(void)
{
	const char *at = " \tone two\nthree", *word;
	size_t n;

	word = rt_scan_word(&at, &n);
	CU_ASSERT(word && n == 3 && memcmp(word, "one", 3) == 0);
	word = rt_scan_word(&at, &n);
	CU_ASSERT(word && n == 3 && memcmp(word, "two", 3) == 0);
	CU_ASSERT(rt_scan_word(&at, &n) == NULL && *at == '\n');
	CU_ASSERT(!rt_scan_text(&at, "\nthrow") && *at == '\n');
	CU_ASSERT(rt_scan_text(&at, "\nth"));
	RT_ASSERT_TEXT(at, "ree");
}

static void test_controls(void)
{
	char text[] = "a\x1b[31m\nb\x7f\xc2\x9b\xc3\xb6\xc2";

	CU_ASSERT_FALSE(rt_is_printable(text));
	rt_make_printable(text);
	RT_ASSERT_TEXT(text, "a?[31m?b???\xc3\xb6?");
	CU_ASSERT_TRUE(rt_is_printable(text));
	CU_ASSERT_TRUE(rt_is_printable("main.(*T).M\xc2\xb7""f"));
	CU_ASSERT_TRUE(rt_is_printable(""));
}

static void expect_printable(const char *text, size_t want)
{
	CU_ASSERT_EQUAL(rt_printable_length((const uint8_t *)text, strlen(text)), want);
}

static void test_printable(void)
{
	expect_printable("", 0);
	expect_printable("a", 1);
	expect_printable("\t", 0);
	expect_printable("\xc2\x9f", 0);
	expect_printable("\xc2\xa0", 2);
	expect_printable("\xd8\x9b", 2);
	expect_printable("\xd8\x9c", 0);
	expect_printable("\xe2\x80\x8d", 3);
	expect_printable("\xe2\x80\x8e", 0);
	expect_printable("\xe2\x80\x90", 3);
	expect_printable("\xe2\x80\xa7", 3);
	expect_printable("\xe2\x80\xa8", 0);
	expect_printable("\xe2\x80\xae", 0);
	expect_printable("\xe2\x80\xaf", 3);
	expect_printable("\xe2\x81\xa5", 3);
	expect_printable("\xe2\x81\xa6", 0);
	expect_printable("\xe2\x81\xa9", 0);
	expect_printable("\xe2\x81\xaa", 3);
	expect_printable("\xf0\x9f\x98\x80", 4);
	expect_printable("\xf0\x9f\x98", 0);
}

/* Every pattern and text of few characters that mean something, as the C library has it. */
static void test_globs(void)
{
	static const char in_glob[] = "*?[]!-a\\", in_text[] = "ab]-*\\";
	static const char *const words[] = {
		"[[:alpha:]]*", "[[:digit:]x]?", "[![:space:]_]", "[[:alpha:", "[a-c-e]",
		"[^b]",		"[]-a]",	 "*::*<*>::f",	  "*a*a*a*b",  "\\[x]",
		"operator[[]*", "[a\\]b]",	 "main.(*",
	};
	static const char *const texts[] = {
		"a",
		"1",
		"x1",
		"_",
		" ",
		"[[:alpha:",
		"-",
		"e",
		"d",
		"^",
		"b",
		"a::B<int>::f",
		"aaaaaaaaaaaaaaaaaaaaaaaa",
		"[x]",
		"operator[]",
		"]",
		"main.(*T).M",
		"\xc3\xb6",
		":]",
		"n:]",
		"",
	};
	const size_t g = sizeof(in_glob) - 1, t = sizeof(in_text);
	char glob[5], text[4];
	size_t i, j, k, n;

	for (i = 0; i < g * g * g * g; i++) {
		for (k = 0, n = i; k < 4; k++, n /= g)
			glob[k] = in_glob[n % g];
		glob[k] = '\0';
		for (j = 0; j < t * t * t; j++) {
			for (k = 0, n = j; k < 3; k++, n /= t)
				text[k] = in_text[n % t];
			text[k] = '\0';
			if (rt_glob_match(glob, text) != (fnmatch(glob, text, 0) == 0))
				RT_ASSERT_TEXT(glob, text);
		}
	}
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		for (j = 0; j < sizeof(texts) / sizeof(texts[0]); j++)
			if (rt_glob_match(words[i], texts[j]) !=
			    (fnmatch(words[i], texts[j], 0) == 0))
				RT_ASSERT_TEXT(words[i], texts[j]);
}

static void test_sort(void)
{
	static const size_t sizes[] = { 0, 1, 2, 256, 257, 5000 };
	static uint64_t v[5000];
	uint64_t word = 1, sum, sorted;
	unsigned bits;
	size_t i, k;

	for (bits = 1; bits <= 64; bits += 9)
		for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
			sum = sorted = 0;
			for (k = 0; k < sizes[i]; k++) {
				word = word * 6364136223846793005ull + 1442695040888963407ull;
				v[k] = word >> (64 - bits);
				sum += v[k] * v[k];
			}
			rt_sort_words(v, sizes[i]);
			for (k = 0; k < sizes[i]; k++) {
				CU_ASSERT_FATAL(!k || v[k - 1] <= v[k]);
				sorted += v[k] * v[k];
			}
			CU_ASSERT_EQUAL(sum, sorted);
		}
}

/* Every pair of bytes, from each place of a block on, and ends within a block. */
static void test_pairs(void)
{
	static const struct rt_byte_pair kinds[] = {
		{ 0xe8, 0, 0 }, { 0x0f, 0xf0, 0x80 }, { 0xc7, 0xff, 0xf8 },
	};
	static const size_t sizes[] = { 0, 1, 15, 16, 17, 100, RT_PAIRS_BYTES };
	static uint8_t bytes[RT_PAIRS_BYTES + 17];
	static uint16_t at[RT_PAIRS_BYTES];
	size_t i, k, n, found, round;
	uint32_t word = 1;

	for (round = 0; round < 100; round++) {
		for (i = 0; i < sizeof(bytes); i++) {
			word = word * 1664525u + 1013904223u;
			bytes[i] = "\xe8\x0f\x80\x8f\xc7\xf8\xf9\x90"[word >> 29];
		}
		n = sizes[round % RT_COUNT(sizes)];
		found = rt_pairs_find(kinds, RT_COUNT(kinds), bytes + round % 2, n, at);
		for (i = k = 0; i < n; i++) {
			const uint8_t *p = bytes + round % 2 + i;

			if (p[0] == 0xe8 || (p[0] == 0x0f && p[1] >= 0x80 && p[1] <= 0x8f) ||
			    (p[0] == 0xc7 && p[1] == 0xf8))
				CU_ASSERT_FATAL(k < found && at[k++] == i);
		}
		CU_ASSERT_EQUAL(k, found);
	}
}

CU_TestInfo rt_tests_scan[] = {
	{ "numbers", test_numbers },
	{ "words", test_words },
	{ "control characters", test_controls },
	{ "what a terminal may be shown", test_printable },
	{ "globs", test_globs },
	{ "sorted words", test_sort },
	{ "pairs of bytes", test_pairs },
	CU_TEST_INFO_NULL,
};
