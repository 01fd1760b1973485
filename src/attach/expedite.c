/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attach/expedite.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/guard.h"

/*
 * How often the guard looks whether another rawtrace has put the value back, how long the owner
 * waits for the guard's word, and how long the guard for what a killed owner had open.
 */
enum { LOOK_MS = 5, ANSWER_MS = 2000, GONE_MS = 60000 };

struct rt_expedite_shared {
	int state;			/* enum rt_expedite_state */
	int wrote;			/* 1 is to be put back; set before it is written */
};

static int open_value(const char *folder, const char *name, int flags)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return open(path, flags | O_CLOEXEC);
}

/* A negative errno where there is no such file. */
static int read_value(const char *folder, const char *name)
{
	int fd = open_value(folder, name, O_RDONLY), r = -errno;
	char text[16] = "";

	if (fd < 0)
		return r;
	r = read(fd, text, sizeof(text) - 1) > 0 ? (int)strtol(text, NULL, 10) : -EIO;
	close(fd);
	return r;
}

static bool write_value(int file, char value)
{
	const char text[2] = { value, '\n' };

	return pwrite(file, text, sizeof(text), 0) == sizeof(text);
}

static void put_back(int file, struct rt_expedite_shared *shared)
{
	if (!__atomic_load_n(&shared->wrote, __ATOMIC_SEQ_CST))
		return;
	write_value(file, '0');
	__atomic_store_n(&shared->wrote, 0, __ATOMIC_SEQ_CST);
}

/* Write it, if it is for us to write. */
static enum rt_expedite_state set(int file, const char *folder, struct rt_expedite_shared *shared)
{
	int now;

	if (flock(file, LOCK_EX | LOCK_NB) != 0)
		return RT_EXPEDITE_OTHER;
	if (read_value(folder, "rcu_normal") > 0)
		return RT_EXPEDITE_NORMAL;
	now = read_value(folder, "rcu_expedited");
	if (now != 0)
		return now > 0 ? RT_EXPEDITE_ALREADY : RT_EXPEDITE_FAILED;
	__atomic_store_n(&shared->wrote, 1, __ATOMIC_SEQ_CST);
	if (write_value(file, '1'))
		return RT_EXPEDITE_ON;
	__atomic_store_n(&shared->wrote, 0, __ATOMIC_SEQ_CST);
	return RT_EXPEDITE_FAILED;
}

/* What the owner has sent: 'g', 'o' or 'q', or 0: it has ended. */
static char next_word(int fd)
{
	ssize_t n;
	char word;

	do {
		n = read(fd, &word, 1);
	} while (n < 0 && errno == EINTR);
	return n == 1 ? word : '\0';
}

static void __attribute__((noreturn))
guard_main(int fd, int file, pid_t owner, const char *folder, struct rt_expedite_shared *shared)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	enum rt_expedite_state state = RT_EXPEDITE_OFF;
	unsigned waited;
	char word = 'o';

	rt_guard_hide(owner, fd, file);
	while (word && word != 'q') {
		if (state == RT_EXPEDITE_OTHER)
			state = set(file, folder, shared);
		__atomic_store_n(&shared->state, (int)state, __ATOMIC_SEQ_CST);
		if (poll(&p, 1, state == RT_EXPEDITE_OTHER ? LOOK_MS : -1) <= 0)
			continue;
		word = next_word(fd);
		if (word == 'g')
			state = RT_EXPEDITE_OTHER;
		if (word != 'o')
			continue;
		put_back(file, shared);
		flock(file, LOCK_UN);
		state = RT_EXPEDITE_OFF;
	}
	/* What a killed owner had open is closed by the kernel, one by one. */
	for (waited = 0; !word && getppid() == owner && waited < GONE_MS; waited += LOOK_MS) {
		if (state == RT_EXPEDITE_OFF || state == RT_EXPEDITE_OTHER)
			state = set(file, folder, shared);
		usleep(LOOK_MS * 1000);
	}
	put_back(file, shared);
	_exit(0);
}

static int fork_guard(struct rt_expedite *e, int file)
{
	pid_t owner = getpid();
	int p[2], r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p) != 0)
		return -errno;
	e->guard = fork();
	if (e->guard == 0) {
		close(p[1]);
		guard_main(p[0], file, owner, e->folder, e->shared);
	}
	r = e->guard < 0 ? -errno : 0;
	close(p[0]);
	if (r < 0)
		close(p[1]);
	else
		e->fd = p[1];
	return r;
}

int rt_expedite_start(struct rt_expedite *e, const char *folder, struct rt_error *err)
{
	int file, r;

	memset(e, 0, sizeof(*e));
	e->folder = folder;
	file = open_value(folder, "rcu_expedited", O_RDWR);
	if (file < 0)
		return rt_fail(err, -errno, "--expedite: %s/rcu_expedited: %s", folder,
			       strerror(errno));
	e->shared = mmap(NULL, sizeof(*e->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	r = e->shared == MAP_FAILED ? -ENOMEM : fork_guard(e, file);
	close(file);
	if (r == 0)
		return 0;
	if (e->shared != MAP_FAILED)
		munmap(e->shared, sizeof(*e->shared));
	e->guard = 0;
	return rt_fail(err, r, "--expedite: starting its process: %s", strerror(-r));
}

static enum rt_expedite_state state_of(const struct rt_expedite *e)
{
	return (enum rt_expedite_state)__atomic_load_n(&e->shared->state, __ATOMIC_SEQ_CST);
}

enum rt_expedite_state rt_expedite_on(struct rt_expedite *e)
{
	unsigned i;

	if (!e->guard || state_of(e) != RT_EXPEDITE_OFF)
		return e->guard ? state_of(e) : RT_EXPEDITE_OFF;
	if (send(e->fd, "g", 1, MSG_NOSIGNAL) != 1)
		return RT_EXPEDITE_FAILED;
	for (i = 0; i < ANSWER_MS && state_of(e) == RT_EXPEDITE_OFF; i++)
		usleep(1000);
	return state_of(e);
}

void rt_expedite_off(struct rt_expedite *e)
{
	unsigned i;

	if (!e->guard || send(e->fd, "o", 1, MSG_NOSIGNAL) != 1)
		return;
	for (i = 0; i < ANSWER_MS && state_of(e) != RT_EXPEDITE_OFF; i++)
		usleep(1000);
}

void rt_expedite_leave(struct rt_expedite *e)
{
	if (!e->guard)
		return;
	close(e->fd);
	munmap(e->shared, sizeof(*e->shared));
	e->guard = 0;
}

void rt_expedite_end(struct rt_expedite *e)
{
	int file;
	char byte;

	if (!e->guard)
		return;
	/* Its end closes the other side, which is told to whoever has this one. */
	if (send(e->fd, "q", 1, MSG_NOSIGNAL) == 1)
		while (recv(e->fd, &byte, 1, 0) < 0 && errno == EINTR)
			;
	while (waitpid(e->guard, NULL, 0) < 0 && errno == EINTR)
		;
	/* The guard itself was killed. */
	file = open_value(e->folder, "rcu_expedited", O_RDWR);
	if (file >= 0) {
		put_back(file, e->shared);
		close(file);
	}
	rt_expedite_leave(e);
}
