# SPDX-License-Identifier: GPL-2.0-or-later
# RT_COMPILER: the language (C11 with GNU extensions, as gcc 4.8 has it) and the warnings, into RT_CFLAGS.
AC_DEFUN([RT_COMPILER], [
  RT_CFLAGS=
  for flag in -std=gnu11 -Wall -Wextra -Wshadow; do
    AC_MSG_CHECKING([whether $CC takes $flag])
    rt_saved=$CFLAGS
    CFLAGS="$CFLAGS $flag"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
      [AC_MSG_RESULT([yes]); RT_CFLAGS="$RT_CFLAGS $flag"], [AC_MSG_RESULT([no])])
    CFLAGS=$rt_saved
  done
  AC_SUBST([RT_CFLAGS])
])
