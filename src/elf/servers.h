/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ELF_SERVERS_H
#define RT_ELF_SERVERS_H

#include "elf/debug.h"

/*
 * Ask the servers of DEBUGINFOD_URLS, if that is set, for the debug file with the build-id `id` (in
 * hexadecimal), which is for `file`.  `servers` may be NULL.  The path of a file that nobody has
 * looked at yet, to be freed, or NULL.  `*why` is then, if there is more to say than that no server
 * has it, a message to be freed.
 */
char *rt_ask_servers(struct rt_servers *servers, const char *file, const char *id, char **why);

#endif
