/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * USDT probes without systemtap's <sys/sdt.h>, which few machines have: SITE(PROVIDER, NAME,
 * SEMAPHORE, ARGUMENTS, OPERANDS...), where ARGUMENTS are as in a note, "-4@%0 8@%1".
 */
#ifdef __LP64__
#define SDT_WORD ".8byte"
#else
#define SDT_WORD ".4byte"
#endif

#define SITE(provider, name, semaphore, arguments, ...)                                            \
	__asm__ volatile("990:	nop\n"                                                             \
			 ".pushsection .note.stapsdt,\"\",%%note\n"                                \
			 ".balign 4\n"                                                             \
			 ".4byte 992f-991f, 994f-993f, 3\n"                                        \
			 "991:	.asciz \"stapsdt\"\n"                                              \
			 "992:	.balign 4\n"                                                       \
			 "993:	" SDT_WORD " 990b, _.stapsdt.base, " semaphore "\n"                \
			 ".asciz \"" provider "\"\n"                                               \
			 ".asciz \"" name "\"\n"                                                   \
			 ".asciz \"" arguments "\"\n"                                              \
			 "994:	.balign 4\n"                                                       \
			 ".popsection\n"                                                           \
			 ".ifndef _.stapsdt.base\n"                                                \
			 ".pushsection .stapsdt.base,\"aG\",%%progbits,.stapsdt.base,comdat\n"     \
			 ".weak _.stapsdt.base\n"                                                  \
			 ".hidden _.stapsdt.base\n"                                                \
			 "_.stapsdt.base: .space 1\n"                                              \
			 ".size _.stapsdt.base, 1\n"                                               \
			 ".popsection\n"                                                           \
			 ".endif\n"                                                                \
			 :                                                                         \
			 : __VA_ARGS__)

/* As dtrace(1) defines it. */
#define SEMAPHORE(name) unsigned short name __attribute__((section(".probes"), used))
