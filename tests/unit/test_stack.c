/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "unit.h"

static void test_nested(void)
{
	events_check(
		"10 t1 enter a sp=1000 4\n"
		"  1 0 enter a 4\n"
		"20 t1 enter b sp=900 3\n"
		"  1 1 enter b 3\n"
		"30 t1 return b sp=900 2\n"
		"  1 1 leave b returned 2 20-30\n"
		"40 t1 enter b sp=900 5\n"
		"  1 1 enter b 5\n"
		"50 t1 return b sp=900 -1\n"
		"  1 1 leave b returned -1 40-50\n"
		"60 t1 return a sp=1000 6\n"
		"  1 0 leave a returned 6 10-60\n"
		"70 end\n");
}

/* longjmp past two calls, seen at the return of the one that called setjmp. */
static void test_jump_then_return(void)
{
	events_check(
		"10 t1 enter a sp=1000 1\n"
		"  1 0 enter a 1\n"
		"20 t1 enter b sp=900 2\n"
		"  1 1 enter b 2\n"
		"30 t1 enter c sp=800 3\n"
		"  1 2 enter c 3\n"
		"40 t1 return a sp=1000 4\n"
		"  1 2 leave c not seen 30-40\n"
		"  1 1 leave b not seen 20-40\n"
		"  1 0 leave a returned 4 10-40\n");
}

/* The same seen at the next call, which stands between the two. */
static void test_jump_then_call(void)
{
	events_check(
		"10 t1 enter a sp=1000 1\n"
		"  1 0 enter a 1\n"
		"20 t1 enter b sp=900 2\n"
		"  1 1 enter b 2\n"
		"30 t1 enter c sp=800 3\n"
		"  1 2 enter c 3\n"
		"40 t1 enter d sp=850 4\n"
		"  1 2 leave c not seen 30-40\n"
		"  1 2 enter d 4\n"
		"50 t1 return d sp=850 5\n"
		"  1 2 leave d returned 5 40-50\n");
}

static void test_successor(void)
{
	events_check(
		"10 t1 enter a sp=1000 1\n"
		"  1 0 enter a 1\n"
		"20 t1 enter b sp=900 2\n"
		"  1 1 enter b 2\n"
		"30 t1 jump c sp=900 3\n"
		"  1 1 leave b became 20-30\n"
		"  1 1 enter c 3\n"
		"40 t1 enter b sp=900 4   # the returns of both before it were lost\n"
		"  1 1 leave c not seen 30-40\n"
		"  1 1 enter b 4\n");
}

static void test_tail_call(void)
{
	events_check(
		"10 t1 enter a sp=1000 1\n"
		"  1 0 enter a 1\n"
		"20 t1 jump b sp=1000 2\n"
		"  1 0 leave a became 10-20\n"
		"  1 0 enter b 2\n"
		"30 t1 return b sp=1000 9\n"
		"  1 0 leave b returned 9 20-30\n"
		"31 t1 return a sp=1000 9\n");
}

/* The return of the function that was jumped to was lost: the one of its caller is its end too. */
static void test_tail_call_lost_return(void)
{
	events_check(
		"10 t1 enter a sp=1000 1\n"
		"  1 0 enter a 1\n"
		"20 t1 jump b sp=1000 2\n"
		"  1 0 leave a became 10-20\n"
		"  1 0 enter b 2\n"
		"30 t1 return a sp=1000 9\n"
		"  1 0 leave b returned 9 20-30\n");
}

/*
 * The caller waits for its own return alone: a return of another call there stands at its level,
 * not below it.
 */
static void test_tail_call_other_return(void)
{
	events_check(
		"10 t1 enter a sp=1000 1\n"
		"  1 0 enter a 1\n"
		"20 t1 jump b sp=1000 2\n"
		"  1 0 leave a became 10-20\n"
		"  1 0 enter b 2\n"
		"30 t1 return b sp=1000 9\n"
		"  1 0 leave b returned 9 20-30\n"
		"31 t1 return c sp=1000 9\n"
		"  1 0 leave c returned 9 ?-31\n");
}

/*
 * A trampoline as return address nests only where the stack pointer is the same; elsewhere it says
 * nothing.
 */
