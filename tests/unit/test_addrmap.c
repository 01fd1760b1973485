/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/addrmap.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

static struct rt_addrmap *map_new(void)
{
	struct rt_addrmap *map = rt_addrmap_new();

	CU_ASSERT_PTR_NOT_NULL_FATAL(map);
	return map;
}

static void expect(struct rt_addrmap *map, pid_t pid, uint64_t ip, uint64_t want_ino,
		   uint64_t want_offset)
{
	uint64_t ino = 0, offset = 0;

	CU_ASSERT_EQUAL(rt_addrmap_find(map, pid, ip, &ino, &offset), 0);
	CU_ASSERT_EQUAL(ino, want_ino);
	CU_ASSERT_EQUAL(offset, want_offset);
}

static void expect_none(struct rt_addrmap *map, pid_t pid, uint64_t ip)
{
	uint64_t ino, offset;

	CU_ASSERT_EQUAL(rt_addrmap_find(map, pid, ip, &ino, &offset), -ENOENT);
}

static void test_find(void)
{
	struct rt_addrmap *map = map_new();
	uint64_t start, pgoff;

	expect_none(map, 1, 0);
	CU_ASSERT_EQUAL(rt_addrmap_add(map, 5, 0x3000, 0x1000, 0x200, 33), 0);
	CU_ASSERT_EQUAL(rt_addrmap_add(map, 5, 0x1000, 0x1000, 0x100, 11), 0);
	CU_ASSERT_EQUAL(rt_addrmap_add(map, 4, 0x1000, 0x1000, 0, 44), 0);
	expect(map, 5, 0x1000, 11, 0x100);
	expect(map, 5, 0x1fff, 11, 0x10ff);
	expect_none(map, 5, 0x2000);
	expect_none(map, 5, 0xfff);
	expect_none(map, 5, 0x2fff);
	expect(map, 5, 0x3000, 33, 0x200);
	expect_none(map, 5, 0x4000);
	expect(map, 4, 0x1004, 44, 4);
	expect(map, 5, 0x1004, 11, 0x104);
	expect_none(map, 6, 0x1004);
	CU_ASSERT(rt_addrmap_first(map, 5, 33, &start, &pgoff) == 0 && start == 0x3000 &&
		  pgoff == 0x200);
	CU_ASSERT(rt_addrmap_first(map, 4, 33, &start, &pgoff) == -ENOENT);
	CU_ASSERT(rt_addrmap_first(map, 6, 33, &start, &pgoff) == -ENOENT);
	rt_addrmap_free(map);
	rt_addrmap_free(NULL);
}

/*
 * A mapping of [0x1000, 0x5000), file offset 0, inode 1, looked up (so that a stale hit shows);
 * then one over it.
 */
static struct rt_addrmap *overlaid(uint64_t start, uint64_t len, uint64_t ino)
{
	struct rt_addrmap *map = map_new();

	CU_ASSERT_EQUAL(rt_addrmap_add(map, 1, 0x1000, 0x4000, 0, 1), 0);
	expect(map, 1, 0x2800, 1, 0x1800);
	CU_ASSERT_EQUAL(rt_addrmap_add(map, 1, start, len, 0x70000, ino), 0);
	return map;
}

static void test_replace(void)
{
	struct rt_addrmap *map;

	map = overlaid(0x2000, 0x1000, 2);	/* inside: three parts */
	expect(map, 1, 0x1fff, 1, 0xfff);
	expect(map, 1, 0x2800, 2, 0x70800);
	expect(map, 1, 0x3000, 1, 0x2000);
	rt_addrmap_free(map);
	map = overlaid(0x0, 0x2000, 2);		/* over the beginning */
	expect(map, 1, 0x1fff, 2, 0x71fff);
	expect(map, 1, 0x2000, 1, 0x1000);
	rt_addrmap_free(map);
	map = overlaid(0x4000, 0x2000, 2);	/* over the end */
	expect(map, 1, 0x3fff, 1, 0x2fff);
	expect(map, 1, 0x4000, 2, 0x70000);
	expect(map, 1, 0x5fff, 2, 0x71fff);
	rt_addrmap_free(map);
	map = overlaid(0x1000, 0x4000, 2);	/* the very same place */
	expect(map, 1, 0x1000, 2, 0x70000);
	expect(map, 1, 0x4fff, 2, 0x73fff);
	rt_addrmap_free(map);
	map = overlaid(0x5000, 0x1000, 2);	/* beside it */
	expect(map, 1, 0x4fff, 1, 0x3fff);
	expect(map, 1, 0x5000, 2, 0x70000);
	rt_addrmap_free(map);
	map = overlaid(0x2000, 0x1000, 0);	/* anonymous memory inside */
	expect(map, 1, 0x1fff, 1, 0xfff);
	expect_none(map, 1, 0x2800);
	expect(map, 1, 0x3000, 1, 0x2000);
	rt_addrmap_free(map);
	map = overlaid(0x2000, 0, 2);		/* nothing */
	expect(map, 1, 0x2000, 1, 0x1000);
	rt_addrmap_free(map);
}

