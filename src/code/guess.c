/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arguments of a function without a prototype, guessed from its machine code.
 *
 * gcc -O2 makes of `int h(const char *s, int n) { return n > 3 ? s[n] : 0; }`:
 *
 *	xor    %eax,%eax		sets the result
 *	cmp    $0x3,%esi		reads 4 bytes of argument 2
 *	jle    ret
 *	movslq %esi,%rsi
 *	movsbl (%rdi,%rsi,1),%eax	reads 8 bytes of argument 1, a pointer
 *	ret
 *
 * Approach: a register that some path reads before it writes it holds an argument, and so do the
 * registers before it in the convention.  An argument that is passed on untouched counts if the
 * callee, in the same file, reads it.  The function has a result if its last write to the result
 * register is not read again, or if a direct caller reads that register (code/callers.c).
 *
 * Limits: an unused last argument is not found.  Floating point, arguments on the stack and
 * structures are not guessed.  Nothing is guessed if a path cannot be followed.  The trace marks
 * guesses; tests/live/guess.sh compares them with debug information.
 */
#include "code/guess.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "code/callers.h"
#include "code/code.h"
#include "elf/eh_frame.h"
#include "elf/file.h"

enum {
	BODY_MAX = 1 << 16,	/* bytes of a function that are looked at */
	STEPS_MAX = 20000,	/* instructions that are, with those that are met again */
	CALLEES = 3,		/* how far calls are followed */
	ALWAYS = CALLEES + 1,	/* rt_guessed.holds: at all depths */
	ALL = (1 << RT_USE_ARGS) - 1,
};

/* Beside an address: the guess of the last depth. */
#define LAST (1ull << 63)

/* facts at an instruction that may be true on some path to it */
enum {
	SEEN = 1 << 7,
	/* the register that tells of variadic functions still has what the caller put there */
	VECTORS = 1 << 6,
};

/*
 * The state of the result's register: the bytes of it that have been set (1, 4 with 0 above them,
 * 8), and these flags.  0 bytes: its value is a call's, or the caller's, or depends on the path.
 */
enum {
	WIDTH = 0x0f,
	FRESH = 0x10,	/* nothing has read it since */
	SMALL = 0x20,	/* it is a number of one byte, so setting that alone sets all */
	LEFT = 0x40,	/* on some path it is the caller's still */
	VOID = 0x80,	/* on such a path the register of floating point is, too */
	REAL = 0x100,	/* on some path that is the caller's still */
	SOME = 0x200,	/* on some path nothing has */
};

struct rt_guesser {
	struct rt_image *image;
	struct rt_user *user;	/* NULL with by_hand */
	struct rt_callers *callers;	/* NULL: not needed yet, or there is none (no_callers) */
	bool no_callers;
	bool learned;		/* some guesses are of another process */
	bool by_hand;		/* aarch64: its first argument is in the result's register */
	struct rt_guessed *v;	/* a hash table, open addressing */
	size_t n, cap;		/* cap: a power of two, or 0 */
};

/* One function that is walked through. */
struct walk {
	struct rt_guesser *guesser;
	uint64_t addr, size;
	uint8_t *bytes;
	size_t n;
	/* by byte: registers that may still hold arguments, SEEN, VECTORS */
	uint8_t *states;
	uint16_t *results;	/* by byte: what is in the result's register, see below */
	uint32_t *todo;
	size_t ntodo, todo_cap;
	unsigned steps, depth;
	uint8_t saved;		/* bit i: register i was stored on the stack, at saved_at[i] */
	int64_t saved_at[RT_USE_ARGS];
	bool lost, returned, real;	/* real: it reads an argument of floating point */
	uint8_t holds;		/* as in struct rt_guessed */
	uint8_t left;		/* LEFT, VOID: at a return */
	struct rt_guess guess;
};

struct rt_guesser *rt_guesser_open(struct rt_image *image)
{
	struct rt_guesser *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->image = image;
	g->by_hand = rt_image_arch(image)->use;
	g->user = g->by_hand ? NULL : rt_user_open(rt_image_arch(image));
	if (g->user || g->by_hand)
		return g;
	free(g);
	return NULL;
}

