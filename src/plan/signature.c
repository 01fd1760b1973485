/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/signature.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "code/guess.h"
#include "dwarf/dwarf.h"
#include "elf/image.h"
#include "fetch/abi.h"
#include "go/go.h"
#include "lang/probes.h"
#include "lang/spec.h"
#include "plan/usdt.h"
#include "symbols/demangle.h"

/* The guesses of one file. */
struct guesses {
	struct rt_image *image;
	struct rt_guesser *guesser;
};

struct rt_signatures {
	struct rt_probes *probes;
	bool no_probes;			/* they could not be read */
	struct guesses *guesses;
	size_t nguesses, guesses_cap;
	/* names of C++ that were looked at for types, each of which takes a kilobyte and more */
	unsigned named;
};

enum { NAMED_MAX = 10000 };

struct rt_signatures *rt_signatures_new(void)
{
	return calloc(1, sizeof(struct rt_signatures));
}

void rt_signatures_only_guess(struct rt_signatures *s)
{
	s->named = NAMED_MAX;
}

void rt_signatures_free(struct rt_signatures *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->nguesses; i++)
		rt_guesser_close(s->guesses[i].guesser);
	free(s->guesses);
	rt_probes_free(s->probes);
	free(s);
}

const char *rt_origin_name(enum rt_origin origin)
{
	static const char *const names[] = {
		"nothing", "what was given", "debug information", "the prototypes of its library",
		"the probe's note",
		"what Go keeps for its own tracebacks", "a guess from its code",
	};

	return (unsigned)origin < RT_COUNT(names) ? names[origin] : names[0];
}

/* The library's function by any of its names. */
static const struct rt_prototype *of_library(struct rt_signatures *s, const struct rt_function *f)
{
	const char *soname = rt_image_soname(f->image);
	const struct rt_prototype *p;
	const struct rt_symbol *v;
	size_t i, n;

	if (!soname || s->no_probes)
		return NULL;
	if (!s->probes) {
		s->probes = rt_probes_new(rt_image_arch(f->image));
		s->no_probes = !s->probes || rt_probes_load_all(s->probes, NULL) < 0;
		if (s->no_probes)
			return NULL;
	}
	p = rt_probes_prototype(s->probes, soname, rt_function_symbol(f));
	if (p || rt_image_symbols(f->image, &v, &n, NULL) < 0)
		return p;
	v = rt_symbols_at(f->image, f->addr, &n);
	for (i = 0; i < n && !p; i++)
		p = rt_probes_prototype(s->probes, soname, v[i].name);
	return p;
}

static struct rt_guesser *guesser_of(struct rt_signatures *s, struct rt_image *image)
{
	size_t i;

	for (i = 0; i < s->nguesses; i++)
		if (s->guesses[i].image == image)
			return s->guesses[i].guesser;
	if (RT_ROOM(&s->guesses, s->nguesses, &s->guesses_cap) < 0)
		return NULL;
	s->guesses[s->nguesses] = (struct guesses){ .image = image,
						    .guesser = rt_guesser_open(image) };
	return s->guesses[s->nguesses++].guesser;
}

/* Before the guesses of one file. */
struct written {
	struct rt_image *image;
	size_t n;		/* guesses */
};

void rt_signatures_write(const struct rt_signatures *s, FILE *file)
{
	struct rt_guessed *v;
	struct written head;
	size_t i;

	for (i = 0; i < s->nguesses; i++) {
		if (!s->guesses[i].guesser)
			continue;
		head = (struct written){ .image = s->guesses[i].image };
		head.n = rt_guesser_known(s->guesses[i].guesser, &v);
		fwrite(&head, sizeof(head), 1, file);
		fwrite(v, sizeof(*v), head.n, file);
		free(v);
	}
}

void rt_signatures_read(struct rt_signatures *s, FILE *file)
{
	struct rt_guesser *guesser;
	struct rt_guessed guessed;
	struct written head;

	while (fread(&head, sizeof(head), 1, file) == 1) {
		guesser = guesser_of(s, head.image);
		for (; head.n && fread(&guessed, sizeof(guessed), 1, file) == 1; head.n--)
			if (guesser)
				rt_guesser_learn(guesser, &guessed);
	}
}

