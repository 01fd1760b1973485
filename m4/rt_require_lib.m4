# SPDX-License-Identifier: GPL-2.0-or-later
# RT_REQUIRE_LIB(NAME, HEADER, FUNCTION, PACKAGES): a library that rawtrace cannot be built without.
AC_DEFUN([RT_REQUIRE_LIB], [
  AC_CHECK_HEADER([$2], [], [AC_MSG_ERROR([$2 is missing: install $4, or run contrib/bootstrap])])
  AC_CHECK_LIB([$1], [$3], [], [AC_MSG_ERROR([lib$1 is missing: install $4, or run contrib/bootstrap])])
])
