/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "stack_told.h"
#include "unit.h"

/* Functions that are left at their own instructions. */

static const struct rt_plan at_return = {
	.kind = RT_KIND_RETURN,
	.end = RT_BY_RETURN,
	.nvalues = 1,
	.values = { { .size = 4, .is_signed = true } },
};
static const struct rt_plan at_jump = { .kind = RT_KIND_RETURN, .end = RT_BY_JUMP };
static const struct rt_plan at_branch = {
	.kind = RT_KIND_RETURN, .end = RT_BY_BRANCH, .nvalues = 1, .values = { { .size = 4 } },
};

static void enter_with(struct told *t, uint32_t function, const struct rt_exits *exits, uint64_t time, uint64_t sp, int64_t value)
{
	struct rt_event event = { .type = RT_EV_HIT, .time = time, .pid = 1, .tid = 1 };
	const struct rt_hit hit = { .function = function, .returns = true, .at_exits = true, .exits = exits, .plan = &told_entry };

	event.hit.sp = sp;
	event.hit.size = sizeof(value);
	event.hit.data = (const uint8_t *)&value;
	CU_ASSERT(rt_stack_hit(t->stack, &event, &hit) == 0);
}

static void enter(struct told *t, uint32_t function, uint64_t time, uint64_t sp, int64_t value)
{
	enter_with(t, function, NULL, time, sp, value);
}

static void leave(struct told *t, const struct rt_plan *plan, const struct rt_exit *exit, uint32_t function, uint64_t time, uint64_t sp,
		  int64_t value)
{
	struct rt_event event = { .type = RT_EV_HIT, .time = time, .pid = 1, .tid = 1 };
	const struct rt_hit hit = { .function = function, .returns = true, .at_exits = true, .plan = plan, .exit = exit };

	event.hit.sp = sp;
	event.hit.size = (uint16_t)(plan->nvalues ? sizeof(value) : 0);
	event.hit.data = (const uint8_t *)&value;
	CU_ASSERT(rt_stack_hit(t->stack, &event, &hit) == 0);
}

static const struct rt_exit by_return = { .kind = RT_EXIT_RETURN, .callee = UINT32_MAX };

/* A jump that was followed as if it led to the function's own code, and that has no probe: to b, and to nothing else. */
static void test_exit_becomes(void)
{
	struct rt_exit v[] = { { .at = { .addr = 0x10 } }, { .at = { .addr = 0x20 } } }, other = { .at = { .addr = 0x30 } };
	const struct rt_exits a = { .v = v, .n = 2 }, b = { .v = v + 1, .n = 1 }, c = { .v = &other, .n = 1 };
	struct told t;

	told_begin(&t);
	enter_with(&t, 0, &a, 10, 1000, 1);
	enter_with(&t, 1, &b, 20, 1000, 2);
	leave(&t, &at_return, &by_return, RT_NO_FUNCTION, 30, 1000, 3);
	enter_with(&t, 0, &a, 40, 1000, 4);
	enter_with(&t, 2, &c, 50, 1000, 5);
	told_finish(&t, "1 0 enter a 1\n"
		   "1 0 leave a became 10-20\n"
		   "1 0 enter b 2\n"
		   "1 0 leave b returned 3 20-30\n"
		   "1 0 enter a 4\n"
		   "1 0 leave a unwound 40-50\n"
		   "1 0 enter c 5\n");
}

/* A call that was left without a return (a panic, longjmp), and then the same function from the same place: it has jumped nowhere. */
static void test_called_again(void)
{
	struct rt_exit v[] = { { .at = { .addr = 0x10 } } };
	const struct rt_exits a = { .v = v, .n = 1 };
	struct told t;

	told_begin(&t);
	enter_with(&t, 0, &a, 10, 1000, 1);
	enter_with(&t, 0, &a, 20, 1000, 2);
	leave(&t, &at_return, &by_return, 0, 30, 1000, 3);
	told_finish(&t, "1 0 enter a 1\n"
		   "1 0 leave a unwound 10-20\n"
		   "1 0 enter a 2\n"
		   "1 0 leave a returned 3 20-30\n");
}