/*
 * The compiler's own files bring these into each program.  Their code reads registers that no
 * caller sets.
 */
static bool is_startup(const char *name)
{
	static const char *const names[] = {
		"_start",
		"_init",
		"_fini",
		"frame_dummy",
		"register_tm_clones",
		"deregister_tm_clones",
		"__do_global_dtors_aux",
	};
	size_t i;

	for (i = 0; i < RT_COUNT(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* A result that the code does not give: what is in the register then is nothing. */
static void check_result(struct rt_signatures *s, const struct rt_function *f,
			 struct rt_prototype *found)
{
	static const struct rt_ctype unknown = { .kind = RT_CT_UNKNOWN };
	struct rt_guesser *guesser = guesser_of(s, f->image);
	struct rt_guess guess;

	if (!guesser || !found->result || found->result->kind == RT_CT_VOID ||
	    found->result->kind == RT_CT_FLOAT)
		return;
	rt_guess(guesser, f->addr, f->size, &guess);
	if (!(guess.decided && guess.not_integer) && !rt_guess_ignored(guesser, f->addr))
		return;
	found->result = &unknown;
	found->result_location.kind = RT_LOCATION_UNKNOWN; /* Rust's may be known */
}

/*
 * Callers in the same file need not set a parameter that the function does not read, so its
 * register may have anything.  A library's calls of its own functions may use its PLT.
 */
static void check_unread(struct rt_signatures *s, const struct rt_function *f,
			 const struct rt_image *program, struct rt_prototype *found)
{
	/* debug information's parameters are in the caller's memory */
	struct rt_param *params = (struct rt_param *)found->params;
	struct rt_guesser *guesser;
	unsigned i, n = 0;

	for (i = 0; i < found->nparams; i++)
		n += params[i].unread != 0;
	guesser = n ? guesser_of(s, f->image) : NULL;
	if (!n || (f->image == program && guesser && !rt_guess_called(guesser, f->addr)))
		return;
	for (i = 0; i < found->nparams; i++)
		if (params[i].unread == RT_UNREAD_ALL)
			params[i].location.kind = RT_LOCATION_NOWHERE;
		else
			params[i].location.unset = params[i].unread;
}

static bool find_known(struct rt_signatures *s, const struct rt_function *f,
		       const struct rt_image *program, struct rt_types *memory,
		       struct rt_prototype *found)
{
	/* Damaged debug information is no reason to trace less than without it. */
	bool has = rt_dwarf_prototype(f->image, f->addr, memory, found, NULL) == 0;
	const struct rt_prototype *p;
	struct rt_guesser *guesser;
	struct rt_guess guess;

	if (f->go)
		return has;
	/*
	 * The file says more than the types do, as which numbers are flags; but not of another
	 * function of that name.
	 */
	p = of_library(s, f);
	if (p && (!has || p->nparams == found->nparams || !found->result)) {
		*found = *p;
		return true;
	}
	if (has && found->result_unsure)
		check_result(s, f, found);
	if (has)
		check_unread(s, f, program, found);
	if (has)
		return true;
	guesser = guesser_of(s, f->image);
	if (!guesser || rt_guess_prototype(guesser, f->addr, f->size, memory, found) < 0)
		return false;
	if (s->named < NAMED_MAX && rt_is_mangled(rt_function_symbol(f))) {
		s->named++;
		rt_guess(guesser, f->addr, f->size, &guess);
		if (rt_signature_cxx(rt_function_symbol(f), rt_image_arch(f->image), &guess, memory,
				     found) < 0)
			return false;
	}
	if (is_startup(rt_function_symbol(f))) {
		found->nparams = 0;
		found->result = rt_types_add(memory, RT_CT_VOID, "void", 0);
		found->result_guessed = false;
	}
	return true;
}

struct finder {
	struct rt_image *image, *program;
	const char *symbol;
	struct rt_types *memory;
};

/*
 * A type of the function's own class or namespace, by its short name: of ns::Foo::bar ns::Foo::Own,
 * then ns::Own.
 */
static const struct rt_ctype *find_in_scope(const struct finder *f, const char *name)
{
	const struct rt_ctype *type = NULL;
	struct rt_text scope = { 0 };
	char whole[1024];
	size_t n;

	if (!rt_is_mangled(f->symbol) || !rt_demangle(&scope, f->symbol, false))
		goto out;
	for (n = strcspn(scope.v, "<("); n && !type; n -= n >= 2 ? 2 : n) {
		while (n && scope.v[n - 1] != ':')
			n--;
		if (n && n + strlen(name) < sizeof(whole)) {
			snprintf(whole, sizeof(whole), "%.*s%s", (int)n, scope.v, name);
			type = rt_dwarf_type(f->image, f->memory, whole);
		}
	}
out:
	rt_text_free(&scope);
	return type;
}

/*
 * A library mostly comes without debug information, but the program that is built with its header
 * has its types.
 */
static const struct rt_ctype *find_type(void *ctx, const char *name)
{
	const struct finder *f = ctx;
	const struct rt_ctype *type = rt_dwarf_type(f->image, f->memory, name);

	if (!type && f->program != f->image)
		type = rt_dwarf_type(f->program, f->memory, name);
	return type ? type : find_in_scope(f, name);
}

/* Names of C++'s own types are abbreviated in symbols. */
static bool has_type(void *ctx, const char *name)
{
	const struct finder *f = ctx;
	const char *last = name, *p;
	char part[256];

	for (p = name; *p && *p != '<'; p++)
		last = *p == ':' ? p + 1 : last;
	snprintf(part, sizeof(part), "%.*s", (int)(p - last < 255 ? p - last : 255), last);
	return rt_is_mangled(f->symbol) &&
	       (strncmp(name, "std::", 5) == 0 || strstr(f->symbol, part));
}

/* A glob means many: of which is the error? */
static void name_function(const struct rt_function *f, struct rt_error *err)
{
	size_t n = err ? strlen(err->text) : 0;

	if (n)
		snprintf(err->text + n, sizeof(err->text) - n, " (%.200s)", f->name);
}

int rt_signature_of(struct rt_signatures *s, const struct rt_function *f, struct rt_image *program,
		    struct rt_types *memory, struct rt_prototype *prototype, struct rt_error *err)
{
	struct finder finder = { .image = f->image,
				 .program = program,
				 .symbol = rt_function_symbol(f),
				 .memory = memory };
	const struct rt_type_finder types = { .find = find_type, .has = has_type, .ctx = &finder };
	const struct rt_prototype *known = NULL, *all = NULL;
	struct rt_prototype found;
	int r;

	memset(prototype, 0, sizeof(*prototype));
	if (f->usdt)
		return rt_usdt_signature(f, memory, &types, prototype, err);
	/* As many ints as the user says; inside a function the registers are anything. */
	if (!f->spec || f->inside || (f->spec->nargs_given && !f->spec->prototype))
		return f->go ? rt_signature_go(f, memory, prototype, err) : 0;
	if (find_known(s, f, program, memory, &found))
		known = &found;
	else if (f->go && !f->spec->params_given && f->spec->nshown + f->spec->nconditions) {
		memset(&found, 0, sizeof(found));
		if (rt_signature_go(f, memory, &found, err) < 0)
			return -ENOMEM;
		known = &found;
	}
	if (f->spec->types_only && rt_is_mangled(rt_function_symbol(f))) {
		if (known)
			*prototype = *known;
		return 0;
	}
	r = rt_spec_prototype(f->spec, known, memory, &types, &all, err);
	if (r == 0 && all)
		*prototype = *all;
	if (r == -EINVAL && f->spec->glob)
		name_function(f, err);
	return r == 0 && f->go ? rt_signature_go(f, memory, prototype, err) : r;
}

/* ---- Go ---- */

static enum rt_convention convention_of(const struct rt_function *f)
{
	const struct rt_go *go = rt_image_go(f->image);

	if (rt_function_is_go_assembly(f))
		return RT_CONVENTION_GO_STACK;
	return go && go->registers ? RT_CONVENTION_GO_REGISTERS : RT_CONVENTION_GO_STACK;
}

static struct rt_param *make_params(struct rt_types *memory, unsigned n,
				    const struct rt_ctype *type)
{
	struct rt_param *v = rt_types_alloc(memory, (n ? n : 1) * sizeof(*v));
	unsigned i;

	for (i = 0; v && i < n; i++)
		v[i].type = type;
	return v;
}

/* `n` ints of that style, and a result of which nothing is known. */
static int make_ints(struct rt_types *memory, unsigned n, enum rt_style style,
		     struct rt_prototype *p)
{
	struct rt_ctype *word = rt_types_add(memory, RT_CT_INT, "int", 8),
			*unknown = rt_types_add(memory, RT_CT_UNKNOWN, NULL, 0);

	if (!word || !unknown)
		return -ENOMEM;
	word->is_signed = true;
	word->style = style;
	p->params = make_params(memory, n, word);
	p->nparams = n;
	p->result = NULL;
	p->results = make_params(memory, 1, unknown);
	p->nresults = 1;
	return p->params && p->results ? 0 : -ENOMEM;
}

/*
 * The user's prototype in C.  A prototype without a result type does not say that there is no
 * result.
 */
static int take_given(struct rt_types *memory, struct rt_prototype *p)
{
	const struct rt_ctype *result = p->result ? p->result
						  : rt_types_add(memory, RT_CT_UNKNOWN, NULL, 0);

	p->results = result ? make_params(memory, 1, result) : NULL;
	p->nresults = result && result->kind != RT_CT_VOID;
	p->result = NULL;
	return p->results ? 0 : -ENOMEM;
}

/*
 * On the stack every argument counts, and up to Go 1.2x debug information leaves those out that the
 * source calls "_".  But Go's own table has how many bytes all take.
 */
static bool is_whole(const struct rt_function *f, const struct rt_prototype *p)
{
	const struct rt_go *go = rt_image_go(f->image);
	struct rt_go_function own;
	struct rt_abi abi;

	if (p->convention != RT_CONVENTION_GO_STACK || !go ||
	    !rt_pclntab_find(&go->table, f->addr, &own))
		return true;
	rt_abi_go_begin(&abi, rt_image_arch(f->image), false);
	if (!rt_abi_go_in_order(&abi, p->params, p->nparams))
		return false;
	if (p->nresults)
		rt_abi_go_results(&abi);
	if (!rt_abi_go_in_order(&abi, p->results, p->nresults))
		return false;
	rt_abi_go_results(&abi);
	return !abi.lost &&
	       abi.stack == (int32_t)((own.args + abi.arch->word - 1) & ~(abi.arch->word - 1u)) +
				    abi.arch->word;
}

/*
 * A stripped program.  Up to Go 1.17 its table has only the size of the arguments.  For 1.17 this
 * is the space that the caller reserves for register arguments: these words are shown.  Before 1.17
 * the size includes the results.
 */
static int make_known(const struct rt_function *f, struct rt_types *memory, struct rt_prototype *p)
{
	const struct rt_go *go = rt_image_go(f->image);
	const struct rt_arch *arch = rt_image_arch(f->image);
	struct rt_go_function own;
	struct rt_go_frame frame;
	bool found = go && rt_pclntab_find(&go->table, f->addr, &own);
	unsigned words = 0;

	if (found && go->table.since < 18 && p->convention == RT_CONVENTION_GO_REGISTERS &&
	    own.args <= arch->ngo * arch->word)
		words = own.args / arch->word;
	if (make_ints(memory, words, RT_STYLE_GUESSED, p) < 0)
		return -ENOMEM;
	if (!found || go->table.since < 18)
		return 0;
	if (!rt_go_frame(f->image, &own, p->convention == RT_CONVENTION_GO_STACK, &frame))
		memset(frame.info, 0xfc, sizeof(frame.info));
	return rt_go_read_arguments(&frame, memory, p);
}

int rt_signature_go(const struct rt_function *f, struct rt_types *memory, struct rt_prototype *p,
		    struct rt_error *err)
{
	bool counted = f->spec && f->spec->nargs_given;
	struct rt_prototype found = { .nparams = 0 };
	int r = 0;

	/* Debug information has assembly's functions without their arguments and results. */
	if (p->convention == RT_CONVENTION_C || rt_function_is_go_assembly(f))
		p->convention = convention_of(f);
	if (p->origin == RT_ORIGIN_NONE || (p->origin == RT_ORIGIN_DWARF && !is_whole(f, p))) {
		p->origin = counted ? RT_ORIGIN_GIVEN : RT_ORIGIN_GUESSED;
		p->convention = convention_of(f);
		r = counted ? make_ints(memory, f->spec->nargs, RT_STYLE_TYPE, p)
			    : make_known(f, memory, p);
	} else if (p->result || !p->results) {
		r = take_given(memory, p);
	} else if (p->origin == RT_ORIGIN_DWARF && !p->nparams) {
		/*
		 * Debug information up to Go 1.19 leaves out the receivers of what the compiler
		 * made by itself, as (*T).Method around T.Method.
		 */
		found.convention = p->convention;
		r = make_known(f, memory, &found);
		p->params = found.params;
		p->nparams = found.origin == RT_ORIGIN_GO ? found.nparams : 0;
	}
	return r < 0 ? rt_nomem(err) : 0;
}

/* ---- what the names of C++ say ---- */

/*
 * The symbols of C++ functions have the parameters' types in them.  They lack the result type, and
 * whether the function is a member.  A member has `this` as its first parameter; a result in memory
 * has its pointer before all parameters.  The number of such hidden pointers has to follow from the
 * code.
 */

enum { PARAMS = 16, HIDDEN = 2 };

/* The integer registers that the parameters take, after `hidden` pointers. */
struct use {
	uint8_t bytes[RT_USE_ARGS];	/* 4 or 8; 0: nothing */
	bool pointer[RT_USE_ARGS];	/* it may be one */
	unsigned n;
};

static void take(struct use *use, unsigned bytes, bool pointer)
{
	if (use->n == RT_USE_ARGS)
		return;
	use->pointer[use->n] = pointer;
	use->bytes[use->n++] = (uint8_t)bytes;
}

/* false: where it is passed is not known. */
static bool take_param(struct use *use, const struct rt_ctype *type)
{
	switch (type->kind) {
	case RT_CT_BOOL: case RT_CT_CHAR: case RT_CT_INT:
		take(use, type->size == 8 ? 8 : 4, type->size == 8);
		return type->size <= 8;
	case RT_CT_POINTER: case RT_CT_REFERENCE:
		take(use, 8, true);
		return true;
	case RT_CT_FLOAT:
		return true;
	case RT_CT_STRUCT:
		if (!type->by_reference && use->n + 2 > RT_USE_ARGS)
			return true;
		take(use, 8, true);
		if (!type->by_reference)
			take(use, 8, true);
		return true;
	default:
		return false;
	}
}

/* As many of the parameters as are known to be where they are. */
static unsigned take_all(struct use *use, const struct rt_param *params, unsigned n,
			 unsigned hidden)
{
	unsigned i;

	memset(use, 0, sizeof(*use));
	for (i = 0; i < hidden; i++)
		take(use, 8, true);
	for (i = 0; i < n && take_param(use, params[i].type); i++)
		;
	return i;
}

/* Could the code be that?  `whole`: these are all parameters. */
static bool agrees(const struct use *use, const struct rt_guess *g, bool whole)
{
	unsigned i;

	if (whole && g->nargs > use->n)
		return false;
	for (i = 0; i < use->n; i++)
		if ((g->bytes[i] && g->bytes[i] != use->bytes[i]) ||
		    (g->pointers >> i & 1 && !use->pointer[i]))
			return false;
	return true;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/*
 * The beginning of the word that ends at `*end`, which is moved before the template's arguments
 * behind it.
 */
static const char *last_word(const char *text, const char **end)
{
	const char *p = *end;
	int depth = 0;

	while (p > text && p[-1] == '>') {
		do
			depth += *--p == '>' ? 1 : *p == '<' ? -1 : 0;
		while (depth && p > text);
	}
	for (*end = p; p > text && is_word(p[-1]); p--)
		;
	return p;
}

/* Constructors and destructors, which give nothing: "ns::Foo<int>::Foo", up to `end`. */
static bool is_structor(const char *text, const char *end)
{
	const char *name = last_word(text, &end), *outer_end, *outer;

	if (name == end || name - text < 3)
		return false;
	if (name[-1] == '~')
		return true;
	outer_end = name - 2;
	outer = last_word(text, &outer_end);
	return name[-1] == ':' && outer_end - outer == end - name &&
	       memcmp(outer, name, (size_t)(end - name)) == 0;
}

/* Count the hidden pointers that come first; -1: uncertain. */
static int count_hidden(const char *symbol, bool member, const struct rt_param *params, unsigned n,
			const struct rt_guess *g)
{
	bool nested = symbol[2] == 'N' || symbol[2] == 'Z', can[HIDDEN + 1], whole;
	struct use use;
	unsigned i;

	for (i = 0; i <= HIDDEN; i++) {
		whole = take_all(&use, params, n, i) == n;
		can[i] = agrees(&use, g, whole) && !(i == 0 && member);
	}
	/* an unread last parameter is likelier than none unread and a pointer to the result */
	if (!nested)
		return can[0] && (whole || !can[1]) ? 0 : can[1] && !can[0] ? 1 : -1;
	if (can[0] && can[1])
		return -1;
	/* One pointer agrees, but unless all parameters are known this proves too little. */
	return can[0] ? (whole ? 0 : -1) : can[1] ? 1 : can[2] ? 2 : -1;
}

/* The text between the parentheses of "f(int) const". */
static bool find_parameters(char *text, char **begin)
{
	char *p = strrchr(text, ')');
	int depth = 0;

	if (!p)
		return false;
	*begin = p;
	do
		depth += **begin == ')' ? 1 : **begin == '(' ? -1 : 0;
	while (depth && (*begin)-- > text);
	if (depth)
		return false;
	*p = '\0';
	++*begin;
	return true;
}

/*
 * The guess with the types in place of what the registers look like; behind what is not known where
 * it is the guess continues.
 */
static int merge(const struct rt_param *params, unsigned n, unsigned hidden,
		 struct rt_types *memory, struct rt_prototype *p)
{
	const struct rt_ctype *nothing = rt_types_add(memory, RT_CT_UNKNOWN, NULL, 0);
	struct rt_param *v = rt_types_alloc(memory, (PARAMS + HIDDEN + RT_USE_ARGS) * sizeof(*v));
	struct use use;
	unsigned i, known = take_all(&use, params, n, hidden);

	if (!v || !nothing)
		return -ENOMEM;
	for (i = 0; i < hidden; i++) {
		v[i].type = rt_types_pointer(memory, nothing, 8);
		v[i].artificial = true;
	}
	memcpy(v + hidden, params, known * sizeof(*v));
	hidden += known;
	for (i = use.n; known < n && i < p->nparams; i++)
		v[hidden++] = p->params[i];
	for (i = 0; i < hidden; i++)
		if (!v[i].type)
			return -ENOMEM;
	p->params = v;
	p->nparams = hidden;
	p->by_name = known != 0;
	return 0;
}

int rt_signature_cxx(const char *symbol, const struct rt_arch *arch, const struct rt_guess *guess,
		     struct rt_types *memory, struct rt_prototype *prototype)
{
	static const struct rt_ctype nothing = { .kind = RT_CT_VOID, .name = "void" };
	struct rt_param params[PARAMS];
	struct rt_text text = { 0 };
	char *begin;
	unsigned n;
	int r = 0, hidden = -1;
	bool structor;

	/*
	 * Copies have other parameters than their name says; and of thunks and clones for
	 * transactions it says the other function's.
	 */
	if (strncmp(symbol, "_Z", 2) != 0 || symbol[2] == 'T' || symbol[2] == 'G' ||
	    strchr(symbol, '.') || !rt_demangle(&text, symbol, true) ||
	    !find_parameters(text.v, &begin))
		goto out;
	structor = is_structor(text.v, begin - 1);
	if (structor) {
		prototype->result = &nothing;
		prototype->result_guessed = false;
	}
	r = rt_spec_parameters(begin, arch, memory, params, RT_COUNT(params), &n);
	if (r == 0)
		hidden = count_hidden(symbol, structor || strncmp(symbol, "_ZNK", 4) == 0, params,
				      n, guess);
	if (hidden >= 0)
		r = merge(params, n, (unsigned)hidden, memory, prototype);
out:
	rt_text_free(&text);
	return r == -ENOMEM ? r : 0;
}
