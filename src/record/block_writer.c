/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/block_writer.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

/* On a busy machine either thread may wait tens of ms for a CPU: the other one goes ahead. */
enum { PLACES = 8 };

struct rt_block_writer {
	FILE *file;
	pthread_t thread;
	sem_t empty, full;		/* how many places are */
	struct place {
		enum rt_block_kind kind;
		struct rt_bytes bytes;
		bool ends;		/* it is no block: no other block comes */
	} v[PLACES];
	unsigned next;			/* the place of the next block that is put */
	int failed;			/* the thread's result */
};

static void await(sem_t *semaphore)
{
	while (sem_wait(semaphore) < 0 && errno == EINTR)
		;
}

static void *write_blocks(void *ctx)
{
	struct rt_block_writer *w = ctx;
	const struct place *place;
	unsigned i;
	int r;

	for (i = 0; ; i++) {
		await(&w->full);
		place = &w->v[i % PLACES];
		if (place->ends)
			return NULL;
		r = rt_blocks_write(w->file, place->kind, &place->bytes);
		w->failed = r < 0 ? r : w->failed;
		sem_post(&w->empty);
	}
}

struct rt_block_writer *rt_block_writer_new(FILE *file)
{
	struct rt_block_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->file = file;
	sem_init(&w->empty, 0, PLACES);
	sem_init(&w->full, 0, 0);
	/* It inherits the mask of signals: the session reads all of them from its signalfd. */
	if (pthread_create(&w->thread, NULL, write_blocks, w) == 0)
		return w;
	free(w);
	return NULL;
}

void rt_block_writer_put(struct rt_block_writer *w, enum rt_block_kind kind,
			 const struct rt_bytes *bytes)
{
	struct place *place = &w->v[w->next++ % PLACES];

	await(&w->empty);
	place->kind = kind;
	place->bytes.n = 0;
	if (bytes->n)
		rt_bytes_add(&place->bytes, bytes->v, bytes->n);
	place->bytes.failed |= bytes->failed;
	sem_post(&w->full);
}

int rt_block_writer_end(struct rt_block_writer *w)
{
	unsigned i;
	int r;

	await(&w->empty);
	w->v[w->next % PLACES].ends = true;
	sem_post(&w->full);
	pthread_join(w->thread, NULL);
	r = w->failed;
	sem_destroy(&w->empty);
	sem_destroy(&w->full);
	for (i = 0; i < PLACES; i++)
		rt_bytes_free(&w->v[i].bytes);
	free(w);
	return r;
}
