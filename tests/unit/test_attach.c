/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of attaching that need no kernel: the table of mechanisms, functions that are refused,
 * decoding of tracefs records.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/attach.h"
#include "attach/define.h"
#include "attach/emulations.h"
#include "kernel/procfs.h"
#include "kernel/sys.h"
#include "stream/tracefs_source.h"
#include "unit.h"
#include "base/array.h"

static void test_mechanisms(void)
{
	unsigned i;

	/* In the order of preference that the design gives. */
	CU_ASSERT(rt_attach_at(0) == &rt_attach_uprobe_multi);
	CU_ASSERT(rt_attach_at(4) == &rt_attach_tracefs);
	CU_ASSERT(rt_attach_at(5) == NULL);
	for (i = 0; rt_attach_at(i); i++) {
		CU_ASSERT(rt_attach_find(rt_attach_at(i)->name) == rt_attach_at(i));
		CU_ASSERT(rt_attach_at(i)->plans >= RT_PLANS_FEW);
		CU_ASSERT(rt_attach_at(i)->bpf == (rt_attach_at(i) != &rt_attach_tracefs));
	}
	CU_ASSERT(rt_attach_find("uprobe") == NULL);
}

/*
 * More plans than the mechanism likes, but those that were made for few are taken whatever their
 * number.
 */
static void test_too_many_plans(void)
{
	struct rt_attach_request r = { .nplans = RT_PLANS_FEW + 1, .most_plans = RT_PLANS_LINKS };
	struct rt_attach *attach = NULL;
	struct rt_error err = { 0 };

	CU_ASSERT(rt_attach_open(&r, &rt_attach_multi_event, false, NULL, &attach, &err) == -EDOM);
	CU_ASSERT(rt_attach_open(&r, &rt_attach_tracefs, true, NULL, &attach, &err) == -EDOM);
	CU_ASSERT_PTR_NULL(attach);
}

static void test_leaves_out(void)
{
	const struct rt_plan plans[] = { { .kind = RT_KIND_RETURN }, { .kind = RT_KIND_ENTRY } };
	const struct rt_site probes[] = {
		{ .plan = 0, .kind = RT_SITE_RETURN }, { .plan = 1 },
		{ .function = 1, .plan = 0, .kind = RT_SITE_RETURN }, { .function = 1, .plan = 1 },
	};
	struct rt_function f[] = { { .image = (struct rt_image *)&plans[0] },
				   { .image = (struct rt_image *)&plans[1] } };
	const struct rt_functions functions = { .v = f, .n = 2 };
	const struct rt_attach_request r = {
		.functions = &functions,
		.plans = plans,
		.nplans = 2,
		.sites = probes,
		.nsites = 4,
		.program = f[0].image,
	};

	CU_ASSERT(!rt_attach_leaves_out(&r, 0));
	CU_ASSERT(!rt_attach_leaves_out(&r, 1));
	CU_ASSERT(rt_attach_leaves_out(&r, 2));		/* a library's return */
	CU_ASSERT(!rt_attach_leaves_out(&r, 3));
	/* A probe that only hooks a library's unwinder is left out, too. */
	f[0].role = f[1].role = RT_ROLE_UNWOUND;
	CU_ASSERT(!rt_attach_leaves_out(&r, 1) && rt_attach_leaves_out(&r, 3));
}

