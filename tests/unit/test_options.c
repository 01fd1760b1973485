/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "commands/command.h"
#include "commands/option_table.h"
#include "session/options.h"
#include "unit.h"

enum { WORDS = 16 };

static int parse(struct rt_options *o, struct rt_error *err, const char *line)
{
	static char buf[512];
	char *argv[WORDS] = { "rawtrace" }, *save = NULL, *word;
	int argc = 1;

	memset(err, 0, sizeof(*err));
	snprintf(buf, sizeof(buf), "%s", line);
	for (word = strtok_r(buf, " ", &save); word && argc < WORDS - 1;
	     word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	return rt_options_parse(o, argc, argv, err);
}

static void test_command(void)
{
	struct rt_options o;
	struct rt_error err;

	CU_ASSERT_FATAL(parse(&o, &err, "./fib -o out fib --format=chrome main:2 -- 10 -o x --") ==
			0);
	CU_ASSERT(o.command == RT_CMD_TRACE);
	RT_ASSERT_TEXT(o.program, "./fib");
	CU_ASSERT(o.nspecs == 2);
	RT_ASSERT_TEXT(o.specs[0], "fib");
	RT_ASSERT_TEXT(o.specs[1], "main:2");
	RT_ASSERT_TEXT(o.output, "out");
	RT_ASSERT_TEXT(o.format, "chrome");
	/* Behind "--" everything is the program's. */
	RT_ASSERT_TEXT(o.argv[0], "./fib");
	RT_ASSERT_TEXT(o.argv[1], "10");
	RT_ASSERT_TEXT(o.argv[2], "-o");
	RT_ASSERT_TEXT(o.argv[3], "x");
	RT_ASSERT_TEXT(o.argv[4], "--");
	CU_ASSERT(o.argv[5] == NULL);
	rt_options_free(&o);
}

static void test_pid(void)
{
	struct rt_options o;
	struct rt_error err;

	CU_ASSERT_FATAL(parse(&o, &err, "-p 123 fib --no-bpf -v --buffer 64K") == 0);
	CU_ASSERT(o.pids.n == 1 && o.pids.v[0] == 123);
	CU_ASSERT(o.nspecs == 1);
	CU_ASSERT(o.no_bpf && o.verbose);
	CU_ASSERT(o.buffer == 65536);
	CU_ASSERT(o.program == NULL);
	rt_options_free(&o);
}

/* As strace and perf take them, and as pidof prints them. */
static void test_pids(void)
{
	static const char *const wrong[] = { "",   ",",	    "12x",  "0",
					     "-1", "12;13", "12,x", "99999999999" };
	char *argv[] = { "rawtrace", "-p", "12,13", "-p", "14 15\n13", "f", NULL };
	char *bad[] = { "rawtrace", "-p", NULL, "f", NULL };
	struct rt_options o;
	struct rt_error err;
	char many[512];
	unsigned i, n;

	CU_ASSERT_FATAL(rt_options_parse(&o, 6, argv, &err) == 0);
	CU_ASSERT(o.pids.n == 4 && o.pids.v[0] == 12 && o.pids.v[1] == 13 && o.pids.v[2] == 14 &&
		  o.pids.v[3] == 15);
	CU_ASSERT(o.nspecs == 1 && rt_pids_has(&o.pids, 15) && !rt_pids_has(&o.pids, 16) &&
		  rt_pids_only(&o.pids) == 0);
	rt_options_free(&o);
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		bad[2] = (char *)wrong[i];
		CU_ASSERT(rt_options_parse(&o, 4, bad, &err) == -EINVAL &&
			  strstr(err.text, "expected a process id"));
		rt_options_free(&o);
	}
	for (i = n = 0; i <= RT_PIDS_MOST; i++)
		n += (unsigned)snprintf(many + n, sizeof(many) - n, "%u,", 100 + i);
	bad[2] = many;
	CU_ASSERT(rt_options_parse(&o, 4, bad, &err) == -EINVAL && strstr(err.text, "at most 64"));
	rt_options_free(&o);
}

