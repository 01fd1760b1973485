/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the libraries of a program without running its loader.  `ld.so --list` (ldd) runs code of
 * the program's choice: the file names its own loader (PT_INTERP), and glibc's runs the
 * constructors of DT_AUDIT libraries while it lists.  So the files are read, in the loader's order:
 *
 *   glibc (elf/dl-load.c, _dl_map_object): DT_RPATH of the file and its loading chain, unless it
 *   has
 *     DT_RUNPATH; LD_LIBRARY_PATH; DT_RUNPATH of the file alone; ld.so.cache; the default folders.
 *     In each folder glibc-hwcaps/NAME first.
 *   musl (ldso/dynlink.c, load_library): LD_LIBRARY_PATH; DT_RUNPATH or DT_RPATH of the file and
 *   its
 *     loading chain; the folders of /etc/ld-musl-ARCH.path.
 *
 * No search for a library that is loaded already: by its DT_SONAME, or a name asked for before.
 *
 * Limits: in folders, not in ld.so.cache, the old hwcaps of glibc up to 2.36 (haswell/, tls/) are
 * left out; so is GLIBC_TUNABLES, by which a user can take hwcaps away.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "process/ldcache.h"
#include "process/loader_file.h"
#include "elf/file.h"
#include "base/array.h"
#include "process/private.h"
#include "process/program.h"

/* The search ends at these numbers, so that a hostile file does not make it endless. */
enum { NAMES_MAX = 4096, TRIES_MAX = 200000 };
enum { LOADER_MAX = 16 << 20, CACHE_MAX = 4 << 20, LIST_MAX = 1 << 20 };

enum { NOBODY = -1 };

#define OLD_HWCAP_TLS (UINT64_C(1) << 63)

struct loaded {
	struct rt_image *image;
	int by; /* the index of the file that was first to need it, or NOBODY */
	char *folder; /* $ORIGIN */
};

