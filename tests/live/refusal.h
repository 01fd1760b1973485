/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A system call to refuse, in words: bpf, bpf=EPERM, perf_event_open=EACCES, link-create,
 * uprobe=KILL.
 */
#ifndef RT_TESTS_LIVE_REFUSAL_H
#define RT_TESTS_LIVE_REFUSAL_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/uapi.h"

/* In place of an error: who asks is killed; by a filter alone. */
enum { REFUSAL_KILL = 4095 };

struct refusal {
	const char *name;
	long nr;
	int command;		/* bpf(2)'s, -1: any */
	int error;		/* what a kernel without it says */
};

static const struct refusal refusals[] = {
	{ "bpf", __NR_bpf, -1, ENOSYS },
	{ "link-create", __NR_bpf, RT_BPF_LINK_CREATE, EINVAL },
	{ "perf_event_open", __NR_perf_event_open, -1, ENOSYS },
	{ "uprobe", RT_NR_UPROBE, -1, ENOSYS },
};

static inline int refusal_error(const char *name)
{
	static const struct {
		const char *name;
		int error;
	} errors[] = { { "EACCES", EACCES },	{ "EINVAL", EINVAL }, { "ENOSYS", ENOSYS },
		       { "ENXIO", ENXIO },	{ "EPERM", EPERM },   { "EPROTO", EPROTO },
		       { "KILL", REFUSAL_KILL } };
	size_t i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (strcmp(name, errors[i].name) == 0)
			return errors[i].error;
	return 0;
}

/* Returns whether `word` is one. */
static inline int refusal_parse(const char *word, struct refusal *refusal)
{
	size_t i, len = strcspn(word, "=");

	for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		if (strlen(refusals[i].name) != len || strncmp(word, refusals[i].name, len) != 0)
			continue;
		*refusal = refusals[i];
		if (word[len])
			refusal->error = refusal_error(word + len + 1);
		return refusal->error != 0;
	}
	return 0;
}

#endif
