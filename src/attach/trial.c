/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * 3.10, 4.4, 4.9 and 4.14 write an 8-byte return address over a 4-byte one in 32-bit programs,
 * and so a 0 over the first argument; other kernels of the same numbers do not. So
 * rt_i386_trial, a hand-made ELF file, is run with probes on two of its functions (one begins
 * with push, one with call, both of which kernels emulate), and its exit status, the number of
 * hits and their values are looked at. It is in a memfd or an unnamed file, since a SIGKILL
 * must leave nothing behind; on a disk where there is no memfd, since uprobes on tmpfs never
 * fire on 3.10.
 */
#include "attach/trial.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "kernel/sys.h"
#include "process/tracee.h"
#include "stream/addrmap.h"

/*
 * The probed functions: not inlined, so that each call in the source is a call.  Two, as an event
 * of one probe works where one of many does not; and not alike, or the compiler makes one of them.
 */
static int __attribute__((noinline)) probed(int n)
{
	__asm__ volatile("" : "+r"(n) : : "memory");
	return n + 1;
}

static int __attribute__((noinline)) probed_too(int n)
{
	__asm__ volatile("" : "+r"(n) : : "memory");
	return n + 3;
}

static int call_probed(void)
{
	int sum = 0, i;

	for (i = 0; i < (int)RT_TRIAL_CALLS / 2; i++)
		sum += probed(i) + probed_too(-i);
	return sum == (int)RT_TRIAL_CALLS / 2 * 4 ? 0 : 1;
}

int rt_trial_functions(const uint64_t *addresses, unsigned n, struct rt_function *f,
		       struct rt_error *err)
{
	struct rt_addrmap *map = rt_addrmap_new();
	struct rt_image *image;
	uint64_t ino;
	unsigned i;
	int r;

	if (!map)
		return rt_nomem(err);
	r = rt_addrmap_read(map, getpid());
	for (i = 0; i < n && r == 0; i++)
		r = rt_addrmap_find(map, getpid(), addresses[i], &ino, &f[i].offset);
	rt_addrmap_free(map);
	if (r < 0)
		return rt_fail(err, r, "/proc/self/maps: cannot find rawtrace's own code: %s",
			       strerror(-r));
	r = rt_image_open("/proc/self/exe", "rawtrace", &image, err);
	for (i = 0; i < n && r == 0; i++) {
		f[i].name = (char *)"probed";
		f[i].nargs = 1;
		f[i].image = image;
	}
	return r;
}

struct counter {
	struct rt_trial *trial;
	pid_t pid;
};

static int64_t first_value(const struct rt_event *event)
{
	int32_t value = 0;

	if (event->hit.size >= sizeof(value) && !(event->hit.faults & 1))
		memcpy(&value, event->hit.data, sizeof(value));
	return value;
}

static int count(void *ctx, const struct rt_event *event)
{
	struct counter *c = ctx;

	if (event->type != RT_EV_HIT ||
	    (c->pid && (event->pid ? event->pid : event->tid) != c->pid))
		return 0;
	if (event->hit.plan == RT_KIND_ENTRY) {
		c->trial->entries++;
		c->trial->arguments += first_value(event);
	} else {
		c->trial->returns++;
		c->trial->results += first_value(event);
	}
	return 0;
}

int rt_trial_count(struct rt_source *source, pid_t pid, struct rt_trial *trial,
		   struct rt_error *err)
{
	struct counter counter = { trial, pid };
	const struct rt_event_handler handler = { count, &counter };
	unsigned i;
	int r = 0;

	for (i = 0; i < source->ops->nfds(source) && r == 0; i++)
		r = source->ops->drain(source, i, &handler, err);
	return r;
}

static int start_child(const struct rt_trial_program *program, pid_t *pid, int *go,
		       struct rt_error *err)
{
	char byte;
	int p[2];

