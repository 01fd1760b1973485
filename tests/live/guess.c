/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compare guesses at the functions of files with their debug information: `guess FILE...` prints a
 * line a file, `guess -v` one a difference too.  Functions with parameters outside the integer
 * registers are left out.
 */
#include <stdio.h>
#include <string.h>

#include "fetch/abi.h"
#include "dwarf/dwarf.h"
#include "code/guess.h"
#include "elf/image.h"
#include "plan/signature.h"

/* The ways to show a result. */
enum shown { NONE, NUMBER, GUESS, NOT_KNOWN, SHOWN };

struct rate {
	unsigned functions, undecided, same, fewer, more;	/* numbers of arguments */
	unsigned arguments,
		width; /* of those with the same number: all, and those whose width is right */
	unsigned no_result, wrong_no_result;
	unsigned results[2][SHOWN];	/* of functions without a result, and with one */
	unsigned named, by_name, wrong_name; /* of C++: all, those whose name's types were taken,
						and those where these are in wrong places */
};

/* The bytes of a parameter in its register, 0: it is not in one alone. */
static unsigned bytes_of(const struct rt_ctype *type)
{
	switch (type ? type->kind : RT_CT_UNKNOWN) {
	case RT_CT_BOOL: case RT_CT_CHAR: case RT_CT_INT: case RT_CT_ENUM:
		return type->size <= 4 ? 4 : type->size == 8 ? 8 : 0;
	case RT_CT_POINTER: case RT_CT_REFERENCE:
		return 8;
	default:
		return 0;
	}
}

static bool is_plain(const struct rt_prototype *p)
{
	unsigned i;

	for (i = 0; i < p->nparams; i++)
		if (!bytes_of(p->params[i].type))
			return false;
	/* A result in memory takes the first register. */
	return p->nparams <= RT_USE_ARGS && (!p->result || p->result->kind == RT_CT_VOID ||
					     bytes_of(p->result) || p->result->kind == RT_CT_FLOAT);
}

static void compare(const struct rt_prototype *p, const struct rt_guess *g, struct rate *rate)
{
	unsigned i;

	rate->functions++;
	rate->undecided += !g->decided;
	if (!g->decided)
		return;
	rate->same += g->nargs == p->nparams;
	rate->fewer += g->nargs < p->nparams;
	rate->more += g->nargs > p->nparams;
	rate->no_result += g->no_result;
	rate->wrong_no_result += g->not_integer && p->result && bytes_of(p->result);
	for (i = 0; g->nargs == p->nparams && i < g->nargs; i++) {
		rate->arguments++;
		rate->width += bytes_of(p->params[i].type) == (g->bytes[i] ? g->bytes[i] : 8);
	}
}

/*
 * The contents of the registers for integers: 'p' pointers, '4' and '8' numbers; '?' if they are
 * not known from there on.
 */
static void map(const struct rt_prototype *p, bool hidden, char *to)
{
	unsigned i, n = 0;

	if (hidden)
		to[n++] = 'p';
	for (i = 0; i < p->nparams && n < RT_USE_ARGS; i++) {
		const struct rt_ctype *type = p->params[i].type;

		if (type && type->kind == RT_CT_FLOAT)
			continue;
		to[n] = rt_ctype_is_pointer(type) || (type && type->by_reference) ? 'p'
			: bytes_of(type) == 4					  ? '4'
			: bytes_of(type)					  ? '8'
										  : '?';
		/* Behind what has no name the guess goes on. */
		if (type && (type->style == RT_STYLE_GUESSED || type->style == RT_STYLE_REGISTER))
			to[n] = '?';
		if (to[n++] == '?')
			break;
	}
	to[n] = '\0';
}

/* The types that its name has, are they in their places? */
static void compare_named(const struct rt_symbol *s, struct rt_image *image,
			  struct rt_guesser *guesser, const struct rt_prototype *told,
			  const struct rt_guess *guess, struct rt_types *types, struct rate *rate,
			  bool verbose)
{
	char want[RT_USE_ARGS + 2], have[RT_USE_ARGS + 2];
	struct rt_prototype p;
	struct rt_abi_location home;
	size_t n;

	if (strncmp(s->name, "_Z", 2) != 0 || told->convention != RT_CONVENTION_C)
		return;
	rate->named++;
	if (rt_guess_prototype(guesser, s->addr, s->size, types, &p) < 0 ||
	    rt_signature_cxx(s->name, rt_image_arch(image), guess, types, &p) < 0 || !p.by_name)
		return;
	rate->by_name++;
	rt_abi_result(rt_image_arch(image), told->result, &home);
	map(told, told->result && home.kind == RT_ABI_POINTER, want);
	map(&p, false, have);
	n = strcspn(want, "?") < strcspn(have, "?") ? strcspn(want, "?") : strcspn(have, "?");
	/* Names at the end that were not read are only missing. */
	if (strncmp(want, have, n) == 0 && (!have[n] || want[n] == '?' || have[n] == '?'))
		return;
	rate->wrong_name++;
	if (verbose)
		printf("  %s: %s by its name, not %s\n", s->name, have, want);
}

