/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "stream/members.h"

/* The file of a process. */
struct file {
	pid_t pid;
	char *path;
	struct rt_trace trace;		/* as the session's, of one process */
	struct rt_sink sink;
};

struct files {
	const struct rt_sink_ops *each;
	struct file **v;
	size_t n, cap;
	char **notes;			/* remarks before the first file */
	size_t nnotes, notes_cap;
	bool some;			/* there was a file */
	struct rt_members closed;	/* processes with closed files */
	struct rt_error err;		/* why a file could not be written */
};

int rt_files_init(struct rt_sink *sink, const struct rt_sink_ops *each)
{
	struct files *files = calloc(1, sizeof(*files));

	if (!files)
		return -ENOMEM;
	files->each = each;
	sink->ops = &rt_sink_files;
	sink->state = files;
	return 0;
}

static int files_begin(struct rt_sink *sink)
{
	(void)sink;
	return 0;
}

/* The name of the next file of process `pid`.  Malloced; NULL: out of memory. */
static char *make_path(const struct files *files, const char *name, pid_t pid)
{
	unsigned i = 1;
	char *path;

	if (asprintf(&path, "%s.%d", name, (int)pid) < 0)
		return NULL;
	while (rt_members_has(&files->closed, pid) && access(path, F_OK) == 0) {
		free(path);
		if (asprintf(&path, "%s.%d.%u", name, (int)pid, ++i) < 0)
			return NULL;
	}
	return path;
}

static void free_file(struct file *file)
{
	if (file->sink.file)
		file->sink.ops->free(&file->sink);
	rt_out_file_close(&file->sink.to);
	free(file->path);
	free(file);
}

static int open_file(struct rt_sink *sink, struct file *file)
{
	struct files *files = sink->state;
	size_t i;
	int r;

	file->path = make_path(files, sink->to.path, file->pid);
	if (!file->path)
		return -ENOMEM;
	file->trace = *sink->trace;
	file->trace.processes = false;
	file->trace.first = 0;
	/* It is the name of the first process alone. */
	if (files->some)
		file->trace.command = NULL;
	file->sink = (struct rt_sink){
		.ops = files->each, .trace = &file->trace, .index = sink->index
	};
	rt_out_file_choose(&file->sink.to, file->path, -1);
	file->sink.to.append = sink->to.append;
	r = rt_out_file_open(&file->sink.to, sink->program, &files->err);
	if (r < 0)
		return r;
	file->sink.file = file->sink.to.stream;
	r = files->each->begin(&file->sink);
	for (i = 0; i < files->nnotes && r == 0; i++)
		r = files->each->note(&file->sink, files->notes[i]);
	files->some = true;
	return r;
}

static struct file *find_file(const struct files *files, pid_t pid)
{
	size_t i;

	for (i = 0; i < files->n; i++)
		if (files->v[i]->pid == pid)
			return files->v[i];
	return NULL;
}

/* The file of a process, opened when it is new. */
static int get_file(struct rt_sink *sink, pid_t pid, struct file **file)
{
	struct files *files = sink->state;
	int r;

	*file = find_file(files, pid);
	if (*file)
		return 0;
	if (RT_ROOM(&files->v, files->n, &files->cap) < 0)
		return -ENOMEM;
	*file = calloc(1, sizeof(**file));
	if (!*file)
		return -ENOMEM;
	(*file)->pid = pid;
	r = open_file(sink, *file);
	if (r < 0) {
		free_file(*file);
		return r;
	}
	files->v[files->n++] = *file;
	return 0;
}

static int files_note(struct rt_sink *sink, const char *text)
{
	struct files *files = sink->state;
	size_t i;
	int r = 0;

	for (i = 0; i < files->n && r == 0; i++)
		r = files->each->note(&files->v[i]->sink, text);
	if (files->some)
		return r;
	if (RT_ROOM(&files->notes, files->nnotes, &files->notes_cap) < 0)
		return -ENOMEM;
	files->notes[files->nnotes] = strdup(text);
	return files->notes[files->nnotes++] ? 0 : -ENOMEM;
}

