/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_BASE_SIGNALS_H
#define RT_BASE_SIGNALS_H

#include <stddef.h>

/* The name of signal `sig`, "SIGSEGV"; of one that has none, "signal 40". */
void rt_signal_name(int sig, char *buf, size_t size);

#endif
