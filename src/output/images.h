/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_IMAGES_H
#define RT_OUTPUT_IMAGES_H

#include "output/sink.h"

/* A file that traced functions are in. */
struct rt_file_facts {
	const struct rt_image *image;	/* NULL: of a recording */
	char *name, *build_id;		/* in hexadecimal digits; "": it has none */
};

struct rt_files {
	struct rt_file_facts *v;
	size_t n, cap;
	uint32_t *of;			/* by function: 1 + its file; 0: none is known */
	size_t nof, of_cap;
};

/* Add a file, its texts are copied; or the next function.  0 or -ENOMEM. */
int rt_files_add(struct rt_files *files, const struct rt_image *image, const char *name,
		 const char *build_id);
int rt_files_add_function(struct rt_files *files, uint32_t file);

/* The functions of a live trace that are not there yet.  0 or -ENOMEM. */
int rt_files_take(struct rt_files *files, const struct rt_functions *functions);
void rt_files_free(struct rt_files *files);

#endif
