/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "unit.h"

/* Functions that are left at their own instructions. */

/*
 * A jump that was followed as if it led to the function's own code, and that has no probe: to b,
 * and to nothing else.
 */
static void test_exit_becomes(void)
{
	struct rt_exit v[] = { { .at = { .addr = 0x10 } }, { .at = { .addr = 0x20 } } };
	struct rt_exit other = { .at = { .addr = 0x30 } };
	const struct rt_exits a = { .v = v, .n = 2 }, b = { .v = v + 1, .n = 1 };
	const struct rt_exits c = { .v = &other, .n = 1 };
	const struct events_site sites[] = {
		{ .name = "a", .exits = &a }, { .name = "b", .exits = &b },
		{ .name = "c", .exits = &c },
		{ .name = NULL },
	};

	events_check_exits(
		"10 t1 enter a sp=1000 1 exits=a\n"
		"  1 0 enter a 1\n"
		"20 t1 enter b sp=1000 2 exits=b\n"
		"  1 0 leave a became 10-20\n"
		"  1 0 enter b 2\n"
		"30 t1 leave ? sp=1000 3 at=ret\n"
		"  1 0 leave b returned 3 20-30\n"
		"40 t1 enter a sp=1000 4 exits=a\n"
		"  1 0 enter a 4\n"
		"50 t1 enter c sp=1000 5 exits=c\n"
		"  1 0 leave a unwound 40-50\n"
		"  1 0 enter c 5\n", sites);
}

/*
 * A call that was left without a return (a panic, longjmp), and then the same function from the
 * same place: it has jumped nowhere.
 */
static void test_called_again(void)
{
	struct rt_exit v[] = { { .at = { .addr = 0x10 } } };
	const struct rt_exits a = { .v = v, .n = 1 };
	const struct events_site sites[] = {
		{ .name = "a", .exits = &a },
		{ .name = NULL },
	};

	events_check_exits(
		"10 t1 enter a sp=1000 1 exits=a\n"
		"  1 0 enter a 1\n"
		"20 t1 enter a sp=1000 2 exits=a\n"
		"  1 0 leave a unwound 10-20\n"
		"  1 0 enter a 2\n"
		"30 t1 leave a sp=1000 3 at=ret\n"
		"  1 0 leave a returned 3 20-30\n", sites);
}

/*
 * The stack pointer at a return is that of the entry; what is deeper then was left by longjmp or an
 * exception.
 */
static void test_exit_return(void)
{
	events_check(
		"10 t1 enter a sp=1000 1 exits\n"
		"  1 0 enter a 1\n"
		"20 t1 enter b sp=900 2 exits\n"
		"  1 1 enter b 2\n"
		"30 t1 leave b sp=900 3 at=ret\n"
		"  1 1 leave b returned 3 20-30\n"
		"40 t1 enter b sp=900 4 exits\n"
		"  1 1 enter b 4\n"
		"50 t1 enter c sp=800 5 exits\n"
		"  1 2 enter c 5\n"
		"60 t1 leave a sp=1000 6 at=ret\n"
		"  1 2 leave c unwound 50-60\n"
		"  1 1 leave b unwound 40-60\n"
		"  1 0 leave a returned 6 10-60\n"
		"70 t1 enter b sp=900 7 exits\n"
		"  1 0 enter b 7\n"
		"80 t1 enter b sp=900 8 exits    # the one before is unwound\n"
		"  1 0 leave b unwound 70-80\n"
		"  1 0 enter b 8\n"
		"90 t1 exit\n"
		"  1 0 leave b exited 80-90\n");
}

