/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A library to preload into rawtrace: it answers as an old kernel does where a seccomp filter
 * cannot, as a filter sees neither the text of a definition nor a program's instructions.
 * $OLD_KERNEL has these words, with commas between:
 *
 *	bpf[=ERRNO], perf_event_open[=ERRNO], link-create[=ERRNO], uprobe[=ERRNO]
 *				refused (refusal.h)
 *	multi-probe=replace	a second definition of an event replaces the first without a word
 *				(up to 5.3)
 *	multi-probe=EEXIST	it is refused
 *	registers		definitions read registers and no memory (3.10)
 *	no-semaphores		definitions take no semaphore (up to 4.19)
 *	helper=NUMBER		a BPF program that calls this helper function is refused
 *	kern-version=NUMBER	the vDSO's note has this version, and other programs are refused
 *				(before 5.0)
 *	refuse=OFFSET		probes at this offset of a file are refused, as instructions are
 *				that the kernel cannot probe
 *	next-key		a BPF map has a key only after another (before 4.12)
 *	no-forks		programs on tracepoints are refused, and options/event-fork is
 *				not there (before 4.7)
 *	memlock			BPF maps and programs count against RLIMIT_MEMLOCK (before 5.11)
 *
 * The library adds its answers to the file $OLD_KERNEL_SAYS, a line each.  The program that
 * rawtrace starts knows nothing of it.
 */
#include "refusal.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <unistd.h>

enum { MAX = 8, PAGE = 4096, NAME = 128 };

/* The kernel's own ENOTSUPP. */
enum { KERNEL_ENOTSUPP = 524 };

static struct {
	struct refusal refusals[MAX];
	unsigned nrefusals;
	int helpers[MAX];
	unsigned nhelpers;
	enum { BOTH_KEPT, REPLACED, EXISTS } multi_probe;
	int has_version, memlock, registers, next_key, no_semaphores, no_forks;
	uint64_t refuse;		/* 0: nothing */
	char events[MAX][NAME];		/* GROUP/EVENT of definitions with a probe there */
	unsigned nevents;
	char tracefs[256];
	rlim_t locked;
	char says[256];
	/* As the kernel's linker puts it there: arch/x86/entry/vdso/vdso-note.S */
	struct {
		Elf64_Ehdr file;
		Elf64_Phdr segment;
		Elf64_Nhdr note;
		char name[8];
		uint32_t version;
	} vdso;
} old;

/* ---- what is asked for ---- */

static void set_version(uint32_t version)
{
	memcpy(old.vdso.file.e_ident, ELFMAG, SELFMAG);
	old.vdso.file.e_ident[EI_CLASS] = ELFCLASS64;
	old.vdso.file.e_phoff = (size_t)((char *)&old.vdso.segment - (char *)&old.vdso);
	old.vdso.file.e_phnum = 1;
	old.vdso.segment.p_type = PT_NOTE;
	old.vdso.segment.p_offset = (size_t)((char *)&old.vdso.note - (char *)&old.vdso);
	old.vdso.segment.p_filesz =
		sizeof(old.vdso.note) + sizeof(old.vdso.name) + sizeof(old.vdso.version);
	old.vdso.note.n_namesz = sizeof("Linux");
	old.vdso.note.n_descsz = sizeof(version);
	strcpy(old.vdso.name, "Linux");
	old.vdso.version = version;
	old.has_version = 1;
}

static int ask(const char *word)
{
	if (refusal_parse(word, &old.refusals[old.nrefusals]))
		return ++old.nrefusals < MAX;
	if (strcmp(word, "multi-probe=replace") == 0)
		old.multi_probe = REPLACED;
	else if (strcmp(word, "multi-probe=EEXIST") == 0)
		old.multi_probe = EXISTS;
	else if (strcmp(word, "memlock") == 0)
		old.memlock = 1;
	else if (strcmp(word, "next-key") == 0)
		old.next_key = 1;
	else if (strcmp(word, "registers") == 0)
		old.registers = 1;
	else if (strcmp(word, "no-forks") == 0)
		old.no_forks = 1;
	else if (strcmp(word, "no-semaphores") == 0)
		old.no_semaphores = 1;
	else if (strncmp(word, "kern-version=", 13) == 0)
		set_version((uint32_t)strtoul(word + 13, NULL, 0));
	else if (strncmp(word, "refuse=", 7) == 0)
		old.refuse = strtoull(word + 7, NULL, 0);
	else if (strncmp(word, "helper=", 7) == 0 && old.nhelpers < MAX)
		old.helpers[old.nhelpers++] = atoi(word + 7);
	else
		return 0;
	return 1;
}

