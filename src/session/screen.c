/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/bytes.h"

/* xterm's private modes 1049, the alternate screen, and 25, the cursor: ECMA-48 sequences. */
static const char enter_text[] = "\033[?1049h\033[?25l", leave_text[] = "\033[?25h\033[?1049l";

static void put(const struct rt_screen *screen, const void *text, size_t size)
{
	const char *at = text;
	ssize_t n;

	while (size) {
		n = write(screen->fd, at, size);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return;
		if (n < 0)
			usleep(1000);
		at += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
}

int rt_screen_open(struct rt_screen *screen, struct rt_error *err)
{
	memset(screen, 0, sizeof(*screen));
	screen->fd = open("/dev/tty", O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (screen->fd >= 0 && tcgetpgrp(screen->fd) == getpgrp() &&
	    tcgetattr(screen->fd, &screen->before) == 0)
		return 0;
	if (screen->fd >= 0)
		close(screen->fd);
	screen->fd = 0;
	return rt_usage(err, "top: no terminal, or in the background; print tables with --batch");
}

void rt_screen_size(const struct rt_screen *screen, unsigned *lines, unsigned *columns)
{
	struct winsize size = { 0 };

	if (ioctl(screen->fd, TIOCGWINSZ, &size) != 0)
		memset(&size, 0, sizeof(size));
	*lines = size.ws_row ? size.ws_row : 24;
	*columns = size.ws_col ? size.ws_col : 80;
}

/* ^C still sends its signal, which ends the trace.  A stopped process could not restore. */
static void begin(struct rt_screen *screen)
{
	struct termios mode = screen->before;

	mode.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	mode.c_cc[VSUSP] = _POSIX_VDISABLE;
	mode.c_cc[VMIN] = 1;
	mode.c_cc[VTIME] = 0;
	tcsetattr(screen->fd, TCSANOW, &mode);
	put(screen, enter_text, sizeof(enter_text) - 1);
	screen->on = true;
}

/* Each line erases the rest of what was there, so that nothing flickers. */
void rt_screen_show(struct rt_screen *screen, const char *text, size_t size)
{
	struct rt_bytes bytes = { .n = 0 };
	const char *end;

	if (!screen->on)
		begin(screen);
	rt_bytes_add(&bytes, "\033[H", 3);
	while ((end = memchr(text, '\n', size))) {
		rt_bytes_add(&bytes, text, (size_t)(end - text));
		rt_bytes_add(&bytes, "\033[K\r\n", 5);
		size -= (size_t)(end + 1 - text);
		text = end + 1;
	}
	rt_bytes_add(&bytes, "\033[J", 3);
	if (!bytes.failed)
		put(screen, bytes.v, bytes.n);
	rt_bytes_free(&bytes);
}

int rt_screen_key(const struct rt_screen *screen)
{
	char key;

	return screen->on && read(screen->fd, &key, 1) == 1 ? key : 0;
}

void rt_screen_close(struct rt_screen *screen)
{
	if (!screen->fd)
		return;
	if (screen->on) {
		put(screen, leave_text, sizeof(leave_text) - 1);
		tcsetattr(screen->fd, TCSADRAIN, &screen->before);
	}
	close(screen->fd);
	memset(screen, 0, sizeof(*screen));
}