static unsigned count_text(const char *text, const char *what)
{
	unsigned n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

/*
 * Plans of many probes are several events, the beginnings of all of them first; a file stands for
 * uprobe_events.
 */
static void test_large_events(void)
{
	enum { PROBES = 200, MOST = 40 };
	static const struct { const char *name; unsigned plan, first, n;
	} want[] = {
		{ "plan0", 0, 0, 40 },	  { "plan1", 1, 1, 40 },     { "plan0_1", 0, 80, 40 },
		{ "plan1_1", 1, 81, 40 }, { "plan0_2", 0, 160, 20 }, { "plan1_2", 1, 161, 20 },
	};
	struct rt_tracefs t = { .root = "/tmp/rawtrace-unit-XXXXXX" };
	const struct rt_plan plans[] = { { .kind = RT_KIND_RETURN },
					 { .kind = RT_KIND_ENTRY },
					 { .kind = RT_KIND_ENTRY } };
	struct rt_site probes[PROBES];
	struct rt_function f = { .name = (char *)"f", .offset = 64 };
	struct rt_functions functions = { .v = &f, .n = 1 };
	struct rt_attach_request r = { .functions = &functions,
				       .plans = plans,
				       .nplans = 3,
				       .sites = probes,
				       .nsites = PROBES };
	struct rt_defined *events = NULL;
	char path[PATH_MAX], what[64], *text;
	unsigned i, n = 0;

	for (i = 0; i < PROBES; i++)
		probes[i] = (struct rt_site){ .plan = i & 1 };
	CU_ASSERT_FATAL(rt_image_open("/proc/self/exe", NULL, &f.image, NULL) == 0);
	CU_ASSERT_FATAL(mkdtemp(t.root) != NULL);
	rt_tracefs_path(&t, path, "uprobe_events");
	CU_ASSERT_FATAL(rt_write_file(path, O_CREAT, "") == 0);
	CU_ASSERT(rt_define_plans(&t, &r, RT_DEFINE_BARE, false, MOST, &events, &n, NULL) == 0);
	CU_ASSERT_FATAL(n == RT_COUNT(want));
	CU_ASSERT_FATAL(rt_read_file(path, &text) >= 0);
	for (i = 0; i < n; i++) {
		RT_ASSERT_TEXT(events[i].name, want[i].name);
		CU_ASSERT(events[i].plan == want[i].plan && events[i].first == want[i].first);
		snprintf(what, sizeof(what), "/%s /proc", want[i].name);
		CU_ASSERT(count_text(text, what) == want[i].n);
	}
	/* The first of the last event is before the third of the first. */
	CU_ASSERT(count_text(strstr(text, "/plan1_2 "), "/plan0 ") == 38);
	free(text);
	free(events);
	/* However many probes there are, there are not many events more than plans. */
	CU_ASSERT(rt_write_file(path, O_TRUNC, "") == 0);
	CU_ASSERT(rt_define_plans(&t, &r, RT_DEFINE_BARE, false, 3, &events, &n, NULL) == 0);
	CU_ASSERT(n == 16);
	free(events);
	unlink(path);
	rmdir(t.root);
	rt_image_close(f.image);
}

/* ---- functions that the kernel refuses ---- */

/* A mechanism of this test's own: it refuses the functions whose offset is odd, as the kernel does.
 */
static struct rt_attach fake;
static unsigned fake_opened, fake_live;

static void fake_close(struct rt_attach *attach)
{
	CU_ASSERT(attach == &fake);
	fake_live--;
}

static int fake_open(const struct rt_attach_request *request, struct rt_attach **attach,
		     struct rt_error *err);
static const struct rt_attach_ops fake_ops = {
	.name = "fake", .reaches = 1 << RT_REACH_PROCESSES, .open = fake_open, .close = fake_close
};

static int fake_open(const struct rt_attach_request *request, struct rt_attach **attach,
		     struct rt_error *err)
{
	unsigned i;

	fake_opened++;
	for (i = 0; i < request->nsites; i++)
		if (request->functions->v[request->sites[i].function].offset & 1)
			return rt_fail(err, -524, "%s",
				       request->functions->v[request->sites[i].function].name);
	fake = (struct rt_attach){ .ops = &fake_ops };
	*attach = &fake;
	fake_live++;
	return 0;
}

enum { FAKES = 1000 };

struct fakes {
	struct rt_function f[FAKES];
	struct rt_functions functions;
	struct rt_plan plans[2];
	struct rt_site probes[2 * FAKES];
	struct rt_attach_request request;
	bool bad[FAKES];
};

static char fake_name[] = "f";

static struct fakes *make_fakes(void)
{
	struct fakes *t = calloc(1, sizeof(*t));
	unsigned i;

	CU_ASSERT_FATAL(t != NULL);
	t->functions = (struct rt_functions){ .v = t->f, .n = FAKES };
	for (i = 0; i < FAKES; i++) {
		t->f[i].name = fake_name;
		t->probes[2 * i] = (struct rt_site){ .function = i, .plan = 0 };
		t->probes[2 * i + 1] = (struct rt_site){ .function = i, .plan = 1 };
	}
	t->request = (struct rt_attach_request){
		.functions = &t->functions,
		.plans = t->plans,
		.nplans = 2,
		.sites = t->probes,
		.nsites = 2 * FAKES,
	};
	fake_opened = 0;
	return t;
}

static unsigned count_bad(const struct fakes *t)
{
	unsigned i, n = 0;

	for (i = 0; i < FAKES; i++)
		n += t->bad[i];
	return n;
}

static void test_refused(void)
{
	struct fakes *t = make_fakes();
	struct rt_error err = { 0 };
	unsigned i;

	CU_ASSERT(rt_attach_is_refusal(&t->request, -524));
	CU_ASSERT(rt_attach_is_refusal(&t->request, -ENOEXEC));
	CU_ASSERT(!rt_attach_is_refusal(&t->request, -EIO));
	CU_ASSERT(!rt_attach_is_refusal(&t->request, -EOPNOTSUPP));
	CU_ASSERT(!rt_attach_is_refusal(&t->request, 0));

	t->f[0].offset = t->f[501].offset = t->f[999].offset = 1;
	CU_ASSERT(rt_attach_find_refused(&t->request, &fake_ops, false, t->bad, &err) == 0);
	CU_ASSERT(t->bad[0] && t->bad[501] && t->bad[999] && count_bad(t) == 3);
	CU_ASSERT(fake_live == 0);
	CU_ASSERT(fake_opened < 80);
	CU_ASSERT(err.text[0] == '\0');

	/* Named by the user: an error. */
	t->f[501].named = true;
	CU_ASSERT(rt_attach_find_refused(&t->request, &fake_ops, false, t->bad, &err) == -524);
	CU_ASSERT(strncmp(err.text, "f: this kernel cannot probe ", 28) == 0);
	CU_ASSERT(fake_live == 0);

	/* All: the kernel means something else. */
	fake_opened = 0;
	for (i = 0; i < FAKES; i++)
		t->f[i] = (struct rt_function){ .name = fake_name, .offset = 1 };
	CU_ASSERT(rt_attach_find_refused(&t->request, &fake_ops, false, t->bad, &err) == -524);
	CU_ASSERT(fake_opened < 200);
	free(t);
}

/* ---- tracefs records ---- */

#define HIT_FIELDS \
	"name: plan0\nID: 1500\nformat:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n" \
	"\tfield:unsigned long __probe_ip;\toffset:8;\tsize:8;\tsigned:0;\n" \
	"\tfield:u32 id;\toffset:16;\tsize:4;\tsigned:0;\n" \
	"\tfield:u64 sp;\toffset:20;\tsize:8;\tsigned:0;\n" \
	"\tfield:u64 ra;\toffset:28;\tsize:8;\tsigned:0;\n" \
	"\tfield:s32 v0;\toffset:36;\tsize:4;\tsigned:1;\n"
#define PRINTED "\nprint fmt: \"(%lx)\", REC->__probe_ip\n"

static const char hit_format[] =
	HIT_FIELDS "\tfield:__data_loc char[] v1;\toffset:40;\tsize:4;\tsigned:1;\n" PRINTED;
static const char pointer_format[] =
	HIT_FIELDS "\tfield:u64 p0_0;\toffset:40;\tsize:8;\tsigned:0;\n" PRINTED;

static void plan_of_two(struct rt_plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	plan->arch = &rt_arch_x86_64;
	plan->return_address = true;
	plan->nvalues = 2;
	plan->values[0] = (struct rt_fetch){ .type = RT_TYPE_INT, .size = 4, .is_signed = true };
	plan->values[1] = (struct rt_fetch){ .type = RT_TYPE_STRING, .max = 8 };
}

static void put32(uint8_t *rec, size_t at, uint32_t v)
{
	memcpy(rec + at, &v, sizeof(v));
}

static void test_decode_hit(void)
{
	struct rt_tracefs_event e = { .type = RT_EV_HIT, .plan_id = 5, .probe = 77 };
	uint8_t rec[64] = { 0 }, data[64];
	struct rt_event event;
	struct rt_plan plan;
	int32_t v;

	CU_ASSERT_FATAL(rt_format_parse(hit_format, "test", &e.format, NULL) == 0);
	plan_of_two(&plan);
	e.plan = &plan;
	CU_ASSERT_FATAL(rt_tracefs_event_bind(&e) == 0);
	put32(rec, 4, 4321);
	put32(rec, 16, 9);
	put32(rec, 20, 0xffffe000);
	put32(rec, 24, 0x7fff);
	put32(rec, 28, 0x1234);
	put32(rec, 36, (uint32_t)-5);
	put32(rec, 40, 44 | 4 << 16);	/* "abc" with its NUL, at 44 */
	memcpy(rec + 44, "abc", 4);
	CU_ASSERT_FATAL(rt_tracefs_decode(&e, rec, 48, 99, data, &event) == 0);
	CU_ASSERT(event.type == RT_EV_HIT && event.tid == 4321 && event.pid == 0 &&
		  event.time == 99);
	CU_ASSERT(event.hit.key == 9 && event.hit.plan == 5);
	CU_ASSERT(event.hit.sp == 0x7fffffffe000 && event.hit.ra == 0x1234);
	CU_ASSERT(event.hit.size == 16 && event.hit.faults == 0);
	memcpy(&v, data, 4);
	CU_ASSERT(v == -5);
	memcpy(&v, data + 4, 4);
	CU_ASSERT(v == 4 && memcmp(data + 8, "abc\0\0\0\0\0", 8) == 0);
	/* Up to 4.14 the NUL may not be counted: the next string has its place. */
	put32(rec, 40, 44 | 3 << 16);
	rec[47] = 'x';
	CU_ASSERT(rt_tracefs_decode(&e, rec, 48, 99, data, &event) == 0 && event.hit.faults == 0);
	memcpy(&v, data + 4, 4);
	CU_ASSERT(v == 4 && memcmp(data + 8, "abc\0\0\0\0\0", 8) == 0);
	/* An unreadable string is empty, without even a NUL. */
	put32(rec, 40, 44);
	CU_ASSERT(rt_tracefs_decode(&e, rec, 48, 99, data, &event) == 0 && event.hit.faults == 2);
	/* A longer one is cut to the plan's size. */
	put32(rec, 40, 44 | 12 << 16);
	memcpy(rec + 44, "0123456789a", 12);
	CU_ASSERT(rt_tracefs_decode(&e, rec, 56, 99, data, &event) == 0);
	memcpy(&v, data + 4, 4);
	CU_ASSERT(v == 8 && memcmp(data + 8, "0123456", 8) == 0);
	/* Lengths that leave the record. */
	CU_ASSERT(rt_tracefs_decode(&e, rec, 55, 99, data, &event) == -EBADMSG);
	CU_ASSERT(rt_tracefs_decode(&e, rec, 39, 99, data, &event) == -EBADMSG);
	CU_ASSERT(rt_tracefs_decode(&e, rec, 2, 99, data, &event) == -EBADMSG);
	/* A value that the format has not, or not as a string. */
	plan.nvalues = 3;
	CU_ASSERT(rt_tracefs_event_bind(&e) == -EBADMSG);
	plan_of_two(&plan);
	plan.values[1].type = RT_TYPE_INT;
	CU_ASSERT(rt_tracefs_event_bind(&e) == -EBADMSG);
	rt_format_free(&e.format);
}

/* The kernel leaves a number that it could not read 0: NULL, or what is near it, on the way tells.
 */
static void test_decode_pointer(void)
{
	struct rt_tracefs_event e = { .type = RT_EV_HIT };
	struct rt_plan plan = { .arch = &rt_arch_x86_64, .nvalues = 1 };
	uint8_t rec[64] = { 0 }, data[64];
	struct rt_event event;

	plan.values[0] = (struct rt_fetch){
		.type = RT_TYPE_INT, .size = 4, .base = RT_BASE_REG, .nderef = 1
	};
	CU_ASSERT_FATAL(rt_format_parse(hit_format, "test", &e.format, NULL) == 0);
	e.plan = &plan;
	CU_ASSERT(rt_tracefs_event_bind(&e) == -EBADMSG);
	rt_format_free(&e.format);
	CU_ASSERT_FATAL(rt_format_parse(pointer_format, "test", &e.format, NULL) == 0);
	CU_ASSERT_FATAL(rt_tracefs_event_bind(&e) == 0);
	CU_ASSERT(rt_tracefs_decode(&e, rec, 48, 99, data, &event) == 0 && event.hit.faults == 1);
	put32(rec, 40, 16);
	CU_ASSERT(rt_tracefs_decode(&e, rec, 48, 99, data, &event) == 0 && event.hit.faults == 1);
	put32(rec, 44, 0x7fff);
	CU_ASSERT(rt_tracefs_decode(&e, rec, 48, 99, data, &event) == 0 && event.hit.faults == 0);
	put32(rec, 44, 0);
	/* The data there are another event's; but a register may be an index. */
	put32(rec, 36, 1);
	CU_ASSERT(rt_tracefs_decode(&e, rec, 48, 99, data, &event) == 0 && event.hit.faults == 1);
	plan.values[0].deref[0] = 0x404040;
	CU_ASSERT(rt_tracefs_decode(&e, rec, 48, 99, data, &event) == 0 && event.hit.faults == 0);
	CU_ASSERT(rt_tracefs_decode(&e, rec, 47, 99, data, &event) == -EBADMSG);
	rt_format_free(&e.format);
}

static const char chain_format[] =
	"name: e\nID: 7\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 sp;\toffset:8;\tsize:8;\tsigned:0;\n\tfield:s32 "
	"v0;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 p0_1;\toffset:24;\tsize:8;\tsigned:0;\n\tfield:u64 "
	"p0_2;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\nprint fmt: \"(%lx)\", REC->__probe_ip\n";

/*
 * Behind NULL in the middle the kernel leaves a value, and the pointers to it, as the event before
 * had them.
 */
static void test_decode_chain(void)
{
	struct rt_tracefs_event e = { .type = RT_EV_HIT };
	struct rt_plan plan = { .arch = &rt_arch_x86_64, .nvalues = 1 };
	uint8_t rec[64] = { 0 }, data[64];
	struct rt_event event;

	plan.values[0] = (struct rt_fetch){ .type = RT_TYPE_INT,
					    .size = 4,
					    .base = RT_BASE_REG,
					    .nderef = 3,
					    .deref = { 8, 8, 0 } };
	CU_ASSERT_FATAL(rt_format_parse(chain_format, "test", &e.format, NULL) == 0);
	e.plan = &plan;
	CU_ASSERT_FATAL(rt_tracefs_event_bind(&e) == 0);
	put32(rec, 16, 4);
	put32(rec, 24, 0x10000);
	put32(rec, 32, 0x20000);
	CU_ASSERT(rt_tracefs_decode(&e, rec, 48, 99, data, &event) == 0 && event.hit.faults == 0);
	put32(rec, 24, 0);
	CU_ASSERT(rt_tracefs_decode(&e, rec, 48, 99, data, &event) == 0 && event.hit.faults == 1);
	rt_format_free(&e.format);
}

static const char strings_format[] =
	"name: e\nID: 7\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 sp;\toffset:8;\tsize:8;\tsigned:0;\n\tfield:__data_loc char[] "
	"v0;\toffset:16;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] v1;\toffset:20;\tsize:4;\tsigned:1;\n\tfield:u64 "
	"v2;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\nprint fmt: \"(%lx)\", REC->__probe_ip\n";

/*
 * A string of more than 4,096 bytes gets the room of those behind it: it is marked as cut where one
 * of these was lost.
 */
static void test_decode_cut(void)
{
	struct rt_tracefs_event e = { .type = RT_EV_HIT };
	struct rt_plan plan = { .arch = &rt_arch_x86_64, .nvalues = 3 };
	uint8_t rec[64] = { 0 }, data[64];
	struct rt_event event;

	plan.values[0] =
		(struct rt_fetch){ .type = RT_TYPE_STRING, .max = 16, .reg = { .pt_regs = 112 } };
	plan.values[1] =
		(struct rt_fetch){ .type = RT_TYPE_STRING, .max = 16, .reg = { .pt_regs = 104 } };
	plan.values[2] =
		(struct rt_fetch){ .type = RT_TYPE_INT, .size = 8, .reg = { .pt_regs = 104 } };
	CU_ASSERT_FATAL(rt_format_parse(strings_format, "test", &e.format, NULL) == 0);
	e.plan = &plan;
	CU_ASSERT_FATAL(rt_tracefs_event_bind(&e) == 0);
	put32(rec, 16, 32 | 6 << 16);
	memcpy(rec + 32, "abcde", 6);
	/* The second is NULL, so that the first has all that it needs; then it is none. */
	CU_ASSERT(rt_tracefs_decode(&e, rec, 40, 1, data, &event) == 0 && event.hit.faults == 2);
	put32(rec, 28, 0x7fff);
	CU_ASSERT(rt_tracefs_decode(&e, rec, 40, 1, data, &event) == 0 && event.hit.faults == 3);
	/* One that is there comes after it. */
	put32(rec, 20, 38 | 2 << 16);
	CU_ASSERT(rt_tracefs_decode(&e, rec, 40, 1, data, &event) == 0 && event.hit.faults == 0);
	put32(rec, 16, 32);
	CU_ASSERT(rt_tracefs_decode(&e, rec, 40, 1, data, &event) == 0 && event.hit.faults == 1);
	/* The first could not be read, and has the second one's place. */
	put32(rec, 16, 38 | 2 << 16);
	CU_ASSERT(rt_tracefs_decode(&e, rec, 40, 1, data, &event) == 0 && event.hit.faults == 1);
	rt_format_free(&e.format);
}

static void test_decode_threads(void)
{
	static const char format[] =
		"name: task_newtask\nID: 205\nformat:\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
		"\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield:u64 clone_flags;\toffset:32;\tsize:8;\tsigned:0;\n";
	struct rt_tracefs_event e = { .type = RT_EV_FORK };
	uint8_t rec[40] = { 0 };
	struct rt_event event;

	CU_ASSERT_FATAL(rt_format_parse(format, "test", &e.format, NULL) == 0);
	CU_ASSERT_FATAL(rt_tracefs_event_bind(&e) == 0);
	put32(rec, 4, 10);
	put32(rec, 8, 11);
	CU_ASSERT(rt_tracefs_decode(&e, rec, 40, 1, NULL, &event) == 0);
	CU_ASSERT(event.type == RT_EV_FORK && event.tid == 10 && event.fork.tid == 11 &&
		  event.fork.pid == 11);
	put32(rec, 32, 0x00010000);	/* CLONE_THREAD */
	CU_ASSERT(rt_tracefs_decode(&e, rec, 40, 1, NULL, &event) == 0 && event.fork.pid == 0);
	e.type = RT_EV_EXIT;
	CU_ASSERT(rt_tracefs_decode(&e, rec, 40, 1, NULL, &event) == 0 && event.tid == 10);
	rt_format_free(&e.format);
}

/* The name of a thread after exec, in a record of `n` bytes with the path at 16. */
static const char *exec_name(const char *path, uint32_t length, size_t n)
{
	static const char format[] =
		"name: sched_process_exec\nID: 301\nformat:\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
		"\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;\n";
	static struct rt_event event;
	struct rt_tracefs_event e = { .type = RT_EV_EXEC };
	uint8_t rec[64] = { 0 };

	CU_ASSERT_FATAL(rt_format_parse(format, "test", &e.format, NULL) == 0);
	CU_ASSERT_FATAL(rt_tracefs_event_bind(&e) == 0);
	put32(rec, 4, 10);
	put32(rec, 8, 16 | length << 16);
	memcpy(rec + 16, path, strlen(path));
	CU_ASSERT(rt_tracefs_decode(&e, rec, n, 1, NULL, &event) == 0 && event.tid == 10);
	rt_format_free(&e.format);
	return event.comm.name;
}

static void test_decode_exec(void)
{
	RT_ASSERT_TEXT(exec_name("/bin/ls", 8, 24), "ls");
	RT_ASSERT_TEXT(exec_name("ls", 3, 19), "ls");
	RT_ASSERT_TEXT(exec_name("/bin/a_name_of_20_letters", 26, 42), "a_name_of_20_le");
	RT_ASSERT_TEXT(exec_name("/dev/fd/5", 10, 26), "");
	/* No NUL, past the record's end, empty. */
	RT_ASSERT_TEXT(exec_name("/bin/ls", 7, 24), "");
	RT_ASSERT_TEXT(exec_name("/bin/ls", 8, 23), "");
	RT_ASSERT_TEXT(exec_name("", 0, 24), "");
}

static void test_shadow_stacks(void)
{
	static const char with[] = "A=1\0GLIBC_TUNABLES=glibc.cpu.hwcaps=SHSTK:glibc.x=1\0B=2";
	static const char without[] = "A=shstk\0GLIBC_TUNABLES=glibc.malloc.check=3\0B=2";

	CU_ASSERT(rt_environ_has_shadow_stack(with, sizeof(with)));
	CU_ASSERT_FALSE(rt_environ_has_shadow_stack(without, sizeof(without)));
	CU_ASSERT_FALSE(rt_environ_has_shadow_stack("", 0));
	CU_ASSERT(rt_cpuinfo_has_shadow_stack(
		"processor\t: 0\nflags\t\t: fpu ibt user_shstk vme\nbugs\t: a\n"));
	CU_ASSERT_FALSE(rt_cpuinfo_has_shadow_stack(
		"processor\t: 0\nflags\t\t: fpu vme\nbugs\t: user_shstk\n"));
	CU_ASSERT_FALSE(rt_cpuinfo_has_shadow_stack(""));
	/* A process without an environment to read may have anything. */
	CU_ASSERT(rt_has_shadow_stack(-1));
}

CU_TestInfo rt_tests_attach[] = {
	{ "the mechanisms", test_mechanisms },
	{ "too many plans", test_too_many_plans },
	{ "what is left out of other processes", test_leaves_out },
	{ "events of many probes", test_large_events },
	{ "functions that the kernel refuses", test_refused },
	{ "user shadow stacks", test_shadow_stacks },
	{ "tracefs hits", test_decode_hit },
	{ "tracefs numbers behind pointers", test_decode_pointer },
	{ "tracefs numbers behind NULL in the middle", test_decode_chain },
	{ "tracefs strings that are cut", test_decode_cut },
	{ "tracefs threads", test_decode_threads },
	{ "tracefs names after exec", test_decode_exec },
	CU_TEST_INFO_NULL,
};
