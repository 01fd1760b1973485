/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands/help.h"

#include "config.h"

static void print_choices(FILE *file, const struct rt_choice *c)
{
	for (; c->name; c++)
		fprintf(file, "                           %-13s %s\n", c->name, c->help);
}

static const char usage[] =
	"usage: rawtrace [OPTION]... PROGRAM FUNCTION... [-- ARGUMENT...]\n"
	"       rawtrace [OPTION]... -p PID FUNCTION...\n"
	"       rawtrace count|hist [OPTION]... PROGRAM FUNCTION... [-- ARGUMENT...]\n"
	"       rawtrace count|hist [OPTION]... -p PID FUNCTION...\n"
	"       rawtrace list [--format=json] [--return=HOW] PROGRAM|-p PID [FUNCTION...]\n"
	"       rawtrace doctor [--clean]\n"
	"\n"
	"Print the calls of native functions, with arguments and results, as a tree.\n"
	"\n"
	"FUNCTION is [LIBRARY:]NAME[:ARGUMENTS]: a name or a shell glob ('str*') of the\n"
	"program or of a library it is linked with (libm.so:cos); ARGUMENTS is how many of\n"
	"its arguments to print, as C ints.  Or it says what to show: a C prototype\n"
	"('int open(const char *path, int flags)'), parameters by name or number and what is\n"
	"reached from them ('f(p->next->id, arg2)'), conditions ('fib(int n > 3)'), the kernel's\n"
	"words ('f s=+0(%si):string'); or where: /REGEX/, NAME@file.c, NAME+OFFSET, 0xADDRESS; or\n"
	"@FILE, a file of all these.  See rawtrace(1).\n"
	"\n"
	"  -p, --pid=PID,...|NAME trace running processes of one program, with all their threads\n"
	"  -u, --user=USER        start PROGRAM as USER, with the groups of USER\n"
	"  -f, --follow-forks     trace children too, and the programs that they run\n"
	"  -o, --output=FILE      write the trace to FILE (- is standard output), not to standard "
	"error\n"
	"      --format=FORMAT    how the trace is written:\n";

void rt_help_print(FILE *file, const struct rt_choice *formats, const struct rt_choice *mechanisms,
		   const struct rt_choice *rings)
{
	fputs(usage, file);
	print_choices(file, formats);
	fputs("      --attach=MECHANISM put the probes in by MECHANISM; without it, by the first "
	      "of\n"
	      "                         these that works:\n",
	      file);
	print_choices(file, mechanisms);
	fputs("      --no-bpf           call neither bpf(2) nor perf_event_open(2): tracefs alone\n"
	      "      --buffer=SIZE      the ring's size a CPU (8M); K, M and G are understood\n"
	      "      --ring=RING        take the events from BPF programs by RING; without it, by "
	      "the\n"
	      "                         first of these that works:\n",
	      file);
	print_choices(file, rings);
	fputs("      --depth=N          show only N levels of calls\n"
	      "      --min-time=TIME    show only calls that took so long (20us, 1.5ms, 2s), and "
	      "those around\n"
	      "      --only-under=FUNC  show only calls of FUNC, and what is called in them\n"
	      "      --libcalls[=GLOB]  trace the calls that the program itself makes to functions "
	      "of its\n"
	      "                         libraries (matching GLOB)\n"
	      "  -s, --string-limit=N   show N bytes of a string (64)\n"
	      "      --members=N        show N members of a structure, or elements of an array "
	      "(16)\n"
	      "      --deref=N          follow N pointers to structures, one from the other (1)\n"
	      "  -y, --fd-paths         say what file descriptors are\n"
	      "      --entry=WHERE      where a function's probe stands: auto (behind its entry, "
	      "where\n"
	      "                         that is proven to be the same and costs less), or exact\n"
	      "      --demangle=no      print the names of C++ and Rust functions as the symbol "
	      "table has them\n"
	      "      --return=HOW       how the end of calls is seen: auto (a uretprobe, or where "
	      "that could\n"
	      "                         harm the program the instructions that leave the "
	      "function),\n"
	      "                         uretprobe, insn, or none (entries only)\n"
	      "      --dump=WHAT        print what would be given to the kernel, and trace "
	      "nothing:\n"
	      "                         ir (prototypes, and what is read), bpf (a listing), "
	      "tracefs\n"
	      "                         (uprobe_events lines)\n"
	      "  -v, --verbose          say which mechanism is used, and why not another\n"
	      "  -h, --help             print this text\n"
	      "  -V, --version          print the version and what is built in\n"
	      "\n"
	      "rawtrace count prints how often each function was called, rawtrace hist how long "
	      "the\n"
	      "calls took (a histogram): both are worked out in the kernel.\n"
	      "rawtrace list prints functions: addresses, where their names come from, prototypes, "
	      "and\n"
	      "why some cannot be traced.\n"
	      "rawtrace doctor says what works on this machine; with --clean it removes what "
	      "killed\n"
	      "rawtrace processes have left in tracefs.\n"
	      "\n"
	      "The exit status is that of PROGRAM (128 + N when signal N ended it), 1 when "
	      "something\n"
	      "stood in the way, 2 when the command line is wrong or names a function that is not "
	      "there.\n",
	      file);
}

void rt_version_print(FILE *file)
{
	fputs("rawtrace " PACKAGE_VERSION "\n"
	      "Libraries: libelf, libcap" RT_CAPSTONE_WORDS RT_DEMANGLE_WORDS RT_LZMA_WORDS
		      RT_LIBDW_WORDS "\n"
	      "Architectures: x86-64, i386, aarch64\n"
	      "License GPLv2+: GNU GPL version 2 or later.  There is no warranty.\n",
	      file);
}
