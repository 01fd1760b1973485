/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/follow.h"
#include "emit/program.h"
#include "emit/shelf.h"
#include "golden.h"
#include "unit.h"
#include "fetch/record.h"

static void check_arch(const struct rt_arch *arch)
{
	struct rt_bpf_program p = { .plan_id = 3,
				    .pids = RT_PID(1234),
				    .key_source = RT_KEY_COOKIE,
				    .read_user = true,
				    .slots = 16384 };
	struct rt_plan plan;
	char name[64];

	p.plan = &plan;
	rt_golden_plan_entry(arch, &plan);
	snprintf(name, sizeof(name), "entry-%s.bpf", arch->name);
	rt_golden_program(name, &p);
	rt_golden_plan_return(arch, &plan);
	snprintf(name, sizeof(name), "return-%s.bpf", arch->name);
	rt_golden_program(name, &p);
	rt_golden_plan_memory(arch, &plan);
	snprintf(name, sizeof(name), "memory-%s.bpf", arch->name);
	rt_golden_program(name, &p);
}

static void test_architectures(void)
{
	unsigned i;

	for (i = 0; rt_arch_at(i); i++)
		check_arch(rt_arch_at(i));
}

/*
 * Variants for old kernels and other mechanisms: a constant key, the instruction pointer, no
 * probe_read_user.
 */
static void test_variants(void)
{
	struct rt_bpf_program p = { .plan_id = 0,
				    .pids = RT_PID(7),
				    .key_source = RT_KEY_CONSTANT,
				    .key = 0x12345678,
				    .slots = 512 };
	const struct rt_pids several = { { 7, 8, 9 }, 3 };
	struct rt_plan plan;

	p.plan = &plan;
	rt_golden_plan_memory(&rt_arch_x86_64, &plan);
	rt_golden_program("constant-old-kernel.bpf", &p);
	p.no_read_str = true;
	rt_golden_program("constant-oldest-kernel.bpf", &p);
	p.no_read_str = false;
	rt_golden_plan_return(&rt_arch_x86_64, &plan);
	p.key_source = RT_KEY_POINTER;
	p.pids = NULL;
	rt_golden_program("pointer-any.bpf", &p);
	p.pids = &several;
	rt_golden_program("pointer-several.bpf", &p);
}

/* Every process but the reader's: the record names the process. */
static void test_reach(void)
{
	struct rt_bpf_program p = { .plan_id = 1,
				    .reach = RT_REACH_ALL,
				    .self = 4711,
				    .key_source = RT_KEY_COOKIE,
				    .read_user = true,
				    .slots = 16384,
				    .transport = RT_TRANSPORT_RINGBUF };
	struct rt_plan plan;

	CU_ASSERT(rt_plan_c_entry(&rt_arch_x86_64, 1, &plan) == 0);
	p.plan = &plan;
	rt_golden_program("reach-all.bpf", &p);
	p.reach = RT_REACH_CHILDREN;
	rt_golden_program("reach-children.bpf", &p);
	p.reach = RT_REACH_FOLLOWED;
	rt_golden_program("reach-followed.bpf", &p);
	p.space = (struct rt_pid_space){ .dev = 4, .ino = 0xf0000001 };
	rt_golden_program("reach-followed-space.bpf", &p);
}

/* Children of followed processes, by the fields of a 64-bit and a 32-bit kernel. */
static void test_follow(void)
{
	struct rt_newtask newtask = { .pid = 8, .clone_flags = 32, .flags_size = 8 };
	const struct rt_pid_space space = { .dev = 4, .ino = 0xf0000001 };
	struct rt_bpf bpf;

	rt_bpf_init(&bpf);
	rt_follow_emit(&newtask, &bpf);
	rt_golden_bpf("follow.bpf", &bpf);
	rt_bpf_free(&bpf);
	newtask.flags_size = 4;
	rt_bpf_init(&bpf);
	rt_follow_emit(&newtask, &bpf);
	rt_golden_bpf("follow-32.bpf", &bpf);
	rt_bpf_free(&bpf);
	rt_bpf_init(&bpf);
	rt_follow_emit_task(&space, &bpf);
	rt_golden_bpf("follow-task.bpf", &bpf);
	rt_bpf_free(&bpf);
	rt_bpf_init(&bpf);
	rt_follow_emit_task_exit(&bpf);
	rt_golden_bpf("follow-task-exit.bpf", &bpf);
	rt_bpf_free(&bpf);
}