static int files_enter(struct rt_sink *sink, struct rt_thread *thread,
		       const struct rt_frame *frame, const struct rt_values *args)
{
	struct file *file;
	int r = get_file(sink, thread->pid, &file);

	return r < 0 ? r : file->sink.ops->enter(&file->sink, thread, frame, args);
}

static int files_leave(struct rt_sink *sink, struct rt_thread *thread,
		       const struct rt_frame *frame, enum rt_end end, uint64_t time,
		       const struct rt_values *result)
{
	struct file *file;
	int r = get_file(sink, thread->pid, &file);

	return r < 0 ? r : file->sink.ops->leave(&file->sink, thread, frame, end, time, result);
}

static int files_lost(struct rt_sink *sink, struct rt_thread *thread, uint64_t time, uint64_t count)
{
	struct files *files = sink->state;
	struct file *file;
	size_t i;
	int r = 0;

	if (thread) {
		r = get_file(sink, thread->pid, &file);
		return r < 0 ? r : file->sink.ops->lost(&file->sink, thread, time, count);
	}
	for (i = 0; i < files->n && r == 0; i++)
		r = files->each->lost(&files->v[i]->sink, NULL, time, count);
	return r;
}

static void files_gone(struct rt_sink *sink, struct rt_thread *thread)
{
	const struct files *files = sink->state;
	struct file *file = find_file(files, thread->pid);

	if (file && files->each->gone)
		files->each->gone(&file->sink, thread);
	/* The thread's data of the sink may be freed with the file. */
	thread->user[sink->index] = NULL;
}

/* Write the end of the file, and close it. */
static int end_file(struct files *files, struct file *file)
{
	int r = files->each->end(&file->sink);

	if (rt_out_file_flush(&file->sink.to, &files->err) < 0)
		r = -EIO;
	free_file(file);
	return r;
}

static int files_exited(struct rt_sink *sink, pid_t pid, int status)
{
	struct files *files = sink->state;
	struct file *file;
	int r = get_file(sink, pid, &file);
	size_t i;

	if (r == 0 && files->each->exited)
		r = files->each->exited(&file->sink, pid, status);
	if (r < 0)
		return r;
	for (i = 0; files->v[i] != file; i++)
		;
	files->v[i] = files->v[--files->n];
	r = end_file(files, file);
	return rt_members_add(&files->closed, pid) < 0 ? -ENOMEM : r;
}

static int files_end(struct rt_sink *sink)
{
	struct files *files = sink->state;
	int r = 0;

	while (files->n && r == 0)
		r = end_file(files, files->v[--files->n]);
	return r;
}

static void files_free(struct rt_sink *sink)
{
	struct files *files = sink->state;

	while (files->n)
		free_file(files->v[--files->n]);
	free(files->v);
	while (files->nnotes)
		free(files->notes[--files->nnotes]);
	free(files->notes);
	rt_members_free(&files->closed);
	free(files);
	sink->state = NULL;
}

int rt_files_flush(struct rt_sink *sink, struct rt_error *err)
{
	struct files *files = sink->state;
	size_t i;
	int r = files->err.text[0] ? -EIO : 0;

	for (i = 0; i < files->n && r == 0; i++)
		r = rt_out_file_flush(&files->v[i]->sink.to, &files->err);
	if (r < 0)
		*err = files->err;
	return r;
}

void rt_files_put_tails(struct rt_sink *sink)
{
	const struct files *files = sink->state;
	size_t i;

	for (i = 0; i < files->n; i++)
		rt_out_file_put_tail(&files->v[i]->sink.to, files->each->tail);
}

const struct rt_sink_ops rt_sink_files = {
	.name = "files",
	.begin = files_begin,
	.note = files_note,
	.enter = files_enter,
	.leave = files_leave,
	.lost = files_lost,
	.gone = files_gone,
	.exited = files_exited,
	.end = files_end,
	.free = files_free,
};
