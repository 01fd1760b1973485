/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as an event's `format` file and as events/header_page. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stream/tracefs_page.h"

static void check_format(const char *text)
{
	struct rt_error err;
	struct rt_format format;
	size_t i;

	if (rt_format_parse(text, "format", &format, &err) < 0) {
		if (format.fields || !memchr(err.text, '\0', sizeof(err.text)))
			abort();
		return;
	}
	if (!format.name[0] || !format.id || !format.nfields)
		abort();
	for (i = 0; i < format.nfields; i++) {
		if (!rt_format_field(&format, format.fields[i].name))
			abort();
	}
	rt_format_free(&format);
}

static void check_layout(const char *text)
{
	struct rt_page_layout layout;
	struct rt_error err;

	if (rt_page_layout_parse(text, &layout, &err) < 0)
		return;
	if (layout.timestamp + 8 > layout.data ||
	    layout.commit + layout.commit_size > layout.data ||
	    layout.page <= layout.data || (layout.commit_size != 4 && layout.commit_size != 8))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	check_format(text);
	check_layout(text);
	free(text);
	return 0;
}
