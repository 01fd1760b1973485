# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: the address that the code at 0x401000 loads, or none;
# fixed: the file is linked to its addresses.
.include "code.inc"

	case lea, "0x401000"
	lea -7(%rip),%rax

	case mov, "none"
	mov $0x402000,%rax

	case mov_fixed, "fixed 0x402000"
	mov $0x402000,%rax

	case cut_off, "fixed none"
	.byte 0xb8, 0x00, 0x20, 0x40
