# SPDX-License-Identifier: GPL-2.0-or-later
# RT_CAPSTONE: --with-capstone=yes|no|check.  The disassembler that tells whether a probe may stand behind a function's entry.
# Its archive would triple the static file, so --enable-static leaves it out unless it is asked for by name.
AC_DEFUN([RT_CAPSTONE], [
  AC_ARG_WITH([capstone], [AS_HELP_STRING([--with-capstone],
    [judge prologues with capstone, so that more probes stand where they are cheap (check; not with --enable-static)])],
    [], [with_capstone=check])
  rt_capstone=no
  AS_CASE([$with_capstone], [yes|no], [], [check],
    [AS_IF([test "$enable_static" = yes], [
      with_capstone=no
      AC_MSG_NOTICE([--enable-static: capstone is left out, which would add 6 MB; --with-capstone puts it in])])],
    [AC_MSG_ERROR([--with-capstone=$with_capstone: expected yes, no or check])])
  AS_IF([test "$with_capstone" != no], [
    # cs_regs_access is from capstone 4.
    AC_CHECK_HEADER([capstone/capstone.h], [AC_CHECK_LIB([capstone], [cs_regs_access], [rt_capstone=yes])])
    AS_IF([test "$rt_capstone$with_capstone" = noyes],
      [AC_MSG_ERROR([--with-capstone: capstone 4 is missing: install libcapstone-dev or capstone-devel])])])
  AS_IF([test "$rt_capstone" = yes], [LIBS="-lcapstone $LIBS"; rt_capstone_why=", capstone"],
    [rt_capstone_why=" (without capstone: more probes are slow)"])
  AC_DEFINE_UNQUOTED([RT_CAPSTONE_WORDS], ["$rt_capstone_why"], [what --version says of capstone])
  AM_CONDITIONAL([HAVE_CAPSTONE], [test "$rt_capstone" = yes])
])
