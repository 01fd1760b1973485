/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_TESTS_UNIT_H
#define RT_TESTS_UNIT_H

#include <CUnit/CUnit.h>
#include <stdbool.h>

/*
 * Each test file defines one table, ended by CU_TEST_INFO_NULL, and tests/unit/main.c lists it as a
 * suite.
 */
extern CU_TestInfo rt_tests_outcome[];
extern CU_TestInfo rt_tests_spec[], rt_tests_probes[], rt_tests_spec_plans[], rt_tests_guess[],
	rt_tests_arch[], rt_tests_image[], rt_tests_images[], rt_tests_function[], rt_tests_names[],
	rt_tests_debug[], rt_tests_imports[], rt_tests_cache[];
extern CU_TestInfo rt_tests_fetch[], rt_tests_prologue[], rt_tests_exits[], rt_tests_flow[],
	rt_tests_recursion[], rt_tests_emit_bpf[], rt_tests_emit_tracefs[];
extern CU_TestInfo rt_tests_lower[], rt_tests_show[];
extern CU_TestInfo rt_tests_perf_record[], rt_tests_ring_walk[], rt_tests_gaps[],
	rt_tests_statuses[], rt_tests_tracefs_format[], rt_tests_tracefs_page[], rt_tests_merge[],
	rt_tests_addrmap[], rt_tests_spool[];
extern CU_TestInfo rt_tests_stack[], rt_tests_output[], rt_tests_kernel[], rt_tests_options[],
	rt_tests_filter[], rt_tests_net[], rt_tests_attach[], rt_tests_anchor[], rt_tests_feed[];
extern CU_TestInfo rt_tests_scan[], rt_tests_unwind[], rt_tests_unnamed[], rt_tests_cfi[],
	rt_tests_dwarf_index[];
extern CU_TestInfo rt_tests_sinks[];
extern CU_TestInfo rt_tests_usdt[];
extern CU_TestInfo rt_tests_profile[], rt_tests_formats[];
extern CU_TestInfo rt_tests_record[];
extern CU_TestInfo rt_tests_tally[];
extern CU_TestInfo rt_tests_call_names[], rt_tests_named_calls[];
extern CU_TestInfo rt_tests_filled[], rt_tests_errno[];
extern CU_TestInfo rt_tests_dwarf[], rt_tests_dwarf_files[];
extern CU_TestInfo rt_tests_stack_exits[], rt_tests_stack_threads[];
extern CU_TestInfo rt_tests_pclntab[], rt_tests_go[], rt_tests_abi_go[];

/* Compare two strings and, where they differ, print both: CUnit alone says only that they do. */
bool rt_same_text(const char *got, const char *want);
#define RT_ASSERT_TEXT(got, want) CU_ASSERT(rt_same_text((got), (want)))

#endif
