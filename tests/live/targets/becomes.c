/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A C program that comes to run other code: becomes exec PROGRAM | becomes load PLUGIN (with
 * -DPLUGIN, else without dlopen).
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef PLUGIN
#include <dlfcn.h>
#endif

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
#ifdef PLUGIN
	if (strcmp(argv[1], "load") == 0) {
		void *plugin = dlopen(argv[2], RTLD_NOW);
		int (*run)(void) = plugin ? (int (*)(void))dlsym(plugin, "thrower_run") : NULL;

		return run ? run() : 3;
	}
#endif
	execl(argv[2], argv[2], (char *)NULL);
	return 4;
}
