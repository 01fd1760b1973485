# SPDX-License-Identifier: GPL-2.0-or-later
# RT_LZMA: --with-lzma=yes|no|check.  liblzma, for the symbols that a stripped program of Fedora and its kin keeps in .gnu_debugdata.
AC_DEFUN([RT_LZMA], [
  AC_ARG_WITH([lzma], [AS_HELP_STRING([--with-lzma],
    [read the symbols in .gnu_debugdata (MiniDebugInfo), with liblzma (check)])], [], [with_lzma=check])
  rt_lzma=no
  AS_CASE([$with_lzma], [yes|no|check], [],
    [AC_MSG_ERROR([--with-lzma=$with_lzma: expected yes, no or check])])
  AS_IF([test "$with_lzma" != no], [
    AC_CHECK_HEADER([lzma.h], [AC_CHECK_LIB([lzma], [lzma_stream_decoder], [rt_lzma=yes])])
    AS_IF([test "$rt_lzma$with_lzma" = noyes],
      [AC_MSG_ERROR([--with-lzma: liblzma is missing: install liblzma-dev (apt), xz-devel (dnf, zypper) or xz-dev (apk)])])])
  AS_IF([test "$rt_lzma" = yes], [
    # --enable-static has it among the libraries that libelf may need.
    AS_CASE([" $LIBS "], [*" -llzma "*], [], [LIBS="-llzma $LIBS"])
    rt_lzma_why=", liblzma"],
    [rt_lzma_why=" (without liblzma: .gnu_debugdata is not read)"])
  AC_DEFINE_UNQUOTED([RT_LZMA_WORDS], ["$rt_lzma_why"], [what --version says of liblzma])
  AM_CONDITIONAL([HAVE_LZMA], [test "$rt_lzma" = yes])
])
