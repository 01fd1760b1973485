/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * without REFUSAL... -- COMMAND...: run it under a seccomp filter that refuses system calls
 * (refusal.h), as a container's does. The program that rawtrace starts inherits it.
 */
#include "refusal.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#if defined(__x86_64__)
#define NATIVE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define NATIVE AUDIT_ARCH_AARCH64
#elif defined(__i386__)
#define NATIVE AUDIT_ARCH_I386
#endif

/* A refusal takes 5 instructions; the arch check 3, the end 1. */
enum { REFUSALS = 8, INSNS = 3 + 5 * REFUSALS + 1 };

#define LOAD(field)                                                                                \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, field))
#define UNLESS(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(value), 0, skip)
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)

static size_t add_refusal(struct sock_filter *f, const struct refusal *r)
{
	const struct sock_filter any[] = {
		LOAD(nr),
		UNLESS(r->nr, 1),
		RETURN(r->error == REFUSAL_KILL ? SECCOMP_RET_KILL
						: SECCOMP_RET_ERRNO | (unsigned)r->error),
	};
	/* bpf(2)'s command is an int: the low half of the first argument (little-endian). */
	const struct sock_filter command[] = {
		LOAD(nr),
		UNLESS(r->nr, 3),
		LOAD(args[0]),
		UNLESS(r->command, 1),
		RETURN(SECCOMP_RET_ERRNO | (unsigned)r->error),
	};

	if (r->command < 0) {
		memcpy(f, any, sizeof(any));
		return sizeof(any) / sizeof(any[0]);
	}
	memcpy(f, command, sizeof(command));
	return sizeof(command) / sizeof(command[0]);
}

static int install(const struct refusal *v, int n)
{
	static const struct sock_filter begin[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 1, 0),
		RETURN(SECCOMP_RET_ALLOW),
	};
	static const struct sock_filter end[] = { RETURN(SECCOMP_RET_ALLOW) };
	struct sock_filter f[INSNS];
	struct sock_fprog prog = { .filter = f };
	size_t at = sizeof(begin) / sizeof(begin[0]);
	int i;

	memcpy(f, begin, sizeof(begin));
	for (i = 0; i < n; i++)
		at += add_refusal(&f[at], &v[i]);
	memcpy(&f[at], end, sizeof(end));
	prog.len = (unsigned short)(at + 1);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

int main(int argc, char **argv)
{
	struct refusal v[REFUSALS];
	int i, n = 0;

	for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (n == REFUSALS || !refusal_parse(argv[i], &v[n++])) {
			fprintf(stderr, "without: %s: what is that?\n", argv[i]);
			return 126;
		}
	}
	if (i + 1 >= argc) {
		fprintf(stderr, "usage: without REFUSAL... -- COMMAND...\n");
		return 126;
	}
	if (install(v, n) != 0) {
		perror("without: seccomp");
		return 126;
	}
	execvp(argv[i + 1], &argv[i + 1]);
	perror(argv[i + 1]);
	return 127;
}
