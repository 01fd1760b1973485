/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For --enable-static: capstone's archive with one architecture, that of the programs rawtrace
 * traces on this machine.  capstone 4 and 5 reach all of theirs by a table of two functions each,
 * so the archive is linked as a whole, 5 MB of it.  What is defined here is not looked for there.
 */

/* capstone's CS_ERR_ARCH, which cs_open then returns. */
#define NO_SUCH_ARCHITECTURE 2

#define NONE(name) \
	int name##_global_init(void *handle); \
	int name##_global_init(void *handle) \
	{ \
		(void)handle; \
		return NO_SUCH_ARCHITECTURE; \
	} \
	int name##_option(void *handle, int type, unsigned long value); \
	int name##_option(void *handle, int type, unsigned long value) \
	{ \
		(void)handle; \
		(void)type; \
		(void)value; \
		return NO_SUCH_ARCHITECTURE; \
	}

#ifndef __aarch64__
NONE(AArch64)
#endif
#if defined(__x86_64__) || defined(__i386__)
/* The other syntax, which nobody asks for. */
void X86_ATT_printInst(void *insn, void *stream, void *info);
void X86_ATT_printInst(void *insn, void *stream, void *info)
{
	(void)insn;
	(void)stream;
	(void)info;
}
#else
NONE(X86)
#endif
NONE(ARM)
NONE(BPF)
NONE(EVM)
NONE(M680X)
NONE(M68K)
NONE(MOS65XX)
NONE(Mips)
NONE(PPC)
NONE(RISCV)
NONE(SH)
NONE(Sparc)
NONE(SystemZ)
NONE(TMS320C64x)
NONE(TRICORE)
NONE(TriCore)
NONE(WASM)
NONE(XCore)
