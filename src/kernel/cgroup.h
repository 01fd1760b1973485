/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_KERNEL_CGROUP_H
#define RT_KERNEL_CGROUP_H

#include "base/error.h"

/*
 * Open a control group of version 2, for BPF_MAP_TYPE_CGROUP_ARRAY (4.8).  `path` is its folder, or
 * as in /proc/PID/cgroup below the mount.  A descriptor, or a negative errno with a message.
 */
int rt_cgroup_open(const char *path, struct rt_error *err);

/* Open that of a unit of systemd: "nginx.service", or "nginx" for that. */
int rt_cgroup_open_unit(const char *unit, struct rt_error *err);

#endif
