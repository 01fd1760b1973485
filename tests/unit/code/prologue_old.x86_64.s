# SPDX-License-Identifier: GPL-2.0-or-later
# Kernels before 4.17 single-step push too.
.include "code.inc"

	case push_test_je, "+0"
push %rbp; test %edi,%edi; je 1f; 1:

	case test_je_push, "+2"
	test %edi,%edi
	je 1f
1:	push %rbp