/* The stack pointer at a return is that of the entry; what is deeper then was left by longjmp or an exception. */
static void test_exit_return(void)
{
	struct told t;

	told_begin(&t);
	enter(&t, 0, 10, 1000, 1);
	enter(&t, 1, 20, 900, 2);
	leave(&t, &at_return, &by_return, 1, 30, 900, 3);
	enter(&t, 1, 40, 900, 4);
	enter(&t, 2, 50, 800, 5);
	leave(&t, &at_return, &by_return, 0, 60, 1000, 6);
	enter(&t, 1, 70, 900, 7);
	enter(&t, 1, 80, 900, 8);	/* thrown out of the one before, and called once more */
	told_event(&t, RT_EV_EXIT, 1, 90);
	told_finish(&t, "1 0 enter a 1\n"
		   "1 1 enter b 2\n"
		   "1 1 leave b returned 3 20-30\n"
		   "1 1 enter b 4\n"
		   "1 2 enter c 5\n"
		   "1 2 leave c unwound 50-60\n"
		   "1 1 leave b unwound 40-60\n"
		   "1 0 leave a returned 6 10-60\n"
		   "1 0 enter b 7\n"
		   "1 0 leave b unwound 70-80\n"
		   "1 0 enter b 8\n"
		   "1 0 leave b exited 80-90\n");
}

/* A jump says where to: only that function's call is a tail call. */
static void test_exit_jump(void)
{
	static char name[] = "other";
	static const struct rt_exit to_b = { .kind = RT_EXIT_JUMP, .callee = 1 };
	static const struct rt_exit away = { .kind = RT_EXIT_JUMP, .callee = UINT32_MAX, .target = 5, .to = name };
	static const struct rt_exit pointed = { .kind = RT_EXIT_JUMP, .callee = UINT32_MAX };
	static const struct rt_exit middle = { .kind = RT_EXIT_JUMP, .callee = UINT32_MAX, .target = 6, .middle = true };
	struct told t;

	told_begin(&t);
	enter(&t, 0, 10, 1000, 1);
	leave(&t, &at_jump, &to_b, 0, 20, 1000, 0);
	enter(&t, 1, 30, 1000, 2);
	leave(&t, &at_jump, &away, 1, 40, 1000, 0);
	enter(&t, 2, 50, 900, 3);	/* called by what b jumped to, or after that has returned */
	leave(&t, &at_jump, &pointed, 2, 60, 900, 0);
	enter(&t, 1, 70, 1000, 5);
	leave(&t, &at_jump, &middle, 1, 80, 1000, 0);
	leave(&t, &at_return, &by_return, 0, 90, 1000, 6);	/* of another function, into whose middle b jumped */
	told_finish(&t, "1 0 enter a 1\n"
		   "1 0 leave a became 10-30\n"
		   "1 0 enter b 2\n"
		   "1 0 leave b jumped to other 30-40\n"
		   "1 0 enter c 3\n"
		   "1 0 leave c jumped 50-60\n"
		   "1 0 enter b 5\n"
		   "1 0 leave b returned 6 70-90\n");
}