/* As strace's -e trace=; a comma inside of a specification is its own. */
static void test_events(void)
{
	char *argv[] = { "rawtrace", "-e", "trace=f(int a, int b),lib.so:g", "-e", "!h,i",
			 "./fib",    "j", NULL };
	struct rt_options o;
	struct rt_error err;

	CU_ASSERT_FATAL(rt_options_parse(&o, 7, argv, &err) == 0);
	CU_ASSERT(!strcmp(o.program, "./fib"));
	CU_ASSERT_FATAL(o.nspecs == 3 && o.nexcluded == 2);
	CU_ASSERT(!strcmp(o.specs[0], "j") && !strcmp(o.specs[1], "f(int a, int b)") &&
		  !strcmp(o.specs[2], "lib.so:g"));
	CU_ASSERT(!strcmp(o.excluded[0], "h") && !strcmp(o.excluded[1], "i"));
	rt_options_free(&o);
	CU_ASSERT(parse(&o, &err, "-p 12 -e f") == 0 && o.nspecs == 1 && !strcmp(*o.specs, "f"));
	rt_options_free(&o);
	CU_ASSERT(parse(&o, &err, "-e f") == -EINVAL && strstr(err.text, "no program given"));
	rt_options_free(&o);
}

static void test_others(void)
{
	struct rt_options o;
	struct rt_error err;

	CU_ASSERT(parse(&o, &err, "doctor") == 0 && o.command == RT_CMD_DOCTOR && !o.clean);
	rt_options_free(&o);
	CU_ASSERT(parse(&o, &err, "doctor --clean") == 0 && o.command == RT_CMD_DOCTOR && o.clean);
	rt_options_free(&o);
	CU_ASSERT(parse(&o, &err, "count ./fib f") == 0 && o.command == RT_CMD_COUNT &&
		  o.nspecs == 1);
	CU_ASSERT(!strcmp(o.program, "./fib"));
	rt_options_free(&o);
	CU_ASSERT(parse(&o, &err, "-v hist -o x ./fib f g -- 3") == 0 && o.command == RT_CMD_HIST &&
		  o.nspecs == 2);
	CU_ASSERT(!strcmp(o.argv[1], "3"));
	rt_options_free(&o);
	CU_ASSERT(parse(&o, &err, "hist -p 12 f") == 0 && o.command == RT_CMD_HIST &&
		  o.nspecs == 1 && !strcmp(o.specs[0], "f"));
	rt_options_free(&o);
	CU_ASSERT(parse(&o, &err, "--libcalls ./fib") == 0 && !strcmp(o.libcalls, "*") &&
		  o.nspecs == 0);
	rt_options_free(&o);
	CU_ASSERT(parse(&o, &err, "--libcalls=str* -p 12 f") == 0 && !strcmp(o.libcalls, "str*") &&
		  o.nspecs == 1);
	rt_options_free(&o);
	CU_ASSERT(parse(&o, &err, "count --libcalls ./fib") == -EINVAL);
	rt_options_free(&o);
	CU_ASSERT(parse(&o, &err, "list ./fib") == 0 && o.command == RT_CMD_LIST && o.nspecs == 0 &&
		  !strcmp(o.program, "./fib"));
	rt_options_free(&o);
	CU_ASSERT(parse(&o, &err, "list --format=json -p 12 f*") == 0 && o.command == RT_CMD_LIST &&
		  o.nspecs == 1);
	rt_options_free(&o);
	CU_ASSERT(parse(&o, &err, "list --depth=2 ./fib") == -EINVAL);
	rt_options_free(&o);
	CU_ASSERT(parse(&o, &err, "./fib f") == 0 && o.limits.string == RT_LIMIT_STRING &&
		  o.limits.record == RT_LIMIT_RECORD && !o.fd_paths);
	rt_options_free(&o);
	CU_ASSERT(parse(&o, &err, "-s 300 --members=3 --deref=0 -y ./fib f") == 0 &&
		  o.limits.string == 300 && o.limits.members == 3 && o.limits.deref == 0 &&
		  o.limits.record == RT_LIMIT_RECORD_LARGE && o.fd_paths);
	rt_options_free(&o);
	CU_ASSERT(parse(&o, &err, "count ./fib f by caller") == 0 && o.by == 1 && o.nspecs == 1);
	rt_options_free(&o);
	CU_ASSERT(parse(&o, &err, "hist -p 1 by path") == 0 && o.by > 1 && o.nspecs == 0);
	rt_options_free(&o);
	CU_ASSERT(parse(&o, &err, "./fib f by caller") == 0 && !o.by && o.nspecs == 3);
	rt_options_free(&o);
	CU_ASSERT(parse(&o, &err, "-p 12 count") == 0 && o.command == RT_CMD_TRACE &&
		  !strcmp(o.specs[0], "count"));
	rt_options_free(&o);
	CU_ASSERT(parse(&o, &err, "--help") == 0 && o.command == RT_CMD_HELP);
	rt_options_free(&o);
	CU_ASSERT(parse(&o, &err, "-V") == 0 && o.command == RT_CMD_VERSION);
	rt_options_free(&o);
	/* A function may be called that. */
	CU_ASSERT(parse(&o, &err, "-p 1 doctor") == 0 && o.command == RT_CMD_TRACE &&
		  o.nspecs == 1);
	rt_options_free(&o);
	CU_ASSERT(parse(&o, &err, "--dump=tracefs ./doctor f") == 0 && o.dump == RT_DUMP_TRACEFS);
	rt_options_free(&o);
}

