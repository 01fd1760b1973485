# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: as in addresses.x86_64.s.
.include "code.inc"
	.code32

	case mov, "fixed 0x402000"
	mov $0x402000,%eax

	case lea_of_64_bits, "fixed none"
	.byte 0x48, 0x8d, 0x05, 0xf9, 0xff, 0xff, 0xff
