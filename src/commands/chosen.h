/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_COMMANDS_CHOSEN_H
#define RT_COMMANDS_CHOSEN_H

#include "record/calls.h"
#include "session/options.h"

/*
 * As rt_replay_run, but only the calls that the filters of the options choose.  A glob that matches
 * no function of the recording is a usage error.  A remark is noted if no call passes.
 */
int rt_replay_chosen(const struct rt_options *options, struct rt_replay *recording,
		     struct rt_trace *trace, const struct rt_replay_to *to, struct rt_error *err);

#endif