/* A jump says where to: only that function's call is a tail call. */
static void test_exit_jump(void)
{
	static char name[] = "other";
	static const struct rt_exit to_b = { .kind = RT_EXIT_JUMP, .callee = 1 };
	static const struct rt_exit away = {
		.kind = RT_EXIT_JUMP, .callee = UINT32_MAX, .target = 5, .to = name,
	};
	static const struct rt_exit pointed = { .kind = RT_EXIT_JUMP, .callee = UINT32_MAX };
	static const struct rt_exit middle = {
		.kind = RT_EXIT_JUMP, .callee = UINT32_MAX, .target = 6, .middle = true,
	};
	const struct events_site sites[] = {
		{ .name = "to_b", .exit = &to_b }, { .name = "away", .exit = &away },
		{ .name = "pointed", .exit = &pointed }, { .name = "middle", .exit = &middle },
		{ .name = NULL },
	};

	events_check_exits(
		"10 t1 enter a sp=1000 1 exits\n"
		"  1 0 enter a 1\n"
		"20 t1 leave a sp=1000 0 at=to_b\n"
		"30 t1 enter b sp=1000 2 exits\n"
		"  1 0 leave a became 10-30\n"
		"  1 0 enter b 2\n"
		"40 t1 leave b sp=1000 0 at=away\n"
		"  1 0 leave b jumped to other 30-40\n"
		"50 t1 enter c sp=900 3 exits       # by what b jumped to, or later\n"
		"  1 0 enter c 3\n"
		"60 t1 leave c sp=900 0 at=pointed\n"
		"  1 0 leave c jumped 50-60\n"
		"70 t1 enter b sp=1000 5 exits\n"
		"  1 0 enter b 5\n"
		"80 t1 leave b sp=1000 0 at=middle\n"
		"90 t1 leave a sp=1000 6 at=ret     # b jumped into this function\n"
		"  1 0 leave b returned 6 70-90\n", sites);
}

/*
 * A slot that a name is bound to may lead to b.  If the next hit is another's, the jump ended the
 * call.
 */
static void test_exit_through(void)
{
	static char name[] = "b";
	static uint32_t b[] = { 1 };
	static const struct rt_exit by_slot = {
		.kind = RT_EXIT_JUMP, .callee = UINT32_MAX, .through = b, .nthrough = 1, .to = name,
	};
	const struct events_site sites[] = {
		{ .name = "by_slot", .exit = &by_slot },
		{ .name = NULL },
	};

	events_check_exits(
		"10 t1 enter a sp=1000 1 exits\n"
		"  1 0 enter a 1\n"
		"20 t1 leave a sp=1000 0 at=by_slot\n"
		"30 t1 enter b sp=1000 2 exits\n"
		"  1 0 leave a became 10-30\n"
		"  1 0 enter b 2\n"
		"40 t1 leave b sp=1000 3 at=ret\n"
		"  1 0 leave b returned 3 30-40\n"
		"50 t1 enter a sp=1000 4 exits\n"
		"  1 0 enter a 4\n"
		"60 t1 leave a sp=1000 0 at=by_slot\n"
		"70 t1 enter b sp=900 5 exits         # the slot led to another b\n"
		"  1 0 leave a jumped to b 50-60\n"
		"  1 0 enter b 5\n"
		"80 t1 leave b sp=900 6 at=ret\n"
		"  1 0 leave b returned 6 70-80\n"
		"90 t1 enter a sp=1000 7 exits\n"
		"  1 0 enter a 7\n"
		"100 t1 leave a sp=1000 0 at=by_slot\n"
		"110 t1 enter c sp=1000 8 exits       # the other b has returned\n"
		"  1 0 leave a jumped to b 90-100\n"
		"  1 0 enter c 8\n"
		"120 t1 leave c sp=1000 0 at=by_slot\n"
		"130 t1 exit\n"
		"  1 0 leave c jumped to b 110-120\n", sites);
}

/*
 * The register's value leads to b.  Hits that are lost before the jump do not matter; those behind
 * it do.
 */
static void test_exit_pointed(void)
{
	static const struct rt_exit by_register = {
		.kind = RT_EXIT_JUMP, .callee = UINT32_MAX, .by = 1,
	};
	const struct events_site sites[] = {
		{ .name = "to_b", .exit = &by_register, .leads = 2 },
		{ .name = NULL },
	};

	events_check_exits(
		"100 t1 enter a sp=1000 1 exits\n"
		"  1 0 enter a 1\n"
		"110 t1 leave a sp=1000 0 at=to_b\n"
		"120 t1 enter b sp=1000 2 exits\n"
		"  1 0 leave a became 100-120\n"
		"  1 0 enter b 2\n"
		"130 t1 leave b sp=1000 3 at=ret\n"
		"  1 0 leave b returned 3 120-130\n"
		"200 t1 enter a sp=1000 1 exits\n"
		"  1 0 enter a 1\n"
		"205 t1 lost 2\n"
		"  1 lost 2 at 205\n"
		"210 t1 leave a sp=1000 0 at=to_b\n"
		"220 t1 enter b sp=1000 2 exits\n"
		"  1 0 leave a became 200-220\n"
		"  1 0 enter b 2\n"
		"230 t1 leave b sp=1000 3 at=ret\n"
		"  1 0 leave b returned 3 220-230\n"
		"300 t1 enter a sp=1000 1 exits\n"
		"  1 0 enter a 1\n"
		"310 t1 leave a sp=1000 0 at=to_b\n"
		"315 t1 lost 2\n"
		"  1 lost 2 at 315\n"
		"320 t1 enter b sp=1000 2 exits\n"
		"  1 0 leave a jumped 300-310\n"
		"  1 0 enter b 2\n"
		"330 t1 leave b sp=1000 3 at=ret\n"
		"  1 0 leave b returned 3 320-330\n", sites);
}

