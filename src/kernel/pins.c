/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * To close the last descriptor of a uprobe_multi link takes 16 to 60 ms: the kernel takes the
 * breakpoints out, and waits for three grace periods of RCU before it frees the consumers
 * (bpf_uprobe_unregister()).  When the traced program has ended, nobody needs that wait.
 *
 * The kernel frees a link from a worker, and not in close(2), if a file of a bpf file system had
 * its last reference (bpf_link_put(), 6.5).  So links are pinned in such a file system of our own.
 * It is mounted nowhere (fsmount(2)), and is gone with its last descriptor.  A process in the
 * background would do as well, but for containers whose first process does not reap: each trace
 * would leave a zombie there.
 *
 * Limit: a link holds the mount of its file.  Until it is freed, umount(8) fails with EBUSY, which
 * breaks a script that mounts, traces and unmounts.  So links are pinned only if their files are on
 * the mount that the first process has as its root, which nobody unmounts.
 */
#include "kernel/pins.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/procfs.h"
#include "kernel/sys.h"

/* The number of the mount that the file was opened on; -1: not known (before 3.15). */
static long mount_of(int file)
{
	char path[64], *text;
	const char *at;
	long mount = -1;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", file);
	if (rt_read_file(path, &text) < 0)
		return -1;
	at = strstr(text, "mnt_id:");
	if (at)
		mount = strtol(at + strlen("mnt_id:"), NULL, 10);
	free(text);
	return mount;
}

/* The first process's root is not ours in a chroot(2).  -1: not known. */
static long mount_of_root(void)
{
	FILE *file = fopen("/proc/1/mountinfo", "re");
	char *line = NULL, point[3];
	long mount = -1, id;
	size_t size = 0;

	/* ID, parent, device, root, mount point, ... */
	while (file && mount < 0 && getline(&line, &size, file) > 0)
		if (sscanf(line, "%ld %*s %*s %*s %2s", &id, point) == 2 && strcmp(point, "/") == 0)
			mount = id;
	free(line);
	if (file)
		fclose(file);
	return mount;
}

static long mount_of_ours(void)
{
	int file = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	long mount = file < 0 ? -1 : mount_of(file);

	if (file >= 0)
		close(file);
	return mount;
}

void rt_pins_open(struct rt_pins *pins)
{
	pins->fs = -1;
	pins->mount = mount_of_root();
	/* The links of a calibration are to our own file. */
	if (pins->mount >= 0 && pins->mount == mount_of_ours())
		pins->fs = rt_bpf_fs_open();
}

bool rt_pins_allow(const struct rt_pins *pins, int file)
{
	return pins->fs >= 0 && mount_of(file) == pins->mount;
}

bool rt_pins_add(const struct rt_pins *pins, int link)
{
	char name[32];

	snprintf(name, sizeof(name), "%d-%d", (int)getpid(), link);
	return pins->fs >= 0 && rt_bpf_pin(pins->fs, name, link) == 0;
}

void rt_pins_close(struct rt_pins *pins)
{
	if (pins->fs >= 0)
		close(pins->fs);
	pins->fs = -1;
}