	if (pipe(p) != 0)
		return rt_fail(err, -errno, "pipe: %s", strerror(errno));
	*pid = fork();
	if (*pid == 0) {
		close(p[1]);
		_exit(read(p[0], &byte, 1) == 1 ? program->main() : 2);
	}
	close(p[0]);
	*go = p[1];
	if (*pid > 0)
		return 0;
	close(p[1]);
	return rt_fail(err, -EAGAIN, "fork: %s", strerror(errno));
}

/* Word to the child, and its end.  True when it did what it should. */
static bool run_child(pid_t pid, int go)
{
	int status = -1;

	if (write(go, "g", 1) != 1)
		return false;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int run_attached(struct rt_attach *attach, enum rt_reach reach, pid_t pid, int go,
			struct rt_trial *trial, struct rt_error *err)
{
	uint64_t began;
	int r;

	trial->harmed = !run_child(pid, go);
	r = rt_trial_count(attach->source, reach == RT_REACH_PROCESSES ? pid : 0, trial, err);
	began = rt_now();
	attach->ops->close(attach);
	trial->detach_ms = (double)(rt_now() - began) / 1e6;
	return r;
}

int rt_trial_program(const struct rt_trial_program *program, const struct rt_attach_ops *only,
		     const struct rt_attach_ops *forced, bool no_bpf, struct rt_trial *trial,
		     struct rt_error *err)
{
	struct rt_function function[RT_COUNT(program->functions)] = { { 0 } };
	const struct rt_functions functions = { .v = function, .n = program->n, .cap = program->n };
	struct rt_site probes[2 * RT_COUNT(program->functions)];
	struct rt_plan plans[2];	/* their numbers are their kinds */
	struct rt_pids child = { .n = 1 };
	struct rt_attach_request request = {
		.reach = program->reach,
		.pids = &child,
		.functions = &functions,
		.plans = plans,
		.nplans = 2,
		.sites = probes,
		.ring_bytes = 64 << 10,
	};
	struct rt_attach *attach = NULL;
	int go = -1, r;
	uint64_t began;
	unsigned i;

	memset(trial, 0, sizeof(*trial));
	r = rt_trial_functions(program->functions, program->n, function, err);
	if (r < 0)
		return r;
	for (i = 0; i < program->n; i++) {
		probes[request.nsites++] = (struct rt_site){ .function = i,
							     .plan = RT_KIND_ENTRY,
							     .kind = RT_SITE_ENTRY };
		if (!rt_reach_is_open(program->reach))
			probes[request.nsites++] = (struct rt_site){ .function = i,
								     .plan = RT_KIND_RETURN,
								     .kind = RT_SITE_RETURN };
	}
	request.program = function[0].image;
	rt_plan_c_entry(rt_image_arch(request.program), 1, &plans[RT_KIND_ENTRY]);
	rt_plan_c_return(rt_image_arch(request.program), &plans[RT_KIND_RETURN]);
	r = start_child(program, &child.v[0], &go, err);
	if (r == 0) {
		began = rt_now();
		r = only ? only->open(&request, &attach, err)
			 : rt_attach_open(&request, forced, no_bpf, NULL, &attach, err);
		trial->attach_ms = (double)(rt_now() - began) / 1e6;
		if (r == 0)
			r = run_attached(attach, program->reach, child.v[0], go, trial, err);
		close(go);	/* a child that got no word ends at this */
		while (waitpid(child.v[0], NULL, 0) < 0 && errno == EINTR)
			;
	}
	rt_image_close(function[0].image);
	return r;
}

int rt_trial_run(const struct rt_attach_ops *ops, unsigned n, struct rt_trial *trial,
		 struct rt_error *err)
{
	const struct rt_trial_program program = {
		.main = call_probed,
		.functions = { (uintptr_t)probed, (uintptr_t)probed_too },
		.n = n,
	};

	return rt_trial_program(&program, ops, NULL, false, trial, err);
}

/* ---- children ---- */

/*
 * Two tasks that wake each other in turn on one CPU are what the scheduler swaps perf contexts of;
 * the next child of the same task then has what the last one left.
 */
enum { CHILDREN = 3, TURNS = 8, CHILDREN_CALLS = 3 * CHILDREN };

static void call_both(void)
{
	if (probed(1) + probed_too(1) != 6)
		_exit(1);
}

static void take_turns(int in, int out, bool first)
{
	char byte = 't';
	int i;

	for (i = 0; i < TURNS; i++)
		if ((first && write(out, &byte, 1) != 1) || read(in, &byte, 1) != 1 ||
		    (!first && write(out, &byte, 1) != 1))
			_exit(1);
}

static int wait_status(pid_t pid)
{
	int status = -1;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static void __attribute__((noreturn)) child_of_trial(int in, int out)
{
	pid_t pid;

	take_turns(in, out, false);
	call_both();
	pid = fork();
	if (pid == 0) {
		call_both();
		_exit(0);
	}
	_exit(wait_status(pid) == 0 ? 0 : 1);
}

static int call_in_children(void)
{
	int to[2], from[2], i;
	pid_t pid;

	if (pipe(to) != 0 || pipe(from) != 0)
		return 1;
	for (i = 0; i < CHILDREN; i++) {
		pid = fork();
		if (pid == 0)
			child_of_trial(to[0], from[1]);
		if (pid < 0)
			return 1;
		take_turns(from[0], to[1], true);
		if (wait_status(pid) != 0)
			return 1;
		call_both();
	}
	return 0;
}

int rt_trial_children(const struct rt_attach_ops *ops, enum rt_reach reach, struct rt_error *err)
{
	const struct rt_trial_program program = {
		.main = call_in_children,
		.functions = { (uintptr_t)probed, (uintptr_t)probed_too },
		.n = 2,
		.reach = reach,
	};
	unsigned returns = rt_reach_is_open(reach) ? 0 : 2 * CHILDREN_CALLS;
	struct rt_trial trial;
	int r = rt_trial_program(&program, ops, NULL, false, &trial, err);

	if (r < 0)
		return r;
	if (trial.harmed)
		return rt_fail(err, -EFAULT, "a child of rawtrace's did not survive its probes");
	if (trial.entries != 2 * CHILDREN_CALLS || trial.returns != returns)
		return rt_fail(err, -ENODATA,
			       "of %u calls in children of rawtrace's, %u entries and %u returns "
			       "were seen",
			       2 * CHILDREN_CALLS, trial.entries, trial.returns);
	return 0;
}

/* In the process that tries: exit status 0 where it works, else the reason goes to `fd`. */
static void __attribute__((noreturn)) try_children(const struct rt_attach_ops *ops, int fd)
{
	struct rt_error why = { .text = "" };
	int r = rt_trial_children(ops, RT_REACH_CHILDREN, &why);

	if (r < 0 && write(fd, why.text, strlen(why.text)) < 0)
		_exit(2);
	_exit(r < 0);
}

/* The same here: 0, or -EOPNOTSUPP with the reason. */
static int try_apart(const struct rt_attach_ops *ops, struct rt_error *why)
{
	char text[sizeof(why->text)];
	size_t n = 0;
	ssize_t got;
	int p[2];
	pid_t pid;

	if (pipe2(p, O_CLOEXEC) != 0)
		return rt_fail(why, -errno, "pipe: %s", strerror(errno));
	pid = fork();
	if (pid == 0)
		try_children(ops, p[1]);
	close(p[1]);
	while (n < sizeof(text) - 1 && (got = read(p[0], text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)got;
	close(p[0]);
	if (pid > 0 && wait_status(pid) == 0)
		return 0;
	return rt_fail(why, -EOPNOTSUPP, "%.*s", (int)n, text);
}

enum rt_reach rt_trial_reach(const struct rt_attach_ops *forced, bool no_bpf, struct rt_error *why)
{
	const struct rt_attach_ops *ops;
	unsigned i;

	if (no_bpf || (forced && !forced->bpf))
		return RT_REACH_CHILDREN;
	rt_fail(why, -EOPNOTSUPP, "children inherit no probes of --attach=%s",
		forced ? forced->name : "");
	for (i = 0; (ops = rt_attach_at(i)); i++)
		if ((!forced || ops == forced) && ops->bpf &&
		    ops->reaches & 1 << RT_REACH_CHILDREN && try_apart(ops, why) == 0)
			return RT_REACH_CHILDREN;
	return RT_REACH_FOLLOWED;
}

/* ---- longjmp and fork out of probed functions ---- */

/* Should a child never end.  A day on an emulated machine is long. */
enum { PATIENCE_S = 5 };

#define PROBED		__attribute__((noinline))
#define OPAQUE(n)	__asm__ volatile("" : "+r"(n) : : "memory")

static jmp_buf place;

static void on_crash(int sig)
{
	(void)sig;
	_exit(1);
}

/* A crash is an answer: no core file, and no line in the kernel's log. */
static void expect_crash(void)
{
	signal(SIGSEGV, on_crash);
	signal(SIGILL, on_crash);
	signal(SIGTRAP, on_crash);
	signal(SIGBUS, on_crash);
	alarm(PATIENCE_S);
}

static int PROBED leap(int n)
{
	OPAQUE(n);
	if (n)
		longjmp(place, 1);
	OPAQUE(n);
	return n;
}

static int PROBED plain(int n)
{
	OPAQUE(n);
	return n + 1;
}

/* A kernel that still holds leap's return sends outer's there. */
static int PROBED outer(int n)
{
	OPAQUE(n);
	if (setjmp(place) == 0) {
		leap(1);
		_exit(1);
	}
	return plain(4) + 1;
}

static int leaves_by_longjmp(void)
{
	expect_crash();
	return outer(1) == 6 && plain(1) == 2 ? 0 : 1;
}

static pid_t PROBED split(int n)
{
	pid_t pid;

	OPAQUE(n);
	pid = fork();
	OPAQUE(pid);
	return pid;
}

static int leaves_by_fork(void)
{
	int status = -1;
	pid_t pid;

	expect_crash();
	pid = split(1);
	if (pid == 0)
		_exit(plain(1) == 2 ? 0 : 1);
	if (pid > 0)
		waitpid(pid, &status, 0);
	return plain(1) == 2 && status == 0 ? 0 : 1;
}

static const struct {
	const char *name;
	struct rt_trial_program program;
	unsigned entries, returns;	/* of the child itself */
} leaves[RT_NLEAVES] = {
	[RT_LEAVE_LONGJMP] = { "longjmp", { leaves_by_longjmp, { 0 }, 3 }, 4, 3 },
	[RT_LEAVE_FORK] = { "fork", { leaves_by_fork, { 0 }, 2 }, 2, 2 },
};

static struct rt_trial_program program_of(enum rt_leave leave)
{
	struct rt_trial_program program = leaves[leave].program;

	program.functions[0] = leave == RT_LEAVE_FORK ? (uintptr_t)split : (uintptr_t)outer;
	program.functions[1] = (uintptr_t)plain;
	program.functions[2] = (uintptr_t)leap;
	return program;
}

const char *rt_leave_name(enum rt_leave leave)
{
	return leaves[leave].name;
}

int rt_trial_leave(enum rt_leave leave, const struct rt_attach_ops *forced, bool no_bpf,
		   struct rt_error *err)
{
	const struct rt_trial_program program = program_of(leave);
	const char *name = leaves[leave].name;
	struct rt_trial trial;
	int r;

	r = rt_trial_program(&program, NULL, forced, no_bpf, &trial, err);
	if (r < 0)
		return r;
	if (trial.harmed)
		return rt_fail(err, -EFAULT,
			       "this kernel harms programs that %s (tried on rawtrace's own)",
			       name);
	if (trial.entries != leaves[leave].entries || trial.returns != leaves[leave].returns)
		return rt_fail(err, -ENODATA,
			       "trial failed for programs that %s: of %u calls, %u entries and %u "
			       "returns were seen",
			       name, leaves[leave].entries, trial.entries, trial.returns);
	return 0;
}

/* ---- programs of another architecture ---- */

/*
 * Timeout for the program, which calls a dozen functions: the machine may be slow, or the program
 * lost.
 */
enum { PATIENCE_MS = 5000, LOOK_US = 200 };

/* ---- the program's file ---- */

struct file {
	Elf32_Ehdr head;
	Elf32_Phdr load, stack;
	uint8_t code[512];
};

static size_t make_file(const struct rt_arch *arch, struct file *f)
{
	const struct rt_arch_trial *t = arch->trial;
	uint32_t size = (uint32_t)offsetof(struct file, code) + t->size;

	*f = (struct file){
		.head = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
				     ELFCLASS32, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_EXEC, .e_machine = arch->machine, .e_version = EV_CURRENT,
			.e_entry = t->base + (uint32_t)offsetof(struct file, code),
			.e_phoff = offsetof(struct file, load),
			.e_ehsize = sizeof(f->head), .e_phentsize = sizeof(f->load), .e_phnum = 2,
		},
		.load = {
			.p_type = PT_LOAD,
			.p_vaddr = t->base,
			.p_paddr = t->base,
			.p_filesz = size,
			.p_memsz = size,
			.p_flags = PF_R | PF_X, .p_align = 4096,
		},
		.stack = { .p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W },
	};
	memcpy(f->code, t->code, t->size);
	return size;
}

/* A file without a name in a folder: nothing has to be removed, whatever becomes of us. */
static int unnamed_in(const char *folder)
{
	char path[4096];
	int fd;

	fd = open(folder, RT_O_TMPFILE | O_RDWR | O_CLOEXEC, 0700);
	if (fd >= 0)
		return fd;
	/* Before 3.11, and on file systems that do not have it. */
	if ((size_t)snprintf(path, sizeof(path), "%s/rawtrace-XXXXXX", folder) >= sizeof(path))
		return -ENAMETOOLONG;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	unlink(path);
	if (fchmod(fd, 0700) == 0)
		return fd;
	close(fd);
	return -EPERM;
}

/* The file written, and open for reading alone: what is open for writing cannot be executed. */
static int write_file(int fd, const struct file *f, size_t size, struct rt_image **image,
		      struct rt_error *err)
{
	char path[64];

	if (write(fd, f, size) != (ssize_t)size)
		return rt_fail(err, -EIO, "trial program: cannot be written");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return rt_image_open(path, "rawtrace's own program", image, err);
}

/* ---- one run ---- */

static void wait_for_end(struct rt_tracee *tracee)
{
	uint64_t end = rt_now() + PATIENCE_MS * 1000000ull;

	while (!rt_tracee_ended(tracee, false)) {
		if (rt_now() > end)
			kill(rt_pids_first(&tracee->pids), SIGKILL);
		usleep(LOOK_US);
	}
}

static int run(struct rt_attach_request *request, const struct rt_attach_ops *forced, bool no_bpf,
	       struct rt_trial *trial, struct rt_error *err)
{
	static char *const argv[] = { (char *)"rawtrace-trial", NULL };
	struct rt_attach *attach = NULL;
	struct rt_tracee tracee;
	char path[64];
	int r;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", rt_image_fd(request->program));
	r = rt_tracee_start(&tracee, path, argv, NULL, NULL, 0, err);
	if (r < 0)
		return r;
	request->pids = &tracee.pids;
	r = rt_attach_open(request, forced, no_bpf, NULL, &attach, err);
	if (r == 0)
		r = rt_tracee_go(&tracee, path, err);
	if (r == 0) {
		wait_for_end(&tracee);
		trial->harmed = tracee.status != 0;
		r = rt_trial_count(attach->source, rt_pids_first(&tracee.pids), trial, err);
	}
	if (attach)
		attach->ops->close(attach);
	rt_tracee_release(&tracee);
	return r;
}

static int judge(const struct rt_arch *arch, const struct rt_trial *trial, struct rt_error *err)
{
	const struct rt_arch_trial *t = arch->trial;

	if (trial->harmed)
		return rt_fail(err, -EFAULT,
			       "this kernel corrupts %s programs (tried on rawtrace's own)",
			       arch->name);
	if (trial->entries != t->calls || trial->returns != t->calls)
		return rt_fail(err, -ENODATA,
			       "%s trial program: of %u calls, %u entries and %u returns were seen",
			       arch->name, t->calls, trial->entries, trial->returns);
	if (trial->arguments != t->arguments || trial->results != t->results)
		return rt_fail(err, -ENODATA, "%s trial program: values were read wrong",
			       arch->name);
	return 0;
}

/* With the file at `fd`, which is closed. */
static int try_file(const struct rt_arch *arch, int fd, const struct rt_attach_ops *forced,
		    bool no_bpf, struct rt_trial *trial, struct rt_error *err)
{
	struct rt_function v[2] = { { .name = (char *)"sum", .nargs = 1 },
				    { .name = (char *)"place", .nargs = 1 } };
	const struct rt_functions functions = { .v = v, .n = 2, .cap = 2 };
	static const struct rt_site probes[] = {
		{ .plan = RT_KIND_ENTRY, .kind = RT_SITE_ENTRY },
		{ .plan = RT_KIND_RETURN, .kind = RT_SITE_RETURN },
		{ .function = 1, .plan = RT_KIND_ENTRY, .kind = RT_SITE_ENTRY },
		{ .function = 1, .plan = RT_KIND_RETURN, .kind = RT_SITE_RETURN },
	};
	struct rt_plan plans[2];
	struct rt_attach_request request = {
		.functions = &functions,
		.plans = plans,
		.nplans = 2,
		.sites = probes,
		.nsites = RT_COUNT(probes),
		.ring_bytes = 64 << 10,
	};
	struct rt_image *image;
	struct file file;
	unsigned i;
	int r;

	r = write_file(fd, &file, make_file(arch, &file), &image, err);
	close(fd);
	if (r < 0)
		return r;
	request.program = image;
	for (i = 0; i < 2; i++) {
		v[i].image = image;
		v[i].offset = offsetof(struct file, code) + arch->trial->functions[i];
	}
	rt_plan_c_entry(arch, 1, &plans[RT_KIND_ENTRY]);
	rt_plan_c_return(arch, &plans[RT_KIND_RETURN]);
	memset(trial, 0, sizeof(*trial));
	r = run(&request, forced, no_bpf, trial, err);
	rt_image_close(image);
	return r < 0 ? r : judge(arch, trial, err);
}

/*
 * In memory, else in one folder after another: before 3.17 there is no memfd, on 3.10 and RHEL 7
 * uprobes on tmpfs files never fire, and a folder may be mounted noexec.  Harm is the same
 * everywhere.
 */
int rt_trial_arch(const struct rt_arch *arch, const struct rt_attach_ops *forced, bool no_bpf,
		  struct rt_error *err)
{
	const char *const folders[] = { NULL, getenv("TMPDIR"), "/var/tmp", "/tmp", "/root" };
	int r = -ENOENT, fd;
	struct rt_trial trial = { 0 };
	size_t i;

	rt_fail(err, r, "trial program: no folder to write it to");
	for (i = 0; i < RT_COUNT(folders); i++) {
		if (i && (!folders[i] || folders[i][0] != '/'))
			continue;
		fd = i ? unnamed_in(folders[i]) : rt_memfd_create("rawtrace-trial");
		if (fd < 0)
			continue;
		r = try_file(arch, fd, forced, no_bpf, &trial, err);
		if (r == 0 || r == -ENOEXEC || r == -EFAULT || r == -ENOMEM || trial.returns)
			return r;
	}
	return r;
}