/* jne: it goes where ZF (64) is clear. */
static void test_exit_branch(void)
{
	static const struct rt_exit to_b = { .kind = RT_EXIT_MAYBE, .condition = 5, .callee = 1 };
	const struct events_site sites[] = {
		{ .name = "to_b", .exit = &to_b },
		{ .name = NULL },
	};

	events_check_exits(
		"10 t1 enter a sp=1000 1 exits\n"
		"  1 0 enter a 1\n"
		"20 t1 leave a sp=1000 64 at=to_b\n"
		"30 t1 enter b sp=1000 2 exits     # so this is no tail call\n"
		"  1 0 leave a unwound 10-30\n"
		"  1 0 enter b 2\n"
		"40 t1 leave b sp=1000 3 at=ret\n"
		"  1 0 leave b returned 3 30-40\n"
		"50 t1 enter a sp=1000 4 exits\n"
		"  1 0 enter a 4\n"
		"60 t1 leave a sp=1000 0 at=to_b\n"
		"70 t1 enter b sp=1000 5 exits\n"
		"  1 0 leave a became 50-70\n"
		"  1 0 enter b 5\n"
		"80 t1 leave b sp=1000 6 at=ret\n"
		"  1 0 leave b returned 6 70-80\n", sites);
}

/* Code that is come to without a call is passed over, unless a call may be missing. */
static void test_exit_unseen(void)
{
	events_check(
		"10 t1 leave a sp=1000 1 at=ret\n"
		"20 t1 enter b sp=900 2 exits\n"
		"  1 0 enter b 2\n"
		"30 t1 leave a sp=900 3 at=ret\n"
		"40 t1 leave b sp=900 4 at=ret\n"
		"  1 0 leave b returned 4 20-40\n"
		"50 t1 lost 7\n"
		"  1 lost 7 at 50\n"
		"60 t1 leave a sp=1000 5 at=ret\n"
		"  1 0 leave a returned 5 ?-60\n");
	events_check(
		"0 attached\n"
		"10 t1 leave a sp=1000 1 at=ret\n"
		"  1 0 leave a returned 1 before ?-10\n"
		"20 t1 leave b sp=900 2 at=ret   # deeper than what began before the trace\n"
		"30 t1 leave b sp=1100 3 at=ret\n"
		"  1 0 leave b returned 3 before ?-30\n");
}

/* Between a lost event and the next return nobody knows how a call was left. */
static void test_exit_doubt(void)
{
	events_check(
		"10 t1 enter a sp=1000 1 exits\n"
		"  1 0 enter a 1\n"
		"20 t1 enter b sp=900 2 exits\n"
		"  1 1 enter b 2\n"
		"25 t1 lost 7\n"
		"  1 lost 7 at 25\n"
		"30 t1 leave a sp=1000 3 at=ret\n"
		"  1 1 leave b not seen 20-30\n"
		"  1 0 leave a returned 3 unsure 10-30\n");
}

/*
 * A call that the unwinder or longjmp ends is reported at that time, and a call from deeper in the
 * stack is not inside it.
 */
static void test_unwound(void)
{
	events_check(
		"5 t1 unwind sp=900             # no call was seen of this thread\n"
		"10 t1 enter a sp=1000 1 exits\n"
		"  1 0 enter a 1\n"
		"20 t1 enter b sp=900 2 exits\n"
		"  1 1 enter b 2\n"
		"30 t1 enter c sp=800 3 exits\n"
		"  1 2 enter c 3\n"
		"40 t1 unwind sp=950\n"
		"  1 2 leave c unwound 30-40\n"
		"  1 1 leave b unwound 20-40\n"
		"50 t1 enter b sp=700 4 exits\n"
		"  1 1 enter b 4\n"
		"60 t1 lost 7\n"
		"  1 lost 7 at 60\n"
		"70 t1 unwind sp=960\n"
		"  1 1 leave b not seen 50-70\n"
		"80 t1 unwind sp=960\n");
}