static void test_trampoline_elsewhere(void)
{
	events_check(
		"10 t1 enter a sp=900 1\n"
		"  1 0 enter a 1\n"
		"20 t1 jump b sp=1000 2\n"
		"  1 0 leave a not seen 10-20\n"
		"  1 0 enter b 2\n"
		"30 t1 enter c sp=1000 3\n"
		"  1 0 leave b not seen 20-30\n"
		"  1 0 enter c 3\n");
}

/* A call whose return address was not recorded. */
static void call_unknown(struct events *t, uint32_t function, uint64_t time, uint64_t sp)
{
	CU_ASSERT(events_hit(t, &events_entry, 1, function, true, time, sp, 0, 0) == 0);
}

/* Without return addresses the same stack pointer means a tail call, as every return is seen ... */
static void test_unknown_tail(void)
{
	events_check(
		"10 t1 enter a sp=1000 0 unknown\n"
		"  1 0 enter a 0\n"
		"20 t1 enter b sp=1000 0 unknown\n"
		"  1 0 leave a became 10-20\n"
		"  1 0 enter b 0\n"
		"30 t1 return b sp=1000 7\n"
		"  1 0 leave b returned 7 20-30\n"
		"40 t1 return a sp=1000 8\n"
		"50 t1 enter c sp=1000 0 unknown\n"
		"  1 0 enter c 0\n");
}

/* ... unless events were lost in between ... */
static void test_unknown_after_loss(void)
{
	events_check(
		"10 t1 enter a sp=1000 0 unknown\n"
		"  1 0 enter a 0\n"
		"15 lost 7\n"
		"  lost 7 at 15\n"
		"20 t1 enter b sp=1000 0 unknown\n"
		"  1 0 leave a not seen 10-20\n"
		"  1 0 enter b 0\n"
		"30 t1 enter c sp=1000 0 unknown  # and since the loss nothing was\n"
		"  1 0 leave b became 20-30\n"
		"  1 0 enter c 0\n");
}

/* ... in this thread. */
static void test_unknown_loss_elsewhere(void)
{
	events_check(
		"10 t1 enter a sp=1000 0 unknown\n"
		"  1 0 enter a 0\n"
		"15 t2 lost 7\n"
		"  2 lost 7 at 15\n"
		"20 t1 enter b sp=1000 0 unknown\n"
		"  1 0 leave a became 10-20\n"
		"  1 0 enter b 0\n"
		"25 t1 lost 7\n"
		"  1 lost 7 at 25\n"
		"30 t1 enter c sp=1000 0 unknown\n"
		"  1 0 leave b not seen 20-30\n"
		"  1 0 enter c 0\n");
}

/*
 * A ring that lost its events from 15 to 35 says so with its next one; another CPU's came in
 * between.
 */
static void test_unknown_while_losing(void)
{
	events_check(
		"10 t1 enter a sp=1000 0 unknown\n"
		"  1 0 enter a 0\n"
		"15 lost 7 until=35\n"
		"  lost 7 at 15\n"
		"20 t1 enter b sp=1000 0 unknown\n"
		"  1 0 leave a not seen 10-20\n"
		"  1 0 enter b 0\n"
		"40 t1 enter c sp=1000 0 unknown\n"
		"  1 0 leave b not seen 20-40\n"
		"  1 0 enter c 0\n"
		"50 t1 enter a sp=1000 0 unknown\n"
		"  1 0 leave c became 40-50\n"
		"  1 0 enter a 0\n");
}

/* ... or the call lies deeper than the kernel follows returns. */
static void test_unknown_deep(void)
{
	struct events t;
	unsigned i;

	events_begin(&t);
	for (i = 0; i < 65; i++)
		call_unknown(&t, 0, i, 10000 - 10 * i);
	call_unknown(&t, 1, 70, 10000 - 10 * 64);
	call_unknown(&t, 2, 80, 10000 - 10 * 63);	/* the 64th is still followed */
	fflush(t.file);
	CU_ASSERT(strstr(t.text, "1 64 enter a 0\n1 64 leave a not seen 64-70\n1 64 enter b 0\n"
			 "1 64 leave b not seen 70-80\n1 63 leave a became 63-80\n"
			 "1 63 enter c 0\n") != NULL);
	fclose(t.file);
	rt_stack_free(t.stack);
	free(t.text);
}

