# SPDX-License-Identifier: GPL-2.0-or-later
# RT_REQUIRE_LIB(NAME, HEADER, FUNCTION, PACKAGES, STATIC PACKAGES): a library that rawtrace cannot be built without.
AC_DEFUN([RT_REQUIRE_LIB], [
  AC_REQUIRE([RT_LIBC])
  AC_CHECK_HEADER([$2], [],
    [AS_IF([test "$rt_libc" = other && test -f "/usr/include/$2"],
      [AC_MSG_ERROR([$2 is missing for the C library of $CC; /usr/include has one for the C library of the system, dnl
and a lib$1 built for that cannot be linked with another: use the CC of the system, or install lib$1 built with $CC])])
    AC_MSG_ERROR([$2 is missing: install $4, or run contrib/bootstrap])])
  AC_CHECK_LIB([$1], [$3], [], [RT_STATIC_MISSING([$1], [$4], [$5])])
])

# RT_LIBC: sets rt_libc to glibc or other (musl-gcc, klcc and the like look for headers in folders of their own).
AC_DEFUN([RT_LIBC], [
  AC_PREPROC_IFELSE([AC_LANG_SOURCE([[#include <limits.h>
#ifndef __GLIBC__
#error not glibc
#endif]])], [rt_libc=glibc], [rt_libc=other])
])
