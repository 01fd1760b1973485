# SPDX-License-Identifier: GPL-2.0-or-later
# RT_ASSEMBLERS: compilers that assemble for x86-64 and aarch64, for the machine code in tests/unit/code.
# Empty: there is none, or it is too old for that code, and the unit tests do without it.
AC_DEFUN([RT_ASSEMBLERS], [
  RT_ASSEMBLER([X86_64], [endbr64; notrack jmp *%rax; vptestnmb %ymm19,%ymm19,%k0], ["$CC" "x86_64-linux-gnu-gcc" "clang --target=x86_64-linux-gnu"])
  RT_ASSEMBLER([AARCH64], [paciasp; csdb; ldr x0, @<:@sp@:>@], ["$CC" "aarch64-linux-gnu-gcc" "clang --target=aarch64-linux-gnu"])
])

# RT_ASSEMBLER(MACHINE, INSTRUCTIONS, COMPILERS): the first that can assemble the instructions.
AC_DEFUN([RT_ASSEMBLER], [
  AC_MSG_CHECKING([for an assembler of $1])
  RT_AS_$1=
  for rt_compiler in $3; do
    if printf '\t%s\n' '$2' | $rt_compiler -c -x assembler -o conftest.$ac_objext - >&AS_MESSAGE_LOG_FD 2>&1; then
      RT_AS_$1=$rt_compiler
      break
    fi
  done
  rm -f conftest.$ac_objext
  AC_MSG_RESULT([${RT_AS_$1:-none}])
  AC_SUBST([RT_AS_$1])
])
