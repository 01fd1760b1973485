/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/images.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

int rt_files_add(struct rt_files *files, const struct rt_image *image, const char *name,
		 const char *build_id)
{
	struct rt_file_facts facts = { image, strdup(name), strdup(build_id) };

	if (!facts.name || !facts.build_id || RT_ROOM(&files->v, files->n, &files->cap) != 0) {
		free(facts.name);
		free(facts.build_id);
		return -ENOMEM;
	}
	files->v[files->n++] = facts;
	return 0;
}

int rt_files_add_function(struct rt_files *files, uint32_t file)
{
	if (RT_ROOM(&files->of, files->nof, &files->of_cap) != 0)
		return -ENOMEM;
	files->of[files->nof++] = file;
	return 0;
}

/* The number from 1 of an image's file, which functions that follow each other share; 0: none. */
static int number_of(struct rt_files *files, struct rt_image *image, uint32_t *number)
{
	char id[RT_BUILD_ID_TEXT];
	size_t i;

	*number = 0;
	if (!image)
		return 0;
	for (i = files->n; i > 0 && files->v[i - 1].image != image; i--)
		;
	*number = (uint32_t)i;
	if (i)
		return 0;
	rt_image_build_id(image, id);
	if (rt_files_add(files, image, rt_image_name(image), id) < 0)
		return -ENOMEM;
	*number = (uint32_t)files->n;
	return 0;
}

int rt_files_take(struct rt_files *files, const struct rt_functions *functions)
{
	uint32_t number;

	while (files->nof < functions->n) {
		if (number_of(files, functions->v[files->nof].image, &number) < 0 ||
		    rt_files_add_function(files, number) < 0)
			return -ENOMEM;
	}
	return 0;
}

void rt_files_free(struct rt_files *files)
{
	while (files->n) {
		free(files->v[--files->n].name);
		free(files->v[files->n].build_id);
	}
	free(files->v);
	free(files->of);
	*files = (struct rt_files){ .n = 0 };
}