/* The return of the one, or the return of the next: two hits are enough to be lost. */
static void test_lost_between(void)
{
	events_check(
		"10 t1 enter a sp=1000 0 unknown\n"
		"  1 0 enter a 0\n"
		"15 t1 lost 1\n"
		"  1 lost 1 at 15\n"
		"20 t1 return a sp=1000 1\n"
		"  1 0 leave a returned 1 10-20\n"
		"30 t1 enter a sp=1000 0 unknown\n"
		"  1 0 enter a 0\n"
		"35 t1 lost 2\n"
		"  1 lost 2 at 35\n"
		"40 t1 return a sp=1000 2\n"
		"  1 0 leave a returned 2 unsure 30-40\n"
		"50 t1 enter a sp=1000 0 unknown  # nothing was lost since\n"
		"  1 0 enter a 0\n"
		"60 t1 return a sp=1000 3\n"
		"  1 0 leave a returned 3 50-60\n"
		"70 t1 enter a sp=1000 0 unknown\n"
		"  1 0 enter a 0\n"
		"75 lost 1\n"
		"  lost 1 at 75\n"
		"80 t1 return a sp=1000 4\n"
		"  1 0 leave a returned 4 unsure 70-80\n");
}

/* For a to be another, the returns of c, b and a, and an entry, would be among what was lost. */
static void test_lost_inside(void)
{
	events_check(
		"10 t1 enter a sp=1000 0 unknown\n"
		"  1 0 enter a 0\n"
		"20 t1 enter b sp=900 0 unknown\n"
		"  1 1 enter b 0\n"
		"30 t1 enter c sp=800 0 unknown\n"
		"  1 2 enter c 0\n"
		"35 t1 lost 3\n"
		"  1 lost 3 at 35\n"
		"40 t1 return c sp=800 1\n"
		"  1 2 leave c returned 1 unsure 30-40\n"
		"50 t1 return b sp=900 2\n"
		"  1 1 leave b returned 2 unsure 20-50\n"
		"60 t1 return a sp=1000 3\n"
		"  1 0 leave a returned 3 10-60\n");
}

/* Twice one was lost: b's return, and then the entry of another b. */
static void test_lost_twice(void)
{
	events_check(
		"10 t1 enter a sp=1000 0 unknown\n"
		"  1 0 enter a 0\n"
		"20 t1 enter b sp=900 0 unknown\n"
		"  1 1 enter b 0\n"
		"25 t1 lost 1\n"
		"  1 lost 1 at 25\n"
		"30 t1 enter c sp=800 0 unknown\n"
		"  1 2 enter c 0\n"
		"40 t1 return c sp=800 1\n"
		"  1 2 leave c returned 1 30-40\n"
		"45 t1 lost 1\n"
		"  1 lost 1 at 45\n"
		"50 t1 return b sp=900 2\n"
		"  1 1 leave b returned 2 unsure 20-50\n"
		"60 t1 return a sp=1000 3\n"
		"  1 0 leave a returned 3 10-60\n");
}

/* If longjmp may leave calls without a hit, one lost entry is enough.  main is called once. */
static void test_lost_leaps(void)
{
	events_check(
		" 5 t1 enter a sp=1000 9 once unknown\n"
		"  1 0 enter a 9\n"
		"10 t1 enter b sp=900 1\n"
		"  1 1 enter b 1\n"
		"15 t1 lost 1\n"
		"  1 lost 1 at 15\n"
		"20 t1 return b sp=900 2\n"
		"  1 1 leave b returned 2 unsure 10-20\n"
		"25 lost 100\n"
		"  lost 100 at 25\n"
		"30 t1 return a sp=1000 3\n"
		"  1 0 leave a returned 3 5-30\n");
}

/* The process ran before the trace: the call was not lost.  After a loss nobody knows. */
static void test_before(void)
{
	events_check(
		"0 attached\n"
		"10 t1 return a sp=1000 1\n"
		"  1 0 leave a returned 1 before ?-10\n"
		"15 t1 lost 2\n"
		"  1 lost 2 at 15\n"
		"20 t1 return b sp=1100 2\n"
		"  1 0 leave b returned 2 ?-20\n"
		"30 t2 return b sp=5000 3\n"
		"  2 0 leave b returned 3 before ?-30\n");
}