static void compare_result(const struct rt_symbol *s, struct rt_guesser *guesser,
			   const struct rt_prototype *told, struct rt_types *types,
			   struct rate *rate, bool verbose)
{
	static const char *const words[SHOWN] = { "none", "a number", "a guess", "not known" };
	const bool has = told->result && told->result->kind != RT_CT_VOID;
	struct rt_prototype p;
	enum shown shown;

	if (rt_guess_prototype(guesser, s->addr, s->size, types, &p) < 0)
		return;
	shown = p.result->kind == RT_CT_VOID	  ? NONE
		: p.result->kind == RT_CT_UNKNOWN ? NOT_KNOWN
		: p.result_guessed		  ? GUESS
						  : NUMBER;
	rate->results[has][shown]++;
	if (verbose && shown == (has ? NONE : NUMBER))
		printf("  %s: result is %s by the guess\n", s->name, words[shown]);
}

static void say(const char *name, const struct rt_prototype *p, const struct rt_guess *g)
{
	if (!g->decided || g->nargs != p->nparams)
		printf("  %s: %u, not %u%s\n", name, g->nargs, p->nparams,
		       g->decided ? "" : " (not decided)");
}

static int guess_file(const char *path, bool verbose)
{
	struct rate r = { 0 };
	struct rt_types *types = rt_types_new();
	const struct rt_symbol *v;
	struct rt_guesser *guesser;
	struct rt_image *image;
	struct rt_prototype p;
	struct rt_error err;
	struct rt_guess g;
	size_t i, n;

	if (rt_image_open(path, NULL, &image, &err) || rt_image_symbols(image, &v, &n, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	guesser = rt_guesser_open(image);
	if (!guesser) {
		printf("no decoder\n");
		return 0;
	}
	for (i = 0; i < n; i++) {
		if (v[i].kind != RT_SYM_FUNC || !v[i].sized || strchr(v[i].name, '.') ||
		    (i && v[i - 1].addr == v[i].addr))
			continue;
		if (rt_dwarf_prototype(image, v[i].addr, types, &p, &err))
			continue;
		rt_guess(guesser, v[i].addr, v[i].size, &g);
		compare_named(&v[i], image, guesser, &p, &g, types, &r, verbose);
		r.wrong_no_result += g.no_result && p.result && p.result->kind == RT_CT_FLOAT;
		/* open() and the like read the unnamed one where it is passed. */
		if (!is_plain(&p) || (p.variadic && !g.variadic))
			continue;
		compare(&p, &g, &r);
		compare_result(&v[i], guesser, &p, types, &r, verbose);
		if (verbose)
			say(v[i].name, &p, &g);
	}
	printf("%s: %u functions, number of arguments right %u, fewer %u, more %u, undecided %u; "
	       "width right %u of %u; "
	       "no result by the code %u, wrong %u\n",
	       strrchr(path, '/') ? strrchr(path, '/') + 1 : path, r.functions, r.same, r.fewer,
	       r.more, r.undecided, r.width, r.arguments, r.no_result, r.wrong_no_result);
	printf("%s: results: of void functions void %u, number %u, guess %u, unknown %u; of others "
	       "void %u, number %u, guess %u, unknown %u\n",
	       strrchr(path, '/') ? strrchr(path, '/') + 1 : path, r.results[0][NONE],
	       r.results[0][NUMBER], r.results[0][GUESS], r.results[0][NOT_KNOWN],
	       r.results[1][NONE], r.results[1][NUMBER], r.results[1][GUESS],
	       r.results[1][NOT_KNOWN]);
	if (r.named)
		printf("%s: %u functions of C++, by their names %u, wrong %u\n",
		       strrchr(path, '/') ? strrchr(path, '/') + 1 : path, r.named, r.by_name,
		       r.wrong_name);
	rt_guesser_close(guesser);
	rt_image_close(image);
	rt_types_free(types);
	return 0;
}

int main(int argc, char **argv)
{
	int i, failed = 0;
	bool verbose = argc > 1 && strcmp(argv[1], "-v") == 0;

	for (i = 1 + verbose; i < argc; i++)
		failed |= guess_file(argv[i], verbose);
	return failed;
}
