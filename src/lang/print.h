/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_LANG_PRINT_H
#define RT_LANG_PRINT_H

#include <stdio.h>

#include "lang/spec.h"

/*
 * A type and what is declared to be of it (NULL: nothing), nearly as C has it: "hex unsigned long
 * x", "char *name", "int v[4]".
 */
void rt_ctype_print(FILE *file, const struct rt_ctype *type, const char *name);

/* "int open(char *path, int flags, ...) errno"; "?" for a result of which nothing is known. */
void rt_prototype_print(FILE *file, const struct rt_prototype *prototype, const char *name);

/* "p->next->id == 7", "+0(%si):string" */
void rt_expr_print(FILE *file, const struct rt_expr *expr);
void rt_condition_print(FILE *file, const struct rt_condition *condition);
void rt_word_print(FILE *file, const struct rt_word *word);

#endif