/* With uretprobes too; past 64 levels the call may have returned before. */
static void test_unwound_pending(void)
{
	struct events t = { 0 };
	const char *last;
	unsigned i, n = 0;

	events_begin(&t);
	for (i = 0; i < 66; i++)
		events_call(&t, 1, 0, 10 + i, 10000 - 100 * i, 1);
	events_row(&t, "100 t1 unwind sp=3750");
	fflush(t.file);
	for (last = t.text; (last = strstr(last, " leave a ")); last++)
		n += strncmp(last, " leave a unwound", 16) == 0 ? 1 : 100;
	CU_ASSERT(n == 201);
	fclose(t.file);
	rt_stack_free(t.stack);
	free(t.text);
}

/* t, number 19, is not traced: its exits end the calls that have jumped to it, and no others. */
static void test_tail(void)
{
	static char name[] = "t";
	static const struct rt_exit to_t = { .kind = RT_EXIT_JUMP, .callee = 19, .to = name };
	static const struct rt_exit to_b = { .kind = RT_EXIT_JUMP, .callee = 1 };
	static const struct rt_exit away = { .kind = RT_EXIT_JUMP, .callee = UINT32_MAX };
	const struct events_site sites[] = {
		{ .name = "to_t", .exit = &to_t }, { .name = "to_b", .exit = &to_b },
		{ .name = "away", .exit = &away },
		{ .name = "pointed", .exit = &away, .leads = 20, .leads_tail = true },
		{ .name = NULL },
	};

	events_check_exits(
		"10 t1 enter a sp=1000 1 exits\n"
		"  1 0 enter a 1\n"
		"11 t1 leave t sp=1000 9 at=ret tail	# a has not jumped\n"
		"12 t1 leave t sp=900 9 at=ret tail	# another caller's, from a\n"
		"13 t1 leave a sp=1000 0 at=to_t\n"
		"14 t1 enter b sp=900 2 exits	# from t\n"
		"  1 1 enter b 2\n"
		"15 t1 leave t sp=800 9 at=ret tail	# t calls itself\n"
		"16 t1 leave b sp=900 3 at=ret\n"
		"  1 1 leave b returned 3 14-16\n"
		"17 t2 leave t sp=1000 9 at=ret tail	# another thread\n"
		"18 t1 leave t sp=1000 4 at=ret tail\n"
		"  1 0 leave a returned 4 10-18\n"
		"19 t1 leave t sp=1000 9 at=ret tail\n"
		"20 t1 enter a sp=1000 5 exits\n"
		"  1 0 enter a 5\n"
		"21 t1 leave a sp=1000 0 at=pointed\n"
		"22 t1 leave t sp=1000 0 at=to_b tail	# t ends in a jump to b\n"
		"23 t1 enter b sp=1000 6 exits\n"
		"  1 0 leave a became 20-23\n"
		"  1 0 enter b 6\n"
		"24 t1 leave b sp=1000 0 at=to_t\n"
		"25 t1 leave t sp=1000 0 at=away tail	# and elsewhere\n"
		"  1 0 leave b jumped 23-25\n"
		"30 t1 enter a sp=1000 7 exits wide\n"
		"  1 0 enter a 7\n"
		"31 t1 leave a sp=1000 0 at=to_t\n"
		"32 t1 leave t sp=1000 8 at=ret tail	# read for callers of another type\n"
		"  1 0 leave a jumped to t 30-32\n"
		"40 t1 enter a sp=1000 1 exits\n"
		"  1 0 enter a 1\n"
		"41 t1 leave a sp=1000 0 at=to_t\n"
		"42 t1 enter a sp=1000 2 exits	# the exit of t was not seen\n"
		"  1 0 leave a jumped to t 40-42\n"
		"  1 0 enter a 2\n"
		"43 t1 lost 3\n"
		"  1 lost 3 at 43\n"
		"44 t1 leave t sp=1000 9 at=ret tail	# its jump may be lost\n"
		"  1 0 leave a not seen 42-44\n"
		"45 t1 leave t sp=2000 9 at=ret tail\n", sites);
}