/* The other ways to hand a record over; on x86 the array needs no barrier. */
static void test_transports(void)
{
	struct rt_bpf_program p = { .plan_id = 1,
				    .pids = RT_PID(7),
				    .key_source = RT_KEY_COOKIE,
				    .read_user = true,
				    .slots = 16384 };
	struct rt_plan plan;

	p.plan = &plan;
	rt_golden_plan_memory(&rt_arch_x86_64, &plan);
	p.transport = RT_TRANSPORT_RINGBUF;
	rt_golden_program("ringbuf.bpf", &p);
	p.transport = RT_TRANSPORT_ARRAY;
	p.ring_size = 1 << 20;
	rt_golden_program("array.bpf", &p);
	p.sleepable = true;
	rt_golden_program("sleepable.bpf", &p);
	p.sleepable = false;
	rt_golden_plan_return(&rt_arch_aarch64, &plan);
	rt_golden_program("array-aarch64.bpf", &p);
}

/*
 * A list of strings: its length, its elements, and the text of the second, which is read where
 * there are two.
 */
static void test_list(void)
{
	struct rt_plan plan = { .kind = RT_KIND_ENTRY, .arch = &rt_arch_x86_64, .nvalues = 3 };
	const struct rt_bpf_program p = {
		.plan = &plan,
		.plan_id = 1,
		.pids = RT_PID(7),
		.key_source = RT_KEY_COOKIE,
		.read_user = true,
		.slots = 16384,
		.transport = RT_TRANSPORT_RINGBUF,
	};
	struct rt_fetch *v = plan.values;

	v[0] = (struct rt_fetch){
		.base = RT_BASE_REG, .reg = rt_arch_x86_64.go[1], .type = RT_TYPE_INT, .size = 8
	};
	v[1] = (struct rt_fetch){
		.base = RT_BASE_REG,
		.reg = rt_arch_x86_64.go[0],
		.nderef = 1,
		.type = RT_TYPE_BYTES,
		.max = 64,
		.length = 1,
		.length_size = 8,
		.element = 16,
	};
	v[2] = (struct rt_fetch){
		.base = RT_BASE_REG,
		.reg = rt_arch_x86_64.go[0],
		.nderef = 2,
		.deref = { 16, 0 },
		.type = RT_TYPE_BYTES,
		.max = 32,
		.length = 2,
		.length_size = 8,
		.length_offset = 24,
		.element = 1,
		.list = 2,
		.least = 1,
	};
	rt_golden_program("list.bpf", &p);
}

/*
 * By the thread pointer: itself, what stands before it, a string; and where it is not known, or not
 * read by a helper of its own.
 */