/* Not by vdprintf: it allocates, and a process beside rawtrace shares its memory (rt_beside). */
static void __attribute__((format(printf, 1, 2))) say(const char *fmt, ...)
{
	int fd = open(old.says, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	char line[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (fd < 0)
		return;
	if (n > 0 && write(fd, line, (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1) < 0)
		_exit(126);
	close(fd);
}

static void __attribute__((constructor)) begin(void)
{
	const char *asked = getenv("OLD_KERNEL"), *says = getenv("OLD_KERNEL_SAYS");
	char words[256], *word, *save = NULL;

	snprintf(words, sizeof(words), "%s", asked ? asked : "");
	snprintf(old.says, sizeof(old.says), "%s", says ? says : "/dev/null");
	say("asked: %s\n", words);
	for (word = strtok_r(words, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		if (!ask(word)) {
			fprintf(stderr, "OLD_KERNEL: %s: what is that?\n", word);
			_exit(126);
		}
	}
	unsetenv("LD_PRELOAD");
	unsetenv("OLD_KERNEL");
	unsetenv("OLD_KERNEL_SAYS");
}

/* ---- bpf(2), perf_event_open(2) ---- */

static int refused(long nr, const long *arg)
{
	unsigned i;

	for (i = 0; i < old.nrefusals; i++) {
		const struct refusal *r = &old.refusals[i];

		if (r->nr != nr || (r->command >= 0 && r->command != (int)arg[0]))
			continue;
		say("%s refused\n", r->name);
		return r->error;
	}
	return 0;
}

/* The first helper function of the program that is not there, 0: none. */
static int missing_helper(const struct rt_bpf_prog_attr *attr)
{
	const struct rt_bpf_insn *insns = (const struct rt_bpf_insn *)(uintptr_t)attr->insns;
	uint32_t i;
	unsigned j;

	for (i = 0; i < attr->insn_cnt; i++)
		for (j = 0; insns[i].code == 0x85 && j < old.nhelpers; j++)
			if (insns[i].imm == old.helpers[j])
				return old.helpers[j];
	return 0;
}

static int check_program(const struct rt_bpf_prog_attr *attr)
{
	int helper = missing_helper(attr);

	if (old.has_version && attr->kern_version != old.vdso.version) {
		say("version 0x%x refused\n", attr->kern_version);
		return EINVAL;
	}
	if (old.no_forks && attr->prog_type == RT_BPF_PROG_TYPE_TRACEPOINT) {
		say("program on a tracepoint refused\n");
		return EINVAL;
	}
	if (!helper)
		return 0;
	say("helper %d refused\n", helper);
	if (attr->log_level && attr->log_buf)
		snprintf((char *)(uintptr_t)attr->log_buf, attr->log_size,
			 "invalid func unknown#%d\n", helper);
	return EINVAL;
}

static rlim_t whole_pages(rlim_t bytes)
{
	return (bytes + PAGE - 1) / PAGE * PAGE;
}

/* Until 5.10 in whole pages; what is closed again is not given back here. */
static int charge(rlim_t bytes)
{
	struct rlimit l;

	if (!old.memlock || getrlimit(RLIMIT_MEMLOCK, &l) != 0)
		return 0;
	bytes = whole_pages(bytes);
	if (l.rlim_cur != RLIM_INFINITY && old.locked + bytes > l.rlim_cur) {
		say("memory refused\n");
		return EPERM;
	}
	old.locked += bytes;
	return 0;
}

static int refuse_probe(const char *how)
{
	say("probe refused: %s\n", how);
	return KERNEL_ENOTSUPP;
}

static int check_link(const struct rt_bpf_link_attr *attr)
{
	const uint64_t *offsets = (const uint64_t *)(uintptr_t)attr->uprobe_multi.offsets;
	uint32_t i;

	for (i = 0; old.refuse && attr->attach_type == RT_BPF_TRACE_UPROBE_MULTI &&
		    i < attr->uprobe_multi.cnt;
	     i++)
		if (offsets[i] == old.refuse)
			return refuse_probe("link");
	return 0;
}

/*
 * A perf event of a definition that is refused, or of the uprobe PMU (which has neither of the
 * small numbers of types).
 */
static int check_perf(const struct rt_perf_attr *attr)
{
	char path[512], text[32];
	unsigned i;
	FILE *file;

	if (old.refuse && attr->type > RT_PERF_TYPE_TRACEPOINT + 3 && attr->config2 == old.refuse)
		return refuse_probe("pmu");
	for (i = 0; i < old.nevents && attr->type == RT_PERF_TYPE_TRACEPOINT; i++) {
		snprintf(path, sizeof(path), "%s/events/%s/id", old.tracefs, old.events[i]);
		file = fopen(path, "re");
		if (!file)
			continue;
		text[0] = '\0';
		if (!fgets(text, sizeof(text), file))
			text[0] = '\0';
		fclose(file);
		if (strtoull(text, NULL, 10) == attr->config)
			return refuse_probe("event");
	}
	return 0;
}

/* Kernels that count have no uprobe_multi, and refuse such a program. */
static rlim_t program_bytes(const struct rt_bpf_prog_attr *prog)
{
	return prog->expected_attach_type == RT_BPF_TRACE_UPROBE_MULTI
		       ? 0
		       : (rlim_t)prog->insn_cnt * sizeof(struct rt_bpf_insn);
}

static int check_bpf(int command, const void *attr)
{
	const struct rt_bpf_prog_attr *prog = attr;
	const struct rt_bpf_map_attr *map = attr;
	const struct rt_bpf_elem_attr *elem = attr;
	int error;

	if (command == RT_BPF_LINK_CREATE)
		return check_link(attr);
	if (command == RT_BPF_MAP_GET_NEXT_KEY && old.next_key && !elem->key)
		return EFAULT;
	if (command == RT_BPF_MAP_CREATE)
		return charge((rlim_t)(map->key_size + map->value_size) * map->max_entries);
	if (command != RT_BPF_PROG_LOAD)
		return 0;
	error = charge(program_bytes(prog));
	return error ? error : check_program(prog);
}

long syscall(long nr, ...)
{
	long (*next)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	long arg[6], r;
	va_list ap;
	int i;

	va_start(ap, nr);
	for (i = 0; i < 6; i++)
		arg[i] = va_arg(ap, long);
	va_end(ap);
	errno = refused(nr, arg);
	if (!errno && nr == __NR_bpf)
		errno = check_bpf((int)arg[0], (const void *)arg[1]);
	if (!errno && nr == __NR_perf_event_open)
		errno = check_perf((const void *)arg[0]);
	if (errno)
		return -1;
	r = next(nr, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
	/* A program that the kernel refuses is given back at once. */
	if (r < 0 && old.memlock && nr == __NR_bpf && arg[0] == RT_BPF_PROG_LOAD)
		old.locked -= whole_pages(program_bytes((const void *)arg[1]));
	return r;
}

unsigned long getauxval(unsigned long type)
{
	unsigned long (*next)(unsigned long) =
		(unsigned long (*)(unsigned long))dlsym(RTLD_NEXT, "getauxval");

	return type == AT_SYSINFO_EHDR && old.has_version ? (unsigned long)&old.vdso : next(type);
}

/* ---- uprobe_events ---- */

/* The path of uprobe_events, if the descriptor is one of it. */
static int is_uprobe_events(int fd, char *path, size_t size)
{
	char link[64];
	const char *slash;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, size - 1);
	if (n <= 0)
		return 0;
	path[n] = '\0';
	slash = strrchr(path, '/');
	return slash && strcmp(slash, "/uprobe_events") == 0;
}

static int is_defined(const char *path, const char *event)
{
	FILE *file = fopen(path, "re");
	size_t len = strlen(event), size = 0;
	char *line = NULL;
	int found = 0;

	/* "p:GROUP/EVENT path:offset" */
	while (file && !found && getline(&line, &size, file) > 0)
		found = strncmp(line + 2, event, len) == 0 && line[2 + len] == ' ';
	free(line);
	if (file)
		fclose(file);
	return found;
}

static int delete(const char *path, const char *event)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC), error = 0;

	if (fd < 0)
		return errno;
	if (dprintf(fd, "-:%s\n", event) < 0)
		error = errno;
	close(fd);
	say("%s %s\n", error ? "cannot replace" : "replaced", event);
	return error;
}

/* A definition of `event`: is it, or does it become, one that is refused when it is enabled? */
static void note_refused(const char *path, const char *event, const char *definition)
{
	const char *at = strrchr(definition, ':');
	unsigned i;

	for (i = 0; i < old.nevents && strcmp(old.events[i], event) != 0; i++)
		;
	/* The name of a definition that has gone means something else now. */
	if (i < old.nevents && !is_defined(path, event))
		memmove(old.events[i], old.events[--old.nevents], NAME);
	if (!at || strtoull(at + 1, NULL, 0) != old.refuse || old.nevents == MAX)
		return;
	snprintf(old.tracefs, sizeof(old.tracefs), "%.*s", (int)(strrchr(path, '/') - path), path);
	snprintf(old.events[old.nevents++], NAME, "%s", event);
}

/* An event's `enable`, in whatever instance. */
static int check_enable(int fd, const char *text)
{
	char link[64], path[256], end[NAME + 32];
	unsigned i;
	ssize_t n;

	if (!old.nevents || text[0] != '1')
		return 0;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	for (i = 0; i < old.nevents; i++) {
		size_t len = (size_t)snprintf(end, sizeof(end), "/events/%s/enable", old.events[i]);

		if ((size_t)n > len && n > 0 && strcmp(path + n - len, end) == 0)
			return refuse_probe("tracefs");
	}
	return 0;
}

/* options/event-fork of whatever instance. */
static int check_forks(int fd)
{
	char link[64], path[256];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = old.no_forks ? readlink(link, path, sizeof(path) - 1) : 0;
	path[n > 0 ? n : 0] = '\0';
	if (!strstr(path, "/options/event-fork"))
		return 0;
	say("event-fork refused\n");
	return ENOENT;
}

/* Answer for the kernel, before it adds the definition in `text`. */
static int before_definition(int fd, const char *text, size_t n)
{
	char path[256], event[NAME], line[512], *end;

	if ((old.multi_probe == BOTH_KEPT && !old.refuse && !old.registers &&
	     !old.no_semaphores) ||
	    n < 3 ||
	    (memcmp(text, "p:", 2) != 0 && memcmp(text, "r:", 2) != 0))
		return 0;
	snprintf(event, sizeof(event), "%.*s", (int)n - 2, text + 2);
	end = strchr(event, ' ');
	if (!end || !is_uprobe_events(fd, path, sizeof(path)))
		return 0;
	*end = '\0';
	/* "p:GROUP/EVENT PATH:OFFSET VALUES" */
	snprintf(line, sizeof(line), "%.*s", (int)n, text);
	end = strchr(line, ' ') + 1;
	if (old.registers && (strstr(end, "(%") || strstr(end, "$stack"))) {
		say("memory refused\n");
		return EINVAL;
	}
	end[strcspn(end, " \n")] = '\0';
	if (old.no_semaphores && strstr(end, "(0x")) {
		say("semaphore refused\n");
		return EINVAL;
	}
	if (old.refuse)
		note_refused(path, event, end);
	if (old.multi_probe == BOTH_KEPT || !is_defined(path, event))
		return 0;
	if (old.multi_probe == REPLACED)
		return delete(path, event);
	say("%s exists\n", event);
	return EEXIST;
}

ssize_t write(int fd, const void *buf, size_t n)
{
	ssize_t (*next)(int, const void *, size_t) =
		(ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
	int error = n ? check_enable(fd, buf) : 0;

	if (!error && n)
		error = check_forks(fd);

	if (!error)
		error = before_definition(fd, buf, n);
	if (!error)
		return next(fd, buf, n);
	errno = error;
	return -1;
}
