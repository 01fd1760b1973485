/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ATTACH_BPF_SIDE_H
#define RT_ATTACH_BPF_SIDE_H

#include "attach/attach.h"
#include "attach/counts.h"
#include "attach/emulations.h"
#include "attach/follow.h"
#include "stream/pending.h"
#include "emit/program.h"
#include "stream/ring.h"

/*
 * State that all mechanisms with BPF share: the maps, the rings, and loading the programs that feed
 * them.
 */
struct rt_bpf_side {
	int maps[RT_MAPS];
	uint32_t slots;		/* of RT_MAP_HITS */
	uint32_t saved_slots;	/* of RT_MAP_SAVED; 0: there is none */
	const struct rt_ring_ops *ring;
	uint32_t ring_size;
	struct rt_gaps *gaps;
	struct rt_record_decoder *decoder;
	struct rt_counts counts;	/* of a request that does not record */
	bool filtered;		/* the programs look at the request's limit */
	/* the kernel turned out to have no programs on uprobes that may wait for pages */
	bool no_sleep;
	struct rt_followed followed;	/* of a request for RT_REACH_FOLLOWED */
	struct rt_pending pending;	/* what they hold back */
	bool no_read_user;	/* the kernel turned out to have no bpf_probe_read_user */
	bool no_read_str;	/* nor bpf_probe_read_str */
	struct rt_emulations emulations;
};

/*
 * Make the maps and open the rings into `*source`, which must be closed first.  `key` is what the
 * records of this mechanism hold.  -EOPNOTSUPP where the kernel has no BPF for this.
 */
int rt_bpf_side_open(struct rt_bpf_side *side, const struct rt_attach_request *request,
		     enum rt_key key, struct rt_source **source, struct rt_error *err);
void rt_bpf_side_close(struct rt_bpf_side *side);

/* Records of the request's further sites come, too (rt_attach_ops.extend). */
int rt_bpf_side_extend(struct rt_bpf_side *side, const struct rt_attach_request *request,
		       struct rt_error *err);

/*
 * Emit and load the program for plan `plan`.  Returns its descriptor, or a negative errno with the
 * verifier's last words.
 */
int rt_bpf_side_load(struct rt_bpf_side *side, const struct rt_attach_request *request,
		     uint16_t plan, enum rt_key_source key_source, uint32_t key,
		     uint32_t expected_attach_type, struct rt_error *err);

#endif
