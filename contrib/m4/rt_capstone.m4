# SPDX-License-Identifier: GPL-2.0-or-later
# RT_CAPSTONE: --with-capstone=yes|no|check.  The disassembler that tells whether a probe may stand behind a function's entry.
# --enable-static takes it too, where there is its archive; see src/static/capstone.c.
AC_DEFUN([RT_CAPSTONE], [
  AC_ARG_WITH([capstone], [AS_HELP_STRING([--with-capstone],
    [judge prologues with capstone, so that more probes stand where they are cheap (check)])],
    [], [with_capstone=check])
  rt_capstone=no
  AS_CASE([$with_capstone], [yes|no|check], [],
    [AC_MSG_ERROR([--with-capstone=$with_capstone: expected yes, no or check])])
  AS_IF([test "$with_capstone" != no], [
    # cs_regs_access is from capstone 4.
    AC_CHECK_HEADER([capstone/capstone.h], [AC_CHECK_LIB([capstone], [cs_regs_access], [rt_capstone=yes])])
    AS_IF([test "$rt_capstone$with_capstone" = noyes],
      [AC_MSG_ERROR([--with-capstone: capstone 4 is missing (with --enable-static its archive): dnl
install libcapstone-dev or capstone-devel])])])
  AS_IF([test "$rt_capstone" = yes], [LIBS="-lcapstone $LIBS"; rt_capstone_why=", capstone"],
    [rt_capstone_why=" (without capstone 4: C++, Go and Rust show no returns, more probes are slow)"])
  AC_DEFINE_UNQUOTED([RT_CAPSTONE_WORDS], ["$rt_capstone_why"], [what --version says of capstone])
  AM_CONDITIONAL([HAVE_CAPSTONE], [test "$rt_capstone" = yes])
])