struct search {
	struct rt_program *program;
	struct loaded *v;
	size_t n, cap;
	char **asked; /* the names that were searched for */
	size_t nasked, asked_cap;
	const char *interp;
	struct rt_image *loader; /* NULL: it is among the images, or cannot be opened */
	bool musl, secure;
	char *file_bytes, *cache, *musl_path;
	size_t cache_size;
	struct rt_loader_file file;
	unsigned tries;
	struct rt_error why; /* of the last file that was there and could not be used */
	bool wrong;
	struct rt_error *err;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The folder of a file, absolute; NULL: no memory, or it is not known. */
static char *folder_of(const char *path)
{
	char *here = path[0] == '/' ? NULL : getcwd(NULL, 0), *folder = NULL, *slash;

	if (path[0] == '/')
		folder = strdup(path);
	else if (here && asprintf(&folder, "%s/%s", here, path) < 0)
		folder = NULL;
	free(here);
	slash = folder ? strrchr(folder, '/') : NULL;
	if (slash)
		slash[slash == folder] = '\0';
	return folder;
}

/* ---- what is loaded ---- */

static int note_name(struct search *s, const char *name)
{
	if (RT_ROOM(&s->asked, s->nasked, &s->asked_cap))
		return rt_nomem(s->err);
	s->asked[s->nasked] = strdup(name);
	return s->asked[s->nasked++] ? 0 : rt_nomem(s->err);
}

/* Takes `image` over. */
static int add(struct search *s, struct rt_image *image, const char *path, int by)
{
	int r;

	if (RT_ROOM(&s->v, s->n, &s->cap)) {
		rt_image_close(image);
		return rt_nomem(s->err);
	}
	r = rt_program_take(s->program, image, s->err);
	if (r < 0)
		return r;
	s->v[s->n++] = (struct loaded){ .image = s->program->v[s->program->n - 1],
					.by = by,
					.folder = folder_of(path) };
	return 0;
}

static int add_loader(struct search *s)
{
	struct rt_image *loader = s->loader;

	s->loader = NULL;
	return loader ? add(s, loader, s->interp, NOBODY) : 0;
}

static bool is_same_file(const struct rt_image *a, const struct rt_image *b)
{
	return a->ino == b->ino && a->dev == b->dev;
}

/* The file is there and is of the program's kind: it is loaded, or has been. */
static int take_file(struct search *s, struct rt_image *image, const char *path, int by,
		     const char *name)
{
	size_t i;
	int r;

	if (s->loader && is_same_file(image, s->loader)) {
		rt_image_close(image);
		r = add_loader(s);
		return r < 0 ? r : note_name(s, name);
	}
	for (i = 0; i < s->n; i++) {
		if (is_same_file(image, s->v[i].image)) {
			rt_image_close(image);
			return note_name(s, name);
		}
	}
	r = add(s, image, path, by);
	return r < 0 ? r : note_name(s, name);
}

/* 1: it is loaded already. */
static int find_loaded(struct search *s, const char *name)
{
	int r = 0;
	size_t i;

	for (i = 0; i < s->nasked; i++)
		if (strcmp(s->asked[i], name) == 0)
			return 1;
	if (s->loader && (strcmp(name, s->interp) == 0 ||
			  (s->loader->soname && strcmp(name, s->loader->soname) == 0)))
		r = add_loader(s);
	for (i = 0; r == 0 && i < s->n; i++)
		if (s->v[i].image->soname && !s->musl && strcmp(s->v[i].image->soname, name) == 0)
			return 1;
	return r;
}

/* ---- one file that may be it ---- */

/* 1: it was found.  A file for another architecture is passed over, and one that is damaged. */
static int try_file(struct search *s, const char *path, int by, const char *name)
{
	struct rt_image *image;
	struct rt_error why;
	struct stat st;
	int r;

	if (++s->tries > TRIES_MAX || stat(path, &st) < 0 || S_ISDIR(st.st_mode))
		return 0;
	r = rt_image_open_library(path, NULL, &image, &why);
	if (r == -ENOMEM)
		return rt_nomem(s->err);
	if (r == 0 && image->arch != rt_program_executable(s->program)->arch) {
		rt_image_close(image);
		return 0;
	}
	if (r < 0) {
		s->wrong |= r != -ENOEXEC;
		if (r != -ENOEXEC)
			s->why = why;
		return 0;
	}
	r = take_file(s, image, path, by, name);
	return r < 0 ? r : 1;
}

static int try_path(struct search *s, int by, const char *name, const char *folder, const char *sub,
		    const char *subname)
{
	size_t n = strlen(folder);
	char path[PATH_MAX];
	int wrote;

	while (n > 1 && folder[n - 1] == '/')
		n--;
	wrote = snprintf(path, sizeof(path), "%.*s/%s%s%s%s",
			 n == 1 && folder[0] == '/' ? 0 : (int)n, folder, sub, subname,
			 *sub ? "/" : "", name);
	return wrote > 0 && (size_t)wrote < sizeof(path) ? try_file(s, path, by, name) : 0;
}

/* "" is the current folder, as in PATH. */
static int try_folder(struct search *s, int by, const char *name, const char *folder)
{
	const struct rt_arch *arch = rt_program_executable(s->program)->arch;
	const char *hwcap;
	unsigned i;
	int r = 0;

	if (!*folder)
		folder = ".";
	for (i = 0; r == 0 && s->file.hwcaps && arch->hwcaps && (hwcap = arch->hwcaps(i)); i++)
		r = try_path(s, by, name, folder, "glibc-hwcaps/", hwcap);
	return r ? r : try_path(s, by, name, folder, "", "");
}

/* ---- lists of folders ---- */

/* The value of $LIB: "lib/x86_64-linux-gnu" of "/lib/x86_64-linux-gnu/". */
static void put_lib(const struct search *s, FILE *out)
{
	const char *folder = s->file.folders + (strncmp(s->file.folders, "/usr/", 5) == 0 ? 4 : 0);

	if (strncmp(folder, "/lib", 4) != 0)
		fputs("lib", out);
	else
		fwrite(folder + 1, 1, strlen(folder) - 2, out);
}

/* Is it $NAME or ${NAME}?  Its length, without the '$'. */
static size_t token(const char *at, const char *end, const char *name)
{
	size_t n = strlen(name), brace = at < end && *at == '{';
	const char *after = at + brace + n;

	if ((size_t)(end - at) < brace + n + brace || strncmp(at + brace, name, n) != 0)
		return 0;
	if (brace)
		return *after == '}' ? n + 2 : 0;
	return after < end && (isalnum((unsigned char)*after) || *after == '_') ? 0 : n;
}

/*
 * A piece of a list with its $ORIGIN, $LIB and $PLATFORM, in a buffer of malloc; NULL: it cannot be
 * used.
 */
static char *expand(const struct search *s, int by, const char *at, const char *end)
{
	char *text = NULL;
	bool usable = true;
	size_t n, skip;
	FILE *out = open_memstream(&text, &n);

	for (; out && at < end; at++) {
		if (*at != '$') {
			putc(*at, out);
		} else if ((skip = token(at + 1, end, "ORIGIN"))) {
			/* A setuid program takes no library from a folder that its user chooses. */
			usable &= s->v[by].folder && !s->secure;
			fputs(s->v[by].folder ? s->v[by].folder : "", out);
			at += skip;
		} else if (!s->musl && (skip = token(at + 1, end, "LIB"))) {
			put_lib(s, out);
			at += skip;
		} else if (!s->musl && (skip = token(at + 1, end, "PLATFORM"))) {
			fputs(rt_program_executable(s->program)->arch->platform(), out);
			at += skip;
		} else {
			usable &= !s->musl;
			putc(*at, out);
		}
	}
	if (out && fclose(out) == 0 && usable)
		return text;
	free(text);
	return NULL;
}

/* The folders of `list`, NULL: none, as the file `by` has them. */
static int try_list(struct search *s, int by, const char *name, const char *list,
		    const char *separators)
{
	const char *at = list, *end;
	char *folder;
	int r = 0;

	if (!list || !*list)
		return 0;
	for (;; at = end + 1) {
		end = at + strcspn(at, separators);
		folder = s->musl && at == end ? NULL : expand(s, by, at, end);
		if (folder)
			r = try_folder(s, by, name, folder);
		free(folder);
		if (r || !*end || ++s->tries > TRIES_MAX)
			return r;
	}
}

/* ---- where the loaders look ---- */

static bool is_default_folder(const struct search *s, const char *path)
{
	const char *folder = s->file.folders;
	size_t i;

	for (i = 0; i < s->file.nfolders; i++, folder += strlen(folder) + 1)
		if (strncmp(path, folder, strlen(folder)) == 0)
			return true;
	return false;
}

static int try_cache(struct search *s, int by, const char *name)
{
	const struct rt_arch *arch = rt_program_executable(s->program)->arch;
	const struct rt_ldcache_want want = {
		.name = name,
		.flags = arch->cache_flags,
		.hwcaps = s->file.hwcaps ? arch->hwcaps : NULL,
		.old_hwcaps = OLD_HWCAP_TLS | (getauxval(AT_HWCAP) & arch->cache_hwcap),
	};
	const char *path = s->cache ? rt_ldcache_find(s->cache, s->cache_size, &want) : NULL;

	if (!path || (s->v[by].image->dynamic.no_default_folders && is_default_folder(s, path)))
		return 0;
	return try_file(s, path, by, name);
}

static int try_defaults(struct search *s, int by, const char *name)
{
	const char *folder = s->file.folders;
	size_t i;
	int r = 0;

	if (s->v[by].image->dynamic.no_default_folders)
		return 0;
	for (i = 0; r == 0 && i < s->file.nfolders; i++, folder += strlen(folder) + 1)
		r = try_folder(s, by, name, folder);
	return r;
}

static const char *library_path(const struct search *s)
{
	return s->secure ? NULL : getenv("LD_LIBRARY_PATH");
}

static const char *rpath_of(const struct search *s, int i)
{
	const struct rt_dynamic *d = &s->v[i].image->dynamic;

	return d->runpath ? NULL : d->rpath;
}

static int search_glibc(struct search *s, int by, const char *name)
{
	const char *runpath = s->v[by].image->dynamic.runpath;
	bool program = false;
	int i, r = 0;

	for (i = by; r == 0 && !runpath && i != NOBODY; i = s->v[i].by) {
		r = try_list(s, i, name, rpath_of(s, i), ":");
		program |= i == 0;
	}
	if (r == 0 && !runpath && !program)
		r = try_list(s, 0, name, rpath_of(s, 0), ":");
	if (r == 0)
		r = try_list(s, 0, name, library_path(s), ":;");
	if (r == 0)
		r = try_list(s, by, name, runpath, ":");
	if (r == 0)
		r = try_cache(s, by, name);
	return r ? r : try_defaults(s, by, name);
}

static int search_musl(struct search *s, int by, const char *name)
{
	const struct rt_dynamic *d;
	int i, r = try_list(s, 0, name, library_path(s), ":\n");

	for (i = by; r == 0 && i != NOBODY; i = s->v[i].by) {
		d = &s->v[i].image->dynamic;
		r = try_list(s, i, name, d->runpath ? d->runpath : d->rpath, ":");
	}
	return r ? r
		 : try_list(s, 0, name,
			    s->musl_path ? s->musl_path : "/lib:/usr/local/lib:/usr/lib", ":\n");
}

/* musl's loader is its C library, and takes the names of all that is in it for itself. */
static bool is_musl_itself(const char *name)
{
	static const char *const parts[] = {
		"c.", "pthread.", "rt.", "m.", "dl.", "util.", "xnet."
	};
	size_t i;

	for (i = 0; strncmp(name, "lib", 3) == 0 && i < RT_COUNT(parts); i++)
		if (strncmp(name + 3, parts[i], strlen(parts[i])) == 0)
			return true;
	return false;
}

static int search_any(struct search *s, int by, const char *name)
{
	char *path;
	int r;

	if (s->musl && is_musl_itself(name)) {
		r = add_loader(s);
		return r < 0 ? r : 1;
	}
	if (!strchr(name, '/'))
		return s->musl ? search_musl(s, by, name) : search_glibc(s, by, name);
	path = s->musl ? strdup(name) : expand(s, by, name, name + strlen(name));
	r = path ? try_file(s, path, by, name) : 0;
	free(path);
	return r;
}

/* Load the libraries that the file `by` needs.  The loader ignores missing optional ones. */
static int need(struct search *s, int by, const char *name, bool optional)
{
	int r = find_loaded(s, name);

	if (r)
		return r < 0 ? r : 0;
	if (s->nasked >= NAMES_MAX || s->tries > TRIES_MAX) {
		rt_program_incomplete(s->program,
				     "they are too many, or are looked for in too many folders");
		return 0;
	}
	s->wrong = false;
	r = search_any(s, by, name);
	if (r || optional)
		return r < 0 ? r : 0;
	if (s->wrong)
		rt_program_incomplete(s->program, "%s", s->why.text);
	else
		rt_program_incomplete(s->program, "%s is not found", name);
	return note_name(s, name);
}

/* ---- the whole process ---- */

/* Libraries that the process is given: by LD_PRELOAD, say. */
static int need_list(struct search *s, const char *list, const char *separators)
{
	const char *end;
	char *name;
	int r = 0;

	for (; list && *list && r == 0; list = *end ? end + 1 : end) {
		end = list + strcspn(list, separators);
		if (end == list)
			continue;
		name = strndup(list, (size_t)(end - list));
		r = name ? need(s, 0, name, true) : rt_nomem(s->err);
		free(name);
	}
	return r;
}

/* A line's rest behind '#' does not count. */
static int need_preload_file(struct search *s)
{
	size_t n;
	char *text = rt_loader_read("/etc/ld.so.preload", LIST_MAX, &n), *at = text;
	int r;

	while (at && (at = strchr(at, '#')))
		memset(at, ' ', strcspn(at, "\n"));
	r = need_list(s, text, ": \t\n");
	free(text);
	return r;
}

/* Breadth first. */
static int need_all(struct search *s, size_t *done)
{
	const struct rt_strings *needed;
	size_t i;
	int r = 0;

	for (; r == 0 && *done < s->n; ++*done) {
		needed = &s->v[*done].image->needed;
		for (i = 0; r == 0 && i < needed->n; i++)
			r = need(s, (int)*done, needed->v[i], false);
	}
	return r;
}

/* Libraries that audit (rtld-audit(7)) have a namespace of their own: they come last. */
static int need_audit(struct search *s)
{
	const struct rt_dynamic *d = &s->v[0].image->dynamic;
	int r = s->secure ? 0 : need_list(s, getenv("LD_AUDIT"), ":");

	if (r == 0)
		r = need_list(s, d->audit, ":");
	return r ? r : need_list(s, d->depaudit, ":");
}

static int need_everything(struct search *s)
{
	size_t done = 0;
	int r = s->secure ? 0 : need_list(s, getenv("LD_PRELOAD"), ": \t\n");

	if (r == 0 && !s->musl)
		r = need_preload_file(s);
	if (r == 0)
		r = need_all(s, &done);
	if (r == 0 && !s->musl)
		r = need_audit(s);
	if (r == 0)
		r = need_all(s, &done);
	return r ? r : add_loader(s);
}

/*
 * Does the program run with other rights than its user's (AT_SECURE)?  Then loaders do not listen
 * to him.  security.capability is looked at for any user but root, who has those rights.
 */
static bool is_privileged(const char *path)
{
	struct statvfs fs;
	struct stat st;

	if (stat(path, &st) < 0 || (statvfs(path, &fs) == 0 && (fs.f_flag & ST_NOSUID)))
		return false;
	return ((st.st_mode & S_ISUID) && st.st_uid != getuid()) ||
	       ((st.st_mode & S_ISGID) && st.st_gid != getgid()) ||
	       (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0);
}

/* musl: its list of folders is in etc beside the folder that its loader is in. */
static void read_musl_path(struct search *s)
{
	const char *name = base_name(s->interp), *dot = strstr(name, ".so");
	size_t n, prefix = (size_t)(name - s->interp);
	char path[PATH_MAX];
	int wrote;

	while (prefix && s->interp[prefix - 1] == '/')
		prefix--;
	while (prefix && s->interp[prefix - 1] != '/')
		prefix--;
	wrote = snprintf(path, sizeof(path), "%.*s/etc/%.*s.path", prefix ? (int)prefix - 1 : 0,
			 s->interp, dot ? (int)(dot - name) : 0, name);
	if (wrote > 0 && (size_t)wrote < sizeof(path))
		s->musl_path = rt_loader_read(path, LIST_MAX, &n);
}

static void read_files(struct search *s)
{
	size_t n;

	s->file_bytes = s->musl ? NULL : rt_loader_read(s->interp, LOADER_MAX, &n);
	rt_loader_file_read(s->file_bytes ? s->file_bytes : "", s->file_bytes ? n : 0, &s->file);
	if (!s->musl && !s->file.known)
		rt_program_incomplete(s->program, "its loader %s is not one that is known",
				     s->interp);
	if (s->musl)
		read_musl_path(s);
	else if (s->file.cache)
		s->cache = rt_loader_read(s->file.cache, CACHE_MAX, &s->cache_size);
}

static int open_loader(struct search *s)
{
	struct rt_error why;
	int r = rt_image_open_library(s->interp, NULL, &s->loader, &why);

	if (r == -ENOMEM)
		return rt_nomem(s->err);
	if (r < 0)
		rt_program_incomplete(s->program, "%s", why.text);
	return 0;
}

static void release(struct search *s)
{
	while (s->n)
		free(s->v[--s->n].folder);
	free(s->v);
	while (s->nasked)
		free(s->asked[--s->nasked]);
	free(s->asked);
	rt_image_close(s->loader);
	free(s->file_bytes);
	free(s->cache);
	free(s->musl_path);
}

int rt_loader_list(struct rt_program *program, const char *interp, const char *path,
		   struct rt_error *err)
{
	struct search s = {
		.program = program,
		.interp = interp,
		.musl = strncmp(base_name(interp), "ld-musl", 7) == 0,
		.secure = is_privileged(path),
		.err = err,
	};
	int r = 0;

	if (RT_ROOM(&s.v, s.n, &s.cap))
		return rt_nomem(err);
	s.v[s.n++] = (struct loaded){ .image = rt_program_executable(program),
				      .by = NOBODY,
				      .folder = folder_of(path) };
	r = open_loader(&s);
	if (r == 0) {
		read_files(&s);
		r = need_everything(&s);
	}
	release(&s);
	return r;
}
