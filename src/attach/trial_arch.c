/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/sys.h"
#include "process/tracee.h"
#include "attach/trial.h"
#include "base/array.h"

/* How long the program may take, which calls a dozen functions: the machine may be slow, or the program lost. */
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
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_EXEC, .e_machine = arch->machine, .e_version = EV_CURRENT,
			.e_entry = t->base + (uint32_t)offsetof(struct file, code), .e_phoff = offsetof(struct file, load),
			.e_ehsize = sizeof(f->head), .e_phentsize = sizeof(f->load), .e_phnum = 2,
		},
		.load = {
			.p_type = PT_LOAD, .p_vaddr = t->base, .p_paddr = t->base, .p_filesz = size, .p_memsz = size,
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
static int write_file(int fd, const struct file *f, size_t size, struct rt_image **image, struct rt_error *err)
{
	char path[64];

	if (write(fd, f, size) != (ssize_t)size)
		return rt_fail(err, -EIO, "the program could not be written");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return rt_image_open(path, "rawtrace's own program", image, err);
}

/* ---- one run ---- */

static void wait_for_end(struct rt_tracee *tracee)
{
	uint64_t end = rt_now() + PATIENCE_MS * 1000000ull;

	while (!rt_tracee_ended(tracee, false)) {
		if (rt_now() > end)
			kill(tracee->pids.v[0], SIGKILL);
		usleep(LOOK_US);
	}
}

static int run(struct rt_attach_request *request, const struct rt_attach_ops *forced, bool no_bpf, struct rt_trial *trial,
	       struct rt_error *err)
{
	static char *const argv[] = { (char *)"rawtrace-trial", NULL };
	struct rt_attach *attach = NULL;
	struct rt_tracee tracee;
	char path[64];
	int r;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", rt_image_fd(request->program));
	r = rt_tracee_start(&tracee, path, argv, NULL, 0, err);
	if (r < 0)
		return r;
	request->pids = &tracee.pids;
	r = rt_attach_open(request, forced, no_bpf, NULL, &attach, err);
	if (r == 0)
		r = rt_tracee_go(&tracee, path, err);
	if (r == 0) {
		wait_for_end(&tracee);
		trial->harmed = tracee.status != 0;
		r = rt_trial_count(attach->source, tracee.pids.v[0], trial, err);
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
		return rt_fail(err, -EFAULT, "this kernel corrupts %s programs (one of rawtrace's own was tried)", arch->name);
	if (trial->entries != t->calls || trial->returns != t->calls)
		return rt_fail(err, -ENODATA, "in a %s program of rawtrace's own, of %u calls, %u entries and %u returns were seen", arch->name,
			       t->calls, trial->entries, trial->returns);
	if (trial->arguments != t->arguments || trial->results != t->results)
		return rt_fail(err, -ENODATA, "in a %s program of rawtrace's own, values were read wrong", arch->name);
	return 0;
}

/* With the file at `fd`, which is closed. */
static int try_file(const struct rt_arch *arch, int fd, const struct rt_attach_ops *forced, bool no_bpf, struct rt_trial *trial,
		    struct rt_error *err)
{
	struct rt_function v[2] = { { .name = (char *)"sum", .nargs = 1 }, { .name = (char *)"place", .nargs = 1 } };
	const struct rt_functions functions = { .v = v, .n = 2, .cap = 2 };
	static const struct rt_probe probes[] = {
		{ .plan = RT_KIND_ENTRY }, { .plan = RT_KIND_RETURN },
		{ .function = 1, .plan = RT_KIND_ENTRY }, { .function = 1, .plan = RT_KIND_RETURN },
	};
	struct rt_plan plans[2];
	struct rt_attach_request request = {
		.functions = &functions, .plans = plans, .nplans = 2, .probes = probes, .nprobes = RT_COUNT(probes), .ring_bytes = 64 << 10,
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
 * In memory, else in one folder after another: before 3.17 there is no memfd, on 3.10 and RHEL 7 uprobes on tmpfs files
 * never fire, and a folder may be mounted noexec.  Harm is the same everywhere.
 */
int rt_trial_arch(const struct rt_arch *arch, const struct rt_attach_ops *forced, bool no_bpf, struct rt_error *err)
{
	const char *const folders[] = { NULL, getenv("TMPDIR"), "/var/tmp", "/tmp", "/root" };
	int r = -ENOENT, fd;
	struct rt_trial trial = { 0 };
	size_t i;

	rt_fail(err, r, "no place was found for a program of rawtrace's own");
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
