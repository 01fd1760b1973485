# SPDX-License-Identifier: GPL-2.0-or-later
# RT_LIBDW: --with-libdw=yes|no|check.  The reader of DWARF, for the names and types of arguments and results; of the same elfutils as
# libelf, which is needed for it.  Before RT_STATIC_END: a static libdw needs what LIBS has by then.
AC_DEFUN([RT_LIBDW], [
  AC_ARG_WITH([libdw], [AS_HELP_STRING([--with-libdw],
    [read the types of arguments and results from debug information (check)])], [], [with_libdw=check])
  AS_CASE([$with_libdw], [yes|no|check], [], [AC_MSG_ERROR([--with-libdw=$with_libdw: expected yes, no or check])])
  rt_libdw=no
  rt_libdw_split=no
  AS_IF([test "$with_libdw" != no], [
    AC_CHECK_HEADER([elfutils/libdw.h], [AC_CHECK_LIB([dw], [dwarf_begin_elf], [rt_libdw=yes])])
    AS_IF([test "$rt_libdw$with_libdw" = noyes],
      [AC_MSG_ERROR([--with-libdw: libdw is missing: install libdw-dev or elfutils-devel])])])
  AS_IF([test "$rt_libdw" = yes], [
    LIBS="-ldw $LIBS"
    rt_libdw_why=", libdw"
    # Debug information in .dwo files: from elfutils 0.171.
    AC_CHECK_FUNC([dwarf_cu_info], [rt_libdw_split=yes])],
    [rt_libdw_why=" (without libdw: types only where you give them)"])
  AC_DEFINE_UNQUOTED([RT_LIBDW_WORDS], ["$rt_libdw_why"], [what --version says of libdw])
  AM_CONDITIONAL([HAVE_LIBDW], [test "$rt_libdw" = yes])
  AM_CONDITIONAL([HAVE_LIBDW_SPLIT], [test "$rt_libdw_split" = yes])
])
