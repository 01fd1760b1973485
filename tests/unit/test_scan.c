/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "unit.h"
#include "util/scan.h"

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

CU_TestInfo rt_tests_scan[] = {
	{ "numbers", test_numbers },
	{ "words", test_words },
	CU_TEST_INFO_NULL,
};