static void test_replace_many(void)
{
	struct rt_addrmap *map = map_new();
	unsigned i;

	for (i = 0; i < 100; i++)
		CU_ASSERT_EQUAL(rt_addrmap_add(map, 1, 0x1000 * ((i * 37 % 100) + 1), 0x1000, 0,
					       100 + i * 37 % 100),
				0);
	for (i = 0; i < 100; i++)
		expect(map, 1, 0x1000 * (i + 1) + 5, 100 + i, 5);
	CU_ASSERT_EQUAL(rt_addrmap_add(map, 1, 0x1800, 0x1000 * 50, 0, 7), 0);
	expect(map, 1, 0x17ff, 100, 0x7ff);
	expect(map, 1, 0x1800, 7, 0);
	expect(map, 1, 0x337ff, 7, 0x31fff);
	expect(map, 1, 0x33800, 150, 0x800);
	expect(map, 1, 0x64fff, 199, 0xfff);
	/* up to the end of the address space, and past it */
	CU_ASSERT_EQUAL(rt_addrmap_add(map, 1, 0xfffffffffffff000, 0x5000, 0, 8), 0);
	expect(map, 1, 0xfffffffffffffffe, 8, 0xffe);
	rt_addrmap_free(map);
}

/* Against the plainest possible model: an array with one entry an address. */
static void test_random(void)
{
	enum { SPACE = 64 };
	struct { uint64_t ino, offset; } model[SPACE] = { { 0, 0 } };
	struct rt_addrmap *map = map_new();
	uint32_t random = 7;
	uint64_t start, len, offset, ino, got_ino, got_offset;
	unsigned round, bad = 0;
	int found;

	for (round = 0; round < 3000; round++) {
		random = random * 1664525 + 1013904223;
		start = (random >> 8) % SPACE;
		len = (random >> 16) % 9;
		if (len > SPACE - start)
			len = SPACE - start;
		offset = (random >> 4) % 1000;
		ino = random >> 28;	/* 0, a hole, once in 16 */
		CU_ASSERT_EQUAL(rt_addrmap_add(map, 1, start, len, offset, ino), 0);
		for (uint64_t i = start; i < start + len; i++) {
			model[i].ino = ino;
			model[i].offset = offset + i - start;
		}
		for (uint64_t i = 0; i < SPACE; i++) {
			found = rt_addrmap_find(map, 1, i, &got_ino, &got_offset);
			if (found != (model[i].ino ? 0 : -ENOENT))
				bad++;
			else if (!found)
				bad += got_ino != model[i].ino || got_offset != model[i].offset;
		}
	}
	CU_ASSERT_EQUAL(bad, 0);
	rt_addrmap_free(map);
}

static void test_forget(void)
{
	struct rt_addrmap *map = map_new();
	uint64_t start, pgoff;

	rt_addrmap_forget(map, 10);
	CU_ASSERT_EQUAL(rt_addrmap_add(map, 10, 0x1000, 0x1000, 0, 1), 0);
	CU_ASSERT_EQUAL(rt_addrmap_add(map, 20, 0x1000, 0x1000, 0, 2), 0);
	CU_ASSERT_EQUAL(rt_addrmap_add(map, 30, 0x1000, 0x1000, 0, 3), 0);
	expect(map, 10, 0x1000, 1, 0);
	rt_addrmap_forget(map, 10);
	expect_none(map, 10, 0x1000);
	expect(map, 20, 0x1000, 2, 0);
	expect(map, 30, 0x1001, 3, 1);
	/* The same file, where another program of the process has it: the first is no longer there.
	 */
	CU_ASSERT_EQUAL(rt_addrmap_add(map, 10, 0x8000, 0x1000, 0, 1), 0);
	CU_ASSERT(rt_addrmap_first(map, 10, 1, &start, &pgoff) == 0 && start == 0x8000);
	rt_addrmap_free(map);
}

static const char maps[] =
	"00400000-00452000 r-xp 00000000 08:02 173521      /usr/bin/dbus-daemon\n"
	"00651000-00652000 r--p 00051000 08:02 173521      /usr/bin/dbus-daemon\n"
	"00e03000-00e24000 rw-p 00000000 00:00 0           [heap]\n"
	"35b1800000-35b1820000 r-xp 00002000 fe:02 4294967297 /usr/lib/a b\\012c (deleted)\n"
	"7f0000000000-7f0000001000 rwxp 00000000 00:00 0 \n"
	"7ffff7fc1000-7ffff7fc2000 r-xp 00000000 00:00 0   [vdso]\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n";

static void test_parse(void)
{
	struct rt_addrmap *map = map_new();

	CU_ASSERT_EQUAL(rt_addrmap_add(map, 3, 0x1000, 0x1000, 0, 99), 0);
	CU_ASSERT_EQUAL(rt_addrmap_parse(map, 3, maps), 0);
	expect(map, 3, 0x400123, 173521, 0x123);
	expect_none(map, 3, 0x651000);
	expect_none(map, 3, 0xe03000);
	expect(map, 3, 0x35b1800001, 4294967297, 0x2001);
	expect_none(map, 3, 0x7f0000000000);
	expect_none(map, 3, 0x7ffff7fc1000);
	expect_none(map, 3, 0x1000);	/* what was known before is replaced */
	rt_addrmap_free(map);
}

