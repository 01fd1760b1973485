# SPDX-License-Identifier: GPL-2.0-or-later
# RT_STATIC: --enable-static.  What stands between it and RT_STATIC_END is looked for among the static libraries, and what
# those of elfutils need themselves (compressed sections) stands in LIBS by then.
AC_DEFUN([RT_STATIC], [
  AC_ARG_ENABLE([static], [AS_HELP_STRING([--enable-static],
    [link rawtrace into one static, stripped file, to copy to machines without its libraries])], [], [enable_static=no])
  RT_STATIC_LDFLAGS=
  rt_static_saved=$LDFLAGS
  AS_CASE([$enable_static],
    [no], [],
    [yes], [
      RT_STATIC_LDFLAGS="-static -s"
      LDFLAGS="$LDFLAGS -static"
      AC_MSG_CHECKING([whether $CC links static programs])
      AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <stdio.h>]], [[puts("");]])], [AC_MSG_RESULT([yes])],
        [AC_MSG_RESULT([no])
        AC_MSG_ERROR([--enable-static: $CC has no static C library (libc.a): install dnl
libc6-dev (apt), glibc-static (dnf, yum) or glibc-devel-static (zypper)])])
      AC_CHECK_LIB([z], [inflate])
      AC_CHECK_LIB([bz2], [BZ2_bzDecompress])
      AC_CHECK_LIB([lzma], [lzma_code])
      AC_CHECK_LIB([zstd], [ZSTD_decompress])],
    [AC_MSG_ERROR([--enable-static=$enable_static: expected yes or no])])
  AC_SUBST([RT_STATIC_LDFLAGS])
])

