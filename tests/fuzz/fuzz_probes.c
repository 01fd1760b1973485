/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "lang/print.h"
#include "lang/probes.h"

/* A file of probes, and each of its functions' prototypes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_probes *probes = rt_probes_new(size & 1 ? &rt_arch_x86_64 : &rt_arch_i386);
	FILE *file = fopen("/dev/null", "w");
	const struct rt_prototype *prototype;
	const struct rt_statement *v;
	struct rt_error err;
	size_t i, n;

	if (probes && file) {
		rt_probes_add(probes, "file", (const char *)data, size, &err);
		v = rt_probes_statements(probes, &n);
		for (i = 0; i < n; i++) {
			prototype = rt_probes_prototype(probes, "libc.so.6", v[i].name);
			if (prototype)
				rt_prototype_print(file, prototype, v[i].name);
		}
	}
	if (file)
		fclose(file);
	rt_probes_free(probes);
	return 0;
}