/* r, number 17, and s are return sites: probes behind calls, with the stack pointer of the call. */
static void test_return_site(void)
{
	static const struct rt_exit away = { .kind = RT_EXIT_JUMP, .callee = UINT32_MAX };
	const struct events_site sites[] = {
		{ .name = "to_r", .exit = &away, .returns_to = 18 },
		{ .name = "to_s", .exit = &away, .returns_to = 19 },
		{ .name = "away", .exit = &away },
		{ .name = NULL },
	};

	events_check_exits(
		"10 t1 leave r sp=1000 9 at=ret behind	# a caller of others\n"
		"11 t1 enter a sp=1000 1 exits\n"
		"  1 0 enter a 1\n"
		"12 t1 leave r sp=1000 9 at=ret behind	# a has not jumped\n"
		"13 t1 leave a sp=1000 0 at=to_r\n"
		"14 t1 enter b sp=900 2 exits	# from the target of a\n"
		"  1 1 enter b 2\n"
		"15 t1 leave b sp=900 0 at=to_r	# b is called from there too\n"
		"16 t2 leave r sp=900 9 at=ret behind	# another thread\n"
		"17 t1 leave r sp=900 3 at=ret behind\n"
		"  1 1 leave b returned 3 14-17\n"
		"18 t1 leave s sp=1000 9 at=ret behind	# of another call\n"
		"19 t1 leave t sp=1000 9 at=ret tail	# read for callers of another type\n"
		"20 t1 leave r sp=1000 4 at=ret behind\n"
		"  1 0 leave a returned 4 11-20\n"
		"21 t1 leave r sp=1000 9 at=ret behind\n"
		"30 t1 enter a sp=1000 5 exits\n"
		"  1 0 enter a 5\n"
		"31 t1 leave a sp=1000 0 at=to_r\n"
		"32 t1 enter b sp=1000 6 exits	# the target jumps to b\n"
		"  1 0 leave a became 30-32\n"
		"  1 0 enter b 6\n"
		"33 t1 leave b sp=1000 7 at=ret\n"
		"  1 0 leave b returned 7 32-33\n"
		"34 t1 leave r sp=1000 7 at=ret behind\n"
		"40 t1 enter a sp=1000 1 exits wide\n"
		"  1 0 enter a 1\n"
		"41 t1 leave a sp=1000 0 at=to_r\n"
		"42 t1 leave r sp=1000 8 at=ret behind	# read for callers of another type\n"
		"  1 0 leave a jumped 40-42\n"
		"50 t1 enter a sp=1000 1 exits\n"
		"  1 0 enter a 1\n"
		"51 t1 leave a sp=1000 0 at=to_r\n"
		"52 t1 enter b sp=1100 2 exits	# it was left by code that nothing is known of\n"
		"  1 0 leave a jumped 50-52\n"
		"  1 0 enter b 2\n"
		"53 t1 leave b sp=1100 3 at=ret\n"
		"  1 0 leave b returned 3 52-53\n"
		"60 t1 enter a sp=1000 1 exits\n"
		"  1 0 enter a 1\n"
		"61 t1 leave a sp=1000 0 at=to_s\n"
		"62 t1 unwind sp=1000\n"
		"  1 0 leave a unwound 60-62\n"
		"70 t1 enter a sp=1000 1 exits\n"
		"  1 0 enter a 1\n"
		"71 t1 leave a sp=1000 0 at=to_s\n"
		"72 t1 lost 2\n"
		"  1 lost 2 at 72\n"
		"73 t1 enter b sp=1000 2 exits	# the return may be lost\n"
		"  1 0 leave a jumped 70-73\n"
		"  1 0 enter b 2\n"
		"74 t1 leave b sp=1000 0 at=away\n"
		"  1 0 leave b jumped 73-74\n", sites);
}

CU_TestInfo rt_tests_stack_exits[] = {
	{ "returns seen at their instructions", test_exit_return },
	{ "jumps that may lead to a function", test_exit_becomes },
	{ "the same function again after a call that was left", test_called_again },
	{ "jumps out of functions", test_exit_jump },
	{ "jumps by slots that are bound to names", test_exit_through },
	{ "jumps by registers", test_exit_pointed },
	{ "conditional jumps out of functions", test_exit_branch },
	{ "instructions that are come to without a call", test_exit_unseen },
	{ "tail calls of what is not traced", test_tail },
	{ "return sites of tail calls", test_return_site },
	{ "left while events were lost", test_exit_doubt },
	{ "left by the unwinder or longjmp", test_unwound },
	{ "the same with uretprobes", test_unwound_pending },
	CU_TEST_INFO_NULL,
};
