/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/signals.h"

#include <signal.h>
#include <stdio.h>

#include "base/array.h"

void rt_signal_name(int sig, char *buf, size_t size)
{
	static const struct {
		int sig;
		const char *name;
	} names[] = {
		{ SIGHUP, "SIGHUP" },	    { SIGINT, "SIGINT" },   { SIGQUIT, "SIGQUIT" },
		{ SIGILL, "SIGILL" },	    { SIGTRAP, "SIGTRAP" }, { SIGABRT, "SIGABRT" },
		{ SIGBUS, "SIGBUS" },	    { SIGFPE, "SIGFPE" },   { SIGKILL, "SIGKILL" },
		{ SIGUSR1, "SIGUSR1" },	    { SIGSEGV, "SIGSEGV" }, { SIGUSR2, "SIGUSR2" },
		{ SIGPIPE, "SIGPIPE" },	    { SIGALRM, "SIGALRM" }, { SIGTERM, "SIGTERM" },
		{ SIGSTKFLT, "SIGSTKFLT" }, { SIGXCPU, "SIGXCPU" }, { SIGXFSZ, "SIGXFSZ" },
		{ SIGVTALRM, "SIGVTALRM" }, { SIGPROF, "SIGPROF" }, { SIGIO, "SIGIO" },
		{ SIGPWR, "SIGPWR" },	    { SIGSYS, "SIGSYS" },
	};
	size_t i;

	for (i = 0; i < RT_COUNT(names); i++)
		if (names[i].sig == sig) {
			snprintf(buf, size, "%s", names[i].name);
			return;
		}
	snprintf(buf, size, "signal %d", sig);
}
