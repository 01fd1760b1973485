// SPDX-License-Identifier: GPL-2.0-or-later
#include "textflag.h"

// The goroutine's register is anything's here.
TEXT ·sum(SB), NOSPLIT, $0-33
	MOVQ a+0(FP), AX
	ADDQ b+8(FP), AX
	MOVBQZX c+16(FP), R14
	ADDQ R14, AX
	MOVQ AX, r+24(FP)
	ANDQ $1, AX
	MOVB AX, odd+32(FP)
	XORL R14, R14
	RET
