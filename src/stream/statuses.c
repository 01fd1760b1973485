/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/statuses.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/cn_proc.h>
#include <linux/connector.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/array.h"
#include "kernel/pid_space.h"
#include "kernel/sys.h"

/* Stored exits, a power of two; bytes that wait for us: as many messages, of some 1 KiB. */
enum { STATUSES = 8192, SOCKET_BYTES = 8 << 20 };

/* Offsets of the parts of a datagram: nlmsghdr, cn_msg, proc_event. */
enum { CN_MSG = NLMSG_HDRLEN, EVENT = CN_MSG + sizeof(struct cn_msg) };

struct ended {
	pid_t pid;
	int status;
};

struct rt_statuses {
	int fd;				/* -1: none */
	struct ended v[STATUSES];		/* a ring */
	size_t n;			/* so many have been put into it */
};

struct rt_statuses *rt_statuses_new(void)
{
	struct rt_statuses *s = calloc(1, sizeof(*s));

	if (s)
		s->fd = -1;
	return s;
}

void rt_statuses_close(struct rt_statuses *s)
{
	if (s && s->fd >= 0)
		close(s->fd);
	free(s);
}

/* Only exits reach the socket: a fork storm has four other messages for each. */
static void set_filter(int fd)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, EVENT + offsetof(struct proc_event, what)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	const struct sock_fprog program = { RT_COUNT(code), code };

	/* A load is in network order. */
	code[1].k = htonl((uint32_t)PROC_EVENT_EXIT);
	setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

static void set_size(int fd)
{
	int bytes = SOCKET_BYTES;

	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) != 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
}

static int listen_to(int fd)
{
	const struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = CN_IDX_PROC };
	const struct cn_msg msg = { .id = { CN_IDX_PROC, CN_VAL_PROC }, .len = sizeof(uint32_t) };
	const struct nlmsghdr header = {
		.nlmsg_len = NLMSG_LENGTH(sizeof(msg) + sizeof(uint32_t)),
		.nlmsg_type = NLMSG_DONE,
	};
	const uint32_t op = PROC_CN_MCAST_LISTEN;
	uint8_t data[EVENT + sizeof(op)];

	memcpy(data, &header, sizeof(header));
	memcpy(data + CN_MSG, &msg, sizeof(msg));
	memcpy(data + EVENT, &op, sizeof(op));
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) != 0 ||
	    send(fd, data, sizeof(data), 0) != (ssize_t)sizeof(data))
		return -errno;
	return 0;
}

int rt_statuses_open(struct rt_statuses **statuses, struct rt_error *err)
{
	struct rt_statuses *s;
	int r = 0;

	*statuses = NULL;
	/* The kernel ignores who listens elsewhere (cn_proc_mcast_ctl). */
	if (rt_pid_space_own().ino)
		return rt_fail(err, -EOPNOTSUPP,
			       "the process connector does not reach into containers");
	s = rt_statuses_new();
	if (!s)
		return rt_nomem(err);
	s->fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_CONNECTOR);
	if (s->fd < 0) {
		r = -errno;
	} else {
		set_filter(s->fd);
		set_size(s->fd);
		r = listen_to(s->fd);
	}
	if (r < 0) {
		rt_statuses_close(s);
		return rt_fail(err, r, "the process connector: %s%s", strerror(-r),
			       r == -EPERM ? " (cap_net_admin)" : "");
	}
	*statuses = s;
	return 0;
}

void rt_statuses_take(struct rt_statuses *s, const void *data, size_t len)
{
	struct proc_event event;
	struct cn_msg msg;
	size_t size = offsetof(struct proc_event, event_data) + sizeof(event.event_data.exec) +
		      2 * sizeof(uint32_t);	/* as in 2.6.15: exit_code, exit_signal */

	if (len < EVENT + size)
		return;
	memcpy(&msg, (const uint8_t *)data + CN_MSG, sizeof(msg));
	memset(&event, 0, sizeof(event));
	memcpy(&event, (const uint8_t *)data + EVENT,
	       len - EVENT < sizeof(event) ? len - EVENT : sizeof(event));
	if (msg.id.idx != CN_IDX_PROC || msg.id.val != CN_VAL_PROC ||
	    (uint32_t)event.what != (uint32_t)PROC_EVENT_EXIT)
		return;
	/* Each thread's; that of the last one is the process's (do_group_exit). */
	s->v[s->n++ % STATUSES] = (struct ended){
		.pid = event.event_data.exit.process_tgid,
		.status = (int)event.event_data.exit.exit_code,
	};
}

void rt_statuses_drain(struct rt_statuses *s)
{
	uint8_t data[1024];
	ssize_t n;

	/* ENOBUFS says that some were lost, and does not end it. */
	while ((n = recv(s->fd, data, sizeof(data), 0)) >= 0 || errno == ENOBUFS || errno == EINTR)
		if (n > 0)
			rt_statuses_take(s, data, (size_t)n);
}

static int find(const struct rt_statuses *s, pid_t pid)
{
	size_t i, n = s->n < STATUSES ? s->n : STATUSES;

	for (i = 0; i < n; i++) {
		const struct ended *e = &s->v[(s->n - 1 - i) % STATUSES];

		if (e->pid == pid)
			return e->status;
	}
	return -1;
}

int rt_statuses_find(struct rt_statuses *s, pid_t pid, unsigned wait_ms)
{
	uint64_t end = rt_now() + wait_ms * UINT64_C(1000000), now;
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	int status;

	do {
		if (s->fd >= 0)
			rt_statuses_drain(s);
		status = find(s, pid);
		now = rt_now();
	} while (status < 0 && now < end && s->fd >= 0 &&
		 poll(&p, 1, (int)((end - now) / 1000000) + 1) >= 0);
	return status;
}
