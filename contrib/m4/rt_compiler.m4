# SPDX-License-Identifier: GPL-2.0-or-later
# RT_COMPILER: the language (C11 with GNU extensions, as gcc 4.8 has it) and the warnings, into RT_CFLAGS; and into RT_NO_CET
# what keeps endbr64 off the functions that the tests trace.
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
  RT_NO_CET=
  AC_MSG_CHECKING([whether $CC takes -fcf-protection=none])
  rt_saved=$CFLAGS
  CFLAGS="$CFLAGS -fcf-protection=none"
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
    [AC_MSG_RESULT([yes]); RT_NO_CET=-fcf-protection=none], [AC_MSG_RESULT([no])])
  CFLAGS=$rt_saved
  AC_SUBST([RT_NO_CET])
])