static void test_unseen_entry(void)
{
	events_check(
		"10 t1 return a sp=1000 1\n"
		"  1 0 leave a returned 1 ?-10\n"
		"20 t1 enter b sp=1000 2\n"
		"  1 0 enter b 2\n"
		"30 t1 return c sp=900 3   # inside of b\n"
		"  1 1 leave c returned 3 ?-30\n"
		"40 t1 return c sp=1000 4  # at b's place, another function: b stays open\n"
		"  1 1 leave c returned 4 ?-40\n"
		"50 t1 return b sp=1000 5\n"
		"  1 0 leave b returned 5 20-50\n"
		"60 t1 return ? sp=1000 6\n"
		"  1 0 leave ? returned 6 ?-60\n");
}

static void test_nameless_return(void)
{
	events_check(
		"10 t1 enter a sp=1000 1\n"
		"  1 0 enter a 1\n"
		"20 t1 jump b sp=1000 2\n"
		"  1 0 leave a became 10-20\n"
		"  1 0 enter b 2\n"
		"30 t1 return ? sp=1000 3\n"
		"  1 0 leave b returned 3 20-30\n"
		"40 t1 return ? sp=1000 4\n");
}

static void test_entry_only(void)
{
	events_check(
		"10 t1 enter a sp=1000 1\n"
		"  1 0 enter a 1\n"
		"20 t1 enter b sp=900 2 only\n"
		"  1 1 enter b 2 only\n"
		"30 t1 enter c sp=800 3        # inside of it, but that cannot be known\n"
		"  1 1 enter c 3\n"
		"40 t1 enter b sp=1000 4 only\n"
		"  1 1 leave c not seen 30-40\n"
		"  1 0 leave a not seen 10-40\n"
		"  1 0 enter b 4 only\n"
		"50 end\n");
}

/*
 * A signal handler on a stack of its own, above the interrupted one: what it pops returns later all
 * the same.
 */
static void test_signal_stack(void)
{
	events_check(
		"10 t1 enter a sp=1000 1\n"
		"  1 0 enter a 1\n"
		"20 t1 enter b sp=9000 2\n"
		"  1 0 leave a not seen 10-20\n"
		"  1 0 enter b 2\n"
		"30 t1 return b sp=9000 3\n"
		"  1 0 leave b returned 3 20-30\n"
		"40 t1 return a sp=1000 4\n"
		"  1 0 leave a returned 4 ?-40\n");
}

static void test_lost(void)
{
	events_check(
		"10 t1 enter a sp=1000 1\n"
		"  1 0 enter a 1\n"
		"15 lost 7\n"
		"  lost 7 at 15\n"
		"16 t1 mmap\n"
		"20 t1 return a sp=1000 2\n"
		"  1 0 leave a returned 2 unsure 10-20\n");
}

/* A record that is shorter than its plan says must not be read past its end. */
static void test_short_record(void)
{
	struct rt_event ev = { .type = RT_EV_HIT, .time = 10, .pid = 1, .tid = 1 };
	struct rt_hit known = { .returns = true, .plan = &events_entry };
	static const uint8_t three[3];
	struct events t;

	events_begin(&t);
	ev.hit.sp = 1000;
	ev.hit.data = three;
	ev.hit.size = sizeof(three);
	CU_ASSERT(rt_stack_hit(t.stack, &ev, &known) == 0);
	known.plan = NULL;
	CU_ASSERT(rt_stack_hit(t.stack, &ev, &known) == -EINVAL);
	events_finish(&t, "1 0 enter a unreadable\n");
}

static void test_errors_pass(void)
{
	struct events t;

	events_begin(&t);
	events_call(&t, 1, 0, 10, 1000, 1);
	t.fail = -EPIPE;
	CU_ASSERT(events_hit(&t, &events_entry, 1, 1, true, 20, 900, EVENTS_CALLER, 2) == -EPIPE);
	CU_ASSERT(events_hit(&t, &events_return, 1, 0, true, 30, 1008, 0, 2) == -EPIPE);
	CU_ASSERT(rt_stack_end(t.stack, 40) == -EPIPE);
	events_finish(&t, "1 0 enter a 1\n"
		   "1 1 enter b 2\n"
		   "1 1 leave b not seen 20-30\n"
		   "1 0 leave a unfinished 10-40\n");
}