void rt_guesser_close(struct rt_guesser *g)
{
	if (!g)
		return;
	rt_callers_close(g->callers);
	if (g->user)
		rt_user_close(g->user);
	free(g->v);
	free(g);
}

/* ---- what is known already ---- */

static struct rt_guessed *slot(struct rt_guessed *v, size_t cap, uint64_t addr)
{
	size_t i = (size_t)(addr * 0x9e3779b97f4a7c15ull >> 20) & (cap - 1);

	while (v[i].addr && v[i].addr != addr)
		i = (i + 1) & (cap - 1);
	return &v[i];
}

static struct rt_guessed *known(struct rt_guesser *g, uint64_t addr)
{
	struct rt_guessed *v, *at;
	size_t cap, i;

	if (g->n * 2 >= g->cap) {
		cap = g->cap ? g->cap * 2 : 64;
		v = calloc(cap, sizeof(*v));
		if (!v)
			return NULL;
		for (i = 0; i < g->cap; i++)
			if (g->v[i].addr)
				*slot(v, cap, g->v[i].addr) = g->v[i];
		free(g->v);
		g->v = v;
		g->cap = cap;
	}
	at = slot(g->v, g->cap, addr);
	if (!at->addr) {
		at->addr = addr;
		g->n++;
	}
	return at;
}

size_t rt_guesser_known(const struct rt_guesser *g, struct rt_guessed **v)
{
	size_t i, n = 0;

	*v = g->n ? malloc(g->n * sizeof(**v)) : NULL;
	for (i = 0; i < g->cap && *v; i++)
		if (g->v[i].done || g->v[i].called)
			(*v)[n++] = g->v[i];
	return n;
}

void rt_guesser_learn(struct rt_guesser *g, const struct rt_guessed *guessed)
{
	struct rt_guessed *at = guessed->addr ? known(g, guessed->addr) : NULL;

	if (at)
		*at = *guessed;
	g->learned = true;
}

/* ---- the walk ---- */

static uint8_t guess_at(struct rt_guesser *g, uint64_t addr, uint64_t size, unsigned depth,
			struct rt_guess *guess);

/* Merge two paths.  If one has set only a byte, the bits above it cannot be part of the result. */
static uint16_t either_result(uint16_t a, uint16_t b)
{
	uint16_t width = (a & WIDTH) == (b & WIDTH)		? a & WIDTH
			 : (a & WIDTH) == 1 || (b & WIDTH) == 1 ? 1
								: 0;

	return width | (a & b & (FRESH | SMALL)) | ((a | b) & (LEFT | VOID | REAL | SOME));
}

/* After an instruction. */
static uint16_t next_result(uint16_t result, const struct rt_use *use)
{
	if (use->result_write)
		result &= (uint16_t)~(LEFT | VOID);
	if (use->vector_write)
		result &= (uint16_t)~(VOID | REAL);
	if (!use->result_write)
		return use->result_read ? result & (uint16_t)~(FRESH | SOME) : result;
	if (use->result_aside)
		return result & REAL;
	if (use->result_write >= 4)
		return use->result_write | FRESH | SOME | (use->result_small ? SMALL : 0) |
		       (result & REAL);
	/* A part of what was there is changed. */
	if (use->result_read || use->result_write > 1)
		return (result & (WIDTH | REAL)) | FRESH | SOME;
	return result & SMALL ? result | FRESH | SOME : 1 | FRESH | SOME | (result & REAL);
}

/*
 * Control may come to `target` in this state; it is looked at again where that says more than
 * before.
 */
static void meet(struct walk *w, uint64_t target, uint8_t state, uint16_t result)
{
	size_t at = (size_t)(target - w->addr);
	uint8_t both;

	if (target < w->addr || at >= w->n) {
		w->lost = true;
		return;
	}
	both = w->states[at] | state | SEEN;
	if (w->states[at] & SEEN)
		result = either_result(w->results[at], result);
	if (both == w->states[at] && result == w->results[at])
		return;
	w->states[at] = both;
	w->results[at] = result;
	if (RT_ROOM(&w->todo, w->ntodo, &w->todo_cap) < 0)
		w->lost = true;
	else
		w->todo[w->ntodo++] = (uint32_t)at;
}

