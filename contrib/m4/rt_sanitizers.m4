# SPDX-License-Identifier: GPL-2.0-or-later
# RT_SANITIZERS: can programs be linked with ASan and UBSan?  The fuzz corpora are replayed under them.
AC_DEFUN([RT_SANITIZERS], [
  RT_SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
  AC_MSG_CHECKING([whether $CC links with ASan and UBSan])
  rt_saved=$CFLAGS
  CFLAGS="$CFLAGS $RT_SANITIZE"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [rt_sanitizers=yes], [rt_sanitizers=no])
  CFLAGS=$rt_saved
  AC_MSG_RESULT([$rt_sanitizers])
  AC_SUBST([RT_SANITIZE])
  AM_CONDITIONAL([HAVE_SANITIZERS], [test "$rt_sanitizers" = yes])
])