static void test_thread_pointer(void)
{
	struct rt_bpf_program p = { .pids = RT_PID(7),
				    .key_source = RT_KEY_COOKIE,
				    .read_user = true,
				    .slots = 16384,
				    .transport = RT_TRANSPORT_RINGBUF,
				    .thread_pointer = 4712 };
	struct rt_plan plan = { .kind = RT_KIND_ENTRY, .arch = &rt_arch_x86_64, .nvalues = 3 };

	plan.values[0] = (struct rt_fetch){ .base = RT_BASE_THREAD, .size = 8 };
	plan.values[1] = (struct rt_fetch){ .base = RT_BASE_THREAD,
					    .nderef = 2,
					    .deref = { -8, 16 },
					    .size = 4,
					    .is_signed = true };
	plan.values[2] = (struct rt_fetch){ .base = RT_BASE_THREAD,
					    .nderef = 1,
					    .deref = { -24 },
					    .type = RT_TYPE_STRING,
					    .max = 16 };
	p.plan = &plan;
	CU_ASSERT(rt_plan_wants_thread(&plan));
	rt_golden_program("thread-pointer.bpf", &p);
	p.read_user = false;
	plan.nvalues = 2;
	rt_golden_program("thread-pointer-old-kernel.bpf", &p);
	p.thread_pointer = 0;
	rt_golden_program("thread-pointer-unknown.bpf", &p);
}

/* Counting and measuring: by cookie, by a constant, and by where the probe is. */
static void test_counting(void)
{
	struct rt_bpf_program p = { .purpose = RT_PURPOSE_COUNT,
				    .pids = RT_PID(7),
				    .key_source = RT_KEY_COOKIE,
				    .read_user = true,
				    .rows = 4,
				    .stride = 8,
				    .heads = RT_HEADS };
	struct rt_plan entry, ret;

	rt_plan_c_entry(&rt_arch_x86_64, 0, &entry);
	rt_plan_c_return(&rt_arch_x86_64, &ret);
	p.plan = &entry;
	rt_golden_program("count.bpf", &p);
	p.key_source = RT_KEY_POINTER;
	rt_golden_program("count-pointer.bpf", &p);
	p.quick = 9;
	rt_golden_program("count-quick.bpf", &p);
	p.quick = 0;
	p.purpose = RT_PURPOSE_TIME;
	rt_golden_program("time-entry-pointer.bpf", &p);
	p.plan = &ret;
	rt_golden_program("time-return-pointer.bpf", &p);
	p.key_source = RT_KEY_CONSTANT;
	p.key = 3;
	p.rows = 1;
	rt_golden_program("time-return.bpf", &p);
	p.read_user = false;
	p.plan = &entry;
	rt_golden_program("time-entry-old-kernel.bpf", &p);
	rt_plan_c_return(&rt_arch_i386, &ret);
	p.plan = &ret;
	rt_golden_program("time-return-i386.bpf", &p);
	rt_plan_c_entry(&rt_arch_aarch64, 0, &entry);
	p.plan = &entry;
	rt_golden_program("time-entry-aarch64.bpf", &p);
}

/* Programs that leave calls out: a root's entry, another's with a limit of levels, and a return. */
static void test_limit(void)
{
	struct rt_bpf_program p = { .pids = RT_PID(7),
				    .key_source = RT_KEY_COOKIE,
				    .read_user = true,
				    .slots = 16384,
				    .heads = RT_HEADS,
				    .filtered = true,
				    .limit = { .depth = 3, .under = true } };
	struct rt_plan plan;

	p.plan = &plan;
	rt_plan_c_entry(&rt_arch_x86_64, 1, &plan);
	rt_golden_program("limit-entry.bpf", &p);
	plan.root = true;
	p.limit.depth = 0;
	p.key_source = RT_KEY_CONSTANT;
	p.function = 5;
	rt_golden_program("limit-root.bpf", &p);
	plan.root = false;
	plan.no_return = true;
	rt_golden_program("limit-entry-only.bpf", &p);
	rt_plan_c_return(&rt_arch_x86_64, &plan);
	rt_golden_program("limit-return.bpf", &p);
	p.key_source = RT_KEY_POINTER;
	p.function = 0;
	rt_golden_program("limit-return-pointer.bpf", &p);
	plan = (struct rt_plan){ .kind = RT_KIND_RETURN,
				 .role = RT_ROLE_UNWOUND,
				 .end = RT_BY_RETURN,
				 .arch = &rt_arch_x86_64 };
	rt_golden_program("limit-unwound.bpf", &p);
}