/* Each names what is wrong. */
static void test_usage(void)
{
	static const char *const lines[][2] = {
		{ "", "no program given" },
		{ "-a", "no function given" },
		{ "-s 0 ./fib f", "-s 0" },
		{ "-s 7001 ./fib f", "-s 7001" },
		{ "-s x ./fib f", "-s x" },
		{ "--deref=4 ./fib f", "--deref=4" },
		{ "-k --no-bpf ./fib f", "-k: only BPF programs" },
		{ "-k --ring=perf ./fib f", "-k: a perf ring" },
		{ "-k --return=uretprobe ./fib f", "-k: not allowed with --return=uretprobe" },
		{ "-k --min-time=1us ./fib f", "-k: not allowed with --min-time" },
		{ "-k --format=html ./fib f", "-k: goes with --format=tree" },
		{ "record -k ./fib f", "-k: not allowed with record" },
		{ "-p 0 f", "-p 0" },
		{ "-p 1x f", "-p 1x" },
		{ "-p 99999999999 f", "-p 99999999999" },
		{ "-p 1,2 f -p 3x", "-p 3x" },
		{ "-p 1 f -- 3", "-- 3" },
		{ "--nonsense ./fib f", "--nonsense" },
		{ "./fib f --buffer=x", "--buffer=x" },
		{ "./fib f --buffer=0", "--buffer=0" },
		{ "./fib f --dump=perl", "--dump=perl" },
		{ "./fib f --clean", "--clean goes with: rawtrace doctor" },
		{ "./fib f --from=1s", "--from goes with: rawtrace report" },
		{ "doctor what", "doctor what" },
		{ "doctor -p 1", "-p: not allowed with doctor" },
		{ "doctor -o x", "-o: not allowed with doctor" },
		{ "--attach=pmu doctor", "--attach: not allowed with doctor" },
		{ "doctor -- x", "only --clean" },
		{ "list -o x ./fib f", "-o: not allowed with list" },
		{ "list ./fib f -- 3", "'-- 3': list starts no program" },
		{ "list -s 3 ./fib f", "-s: not allowed with list" },
		{ "list --buffer=8M ./fib", "--buffer: not allowed with list" },
		{ "--dump=ir -o x ./fib f", "-o: not allowed with --dump" },
		{ "./fib f --no-bpf --attach=pmu", "--no-bpf: not allowed with --attach=pmu" },
		{ "./fib f -o", "-o" },
		{ "--depth=0 ./fib f", "--depth=0" },
		{ "--depth=-1 ./fib f", "--depth=-1" },
		{ "--min-time=1 ./fib f", "--min-time=1" },
		{ "count --depth=2 ./fib f", "--depth: not allowed with count" },
		{ "count", "rawtrace count PROGRAM" },
		{ "count --format=tree ./fib f", "-F: not allowed with count" },
		{ "hist --ring=perf ./fib f", "--ring: not allowed with hist" },
		/* The letter that is wrong, not the word before it; and an option that is there is
		   not called missing. */
		{ "-ff ./fib f", "-ff: a file a process is written" },
		{ "-ff -o - ./fib f", "-ff: a file a process" },
		{ "-ff -o x count ./fib f", "-ff: not allowed with count" },
		{ "-f list ./fib", "-f: not allowed with list" },
		{ "-vl ./fib f", "-l: functions of a library are named " },
		{ "-tr ./fib f", "-r: not together with -t" },
		{ "-r -t ./fib f", "-t: not together with -r" },
		{ "--color=x ./fib f", "--color=x: expected auto, " },
		{ "-u me -p 12 f", "-u me: only for a program " },
		{ "-e fault=f ./fib", "-e fault=f: only functions are chosen" },
		{ "-e f, ./fib", "-e f,: expected functions" },
		{ "-C ./fib f", "-C: rawtrace record keeps the calls" },
		{ "-A ./fib f", "-A: goes with -o FILE" },
		{ "-A -o |cat ./fib f", "-A: goes with -o FILE" },
		{ "-A -F chrome -o x ./fib f", "-A: --format=chrome is one whole file" },
		{ "-A record ./fib f", "-A: not allowed with record" },
		{ "-ff -o |cat ./fib f", "-o '|cat': -ff writes files" },
		{ "-mv ./fib f", "-m: no such option" },
		{ "-vm ./fib f", "-m: no such option" },
		{ "--no-bpf -mv ./fib f", "-m: no such option" },
		{ "-vz ./fib f", "-z: a condition chooses calls by their result" },
		{ "--trace=f ./fib", "--trace=f: type -e FUNCTION,..." },
		{ "--stack-traces ./fib", "--stack-traces: type -k" },
		{ "-e trace=%file ./fib", "-e trace=%file: there are no classes; try" },
		{ "ls -l", "; an option of ls goes behind --: rawtrace ls -- -l" },
		{ "ls -vlo x", "-l: functions of a library are named LIBRARY:FUNCTION; --libcalls "
			       "traces what the program imports; an option of ls goes behind --: "
			       "rawtrace ls -- -vlo" },
		{ "count find . -name x", "rawtrace find -- -name" },
		{ "redis-server --port 7", "rawtrace redis-server -- --port" },
		{ "--no-bpf=x ./fib f", "--no-bpf=x: takes no value" },
		{ "--help=x", "--help=x: takes no value" },
		{ "--de=1 ./fib f", "--de=1: no such option" },
		{ "./fib f --output=", "-o ''" },
	};
	struct rt_options o;
	struct rt_error err;
	unsigned i;

	for (i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		CU_ASSERT(parse(&o, &err, lines[i][0]) == -EINVAL);
		CU_ASSERT(err.status == RT_EXIT_USAGE);
		CU_ASSERT(strstr(err.text, lines[i][1]) != NULL);
		rt_options_free(&o);
	}
}

