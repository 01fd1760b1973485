# SPDX-License-Identifier: GPL-2.0-or-later
# WANT: as in beginnings.x86_64.s.
.include "code.inc"

	case endbr32, "yes"
	endbr32

	case endbr64, "no"
	endbr64
