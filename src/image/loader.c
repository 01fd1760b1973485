/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/ask.h"
#include "image/private.h"

#define TIMEOUT_MS	2000

/*
 * Both formats are "\tNAME => PATH (0xADDRESS)" and "\tPATH (0xADDRESS)"; glibc has "NAME => not found" and, for the
 * vDSO, a name without a path; old ones "linux-vdso.so.1 =>  (0xADDRESS)".
 */
char *rt_loader_line(char *line, const char **missing)
{
	char *path = line + strspn(line, " \t"), *arrow = strstr(path, " => "), *end;

	*missing = NULL;
	if (arrow) {
		if (strncmp(arrow + 4, "not found", 9) == 0) {
			*arrow = '\0';
			*missing = path;
			return NULL;
		}
		path = arrow + 4;
	}
	end = NULL;
	for (arrow = strstr(path, " (0x"); arrow; arrow = strstr(arrow + 1, " (0x"))
		end = arrow;
	if (!end || !memchr(path, '/', (size_t)(end - path)))
		return NULL;
	*end = '\0';
	return path;
}

static int take_library(struct rt_images *images, const char *path, struct rt_error *err)
{
	struct rt_error why;
	struct rt_image *image;
	int ret = rt_image_open_library(path, NULL, &image, &why);

	if (ret == -ENOMEM)
		return rt_nomem(err);
	if (ret) {
		rt_images_incomplete(images, "%s", why.text);
		return 0;
	}
	return rt_images_take(images, image, err);
}

static int take_answer(struct rt_images *images, char *text, struct rt_error *err)
{
	const char *missing, *path;
	char *line, *rest = text;
	int ret;

	while ((line = strsep(&rest, "\n"))) {
		path = rt_loader_line(line, &missing);
		if (missing)
			rt_images_incomplete(images, "%s is not found", missing);
		if (!path)
			continue;
		ret = take_library(images, path, err);
		if (ret)
			return ret;
	}
	return 0;
}

/* Only what is named as the loaders of glibc and musl are (ld-linux-x86-64.so.2, ld-musl-x86_64.so.1): a file may name any program here. */
static bool is_loader(const char *interp)
{
	const char *slash = strrchr(interp, '/'), *name = slash ? slash + 1 : interp;

	return strncmp(name, "ld", 2) == 0 && strstr(name, ".so");
}

int rt_loader_list(struct rt_images *images, const char *interp, const char *path, struct rt_error *err)
{
	struct rt_answer answer = { .n = 0 };
	struct stat st;
	char *given;
	int ret;

	if (!is_loader(interp)) {
		rt_images_incomplete(images, "its loader %s is not one that is known", interp);
		return 0;
	}
	if (stat(interp, &st) < 0 || !S_ISREG(st.st_mode) || access(interp, X_OK) < 0) {
		rt_images_incomplete(images, "its loader %s cannot be run", interp);
		return 0;
	}
	if (st.st_mode & (S_ISUID | S_ISGID)) {
		rt_images_incomplete(images, "its loader %s is set-user-ID", interp);
		return 0;
	}
	/* A name without a slash would be looked for among the libraries, one that begins with '-' is an option. */
	if (asprintf(&given, "%s%s", path[0] == '/' ? "" : "./", path) < 0)
		return rt_nomem(err);
	ret = rt_ask((char *[]){ (char *)interp, (char *)"--list", given, NULL }, TIMEOUT_MS, &answer);
	free(given);
	if (ret == -ENOMEM) {
		free(answer.text);
		return rt_nomem(err);
	}
	if (ret)
		rt_images_incomplete(images, "its loader %s cannot be run: %s", interp, strerror(-ret));
	ret = answer.text ? take_answer(images, answer.text, err) : 0;
	if (answer.failure)
		rt_images_incomplete(images, "its loader %s %s", interp, answer.failure);
	if (ret == 0)	/* it names itself, but need not */
		ret = take_library(images, interp, err);
	free(answer.text);
	return ret;
}
