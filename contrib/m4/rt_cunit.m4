# SPDX-License-Identifier: GPL-2.0-or-later
# RT_CUNIT: CUnit, for the unit tests.
AC_DEFUN([RT_CUNIT], [
  rt_cunit=no
  AC_CHECK_HEADER([CUnit/Basic.h], [AC_CHECK_LIB([cunit], [CU_initialize_registry], [rt_cunit=yes])])
  AM_CONDITIONAL([HAVE_CUNIT], [test "$rt_cunit" = yes])
])