/* strace's words for columns. */
static void test_sorts(void)
{
	static const struct {
		const char *line;
		enum rt_sort sort;
	} lines[] = {
		{ "-c -S time ./fib f", RT_SORT_TOTAL },
		{ "-c -S calls ./fib f", RT_SORT_CALLS },
		{ "-c -S count ./fib f", RT_SORT_CALLS },
		{ "-c -S errors ./fib f", RT_SORT_FAILED },
		{ "-c -S name ./fib f", RT_SORT_FUNCTION },
	};
	struct rt_options o;
	struct rt_error err;
	unsigned i;

	for (i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		CU_ASSERT(parse(&o, &err, lines[i].line) == 0 && o.sort == lines[i].sort);
		rt_options_free(&o);
	}
}

static void test_times(void)
{
	static const char *const bad[] = { "",	  "1",	 "ms",	 "-1ms",   "0s",	   "0x1s",
					   "1e3", "nan", "1 ms", "1.2.3s", "99999999999s", "1h" };
	uint64_t ns = 0;
	unsigned i;

	CU_ASSERT(rt_time_parse("300ns", &ns) == 0 && ns == 300);
	CU_ASSERT(rt_time_parse("20us", &ns) == 0 && ns == 20000);
	CU_ASSERT(rt_time_parse("1.5ms", &ns) == 0 && ns == 1500000);
	CU_ASSERT(rt_time_parse("0.0000000015s", &ns) == 0 && ns == 2);
	CU_ASSERT(rt_time_parse("1.25us", &ns) == 0 && ns == 1250);
	CU_ASSERT(rt_time_parse("2s", &ns) == 0 && ns == UINT64_C(2000000000));
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CU_ASSERT(rt_time_parse(bad[i], &ns) == -EINVAL);
}

