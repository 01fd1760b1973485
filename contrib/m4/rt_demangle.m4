# SPDX-License-Identifier: GPL-2.0-or-later
# RT_DEMANGLE: --with-demangler=yes|no|check.  libiberty, which turns the names of C++ and Rust into what was written.  It is always a
# static library, as its makers want it.
AC_DEFUN([RT_DEMANGLE], [
  AC_ARG_WITH([demangler], [AS_HELP_STRING([--with-demangler],
    [show and find names of C++ and Rust as they were written, with libiberty (check)])], [], [with_demangler=check])
  rt_demangle=no
  AS_CASE([$with_demangler], [yes|no|check], [],
    [AC_MSG_ERROR([--with-demangler=$with_demangler: expected yes, no or check])])
  AS_IF([test "$with_demangler" != no], [
    # rust_demangle_callback is from binutils 2.34.
    AC_CHECK_HEADERS([libiberty/demangle.h demangle.h], [rt_demangle_header=yes])
    AS_IF([test "$rt_demangle_header" = yes], [AC_CHECK_LIB([iberty], [rust_demangle_callback], [rt_demangle=yes])])
    AS_IF([test "$rt_demangle$with_demangler" = noyes],
      [AC_MSG_ERROR([--with-demangler: libiberty of binutils 2.34 is missing: install libiberty-dev (apt), binutils-devel (dnf, zypper) or binutils-dev (apk)])])])
  AS_IF([test "$rt_demangle" = yes], [LIBS="-liberty $LIBS"; rt_demangle_why=", libiberty"],
    [rt_demangle_why=" (without libiberty of binutils 2.34: names of C++ and Rust stay mangled)"])
  AC_DEFINE_UNQUOTED([RT_DEMANGLE_WORDS], ["$rt_demangle_why"], [what --version says of the demangler])
  AM_CONDITIONAL([HAVE_DEMANGLER], [test "$rt_demangle" = yes])
])
