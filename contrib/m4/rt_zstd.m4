# SPDX-License-Identifier: GPL-2.0-or-later
# RT_ZSTD: --with-zstd=yes|no|check.  libzstd compresses recordings.
AC_DEFUN([RT_ZSTD], [
  AC_ARG_WITH([zstd], [AS_HELP_STRING([--with-zstd],
    [compress recordings, with libzstd (check)])], [], [with_zstd=check])
  rt_zstd=no
  AS_CASE([$with_zstd], [yes|no|check], [],
    [AC_MSG_ERROR([--with-zstd=$with_zstd: expected yes, no or check])])
  AS_IF([test "$with_zstd" != no], [
    AC_CHECK_HEADER([zstd.h], [AC_CHECK_LIB([zstd], [ZSTD_compress], [rt_zstd=yes])])
    AS_IF([test "$rt_zstd$with_zstd" = noyes],
      [AC_MSG_ERROR([--with-zstd: libzstd is missing: install libzstd-dev (apt, zypper: libzstd-devel), libzstd-devel (dnf) or zstd-dev (apk)])])])
  AS_IF([test "$rt_zstd" = yes], [
    # --enable-static has it among the libraries that libelf may need.
    AS_CASE([" $LIBS "], [*" -lzstd "*], [], [LIBS="-lzstd $LIBS"])
    rt_zstd_why=", libzstd"],
    [rt_zstd_why=" (without libzstd: recordings are not compressed)"])
  AC_DEFINE_UNQUOTED([RT_ZSTD_WORDS], ["$rt_zstd_why"], [what --version says of libzstd])
  AM_CONDITIONAL([HAVE_ZSTD], [test "$rt_zstd" = yes])
])