static void note_read(struct walk *w, unsigned i, unsigned bytes)
{
	w->guess.bytes[i] = bytes > w->guess.bytes[i] ? (uint8_t)bytes : w->guess.bytes[i];
}

/* The size of the function at `addr`, by its symbol or by what unwinds stacks; 0: nothing tells. */
static uint64_t size_of(const struct rt_image *image, uint64_t addr)
{
	const struct rt_symbol *symbols;
	size_t n;

	symbols = rt_symbols_at(image, addr, &n);
	if (n)
		return symbols[0].kind == RT_SYM_IFUNC ? 0 : symbols[0].size;
	return rt_eh_size(image, addr);
}

/*
 * A call or a jump to another function, with `state` still in the registers.  `leaves`: nothing
 * comes behind it.
 */
static void note_callee(struct walk *w, uint64_t target, uint8_t state, bool leaves)
{
	struct rt_guess callee;
	uint64_t size;
	uint8_t holds;
	unsigned i;

	if (!target || !(state & ALL || leaves) || target == w->addr)
		return;
	if (w->depth >= CALLEES) {
		w->holds = 0;
		return;
	}
	size = size_of(w->guesser->image, target);
	if (!size)
		return;
	holds = guess_at(w->guesser, target, size, w->depth + 1, &callee);
	if (w->holds >= holds)
		w->holds = holds ? (uint8_t)(holds - 1) : 0;
	if (leaves && callee.no_result)
		w->left |= LEFT | VOID;
	w->guess.passes |= leaves && (callee.sets || callee.result);
	for (i = 0; callee.decided && i < callee.nargs; i++) {
		if (!(state & 1u << i) || !callee.bytes[i])
			continue;
		note_read(w, i, callee.bytes[i]);
		w->guess.pointers |= callee.pointers & (uint8_t)(1u << i);
	}
}

static void note_uses(struct walk *w, const struct rt_use *use, uint8_t state)
{
	unsigned i;

	for (i = 0; i < RT_USE_ARGS; i++) {
		if (!use->reads[i] || !(state & 1u << i))
			continue;
		if (use->saves & 1u << i && !(w->saved & 1u << i)) {
			w->saved |= (uint8_t)(1u << i);
			w->saved_at[i] = use->saved_at;
			continue;
		}
		note_read(w, i, use->reads[i] < 4 ? 4 : use->reads[i]);
		w->guess.pointers |= use->pointers & (uint8_t)(1u << i);
	}
	w->guess.variadic |= use->tests_vectors && (state & VECTORS);
}

static void note_return(struct walk *w, uint16_t result)
{
	uint8_t width = result & WIDTH;

	w->left |= result & (LEFT | VOID);
	w->guess.sets |= (result & SOME) != 0;
	/* A value that was read before the return need not be the result. */
	if (!(result & FRESH) && width != 1)
		width = 0;
	w->guess.result = w->returned ? (uint8_t)either_result(w->guess.result, width) : width;
	w->returned = true;
}

/*
 * The registers behind a call have no arguments, except if the call comes first.  It may be
 * a profiler's (mcount, __fentry__), which preserves them; the third one's register can also have
 * half of a result.
 */
static uint8_t after_call(const struct walk *w, uint8_t state)
{
	unsigned i;

	for (i = 0; i < RT_USE_ARGS; i++)
		if (w->guess.bytes[i] || w->saved)
			return 0;
	return state == (ALL | VECTORS) ? ALL & ~(1 << 2) : 0;
}

static bool use_of(void *ctx, const uint8_t *bytes, size_t n, uint64_t addr, struct rt_use *use)
{
	const struct rt_guesser *g = ctx;

	return g->by_hand ? rt_image_arch(g->image)->use(bytes, n, addr, use)
			  : rt_use(g->user, bytes, n, addr, use);
}

static bool read_use(const struct walk *w, size_t at, struct rt_use *use)
{
	return use_of(w->guesser, w->bytes + at, w->n - at, w->addr + at, use);
}

