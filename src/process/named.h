/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PROCESS_NAMED_H
#define RT_PROCESS_NAMED_H

#include "base/error.h"
#include "base/pids.h"

/*
 * Add all processes named `name` to `pids`, each once.  The name is the process's own (comm) or the
 * file name of its program, as pidof(1) has it; with a slash it is the path of the program.
 * Zombies and rawtrace itself do not count.  0, or a negative errno with a message: no such
 * process, processes of several programs, more than RT_PIDS_MOST.
 */
int rt_named_find(const char *name, struct rt_pids *pids, struct rt_error *err);

#endif