/* A slot that a name is bound to may lead to b.  If the next hit is another's, the jump ended the call. */
static void test_exit_through(void)
{
	static char name[] = "b";
	static uint32_t b[] = { 1 };
	static const struct rt_exit by_slot = {
		.kind = RT_EXIT_JUMP, .callee = UINT32_MAX, .through = b, .nthrough = 1, .to = name,
	};
	struct told t;

	told_begin(&t);
	enter(&t, 0, 10, 1000, 1);
	leave(&t, &at_jump, &by_slot, 0, 20, 1000, 0);
	enter(&t, 1, 30, 1000, 2);
	leave(&t, &at_return, &by_return, 1, 40, 1000, 3);
	enter(&t, 0, 50, 1000, 4);
	leave(&t, &at_jump, &by_slot, 0, 60, 1000, 0);
	enter(&t, 1, 70, 900, 5);	/* the slot led to another b, which calls this one */
	leave(&t, &at_return, &by_return, 1, 80, 900, 6);
	enter(&t, 0, 90, 1000, 7);
	leave(&t, &at_jump, &by_slot, 0, 100, 1000, 0);
	enter(&t, 2, 110, 1000, 8);	/* the other b has returned, and its caller goes on */
	leave(&t, &at_jump, &by_slot, 2, 120, 1000, 0);
	told_event(&t, RT_EV_EXIT, 1, 130);
	told_finish(&t, "1 0 enter a 1\n"
		   "1 0 leave a became 10-30\n"
		   "1 0 enter b 2\n"
		   "1 0 leave b returned 3 30-40\n"
		   "1 0 enter a 4\n"
		   "1 0 leave a jumped to b 50-60\n"
		   "1 0 enter b 5\n"
		   "1 0 leave b returned 6 70-80\n"
		   "1 0 enter a 7\n"
		   "1 0 leave a jumped to b 90-100\n"
		   "1 0 enter c 8\n"
		   "1 0 leave c jumped to b 110-120\n");
}

/* The register's value leads to b.  Hits that are lost before the jump do not matter; those behind it do. */
static void test_exit_pointed(void)
{
	static const struct rt_exit by_register = { .kind = RT_EXIT_JUMP, .callee = UINT32_MAX, .by = 1 };
	struct rt_event event = { .type = RT_EV_HIT, .pid = 1, .tid = 1 };
	const struct rt_hit hit = {
		.function = 0, .returns = true, .at_exits = true, .plan = &at_jump, .exit = &by_register, .leads = 2,
	};
	uint64_t time;
	struct told t;

	told_begin(&t);
	for (time = 100; time <= 300; time += 100) {
		enter(&t, 0, time, 1000, 1);
		if (time == 200)
			told_lost(&t, 1, time + 5, 2);
		event.time = time + 10;
		event.hit.sp = 1000;
		CU_ASSERT(rt_stack_hit(t.stack, &event, &hit) == 0);
		if (time == 300)
			told_lost(&t, 1, time + 15, 2);
		enter(&t, 1, time + 20, 1000, 2);
		leave(&t, &at_return, &by_return, 1, time + 30, 1000, 3);
	}
	told_finish(&t, "1 0 enter a 1\n"
		   "1 0 leave a became 100-120\n"
		   "1 0 enter b 2\n"
		   "1 0 leave b returned 3 120-130\n"
		   "1 0 enter a 1\n"
		   "1 lost 2 at 205\n"
		   "1 0 leave a became 200-220\n"
		   "1 0 enter b 2\n"
		   "1 0 leave b returned 3 220-230\n"
		   "1 0 enter a 1\n"
		   "1 lost 2 at 315\n"
		   "1 0 leave a jumped 300-310\n"
		   "1 0 enter b 2\n"
		   "1 0 leave b returned 3 320-330\n");
}

/* jne: it goes where ZF (64) is clear. */
static void test_exit_branch(void)
{
	static const struct rt_exit to_b = { .kind = RT_EXIT_MAYBE, .condition = 5, .callee = 1 };
	struct told t;

	told_begin(&t);
	enter(&t, 0, 10, 1000, 1);
	leave(&t, &at_branch, &to_b, 0, 20, 1000, 64);
	enter(&t, 1, 30, 1000, 2);	/* so this is no tail call */
	leave(&t, &at_return, &by_return, 1, 40, 1000, 3);
	enter(&t, 0, 50, 1000, 4);
	leave(&t, &at_branch, &to_b, 0, 60, 1000, 0);
	enter(&t, 1, 70, 1000, 5);
	leave(&t, &at_return, &by_return, 1, 80, 1000, 6);
	told_finish(&t, "1 0 enter a 1\n"
		   "1 0 leave a unwound 10-30\n"
		   "1 0 enter b 2\n"
		   "1 0 leave b returned 3 30-40\n"
		   "1 0 enter a 4\n"
		   "1 0 leave a became 50-70\n"
		   "1 0 enter b 5\n"
		   "1 0 leave b returned 6 70-80\n");
}

