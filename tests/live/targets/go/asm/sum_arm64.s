// SPDX-License-Identifier: GPL-2.0-or-later
#include "textflag.h"

// The goroutine's register is nothing else here: so is the linker's promise.
TEXT ·sum(SB), NOSPLIT, $0-33
	MOVD a+0(FP), R0
	MOVD b+8(FP), R1
	ADD R1, R0
	MOVBU c+16(FP), R1
	ADD R1, R0
	MOVD R0, r+24(FP)
	AND $1, R0
	MOVB R0, odd+32(FP)
	RET
