/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SESSION_OPTIONS_H
#define RT_SESSION_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "fetch/show.h"
#include "plan/sites.h"
#include "base/error.h"
#include "base/pids.h"
#include "output/sink.h"

enum rt_command {
	RT_CMD_TRACE,
	RT_CMD_COUNT,
	RT_CMD_HIST,
	RT_CMD_TOP,
	RT_CMD_RECORD,
	RT_CMD_REPORT,
	RT_CMD_DIFF,
	RT_CMD_LIST,
	RT_CMD_DOCTOR,
	RT_CMD_HELP,
	RT_CMD_VERSION
};
enum rt_dump { RT_DUMP_NONE, RT_DUMP_IR, RT_DUMP_BPF, RT_DUMP_TRACEFS };

enum { RT_GLOBS_MOST = 32 };

/* The command line, parsed.  Strings point into argv. */
struct rt_options {
	enum rt_command command;
	struct rt_pids pids;		/* -p; none: a command is started */
	const char *program;		/* as given */
	char **files;			/* of report; points into `words` */
	unsigned nfiles;
	bool all;			/* -a: every process that runs the files */
	const char *cgroup, *unit;	/* with `all`: of that control group alone, or NULL */
	uint32_t budget;		/* --budget, in 1/100 % of a CPU; 0: none */
	const char *user;		/* -u; NULL: the program has our own */
	/* the command's own: program, then what follows "--"; malloced, NULL-ended */
	char **argv;
	/* argv behind the program, where an option comes first there and no "--"; else NULL */
	char **behind;
	char **specs;			/* probe specifications; points into `words` */
	int nspecs;
	const char *format;		/* --format; NULL: the tree */
	/* -o, "-" is standard output, "|COMMAND" a command; NULL: where the format goes */
	const char *output;
	bool append;			/* -A */
	unsigned quiet;			/* -q: 1; -qq: 2 */
	const char *attach;		/* --attach; NULL: what works */
	const char *ring;		/* --ring; NULL: what works */
	bool no_bpf, verbose, clean;
	/* --entry=exact: probes stand at entries, even where that is slow */
	bool exact;
	const char *libcalls;		/* --libcalls, a name or glob; NULL: no such option */
	bool raw_names;			/* --demangle=no */
	enum rt_want returns;		/* --return */
	unsigned depth;			/* --depth; 0: any */
	uint64_t min_time;		/* --min-time, ns */
	bool failed;			/* --failed */
	bool why;			/* --why */
	const char *only_under;		/* --only-under, a specification; NULL: none */
	/*
	 * --exclude: specifications, of report globs.  Of report: --only, globs; --tid; --from and
	 * --to, ns, 0: not given.
	 */
	const char *only[RT_GLOBS_MOST], *excluded[RT_GLOBS_MOST];
	unsigned nonly, nexcluded;
	struct rt_pids tids;
	uint64_t from, to;
	struct rt_keep keep;		/* --last, --on-slow, --on-fail */
	enum rt_sort sort;		/* --sort */
	bool callers;			/* --callers */
	enum rt_color color;		/* --color */
	unsigned width;			/* --width; 0: not given */
	enum rt_stamp stamp;		/* -t, -r */
	bool durations;			/* -T */
	bool net;			/* --net */
	bool batch;			/* --batch */
	unsigned rounds;		/* --batch=N; 0: no end */
	bool first;			/* --first, of diff */
	struct rt_limits limits;	/* -s, --members, --deref: how much is read and printed */
	bool stacks;			/* -k */
	uint32_t stack_size;		/* --stack-size; 0: RT_STACK_BYTES */
	unsigned by;			/* by caller: 1; by path: UINT_MAX; 0: neither */
	bool fd_paths;			/* -y */
	bool follow, separate;		/* -f; -ff */
	size_t buffer;			/* --buffer, bytes a CPU; 0: the default */
	enum rt_dump dump;
	/* the options that there were, by their rows in commands/option_table.c */
	uint64_t given;
	enum rt_command help_of;	/* with RT_CMD_HELP: the command that is asked about */
	char **words;			/* the arguments without options; malloced */
	char **events;			/* the functions of -e; malloced, as they are */
	unsigned nevents;
};

/*
 * Parse the command line.  0, or a usage error.  Free with rt_options_free, also after a failure.
 */
int rt_options_parse(struct rt_options *options, int argc, char **argv, struct rt_error *err);
void rt_options_free(struct rt_options *options);

/* The option or word that asks for stacks. */
const char *rt_options_stacks(const struct rt_options *options);

/*
 * The options' wishes for the traced program; `everywhere` as in struct rt_wanted.  The strings
 * stay the options'.
 */
struct rt_wanted rt_options_wanted(const struct rt_options *options, bool everywhere);

/* The purpose of the programs, by the subcommand. */
enum rt_purpose rt_purpose_of(const struct rt_options *options);

/* A time such as "300ns", "20us", "1.5ms" or "2s", in ns.  0, or -EINVAL, for nothing too. */
int rt_time_parse(const char *text, uint64_t *ns);

/* A size such as "64K", "8M" or "1048576".  0 or -EINVAL. */
int rt_size_parse(const char *text, size_t *size);

#endif