/* Calls held back: an entry and a return, in a ring and on the stack, with records of one size. */
static void test_pending(void)
{
	struct rt_bpf_program p = { .pids = RT_PID(7),
				    .key_source = RT_KEY_COOKIE,
				    .read_user = true,
				    .slots = 16384,
				    .heads = 1024,
				    .filtered = true,
				    .limit = { .min_time = 1000000 },
				    .transport = RT_TRANSPORT_ARRAY,
				    .ring_size = 1 << 20 };
	struct rt_plan plans[2];

	rt_plan_c_entry(&rt_arch_x86_64, 2, &plans[0]);
	rt_plan_c_return(&rt_arch_x86_64, &plans[1]);
	p.pending = rt_plans_record_size(plans, 2, (struct rt_layout){ .key = RT_KEY_ID });
	CU_ASSERT(p.pending == 40);	/* 20 and two ints, aligned, and the time */
	p.plan = &plans[0];
	rt_golden_program("hold-entry.bpf", &p);
	p.plan = &plans[1];
	rt_golden_program("hold-return.bpf", &p);
	p.transport = RT_TRANSPORT_PERF;
	rt_golden_program("hold-return-perf.bpf", &p);
	p.transport = RT_TRANSPORT_ARRAY;
	p.key_source = RT_KEY_POINTER;
	p.pending = rt_plans_record_size(plans, 2, (struct rt_layout){ .key = RT_KEY_IP });
	CU_ASSERT(p.pending == 48);
	p.plan = &plans[0];
	rt_golden_program("hold-entry-pointer.bpf", &p);
}

/*
 * Calls held back until their result is known: the entry of such a call and of another, and a
 * return whose register is compared, with a time.
 */
static void test_ends(void)
{
	struct rt_bpf_program p = { .pids = RT_PID(7),
				    .key_source = RT_KEY_COOKIE,
				    .read_user = true,
				    .slots = 16384,
				    .heads = 1024,
				    .filtered = true,
				    .limit = { .ends = true },
				    .transport = RT_TRANSPORT_ARRAY,
				    .ring_size = 1 << 20 };
	struct rt_plan plans[2];

	rt_plan_c_entry(&rt_arch_x86_64, 2, &plans[0]);
	rt_plan_c_return(&rt_arch_x86_64, &plans[1]);
	plans[1].ntests = 2;
	plans[1].tests[0] = (struct rt_test){ .op = RT_TEST_LT, .is_signed = true,
					      .of_register = true };
	plans[1].tests[1] = (struct rt_test){ .op = RT_TEST_GT, .join = RT_TEST_WITH,
					      .of_time = true, .constant = 5000000 };
	p.pending = rt_plans_record_size(plans, 2, (struct rt_layout){ .key = RT_KEY_ID });
	p.plan = &plans[0];
	rt_golden_program("ends-other.bpf", &p);
	plans[0].ends = true;
	rt_golden_program("ends-entry.bpf", &p);
	p.plan = &plans[1];
	rt_golden_program("ends-return.bpf", &p);
	/* errno == ENOENT: the reader compares it, of calls whose result is -1 */
	plans[1].values[1] = (struct rt_fetch){ .base = RT_BASE_THREAD,
						.size = 4,
						.nderef = 1,
						.if_failed = 1,
						.failed_size = 4 };
	plans[1].nvalues = 2;
	plans[1].ntests = 1;
	plans[1].tests[0] = (struct rt_test){ .value = 1, .op = RT_TEST_EQ, .constant = 2 };
	rt_golden_program("ends-errno.bpf", &p);
}

/*
 * --why, by shelves: the entry of a call whose end has a test, a return with the test, a tail call,
 * and where the unwinder continues.
 */