/*
 * An architecture with a link register takes nothing off the stack at a return, and a plan may have
 * none.
 */
static void test_no_return_pop(void)
{
	static const struct rt_plan bare = { .kind = RT_KIND_RETURN };
	struct events t;

	events_begin(&t);
	events_call(&t, 1, 0, 10, 1000, 1);
	CU_ASSERT(events_hit(&t, &bare, 1, 0, true, 20, 1000, 0, 2) == 0);
	events_finish(&t, "1 0 enter a 1\n"
		   "1 0 leave a returned 2 10-20\n");
}

/* i386: "ret $4" and stdcall functions come back above their entry. */
static void test_callee_pops(void)
{
	events_check(
		"10 t1 enter a sp=1000 1\n"
		"  1 0 enter a 1\n"
		"20 t1 enter b sp=900 2\n"
		"  1 1 enter b 2\n"
		"30 t1 enter b sp=800 3\n"
		"  1 2 enter b 3\n"
		"40 t1 enter c sp=700 4\n"
		"  1 3 enter c 4\n"
		"50 t1 return b sp=812 5 i386   # the return of c was not seen\n"
		"  1 3 leave c not seen 40-50\n"
		"  1 2 leave b returned 5 30-50\n"
		"60 t1 return ? sp=908 6 i386\n"
		"  1 1 leave b returned 6 20-60\n"
		"70 t1 return a sp=1004 7 i386\n"
		"  1 0 leave a returned 7 10-70\n");
}

/*
 * A frame below the place of a return need not be its call: it may be another function's, or too
 * far.
 */
static void test_callee_pops_other(void)
{
	events_check(
		"10 t1 enter a sp=1000 1\n"
		"  1 0 enter a 1\n"
		"20 t1 return b sp=1012 2 i386\n"
		"  1 0 leave a not seen 10-20\n"
		"  1 0 leave b returned 2 ?-20\n"
		"30 t1 enter a sp=1000 3\n"
		"  1 0 enter a 3\n"
		"40 t1 return a sp=2032 4 i386\n"
		"  1 0 leave a not seen 30-40\n"
		"  1 0 leave a returned 4 ?-40\n"
		"50 t1 enter a sp=1000 5\n"
		"  1 0 enter a 5\n"
		"60 lost 7\n"
		"  lost 7 at 60\n"
		"70 t1 return ? sp=1008 6 i386\n"
		"  1 0 leave a not seen 50-70\n"
		"  1 0 leave ? returned 6 ?-70\n");
}

/* The probe that closes may be hit from further above or below than the one that opens. */
static void test_pairs(void)
{
	events_check(
		"10 t1 enter a sp=5000 1 pair\n"
		"  1 0 enter a 1\n"
		"20 t1 enter a sp=4900 2 pair\n"
		"  1 1 enter a 2\n"
		"25 t1 enter c sp=4950 7 only\n"
		"  1 2 enter c 7 only\n"
		"30 t1 close a sp=4910 2 pair\n"
		"  1 1 leave a returned 20-30\n"
		"35 t1 enter a sp=4900 2 pair\n"
		"  1 1 enter a 2\n"
		"40 t1 enter a sp=4900 3 pair inlined\n"
		"  1 2 enter a 3\n"
		"50 t1 close a sp=4900 3 pair\n"
		"  1 2 leave a returned 40-50\n"
		"60 t1 close a sp=4900 2 pair\n"
		"  1 1 leave a returned 35-60\n"
		"70 t1 close a sp=4990 1 pair\n"
		"  1 0 leave a returned 10-70\n"
		"80 t1 close b sp=4990 9 pair only\n"
		"  1 0 enter b 9 only\n"
		"90 t1 lost 1\n"
		"  1 lost 1 at 90\n"
		"95 t1 close a sp=4990 9 pair\n"
		"  1 0 leave a returned ?-95\n");
}

/*
 * An exception of a method that is inlined skips the probe that closes, and its caller goes on with
 * the same stack pointer.
 */