static void test_parse_broken(void)
{
	static const char *const bad[] = {
		"\n",
		"x\n",
		"00400000-00452000 r-xp 00000000 08:02 173521 /no/newline",
		"-00452000 r-xp 00000000 08:02 1 /x\n",
		"00400000- r-xp 00000000 08:02 1 /x\n",
		"00452000-00400000 r-xp 00000000 08:02 1 /x\n",
		"00400000-00400000 r-xp 00000000 08:02 1 /x\n",
		"00400000-00452000 r-x 00000000 08:02 1 /x\n",
		"00400000-00452000 r-xp\n",
		"00400000-00452000 r-xp 00000000 0802 1 /x\n",
		"00400000-00452000 r-xp 00000000 08:02 1a /x\n",
		"00400000-00452000 r-xp 00000000 08:02  /x\n",
		"0x400000-0x452000 r-xp 00000000 08:02 1 /x\n",
		"+400000-00452000 r-xp 00000000 08:02 1 /x\n",
		"1ffffffffffffffff-0 r-xp 00000000 08:02 1 /x\n",
		"10000000000400000-00452000 r-xp 00000000 08:02 1 /x\n",
		"00400000-00452000 r-xp 00000000 08:02 18446744073709551617 /x\n",
		"00400000-10000000000000000 r-xp 00000000 08:02 1 /x\n",
		"00400000-00452000 r-xp 00000000 08:02 1 /x\nx\n",
		"00400000-00452000",
	};
	struct rt_addrmap *map = map_new();
	size_t i;

	CU_ASSERT_EQUAL(rt_addrmap_add(map, 3, 0x1000, 0x1000, 0, 99), 0);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CU_ASSERT_EQUAL(rt_addrmap_parse(map, 3, bad[i]), -EBADMSG);
	expect(map, 3, 0x1000, 99, 0);	/* what was known stays */
	expect_none(map, 3, 0x400000);
	rt_addrmap_free(map);
}

/*
 * Our own maps: where they say that this function lies in our file are its bytes.  (The inode is
 * not compared with stat's: on overlayfs and btrfs they differ.)
 */
static void test_read(void)
{
	struct rt_addrmap *map = map_new();
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	uint64_t ino = 0, offset = 0, start = 0, pgoff = 0;
	uint8_t code[16];

	CU_ASSERT_FATAL(fd >= 0);
	CU_ASSERT_EQUAL(rt_addrmap_read(map, getpid()), 0);
	CU_ASSERT_EQUAL(rt_addrmap_find(map, getpid(), (uintptr_t)test_read, &ino, &offset), 0);
	CU_ASSERT_NOT_EQUAL(ino, 0);
	CU_ASSERT_EQUAL(rt_addrmap_first(map, getpid(), ino, &start, &pgoff), 0);
	CU_ASSERT_EQUAL(start + (offset - pgoff), (uintptr_t)test_read);
	CU_ASSERT_EQUAL(rt_addrmap_first(map, getpid(), UINT64_MAX, &start, &pgoff), -ENOENT);
	CU_ASSERT_EQUAL(pread(fd, code, sizeof(code), (off_t)offset), sizeof(code));
	CU_ASSERT_EQUAL(memcmp(code, (const void *)(uintptr_t)test_read, sizeof(code)), 0);
	expect_none(map, getpid(), (uintptr_t)&fd);	/* the stack is no file */
	close(fd);
	rt_addrmap_free(map);
}

static void test_read_gone(void)
{
	struct rt_addrmap *map = map_new();
	siginfo_t info;
	pid_t child = fork();

	CU_ASSERT_FATAL(child >= 0);
	if (!child)
		_exit(0);
	CU_ASSERT_EQUAL(rt_addrmap_add(map, child, 0x1000, 0x1000, 0, 99), 0);
	CU_ASSERT_EQUAL(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	CU_ASSERT_EQUAL(rt_addrmap_read(map, child), -ESRCH);	/* a zombie */
	CU_ASSERT_EQUAL(waitpid(child, NULL, 0), child);
	CU_ASSERT_EQUAL(rt_addrmap_read(map, child), -ESRCH);
	expect(map, child, 0x1000, 99, 0);
	rt_addrmap_free(map);
}

CU_TestInfo rt_tests_addrmap[] = {
	{ "find", test_find },
	{ "replace", test_replace },
	{ "replace many", test_replace_many },
	{ "random", test_random },
	{ "processes that run another program", test_forget },
	{ "maps text", test_parse },
	{ "broken maps text", test_parse_broken },
	{ "read our own", test_read },
	{ "read what has gone", test_read_gone },
	CU_TEST_INFO_NULL,
};