static void step(struct walk *w, size_t at)
{
	uint8_t state = w->states[at] & (uint8_t)~SEEN;
	uint16_t result = w->results[at];
	struct rt_use use;

	if (!read_use(w, at, &use)) {
		w->lost = true;
		return;
	}
	note_uses(w, &use, state);
	w->real |= use.vector_read && result & REAL;
	state &= (uint8_t)~use.writes;
	result = next_result(result, &use);
	if (use.loses_vectors)
		state &= (uint8_t)~VECTORS;
	switch (use.flow) {
	case RT_USE_CALL:
		note_callee(w, use.target, state, false);
		state = after_call(w, state);
		result = 0;
		break;
	case RT_USE_JUMP:
		if (use.target >= w->addr && use.target < w->addr + w->size && use.target) {
			meet(w, use.target, state, result);
			return;
		}
		if (use.target &&
		    rt_image_thunk(w->guesser->image, use.target) == RT_THUNK_RETURN) {
			note_return(w, result);
			return;
		}
		/* It leaves the function, or goes by a table, of which nothing is known. */
		note_callee(w, use.target, state, true);
		note_return(w, 0);
		return;
	case RT_USE_BRANCH:
		if (use.target >= w->addr && use.target < w->addr + w->size)
			meet(w, use.target, state, result);
		else
			note_callee(w, use.target, state, true);
		break;
	case RT_USE_RETURN:
		note_return(w, result);
		return;
	case RT_USE_STOP:
		return;
	case RT_USE_NEXT:
		break;
	}
	/* The last call of a function may be one that does not come back. */
	if (at + use.size < w->n)
		meet(w, w->addr + at + use.size, state, result);
}

static void walk_all(struct walk *w)
{
	meet(w, w->addr, ALL | VECTORS, LEFT | VOID | REAL);
	while (w->ntodo && !w->lost) {
		if (++w->steps > STEPS_MAX) {
			w->lost = true;
			return;
		}
		step(w, w->todo[--w->ntodo]);
	}
}

/*
 * A store on the stack counts as a read, except in variadic functions.  These store registers, the
 * last one highest, to take unnamed arguments from them: registers before are the named arguments.
 * If no unnamed one can be a double, nothing tests the number of vector registers.  Then only three
 * or more stores in a row show it.
 */
static void note_saved(struct walk *w)
{
	const unsigned last = RT_USE_ARGS - 1;
	unsigned i, first = w->saved & 1u << last ? last : RT_USE_ARGS;

	while (first > 0 && first <= last && (w->saved >> (first - 1) & 3) == 3 &&
	       w->saved_at[first] - w->saved_at[first - 1] == 8)
		first--;
	if (!w->guess.variadic && last - first < 2)
		first = RT_USE_ARGS;
	if (first <= last) {
		w->guess.variadic = true;
		w->guess.nargs = (uint8_t)first;
	}
	for (i = 0; i < first; i++)
		if (w->saved & 1u << i)
			note_read(w, i, 8);
}

static void finish(struct walk *w)
{
	struct rt_guess *g = &w->guess;
	unsigned i;

	note_saved(w);
	/* the number of registers stored is not known on aarch64 */
	g->decided = !w->lost && !(g->variadic && w->guesser->by_hand);
	/*
	 * aarch64 has its first argument there, which may be the result, as the first double may be
	 * on all machines.
	 */
	g->no_result = w->left & VOID && !w->guesser->by_hand && (!w->real || g->variadic);
	g->not_integer = w->left & LEFT && !w->guesser->by_hand;
	for (i = g->nargs; i < RT_USE_ARGS; i++)
		if (g->bytes[i])
			g->nargs = (uint8_t)(i + 1);
}

static uint8_t guess_new(struct rt_guesser *g, uint64_t addr, uint64_t size, unsigned depth,
			 struct rt_guess *guess)
{
	struct walk w = {
		.guesser = g, .addr = addr, .size = size, .depth = depth, .holds = ALWAYS
	};
	size_t n = size < BODY_MAX ? (size_t)size : BODY_MAX;

