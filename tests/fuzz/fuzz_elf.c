/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "go/go.h"
#include "code/guess.h"
#include "code/prologue.h"
#include "symbols/function.h"
#include "symbols/unnamed.h"

/* All that is ever asked of a file, over any bytes. */

/* A probe never stands outside its function. */
static void move(const struct rt_function *f, struct rt_decoder *decoder)
{
	const struct rt_prologue_want want = { .emulated = RT_FORMS_ASSUMED };
	const struct rt_extent code = {
		.image = f->image, .addr = f->addr, .size = f->size, .sized = f->sized
	};
	struct rt_targets targets = { .n = 0 };
	struct rt_window window;
	struct rt_prologue p;

	rt_prologue_find(&code, decoder, &want, &p);
	if (p.skip && (p.skip >= f->size || p.skip > RT_PROLOGUE_MOST))
		abort();
	window = (struct rt_window){ .first = f->addr + 1, .last = f->addr + 1 + p.skip };
	rt_branches_find(f->image, &window, 1, &targets);
	rt_branches_enter(&targets, &window, 1);
	free(targets.v);
}

static void move_all(const struct rt_functions *functions)
{
	struct rt_decoder *decoder;
	size_t i;

	if (!functions->n || !rt_image_arch(functions->v[0].image)->form)
		return;
	decoder = rt_decoder_open(rt_image_arch(functions->v[0].image));
	for (i = 0; i < functions->n && i < 16; i++)
		move(&functions->v[i], decoder);
	rt_decoder_close(decoder);
}

/* Guess the arguments that their code reads, whatever the code is. */
static void guess_all(const struct rt_functions *functions)
{
	struct rt_guesser *guesser = functions->n ? rt_guesser_open(functions->v[0].image) : NULL;
	struct rt_guess guess;
	size_t i;

	for (i = 0; guesser && i < functions->n && i < 16; i++)
		if (functions->v[i].image == functions->v[0].image)
			rt_guess(guesser, functions->v[i].addr, functions->v[i].size, &guess);
	rt_guesser_close(guesser);
}

static void look_up(const struct rt_program *program, const char *text)
{
	struct rt_functions functions = { 0 };
	struct rt_spec spec;
	struct rt_error err;
	size_t i;

	if (rt_spec_parse(text, &rt_arch_x86_64, NULL, &spec, &err) == 0) {
		rt_functions_add(&functions, program, &spec, &err);
		for (i = 0; i < functions.n;
		     i++) /* a function that is given has code in the file */
			if (!rt_image_is_code(functions.v[i].image, functions.v[i].addr))
				abort();
		move_all(&functions);
		guess_all(&functions);
		rt_functions_free(&functions);
		rt_spec_free(&spec);
	}
}

/* The file as a program, and as its own library. */
static void import(const struct rt_program *program, const char *path)
{
	struct rt_functions functions = { 0 };
	struct rt_program both = { 0 };
	struct rt_image *v[2] = { program->v[0] };
	struct rt_spec spec;
	struct rt_error err;

	if (rt_image_open(path, "library", &v[1], &err))
		return;
	both.v = v;
	both.n = 2;
	if (rt_spec_parse("*", &rt_arch_x86_64, NULL, &spec, &err) == 0) {
		rt_functions_add_imports(&functions, &both, 1, &spec, &err);
		rt_functions_free(&functions);
		rt_spec_free(&spec);
	}
	rt_image_close(v[1]);
}

static void ask(struct rt_image *image)
{
	const struct rt_symbol *v;
	struct rt_error err;
	uint8_t buf[64];
	uint64_t offset;
	uint32_t skip;
	unsigned kind;
	size_t i, n;

	rt_image_offset(image, rt_image_entry(image), &offset);
	rt_image_is_code(image, UINT64_MAX);
	rt_image_read(image, rt_image_entry(image), buf, sizeof(buf));
	rt_image_imports(image, "puts");
	rt_image_unwinds(image);
	rt_go_type_name(image, rt_image_entry(image), (char *)buf, sizeof(buf), &kind);
	rt_go_place(image, rt_image_entry(image), &skip);
	rt_image_symbols(image, &v, &n, &err);
	rt_image_all_symbols(image, &v, &n, &err);
	for (i = 0; i < n; i++) {
		if (strchr(v[i].name, '@') > v[i].name || !rt_image_is_code(image, v[i].addr))
			abort();
		if (i && (v[i].addr < v[i - 1].addr || v[i].addr + v[i].size < v[i].addr))
			abort();
		rt_image_read(image, v[i].addr, buf, sizeof(buf));
	}
	rt_image_unnamed(image, &v, &n);
	for (i = 0; i < n; i++)
		if (!v[i].size || !rt_image_is_code(image, v[i].addr) ||
		    (i && v[i].addr <= v[i - 1].addr))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_program program = { 0 };
	char path[64];
	FILE *file;
	struct rt_image *image = fuzz_image(data, size, &file, path);

	if (image) {
		ask(image);
		program.v = malloc(sizeof(*program.v));
		if (!program.v)
			abort();
		program.v[program.n++] = image;
		look_up(&program, "*");
		look_up(&program, "fn_*");
		look_up(&program, "0x401000");
		look_up(&program, "main");
		look_up(&program, "strlne");
		look_up(&program, "ns::f");
		look_up(&program, "answer@@V2");
		look_up(&program, "libc:main");
		import(&program, path);
		rt_program_close(&program);
	}
	fclose(file);
	return 0;
}
