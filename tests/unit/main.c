/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs every suite: silent about success, exact about failure, and one closing line, a result as
 * live scripts print it.
 */
#include <CUnit/Basic.h>
#include <CUnit/TestRun.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"

bool rt_same_text(const char *got, const char *want)
{
	if (got && strcmp(got, want) == 0)
		return true;
	printf("got:\n%s\nwant:\n%s\n", got ? got : "(null)", want);
	return false;
}

/* Leave out the tests that do not have `words` in their name or their suite's. */
static void select_tests(const char *words)
{
	for (CU_pSuite suite = CU_get_registry()->pSuite; suite; suite = suite->pNext) {
		if (strstr(suite->pName, words))
			continue;
		for (CU_pTest test = suite->pTest; test; test = test->pNext)
			test->fActive = strstr(test->pName, words) ? CU_TRUE : CU_FALSE;
	}
	CU_set_fail_on_inactive(CU_FALSE);
}

/* unit [WORDS]: all tests, or those that have WORDS in their name or their suite's. */
int main(int argc, char **argv)
{
	CU_SuiteInfo suites[] = {
		{ "probes", NULL, NULL, NULL, NULL, rt_tests_probes },
		{ "spec plans", NULL, NULL, NULL, NULL, rt_tests_spec_plans },
		{ "guess", NULL, NULL, NULL, NULL, rt_tests_guess },
		{ "spec", NULL, NULL, NULL, NULL, rt_tests_spec },
		{ "arch", NULL, NULL, NULL, NULL, rt_tests_arch },
		{ "image", NULL, NULL, NULL, NULL, rt_tests_image },
		{ "usdt", NULL, NULL, NULL, NULL, rt_tests_usdt },
		{ "unwind", NULL, NULL, NULL, NULL, rt_tests_unwind },
		{ "dwarf index", NULL, NULL, NULL, NULL, rt_tests_dwarf_index },
		{ "unnamed", NULL, NULL, NULL, NULL, rt_tests_unnamed },
		{ "cfi", NULL, NULL, NULL, NULL, rt_tests_cfi },
		{ "images", NULL, NULL, NULL, NULL, rt_tests_images },
		{ "function", NULL, NULL, NULL, NULL, rt_tests_function },
		{ "debug", NULL, NULL, NULL, NULL, rt_tests_debug },
		{ "cache", NULL, NULL, NULL, NULL, rt_tests_cache },
		{ "imports", NULL, NULL, NULL, NULL, rt_tests_imports },
		{ "names", NULL, NULL, NULL, NULL, rt_tests_names },
		{ "instructions", NULL, NULL, NULL, NULL, rt_tests_flow },
		{ "exits", NULL, NULL, NULL, NULL, rt_tests_exits },
		{ "recursion", NULL, NULL, NULL, NULL, rt_tests_recursion },
		{ "prologue", NULL, NULL, NULL, NULL, rt_tests_prologue },
		{ "pclntab", NULL, NULL, NULL, NULL, rt_tests_pclntab },
		{ "fetch", NULL, NULL, NULL, NULL, rt_tests_fetch },
		{ "lower", NULL, NULL, NULL, NULL, rt_tests_lower },
		{ "show", NULL, NULL, NULL, NULL, rt_tests_show },
		{ "emit bpf", NULL, NULL, NULL, NULL, rt_tests_emit_bpf },
		{ "emit tracefs", NULL, NULL, NULL, NULL, rt_tests_emit_tracefs },
		{ "statuses", NULL, NULL, NULL, NULL, rt_tests_statuses },
		{ "gaps", NULL, NULL, NULL, NULL, rt_tests_gaps },
		{ "rings in place", NULL, NULL, NULL, NULL, rt_tests_ring_walk },
		{ "perf record", NULL, NULL, NULL, NULL, rt_tests_perf_record },
		{ "tracefs format", NULL, NULL, NULL, NULL, rt_tests_tracefs_format },
		{ "tracefs page", NULL, NULL, NULL, NULL, rt_tests_tracefs_page },
		{ "merge", NULL, NULL, NULL, NULL, rt_tests_merge },
		{ "addrmap", NULL, NULL, NULL, NULL, rt_tests_addrmap },
		{ "spool", NULL, NULL, NULL, NULL, rt_tests_spool },
		{ "stack", NULL, NULL, NULL, NULL, rt_tests_stack },
		{ "stack exits", NULL, NULL, NULL, NULL, rt_tests_stack_exits },
		{ "stack threads", NULL, NULL, NULL, NULL, rt_tests_stack_threads },
		{ "filter", NULL, NULL, NULL, NULL, rt_tests_filter },
		{ "net", NULL, NULL, NULL, NULL, rt_tests_net },
		{ "abi go", NULL, NULL, NULL, NULL, rt_tests_abi_go },
		{ "go", NULL, NULL, NULL, NULL, rt_tests_go },
		{ "outcome", NULL, NULL, NULL, NULL, rt_tests_outcome },
		{ "output", NULL, NULL, NULL, NULL, rt_tests_output },
		{ "what functions fill in", NULL, NULL, NULL, NULL, rt_tests_filled },
		{ "errno", NULL, NULL, NULL, NULL, rt_tests_errno },
		{ "sinks", NULL, NULL, NULL, NULL, rt_tests_sinks },
		{ "record", NULL, NULL, NULL, NULL, rt_tests_record },
		{ "profile", NULL, NULL, NULL, NULL, rt_tests_profile },
		{ "formats", NULL, NULL, NULL, NULL, rt_tests_formats },
		{ "tally", NULL, NULL, NULL, NULL, rt_tests_tally },
		{ "call names", NULL, NULL, NULL, NULL, rt_tests_call_names },
		{ "named calls", NULL, NULL, NULL, NULL, rt_tests_named_calls },
		{ "scan", NULL, NULL, NULL, NULL, rt_tests_scan },
		{ "kernel", NULL, NULL, NULL, NULL, rt_tests_kernel },
		{ "options", NULL, NULL, NULL, NULL, rt_tests_options },
		{ "dwarf", NULL, NULL, NULL, NULL, rt_tests_dwarf },
		{ "dwarf files", NULL, NULL, NULL, NULL, rt_tests_dwarf_files },
		{ "attach", NULL, NULL, NULL, NULL, rt_tests_attach },
		{ "anchor", NULL, NULL, NULL, NULL, rt_tests_anchor },
		{ "feed", NULL, NULL, NULL, NULL, rt_tests_feed },
		CU_SUITE_INFO_NULL,
	};
	unsigned failed;

	if (CU_initialize_registry() != CUE_SUCCESS || CU_register_suites(suites) != CUE_SUCCESS) {
		fprintf(stderr, "unit: %s\n", CU_get_error_msg());
		return 1;
	}
	if (argc > 1)
		select_tests(argv[1]);
	CU_run_all_tests();	/* CU_basic_run_tests would print a summary of its own */
	failed = CU_get_number_of_tests_failed();
	if (failed) {
		CU_basic_show_failures(CU_get_failure_list());
		putchar('\n');
	}
	printf("%s unit: %u passed, %u failed\n", failed ? "not ok" : "ok",
	       CU_get_number_of_tests_run() - failed, failed);
	CU_cleanup_registry();
	return failed != 0;
}