static void test_pairs_inlined(void)
{
	events_check(
		"10 t1 enter a sp=5000 1 pair inlined\n"
		"  1 0 enter a 1\n"
		"20 t1 enter a sp=5000 2 pair inlined\n"
		"  1 1 enter a 2\n"
		"30 t1 enter a sp=5000 3 pair inlined\n"
		"  1 2 enter a 3\n"
		"40 t1 enter a sp=4900 4 pair inlined\n"
		"  1 3 enter a 4\n"
		"50 t1 close a sp=4900 4 pair\n"
		"  1 3 leave a returned 40-50\n"
		"60 t1 close a sp=5000 2 pair\n"
		"  1 2 leave a unwound unsure 30-60\n"
		"  1 1 leave a returned 20-60\n"
		"70 t1 enter a sp=5000 5 pair inlined\n"
		"  1 1 enter a 5\n"
		"80 t1 close a sp=5000 1 pair\n"
		"  1 1 leave a unwound 70-80\n"
		"  1 0 leave a returned 10-80\n");
}

/* Exceptions skip the probe that closes. */
static void test_pairs_skipped(void)
{
	events_check(
		"10 t1 enter a sp=5000 1 pair\n"
		"  1 0 enter a 1\n"
		"20 t1 enter a sp=4900 2 pair\n"
		"  1 1 enter a 2\n"
		"30 t1 enter b sp=4800 3 pair\n"
		"  1 2 enter b 3\n"
		"40 t1 enter a sp=4900 4 pair\n"
		"  1 2 leave b unwound 30-40\n"
		"  1 1 leave a unwound 20-40\n"
		"  1 1 enter a 4\n"
		"50 t1 close a sp=5000 1 pair\n"
		"  1 1 leave a unwound 40-50\n"
		"  1 0 leave a returned 10-50\n");
}

/* A pair inside a function's call, and a function's call inside a pair. */
static void test_pairs_in_functions(void)
{
	events_check(
		"10 t1 enter c sp=5000 1\n"
		"  1 0 enter c 1\n"
		"20 t1 enter a sp=4900 2 pair\n"
		"  1 1 enter a 2\n"
		"30 t1 enter d sp=4800 3\n"
		"  1 2 enter d 3\n"
		"40 t1 return d sp=4800 4\n"
		"  1 2 leave d returned 4 30-40\n"
		"50 t1 return c sp=5000 5\n"
		"  1 1 leave a unwound 20-50\n"
		"  1 0 leave c returned 5 10-50\n");
}

CU_TestInfo rt_tests_stack[] = {
	{ "nested calls", test_nested },
	{ "jump seen at a return", test_jump_then_return },
	{ "jump seen at a call", test_jump_then_call },
	{ "a call where another stood", test_successor },
	{ "tail call", test_tail_call },
	{ "tail call: the return of another", test_tail_call_other_return },
	{ "tail call whose return was lost", test_tail_call_lost_return },
	{ "trampoline at another place", test_trampoline_elsewhere },
	{ "tail calls without return addresses", test_unknown_tail },
	{ "the same after a loss", test_unknown_after_loss },
	{ "unknown return address, events lost in another thread", test_unknown_loss_elsewhere },
	{ "unknown return address, events lost for a while", test_unknown_while_losing },
	{ "the same past 64 levels", test_unknown_deep },
	{ "events lost between a call and a return", test_lost_between },
	{ "events lost inside other calls", test_lost_inside },
	{ "events lost twice", test_lost_twice },
	{ "events lost where longjmp leaves calls, and in main", test_lost_leaps },
	{ "calls from before the trace", test_before },
	{ "return without its call", test_unseen_entry },
	{ "return without a name", test_nameless_return },
	{ "entry only", test_entry_only },
	{ "signal stack", test_signal_stack },
	{ "lost events", test_lost },
	{ "record shorter than its plan", test_short_record },
	{ "errors of the output", test_errors_pass },
	{ "return that pops nothing", test_no_return_pop },
	{ "returns that pop arguments", test_callee_pops },
	{ "returns that pop what is not a call's", test_callee_pops_other },
	{ "pairs of USDT probes", test_pairs },
	{ "pairs of USDT probes that are inlined", test_pairs_inlined },
	{ "pairs of USDT probes that exceptions skip", test_pairs_skipped },
	{ "pairs of USDT probes and functions", test_pairs_in_functions },
	CU_TEST_INFO_NULL,
};