	memset(guess, 0, sizeof(*guess));
	if (!n)
		return 0;
	w.bytes = malloc(n);
	w.states = calloc(n, 1);
	w.results = malloc(n * sizeof(*w.results));	/* `states` tells which are set */
	if (w.bytes && w.states && w.results) {
		w.n = rt_image_read(g->image, addr, w.bytes, n);
		walk_all(&w);
		finish(&w);
		*guess = w.guess;
	}
	free(w.bytes);
	free(w.states);
	free(w.results);
	free(w.todo);
	return w.holds;
}

/* At the last depth no calls are followed.  Such guesses are known by addresses of their own. */
static uint8_t guess_last(struct rt_guesser *g, uint64_t addr, uint64_t size,
			  struct rt_guess *guess)
{
	struct rt_guessed *k = known(g, addr | LAST);

	if (!k)
		return 0;
	if (!k->done)
		k->holds = guess_new(g, addr, size, CALLEES, &k->guess);
	k->done = true;
	*guess = k->guess;
	return k->holds;
}

/* Returns rt_guessed.holds of this guess. */
static uint8_t guess_at(struct rt_guesser *g, uint64_t addr, uint64_t size, unsigned depth,
			struct rt_guess *guess)
{
	struct rt_guessed *k = known(g, addr);
	uint8_t holds = 0;

	memset(guess, 0, sizeof(*guess));
	if (!k)
		return 0;
	/* One that is under way calls itself, in a circle: that says nothing new. */
	if (k->done || depth < k->holds) {
		k->done |= !depth;
		k->holds = depth ? k->holds : ALWAYS;
		*guess = k->guess;
		return k->holds;
	}
	if (depth < CALLEES) {
		k->done = true;
		holds = guess_new(g, addr, size, depth, guess);
	} else {
		holds = guess_last(g, addr, size, guess);
	}
	if (!depth)
		holds = ALWAYS;
	k = known(g, addr);	/* the table may have moved */
	if (!k)
		return 0;
	if (!k->holds) {
		k->guess = *guess;
		k->holds = holds;
	}
	/* Deep down calls were not followed to their end. */
	k->done = !depth;
	return holds;
}

void rt_guess(struct rt_guesser *g, uint64_t addr, uint64_t size, struct rt_guess *guess)
{
	guess_at(g, addr, size, 0, guess);
}

static bool guess_of(void *ctx, uint64_t addr, struct rt_guess *guess)
{
	struct rt_guesser *g = ctx;
	uint64_t size = size_of(g->image, addr);

	if (size)
		guess_at(g, addr, size, 0, guess);
	return size;
}

static struct rt_callers *callers_of(struct rt_guesser *g)
{
	static const struct rt_callers_ops ops = { .use = use_of, .guess = guess_of };

	if (!g->callers && !g->no_callers)
		g->callers = rt_callers_open(g->image, &ops, g);
	g->no_callers = !g->callers;
	return g->callers;
}

enum rt_callers_do rt_guess_callers(struct rt_guesser *g, uint64_t addr)
{
	struct rt_guessed *before = addr ? known(g, addr) : NULL;
	struct rt_callers *callers;
	struct rt_guessed *k;
	enum rt_callers_do what;

	if (g->learned && before && before->called) {
		before->called = false;
		return (enum rt_callers_do)before->callers;
	}
	callers = callers_of(g);
	what = callers ? rt_callers_do(callers, addr) : RT_CALLERS_UNKNOWN;
	k = addr ? known(g, addr) : NULL;	/* the table may have moved */
	if (k && !g->learned && !k->called) {
		k->called = true;
		k->callers = (uint8_t)what;
	}
	return what;
}

bool rt_guess_exported(const struct rt_guesser *g, uint64_t addr)
{
	const struct rt_symbol *v;
	size_t i, n;

	v = rt_symbols_at(g->image, addr, &n);
	for (i = 0; i < n; i++)
		if (v[i].dynamic)
			return true;
	return false;
}

bool rt_guess_ignored(struct rt_guesser *g, uint64_t addr)
{
	return rt_guess_callers(g, addr) == RT_CALLERS_IGNORE;
}

bool rt_guess_called(struct rt_guesser *g, uint64_t addr)
{
	struct rt_callers *callers = callers_of(g);

	return !callers || rt_callers_any(callers, addr);
}

/* Convert the guess from machine code to a prototype. */

