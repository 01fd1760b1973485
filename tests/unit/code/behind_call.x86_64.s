# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: yes if a call is before the end.
.include "code.inc"

	case direct, "yes"
	nop
	call 1f
1:

	case register, "yes"
	nop
	call *%rax

	case r12, "yes"
	nop
	call *%r12

	case by_slot, "yes"
	nop
	call *0x100(%rip)

	case indexed, "yes"
	nop
	call *0x12345(%r12,%r13,8)

	# As compilers call __tls_get_addr.
	case padded, "yes"
	nop
	.byte 0x66, 0x66
	rex.W call 1f
1:

	case jump, "no"
	nop
	.byte 0xe9
	.long 0

	case nothing, "no"
	lea 0x100(%rip),%rax
	ret

	# A pointer to data.
	case data, "no"
	.quad 0x1234, 0x5678