# RT_STATIC_LESS, when LIBS is complete: what keeps the file small, as far as this linker and these archives take it (contrib/README).
AC_DEFUN([RT_STATIC_LESS], [
  rt_static_capstone=no
  rt_static_zlib=no
  rt_static_zstd=no
  rt_static_unwind=no
  RT_STATIC_RULES=
  RT_STATIC_CFLAGS=
  AS_IF([test "$enable_static" = yes], [
    RT_STATIC_TRY([whether sections that nothing refers to can be left out],
      [-ffunction-sections -fdata-sections -Wl,--gc-sections -Wl,-z,noseparate-code], [int main(void) { return 0; }],
      [RT_STATIC_CFLAGS="-ffunction-sections -fdata-sections"; RT_STATIC_LDFLAGS="$RT_STATIC_LDFLAGS -Wl,--gc-sections -Wl,-z,noseparate-code"])
    RT_STATIC_TRY([whether tables can be aligned as the ABI asks for], [-malign-data=abi], [int main(void) { return 0; }],
      [RT_STATIC_CFLAGS="$RT_STATIC_CFLAGS -malign-data=abi"])
    RT_STATIC_TRY([whether unwind tables can be left out], [-Wl,-T,$srcdir/src/static/unwind.ld], [int main(void) { return 0; }],
      [RT_STATIC_LDFLAGS="$RT_STATIC_LDFLAGS -Wl,-T,\$(srcdir)/src/static/unwind.ld"
      RT_STATIC_TRY([whether the unwinder can be left out], [-I$srcdir], [#include <pthread.h>
#include "src/static/unwind.c"
static void *run(void *v) { return v; }
int main(void) { pthread_t t; return pthread_create(&t, 0, run, 0); }],
        [rt_static_unwind=yes])])
    # Optimize code that runs for each event for speed, the rest for size.  GNU make only: of two
    # patterns the narrower one counts.
    AS_IF([test "x$CFLAGS" = "x-g -O2" && ${MAKE-make} --version 2>/dev/null | grep -q GNU], [
      RT_STATIC_RULES="src/%.o: CFLAGS = -g -Os
src/output/%.o src/calls/%.o src/stream/%.o: CFLAGS = -g -O2 -fno-align-functions -fno-align-jumps -fno-align-loops
src/calls/feed.o src/fetch/fetch.o src/calls/filter.o: CFLAGS = -g -O2 -fno-align-functions -fno-align-jumps -fno-align-loops
src/output/errnos.o src/output/out.o src/output/tally.o src/stream/tracefs_format.o src/stream/verifier.o: CFLAGS = -g -Os
src/output/value_follow.o src/output/value_members.o src/output/value_type.o src/stream/addrmap.o: CFLAGS = -g -Os
src/stream/array_source.o src/stream/perf_source.o src/stream/ringbuf_source.o src/stream/tracefs_source.o: CFLAGS = -g -Os"])
    RT_STATIC_TRY([whether zlib can do without compressing], [-I$srcdir], [#include "src/static/zlib.c"
#include <libelf.h>
int main(void) { return elf_compress(0, 0, 0); }],
      [rt_static_zlib=yes])
    AS_IF([test "$ac_cv_lib_zstd_ZSTD_decompress" = yes],
      [RT_STATIC_TRY([whether zstd can do without its formats of before 2016], [-I$srcdir], [#include "src/static/zstd.c"
#include <zstd.h>
int main(void) { return ZSTD_isError(ZSTD_decompress(0, 0, 0, 0)); }],
        [rt_static_zstd=yes])])
    AS_IF([test "$rt_capstone" = yes],
      [RT_STATIC_TRY([whether capstone can do with one architecture], [-I$srcdir], [#include "src/static/capstone.c"
#include <capstone/capstone.h>
int main(void) { csh h; return cs_open(CS_ARCH_X86, CS_MODE_64, &h); }],
        [rt_static_capstone=yes],
        [AC_MSG_WARN([capstone is linked as a whole and makes the file 5 MB larger; --without-capstone leaves it out])])])])
  AC_SUBST([RT_STATIC_CFLAGS])
  AC_SUBST([RT_STATIC_RULES])
  AM_SUBST_NOTMAKE([RT_STATIC_RULES])
  AM_CONDITIONAL([STATIC_CAPSTONE], [test "$rt_static_capstone" = yes])
  AM_CONDITIONAL([STATIC_UNWIND], [test "$rt_static_unwind" = yes])
  AM_CONDITIONAL([STATIC_ZLIB], [test "$rt_static_zlib" = yes])
  AM_CONDITIONAL([STATIC_ZSTD], [test "$rt_static_zstd" = yes])
])

# RT_STATIC_TRY(MESSAGE, FLAGS, SOURCE, YES, NO): does it compile and link with these flags, without a word?
AC_DEFUN([RT_STATIC_TRY], [
  AC_MSG_CHECKING([$1])
  rt_static_try_saved=$CFLAGS
  CFLAGS="$CFLAGS $2"
  AC_LINK_IFELSE([AC_LANG_SOURCE([$3])], [CFLAGS=$rt_static_try_saved; AC_MSG_RESULT([yes]); $4],
    [CFLAGS=$rt_static_try_saved; AC_MSG_RESULT([no]); $5])
])

# The programs of the tests are linked as ever: LDFLAGS is what it was.
AC_DEFUN([RT_STATIC_END], [LDFLAGS=$rt_static_saved])

# RT_STATIC_MISSING(NAME, PACKAGES, STATIC PACKAGES): lib NAME was not found; the end.
AC_DEFUN([RT_STATIC_MISSING], [
  AS_IF([test "$enable_static" != yes], [AC_MSG_ERROR([lib$1 is missing: install $2, or run contrib/bootstrap])])
  rt_archive=`$CC -print-file-name=lib$1.a`
  AS_IF([test -f "$rt_archive"],
    [AC_MSG_ERROR([--enable-static: $rt_archive does not link (see config.log): install what it needs: dnl
zlib1g-dev and libzstd-dev (apt), zlib-static and libzstd-static (dnf, yum), dnl
zlib-devel-static and libzstd-devel-static (zypper), or zlib-static and zstd-static (apk)])],
    [AC_MSG_ERROR([--enable-static: lib$1.a is missing: install $3, or configure without --enable-static])])
])