/* Code that is come to without a call is passed over, unless a call may be missing. */
static void test_exit_unseen(void)
{
	struct told t;

	told_begin(&t);
	leave(&t, &at_return, &by_return, 0, 10, 1000, 1);
	enter(&t, 1, 20, 900, 2);
	leave(&t, &at_return, &by_return, 0, 30, 900, 3);
	leave(&t, &at_return, &by_return, 1, 40, 900, 4);
	told_lost(&t, 1, 50, 7);
	leave(&t, &at_return, &by_return, 0, 60, 1000, 5);
	told_finish(&t, "1 0 enter b 2\n"
		   "1 0 leave b returned 4 20-40\n"
		   "1 lost 7 at 50\n"
		   "1 0 leave a returned 5 ?-60\n");
	told_begin(&t);
	rt_stack_attached(t.stack);
	leave(&t, &at_return, &by_return, 0, 10, 1000, 1);
	leave(&t, &at_return, &by_return, 1, 20, 900, 2);	/* deeper than what began before the trace */
	leave(&t, &at_return, &by_return, 1, 30, 1100, 3);
	told_finish(&t, "1 0 leave a returned 1 before ?-10\n"
		   "1 0 leave b returned 3 before ?-30\n");
}

/* Between a lost event and the next return nobody knows how a call was left. */
static void test_exit_doubt(void)
{
	struct told t;

	told_begin(&t);
	enter(&t, 0, 10, 1000, 1);
	enter(&t, 1, 20, 900, 2);
	told_lost(&t, 1, 25, 7);
	leave(&t, &at_return, &by_return, 0, 30, 1000, 3);
	told_finish(&t, "1 0 enter a 1\n"
		   "1 1 enter b 2\n"
		   "1 lost 7 at 25\n"
		   "1 1 leave b not seen 20-30\n"
		   "1 0 leave a returned 3 unsure 10-30\n");
}

static void unwound(struct told *t, uint64_t time, uint64_t sp)
{
	struct rt_event event = { .type = RT_EV_HIT, .time = time, .pid = 1, .tid = 1 };

	event.hit.sp = sp;
	CU_ASSERT(rt_stack_unwound(t->stack, &event) == 0);
}

/* What the unwinder or longjmp leaves is told when it is left, and what is called from deeper in the stack is not inside it. */
static void test_unwound(void)
{
	struct told t;

	told_begin(&t);
	unwound(&t, 5, 900);		/* no call was seen of this thread */
	enter(&t, 0, 10, 1000, 1);
	enter(&t, 1, 20, 900, 2);
	enter(&t, 2, 30, 800, 3);
	unwound(&t, 40, 950);
	enter(&t, 1, 50, 700, 4);
	told_lost(&t, 1, 60, 7);
	unwound(&t, 70, 960);
	unwound(&t, 80, 960);
	told_finish(&t, "1 0 enter a 1\n"
		   "1 1 enter b 2\n"
		   "1 2 enter c 3\n"
		   "1 2 leave c unwound 30-40\n"
		   "1 1 leave b unwound 20-40\n"
		   "1 1 enter b 4\n"
		   "1 lost 7 at 60\n"
		   "1 1 leave b not seen 50-70\n");
}

/* With uretprobes too; past 64 levels the call may have returned before. */
static void test_unwound_pending(void)
{
	struct told t = { 0 };
	const char *last;
	unsigned i, n = 0;

	told_begin(&t);
	for (i = 0; i < 66; i++)
		told_call(&t, 1, 0, 10 + i, 10000 - 100 * i, 1);
	unwound(&t, 100, 10000 - 6250);
	fflush(t.file);
	for (last = t.text; (last = strstr(last, " leave a ")); last++)
		n += strncmp(last, " leave a unwound", 16) == 0 ? 1 : 100;
	CU_ASSERT(n == 201);
	fclose(t.file);
	rt_stack_free(t.stack);
	free(t.text);
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
	{ "left while events were lost", test_exit_doubt },
	{ "left by the unwinder or longjmp", test_unwound },
	{ "the same with uretprobes", test_unwound_pending },
	CU_TEST_INFO_NULL,
};
