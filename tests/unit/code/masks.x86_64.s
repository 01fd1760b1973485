# SPDX-License-Identifier: GPL-2.0-or-later
# Sizes as GNU as has them.
# WANT: bytes, 0 if it is no such instruction; the general register that it writes, by its number.
.include "code.inc"

	case kmovd_to_eax, "4 0"
	kmovd %k0,%eax
	nop

	case kmovd_to_r9d, "4 9"
	kmovd %k1,%r9d

	case kmovq, "5 -"
	kmovq %rcx,%k1

	case cut_off, "0 -"
	.byte 0xc5, 0xfb, 0x93

	case kortestq, "5 -"
	kortestq %k0,%k1

	case kshiftrq, "6 -"
	kshiftrq $32,%k1,%k1

	case kmovb, "6 -"
	kmovb 8(%rsp),%k1

	case vptestnmb, "6 -"
	vptestnmb %ymm19,%ymm19,%k0
	cld

	case vpcmpneqb, "7 -"
	vpcmpneqb (%rdi),%ymm0,%k0

	# with a displacement of 4 bytes
	case vmovdqu8, "11 -"
	.byte 0x62, 0xf1, 0x7f, 0x49, 0x7f, 0x84, 0x24, 0x10, 0, 0, 0 # vmovdqu8 %zmm0,16(%rsp){%k1}

	case vpcmpeqb, "10 -"
	vpcmpeqb 0(%rip),%ymm0,%k0

	# capstone knows it.
	case vmovd, "0 -"
	.byte 0x62, 0xf1, 0x7d, 0x08, 0x7e, 0xc0 # vmovd %xmm0,%eax

	case reserved_bit_clear, "0 -"
	.byte 0x62, 0xf1, 0x78, 0x28, 0x74, 0xc1

	case vpxor, "0 -"
	vpxor %xmm0,%xmm0,%xmm0

	case ret, "0 -"
	ret
