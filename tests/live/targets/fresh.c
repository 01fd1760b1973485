/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fresh COMMAND...: run it as an interactive shell would (a script's background jobs ignore
 * SIGINT), for 40 s at most; RT_SLOW: 400.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	sigset_t none;

	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	alarm(getenv("RT_SLOW") ? 400 : 40);	/* exec keeps it */
	if (argc > 1)
		execvp(argv[1], argv + 1);
	perror("fresh");
	return 127;
}