static void test_shelved(void)
{
	struct rt_bpf_program p = { .pids = RT_PID(7),
				    .key_source = RT_KEY_COOKIE,
				    .read_user = true,
				    .slots = 16384,
				    .heads = RT_SHELVES,
				    .limit = { .why = true },
				    .shelved = true,
				    .transport = RT_TRANSPORT_ARRAY,
				    .ring_size = 1 << 20 };
	struct rt_plan plans[2], plan;

	rt_plan_c_entry(&rt_arch_x86_64, 2, &plans[0]);
	rt_plan_c_return(&rt_arch_x86_64, &plans[1]);
	plans[0].ends = true;
	p.plan = &plans[0];
	rt_golden_program("why-entry.bpf", &p);
	plans[1].ntests = 1;
	plans[1].tests[0] = (struct rt_test){ .op = RT_TEST_LT, .is_signed = true,
					      .of_register = true };
	p.plan = &plans[1];
	rt_golden_program("why-return.bpf", &p);
	rt_plan_at_exit(&plans[1], RT_BY_JUMP, &plan);
	p.plan = &plan;
	rt_golden_program("why-jump.bpf", &p);
	plan = (struct rt_plan){ .kind = RT_KIND_RETURN,
				 .role = RT_ROLE_UNWOUND,
				 .end = RT_BY_RETURN,
				 .arch = &rt_arch_x86_64 };
	rt_golden_program("why-unwound.bpf", &p);
}

/*
 * Comparisons: of a register, and of what a pointer leads to; in counting, and where a return knows
 * nothing of its call.
 */
static void test_tests(void)
{
	struct rt_bpf_program p = { .pids = RT_PID(7),
				    .key_source = RT_KEY_CONSTANT,
				    .read_user = true,
				    .slots = 16384,
				    .heads = RT_HEADS,
				    .rows = 1,
				    .stride = 8,
				    .filtered = true,
				    .limit = { .tests = true } };
	struct rt_plan plan;
	struct rt_error err;
	struct rt_bpf bpf;

	p.plan = &plan;
	rt_golden_plan_memory(&rt_arch_x86_64, &plan);
	plan.ntests = 6;
	plan.tests[0] = (struct rt_test){ .value = 0, .op = RT_TEST_EQ, .constant = 7 };
	plan.tests[1] = (struct rt_test){ .value = 2,
					  .op = RT_TEST_NE,
					  .constant = UINT64_C(0x123456789a) };
	plan.tests[2] = (struct rt_test){
		.value = 1, .op = RT_TEST_LT, .constant = (uint64_t)-3, .is_signed = true
	};
	plan.tests[3] = (struct rt_test){ .value = 3, .op = RT_TEST_LE };
	plan.tests[4] = (struct rt_test){ .value = 6, .op = RT_TEST_GT, .is_signed = true };
	plan.tests[5] = (struct rt_test){ .value = 6, .op = RT_TEST_GE };
	rt_golden_program("tests-entry.bpf", &p);
	p.purpose = RT_PURPOSE_COUNT;
	rt_golden_program("tests-count.bpf", &p);
	p.purpose = RT_PURPOSE_TIME;
	p.key_source = RT_KEY_POINTER;
	plan.ntests = 1;
	rt_golden_program("tests-time-pointer.bpf", &p);
	plan.tests[0].value = 4;	/* a string */
	rt_bpf_init(&bpf);
	CU_ASSERT(rt_bpf_program_emit(&p, &bpf, &err) == -EINVAL);
	rt_bpf_free(&bpf);
}

/*
 * Strings: the same, not the same, the beginning; "a == \"/etc/passwd\" && n != 1 || b != \"x\", b
 * ^= \"/proc/se\"", and bits.
 */
