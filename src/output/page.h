/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_PAGE_H
#define RT_OUTPUT_PAGE_H

/* page.html as the build makes it a C string; "@DATA@" in it is replaced by the profile. */
extern const char rt_html_page[];

#endif
