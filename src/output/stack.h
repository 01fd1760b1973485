/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_STACK_H
#define RT_OUTPUT_STACK_H

#include "output/sink.h"

/*
 * The callers of a call (-k), innermost first; `args` are its entry's.  Nothing without -k.
 *
 * A line each, as strace has them: " > FILE(FUNCTION+0xOFFSET) [0xADDRESS] at SOURCE:LINE", the
 * latter as gdb has it.  The last line is " > ..." where more callers are not known.
 */
void rt_stack_print(const struct rt_sink *sink, FILE *file, pid_t pid,
		    const struct rt_frame *frame, const struct rt_values *args);

/* The same as a member of a JSON object: ,"stack":[{"file":"./prog",...},...]. */
void rt_stack_json(const struct rt_sink *sink, pid_t pid, const struct rt_frame *frame,
		   const struct rt_values *args);

/*
 * The name of a call in a table by callers: "f < its caller < the caller's caller", as many as
 * trace->by says; " < ..." is behind it where more are not known.
 */
void rt_stack_name(const struct rt_sink *sink, pid_t pid, const struct rt_frame *frame,
		   const struct rt_values *args, char *buf, size_t size);

#endif