static void test_texts(void)
{
	struct rt_bpf_program p = { .pids = RT_PID(7),
				    .key_source = RT_KEY_POINTER,
				    .read_user = true,
				    .slots = 16384,
				    .heads = RT_HEADS,
				    .rows = 1,
				    .stride = 8,
				    .limit = { .tests = true },
				    .purpose = RT_PURPOSE_COUNT };
	struct rt_plan plan;

	p.plan = &plan;
	rt_golden_plan_memory(&rt_arch_x86_64, &plan);
	plan.ntests = 5;
	plan.tests[0] = (struct rt_test){
		.value = 4, .op = RT_TEST_EQ, .string = "/etc/passwd", .length = 11
	};
	plan.tests[1] = (struct rt_test){
		.value = 6, .op = RT_TEST_NE, .join = RT_TEST_WITH, .constant = 1
	};
	plan.tests[2] = (struct rt_test){
		.value = 5, .op = RT_TEST_NE, .join = RT_TEST_ELSE, .string = "x", .length = 1
	};
	plan.tests[3] = (struct rt_test){
		.value = 5, .op = RT_TEST_BEGINS, .string = "/proc/se", .length = 8
	};
	plan.tests[4] = (struct rt_test){
		.value = 3, .op = RT_TEST_EQ, .bit = 3, .bits = 5, .constant = 17
	};
	rt_golden_program("tests-texts.bpf", &p);
	p.sleepable = true;
	rt_golden_program("tests-texts-sleepable.bpf", &p);
	p.sleepable = p.read_user = false;
	p.no_read_str = true;
	rt_golden_program("tests-texts-oldest-kernel.bpf", &p);
}

/* No kernel takes a program that reaches past its 512 bytes of stack. */
static void test_too_large(void)
{
	struct rt_bpf_program p = { .key_source = RT_KEY_COOKIE, .slots = 16384 };
	struct rt_error err = { 0 };
	struct rt_plan plan;
	struct rt_bpf bpf;

	p.plan = &plan;
	rt_golden_plan_memory(&rt_arch_x86_64, &plan);
	plan.values[4].max = 440;
	rt_bpf_init(&bpf);
	CU_ASSERT(rt_bpf_program_emit(&p, &bpf, &err) == -E2BIG);
	CU_ASSERT(strstr(err.text, "512") || strstr(err.text, "stack"));
	rt_bpf_free(&bpf);
}

/*
 * Forward and backward jumps count from the instruction after them; a label that was never placed
 * is an error.
 */
/* Behind all else, for a site by its cookie and for the program's only one; and of an entry. */
static void test_emulation(void)
{
	struct rt_bpf_program p = { .pids = RT_PID(1234),
				    .key_source = RT_KEY_COOKIE,
				    .read_user = true,
				    .emulates = true,
				    .site = 5,
				    .slots = 16384 };
	struct rt_plan returns, plan;

	rt_plan_c_return(&rt_arch_x86_64, &returns);
	rt_plan_at_exit(&returns, RT_BY_RETURN, &plan);
	p.plan = &plan;
	rt_golden_program("emulation-cookie.bpf", &p);
	p.key_source = RT_KEY_CONSTANT;
	rt_golden_program("emulation-constant.bpf", &p);
	p.key_source = RT_KEY_POINTER;
	rt_golden_program("emulation-pointer.bpf", &p);
	p.key_source = RT_KEY_COOKIE;
	p.purpose = RT_PURPOSE_COUNT;
	rt_golden_program("emulation-count.bpf", &p);
	plan = (struct rt_plan){ .kind = RT_KIND_ENTRY, .arch = &rt_arch_x86_64 };
	rt_golden_program("emulation-entry.bpf", &p);
}