static void test_sizes(void)
{
	size_t size = 0;

	CU_ASSERT(rt_size_parse("4096", &size) == 0 && size == 4096);
	CU_ASSERT(rt_size_parse("3k", &size) == 0 && size == 3072);
	CU_ASSERT(rt_size_parse("8M", &size) == 0 && size == 8u << 20);
	CU_ASSERT(rt_size_parse("1G", &size) == 0 && size == 1u << 30);
	CU_ASSERT(rt_size_parse("", &size) == -EINVAL);
	CU_ASSERT(rt_size_parse("-1", &size) == -EINVAL);
	CU_ASSERT(rt_size_parse("1Kx", &size) == -EINVAL);
	CU_ASSERT(rt_size_parse("1T", &size) == -EINVAL);
	CU_ASSERT(rt_size_parse("99999999999999999999", &size) == -EINVAL);
	CU_ASSERT(rt_size_parse("17179869184G", &size) == -EINVAL);
}

/* Each row sets a member or has a parser, and is of a command; rows of one name stand together. */
static void test_table(void)
{
	const struct rt_option *row, *other;
	struct rt_options o;
	struct rt_error err;
	char line[64];
	unsigned command;

	for (row = rt_option_table; row->name; row++) {
		CU_ASSERT(!row->flag + !row->word + !row->parse == 2);
		CU_ASSERT(row->commands && row->help && (!row->flag || !row->argument));
		for (other = row + 1; other->name && strcmp(row->name, other->name) == 0; other++)
			;
		for (; other->name; other++)
			CU_ASSERT((!row->letter || row->letter != other->letter) &&
				  strcmp(row->name, other->name) != 0);
	}
	CU_ASSERT(row - rt_option_table < 64);
	for (command = RT_CMD_COUNT; command <= RT_CMD_DOCTOR; command++) {
		CU_ASSERT(rt_command_find(rt_commands[command].name) == (enum rt_command)command);
		snprintf(line, sizeof(line), "%s --help", rt_commands[command].name);
		CU_ASSERT(parse(&o, &err, line) == 0 && o.command == RT_CMD_HELP &&
			  o.help_of == (enum rt_command)command);
		rt_options_free(&o);
	}
}

static void test_report(void)
{
	static const char *const wrong[] = {
		"report --sort=p98", "report --sort=self", "report --format=graph --sort=max",
		"report --callers", "report -t --format=json", "report --width=80",
		"report --tid=0", "report --from=2s --to=1s", "report --from=x",
		"report a -- b", "record --only=x ./fib fib",
		"record --on-slow=1s ./fib fib",
		"record --last=1K ./fib fib", "record --last=1s -o - ./fib fib",
	};
	struct rt_options o;
	struct rt_error err;
	size_t i;

	CU_ASSERT_FATAL(parse(&o, &err, "report --only=a* --only=b --exclude=ab --tid=7,8 "
			      "--from=1ms --to=2ms --format=summary --sort=self file") == 0);
	CU_ASSERT(o.nonly == 2 && o.nexcluded == 1 && o.tids.n == 2);
	RT_ASSERT_TEXT(o.only[1], "b");
	CU_ASSERT(o.from == 1000000 && o.to == 2000000 && o.sort == RT_SORT_SELF);
	CU_ASSERT_EQUAL_FATAL(o.nfiles, 1);
	RT_ASSERT_TEXT(o.files[0], "file");
	CU_ASSERT_EQUAL(o.nspecs, 0);
	rt_options_free(&o);
	CU_ASSERT_FATAL(parse(&o, &err, "report a(arg1>2) b(errno) one c(return<0) two") == 0);
	CU_ASSERT_EQUAL_FATAL(o.nfiles, 2);
	RT_ASSERT_TEXT(o.files[0], "one");
	RT_ASSERT_TEXT(o.files[1], "two");
	CU_ASSERT_EQUAL_FATAL(o.nspecs, 3);
	RT_ASSERT_TEXT(o.specs[0], "a(arg1>2)");
	RT_ASSERT_TEXT(o.specs[2], "c(return<0)");
	rt_options_free(&o);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		CU_ASSERT(parse(&o, &err, wrong[i]) < 0);
		CU_ASSERT(err.status == RT_EXIT_USAGE);
		rt_options_free(&o);
	}
}

CU_TestInfo rt_tests_options[] = {
	{ "report", test_report },
	{ "a command", test_command },
	{ "a pid", test_pid },
	{ "several processes", test_pids },
	{ "functions of -e", test_events },
	{ "doctor, help, version, dump", test_others },
	{ "usage errors", test_usage },
	{ "sizes", test_sizes },
	{ "times", test_times },
	{ "strace's words for columns", test_sorts },
	{ "the tables of commands and options", test_table },
	CU_TEST_INFO_NULL,
};
