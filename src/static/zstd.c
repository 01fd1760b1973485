/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For --enable-static: zstd's archive reads its formats of before 0.8 (2016) too, which neither
 * recordings nor compressed sections have.  That is 80 kB, not looked for when it is defined here.
 */
#include <stddef.h>

/* An error code of zstd: above all sizes. */
#define UNKNOWN_PREFIX ((size_t)-10)

#define NONE(v)                                                                                    \
	void *ZSTD##v##_createDCtx(void);                                                          \
	void *ZSTD##v##_createDCtx(void)                                                           \
	{                                                                                          \
		return NULL;                                                                       \
	}                                                                                          \
	size_t ZSTD##v##_freeDCtx(void *context);                                                  \
	size_t ZSTD##v##_freeDCtx(void *context)                                                   \
	{                                                                                          \
		(void)context;                                                                     \
		return 0;                                                                          \
	}                                                                                          \
	size_t ZSTD##v##_decompress_usingDict(void);                                               \
	size_t ZSTD##v##_decompress_usingDict(void)                                                \
	{                                                                                          \
		return UNKNOWN_PREFIX;                                                             \
	}                                                                                          \
	size_t ZSTD##v##_getFrameParams(void);                                                     \
	size_t ZSTD##v##_getFrameParams(void)                                                      \
	{                                                                                          \
		return UNKNOWN_PREFIX;                                                             \
	}                                                                                          \
	void ZSTD##v##_findFrameSizeInfoLegacy(const void *from, size_t size, size_t *frame,       \
					       unsigned long long *bound);                         \
	void ZSTD##v##_findFrameSizeInfoLegacy(const void *from, size_t size, size_t *frame,       \
					       unsigned long long *bound)                          \
	{                                                                                          \
		(void)from;                                                                        \
		(void)size;                                                                        \
		*frame = UNKNOWN_PREFIX;                                                           \
		*bound = (unsigned long long)-2;                                                   \
	}                                                                                          \
	void *ZBUFF##v##_createDCtx(void);                                                         \
	void *ZBUFF##v##_createDCtx(void)                                                          \
	{                                                                                          \
		return NULL;                                                                       \
	}                                                                                          \
	size_t ZBUFF##v##_freeDCtx(void *context);                                                 \
	size_t ZBUFF##v##_freeDCtx(void *context)                                                  \
	{                                                                                          \
		(void)context;                                                                     \
		return 0;                                                                          \
	}                                                                                          \
	size_t ZBUFF##v##_decompressInitDictionary(void);                                          \
	size_t ZBUFF##v##_decompressInitDictionary(void)                                           \
	{                                                                                          \
		return UNKNOWN_PREFIX;                                                             \
	}                                                                                          \
	size_t ZBUFF##v##_decompressContinue(void);                                                \
	size_t ZBUFF##v##_decompressContinue(void)                                                 \
	{                                                                                          \
		return UNKNOWN_PREFIX;                                                             \
	}

NONE(v05)
NONE(v06)
NONE(v07)
