/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/writer.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * A piece is a full buffer of an rt_out_file.  To wake the thread interrupts another CPU: a call in
 * the format chrome took 661 ns with a wake-up for each piece, 606 ns with one for 16.
 */
enum { PIECE = 1 << 16, PIECES_MOST = 1024, PIECES_WAKE = 16 };

struct piece {
	struct piece *next;
	size_t n;
	char bytes[PIECE];
};

struct rt_writer {
	int fd;
	pthread_t thread;
	pthread_mutex_t lock;		/* of all below */
	pthread_cond_t work, written;	/* for the thread; for the caller */
	struct piece *first, **end;	/* to be written; the thread is at the first one */
	struct piece *spare;
	unsigned n;			/* to be written */
	const char *tail;		/* NULL: none */
	off_t tail_at;
	int failed;			/* a negative errno: nothing more is written */
	bool ends;
};

int rt_write_all(int fd, const char *bytes, size_t n)
{
	ssize_t r;

	while (n) {
		r = write(fd, bytes, n);
		if (r < 0 && errno != EINTR)
			return -errno;
		if (r > 0) {
			bytes += r;
			n -= (size_t)r;
		}
	}
	return 0;
}

/* ---- the thread; the lock is held, but not during system calls ---- */

static void write_first(struct rt_writer *w)
{
	struct piece *piece = w->first;
	int r = w->failed;

	if (r == 0) {
		pthread_mutex_unlock(&w->lock);
		r = rt_write_all(w->fd, piece->bytes, piece->n);
		pthread_mutex_lock(&w->lock);
	}
	w->failed = r;
	w->first = piece->next;
	if (!w->first)
		w->end = &w->first;
	w->n--;
	piece->next = w->spare;
	w->spare = piece;
	pthread_cond_signal(&w->written);
}

/* On a full disk the next piece fails, and its error is reported. */
static void write_tail(struct rt_writer *w)
{
	const char *tail = w->tail;
	off_t at = w->tail_at;
	ssize_t n;

	w->tail = NULL;
	pthread_mutex_unlock(&w->lock);
	n = pwrite(w->fd, tail, strlen(tail), at);
	pthread_mutex_lock(&w->lock);
	(void)n;
}

static void *write_pieces(void *ctx)
{
	struct rt_writer *w = ctx;

	pthread_mutex_lock(&w->lock);
	while (w->first || w->tail || !w->ends)
		if (w->first)
			write_first(w);
		else if (w->tail)
			write_tail(w);
		else
			pthread_cond_wait(&w->work, &w->lock);
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* ---- the caller ---- */

struct rt_writer *rt_writer_new(int fd)
{
	struct rt_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->fd = fd;
	w->end = &w->first;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->work, NULL);
	pthread_cond_init(&w->written, NULL);
	/* It inherits the mask of signals: the session reads all of them from its signalfd. */
	if (pthread_create(&w->thread, NULL, write_pieces, w) == 0)
		return w;
	free(w);
	return NULL;
}

/* A piece to fill; the lock is held.  NULL: a write has failed, or out of memory. */
static struct piece *take_piece(struct rt_writer *w)
{
	struct piece *piece;

	while (w->n == PIECES_MOST && !w->failed)
		pthread_cond_wait(&w->written, &w->lock);
	if (w->failed)
		return NULL;
	piece = w->spare;
	if (piece)
		w->spare = piece->next;
	else
		piece = malloc(sizeof(*piece));
	return piece;
}

static int put_piece(struct rt_writer *w, const char *bytes, size_t n)
{
	struct piece *piece;
	int r;

	pthread_mutex_lock(&w->lock);
	piece = take_piece(w);
	if (piece) {
		piece->next = NULL;
		piece->n = n;
		memcpy(piece->bytes, bytes, n);
		*w->end = piece;
		w->end = &piece->next;
		w->n++;
		w->tail = NULL;
		if (w->n == PIECES_WAKE)
			pthread_cond_signal(&w->work);
	} else if (!w->failed) {
		w->failed = -ENOMEM;
	}
	r = w->failed;
	pthread_mutex_unlock(&w->lock);
	return r;
}

int rt_writer_put(struct rt_writer *w, const char *bytes, size_t n)
{
	size_t some;
	int r = 0;

	for (; n && r == 0; bytes += some, n -= some) {
		some = n < PIECE ? n : PIECE;
		r = put_piece(w, bytes, some);
	}
	return r;
}

void rt_writer_put_tail(struct rt_writer *w, const char *tail, off_t at)
{
	pthread_mutex_lock(&w->lock);
	w->tail = tail;
	w->tail_at = at;
	pthread_cond_signal(&w->work);
	pthread_mutex_unlock(&w->lock);
}

int rt_writer_push(struct rt_writer *w)
{
	int r;

	pthread_mutex_lock(&w->lock);
	if (w->first)
		pthread_cond_signal(&w->work);
	r = w->failed;
	pthread_mutex_unlock(&w->lock);
	return r;
}

int rt_writer_wait(struct rt_writer *w)
{
	int r;

	pthread_mutex_lock(&w->lock);
	pthread_cond_signal(&w->work);
	while (w->first)
		pthread_cond_wait(&w->written, &w->lock);
	r = w->failed;
	pthread_mutex_unlock(&w->lock);
	return r;
}

bool rt_writer_is_behind(struct rt_writer *w)
{
	bool behind;

	pthread_mutex_lock(&w->lock);
	behind = w->n >= PIECES_MOST / 2;
	pthread_mutex_unlock(&w->lock);
	return behind;
}

void rt_writer_free(struct rt_writer *w)
{
	struct piece *piece;

	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->ends = true;
	pthread_cond_signal(&w->work);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	while ((piece = w->spare)) {
		w->spare = piece->next;
		free(piece);
	}
	pthread_cond_destroy(&w->written);
	pthread_cond_destroy(&w->work);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