static void test_frame(void)
{
	struct rt_bpf bpf;

	rt_bpf_init(&bpf);
	CU_ASSERT_EQUAL(rt_bpf_frame(&bpf), 0);
	rt_bpf_load(&bpf, RT_BPF_DW, 1, 10, -8);
	rt_bpf_load(&bpf, RT_BPF_DW, 1, 6, -200);
	rt_bpf_mov(&bpf, 1, 10);
	rt_bpf_alu_imm(&bpf, RT_BPF_ADD, 1, -24);
	CU_ASSERT_EQUAL(rt_bpf_frame(&bpf), 24);
	rt_bpf_store_imm(&bpf, RT_BPF_W, 10, -28, 0);
	CU_ASSERT_EQUAL(rt_bpf_frame(&bpf), 28);
	rt_bpf_store(&bpf, RT_BPF_DW, 10, -64, 1);
	CU_ASSERT_EQUAL(rt_bpf_frame(&bpf), 64);
	rt_bpf_mov(&bpf, 2, 10);
	rt_bpf_alu_imm(&bpf, RT_BPF_ADD, 2, -80);
	CU_ASSERT_EQUAL(rt_bpf_frame(&bpf), 80);
	rt_bpf_free(&bpf);
}

static void test_labels(void)
{
	struct rt_error err;
	struct rt_bpf bpf;
	int back, ahead;

	rt_bpf_init(&bpf);
	back = rt_bpf_label(&bpf);
	ahead = rt_bpf_label(&bpf);
	rt_bpf_place(&bpf, back);
	rt_bpf_mov_imm(&bpf, 0, 1);
	rt_bpf_jump(&bpf, RT_BPF_JEQ, 0, 5, ahead);
	rt_bpf_jump(&bpf, RT_BPF_JA, 0, 0, back);
	rt_bpf_place(&bpf, ahead);
	rt_bpf_exit(&bpf);
	CU_ASSERT(rt_bpf_finish(&bpf, NULL, &err) == 0);
	CU_ASSERT(bpf.insns[1].off == 1);
	CU_ASSERT(bpf.insns[2].off == -3);
	rt_bpf_jump(&bpf, RT_BPF_JA, 0, 0, rt_bpf_label(&bpf));
	CU_ASSERT(rt_bpf_finish(&bpf, NULL, &err) == -EINVAL);
	rt_bpf_free(&bpf);
}

/* A map's descriptor goes into each load of it, and may be changed. */
static void test_maps(void)
{
	int fds[RT_MAPS] = { [RT_MAP_EVENTS] = 41, [RT_MAP_HITS] = 42 };
	struct rt_error err;
	struct rt_bpf bpf;

	rt_bpf_init(&bpf);
	rt_bpf_mov_map(&bpf, 2, RT_MAP_HITS);
	rt_bpf_mov_map(&bpf, 3, RT_MAP_EVENTS);
	rt_bpf_exit(&bpf);
	CU_ASSERT(rt_bpf_finish(&bpf, fds, &err) == 0);
	CU_ASSERT(bpf.insns[0].imm == 42);
	CU_ASSERT(bpf.insns[0].regs == (2 | 1 << 4));	/* BPF_PSEUDO_MAP_FD */
	CU_ASSERT(bpf.insns[2].imm == 41);
	fds[RT_MAP_HITS] = 50;
	CU_ASSERT(rt_bpf_finish(&bpf, fds, &err) == 0);
	CU_ASSERT(bpf.insns[0].imm == 50);
	rt_bpf_free(&bpf);
}

CU_TestInfo rt_tests_emit_bpf[] = {
	{ "golden listings of every architecture", test_architectures },
	{ "golden listings for old kernels", test_variants },
	{ "golden listings of what is read by the thread pointer", test_thread_pointer },
	{ "reach", test_reach },
	{ "follow", test_follow },
	{ "transports", test_transports },
	{ "golden listing of a list", test_list },
	{ "counting and measuring", test_counting },
	{ "limits", test_limit },
	{ "calls held back", test_pending },
	{ "calls held back until their end", test_ends },
	{ "--why by shelves", test_shelved },
	{ "comparisons of strings", test_texts },
	{ "tests of arguments", test_tests },
	{ "too large for the stack", test_too_large },
	{ "emulated instructions", test_emulation },
	{ "frame", test_frame },
	{ "labels", test_labels },
	{ "maps", test_maps },
	CU_TEST_INFO_NULL,
};