/* `bytes` 0: nobody knows how much of the register is meant. */
static const struct rt_ctype *make_type(struct rt_types *types, unsigned bytes, bool pointer)
{
	unsigned size = bytes ? bytes : 8;
	struct rt_ctype *type = rt_types_add(types, pointer ? RT_CT_POINTER : RT_CT_INT, NULL,
					     pointer ? 8 : size);

	if (!type)
		return NULL;
	type->align = size;
	if (pointer) {
		type->target = rt_types_add(types, RT_CT_UNKNOWN, NULL, 0);
		type->style = RT_STYLE_GUESSED;
		return type->target ? type : NULL;
	}
	type->is_signed = size != 1;
	type->style = !bytes ? RT_STYLE_REGISTER : bytes == 8 ? RT_STYLE_GUESSED : RT_STYLE_TYPE;
	return type;
}

/* One object for all functions that have such a one. */
static const struct rt_ctype *guessed_type(struct rt_types *types, unsigned bytes, bool pointer)
{
	enum { POINTER = 9 };
	static const char keys[POINTER + 1];
	unsigned key = pointer ? POINTER : bytes;
	void **slot = key <= POINTER ? rt_types_slot(types, &keys[key]) : NULL;

	if (!slot)
		return make_type(types, bytes, pointer);
	if (!*slot)
		*slot = (void *)make_type(types, bytes, pointer);
	return *slot;
}

/*
 * A register that all paths write and never read again holds a result: compilers make no dead
 * writes.  Otherwise its value may be left from other work, and the callers decide.  If there are
 * none, or if they contradict the code, the result is marked as a guess.
 */
static const struct rt_ctype *find_result(struct rt_guesser *g, uint64_t addr,
					  const struct rt_guess *guess, struct rt_types *types,
					  bool *guessed)
{
	static const struct rt_ctype nothing = { .kind = RT_CT_VOID, .name = "void" };
	static const struct rt_ctype unknown = { .kind = RT_CT_UNKNOWN };
	const bool asked = guess->no_result || (!guess->not_integer && !guess->result);
	enum rt_callers_do callers = asked ? rt_guess_callers(g, addr) : RT_CALLERS_UNKNOWN;

	*guessed = false;
	if (guess->no_result && callers != RT_CALLERS_READ)
		return &nothing;
	if ((guess->not_integer && !guess->no_result) || callers == RT_CALLERS_REAL)
		return &unknown;
	/* Callers in other files may read what an exported function gets from its tail call. */
	if (callers == RT_CALLERS_IGNORE && !guess->sets &&
	    !(guess->passes && rt_guess_exported(g, addr)))
		return &nothing;
	*guessed = asked && (guess->no_result || callers != RT_CALLERS_READ);
	return guessed_type(types, guess->result, false);
}

int rt_guess_prototype(struct rt_guesser *g, uint64_t addr, uint64_t size, struct rt_types *types,
		       struct rt_prototype *prototype)
{
	struct rt_param *params;
	struct rt_guess guess;
	unsigned i;

	rt_guess(g, addr, size, &guess);
	if (!guess.decided)
		return -ENOENT;
	memset(prototype, 0, sizeof(*prototype));
	params = rt_types_alloc(types, guess.nargs * sizeof(*params));
	if (!params)
		return -ENOMEM;
	for (i = 0; i < guess.nargs; i++) {
		/* an unread one comes before a read one, and its type is unknown */
		params[i].type = guessed_type(types, guess.bytes[i] ? guess.bytes[i] : 8,
					      guess.pointers & 1u << i);
		if (!params[i].type)
			return -ENOMEM;
		/* Text that is no text as a whole may end at a length beside it. */
		if (i && (guess.pointers & 1u << (i - 1)) && !(guess.pointers & 1u << i))
			params[i - 1].most = i + 1;
	}
	prototype->origin = RT_ORIGIN_GUESSED;
	prototype->params = params;
	prototype->nparams = guess.nargs;
	prototype->variadic = guess.variadic;
	prototype->result = find_result(g, addr, &guess, types, &prototype->result_guessed);
	return prototype->result ? 0 : -ENOMEM;
}
