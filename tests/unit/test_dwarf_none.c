/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Without libdw. */
#include <errno.h>
#include <string.h>

#include "dwarf/dwarf.h"
#include "unit.h"

static void test_none(void)
{
	struct rt_types *types = rt_types_new();
	struct rt_image *image = NULL;
	struct rt_dwarf_place place;
	struct rt_prototype p;
	struct rt_error err;

	CU_ASSERT_EQUAL_FATAL(rt_image_open(RT_TYPED, NULL, &image, &err), 0);
	CU_ASSERT_EQUAL(rt_dwarf_prototype(image, 0, types, &p, &err), -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "without libdw"));
	CU_ASSERT_PTR_NULL(rt_dwarf_type(image, types, "struct request"));
	CU_ASSERT_PTR_NULL(rt_dwarf_file(image, 0));
	CU_ASSERT_FALSE(rt_dwarf_line(image, 0, &place));
	CU_ASSERT_FALSE(rt_dwarf_trouble(image, &err));
	rt_image_close(image);
	rt_types_free(types);
}

CU_TestInfo rt_tests_dwarf[] = {
	{ "without libdw", test_none },
	CU_TEST_INFO_NULL,
};

CU_TestInfo rt_tests_dwarf_files[] = {
	CU_TEST_INFO_NULL,
};
