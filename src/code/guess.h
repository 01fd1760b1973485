/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CODE_GUESS_H
#define RT_CODE_GUESS_H

#include "elf/image.h"
#include "arch/use.h"
#include "lang/type.h"

/*
 * A function's arguments from its machine code, if there is no other source.  A register that is
 * read before it is written, on any path from the entry, has an argument.  A register that a call
 * passes on unchanged counts if the callee is in the same file and reads it, also without a symbol.
 * It is a guess: unused arguments are not seen, nor are those of floating point.
 */
struct rt_guess {
	/* false: the code cannot be followed, or it is a variadic function of aarch64 */
	bool decided : 1;
	bool variadic : 1;		/* nargs are the named ones */
	uint8_t nargs;			/* the last register that is read, and those before it */
	uint8_t bytes[RT_USE_ARGS];	/* that are read: 4 or 8; 0: nothing of it is */
	/* bit i: argument i points to memory that is read or written */
	uint8_t pointers;
	/* on some path neither the result's register nor that of floating point is written */
	bool no_result : 1;
	/* the result's register is not: it has none, or one of floating point */
	bool not_integer : 1;
	/* some path writes the result's register last, and never reads it */
	bool sets : 1;
	/* some path ends with a tail call of a function that does that */
	bool passes : 1;
	/*
	 * bytes that are written last before it returns, 1, 4 or 8; 0: not known, or not always the
	 * same
	 */
	uint8_t result;
};

/*
 * The use that direct callers make of a function's result.  A caller that returns it uses it as its
 * own callers do; all callers are known of local functions only.
 */
enum rt_callers_do {
	RT_CALLERS_UNKNOWN,	/* there are none, or it is not certain */
	RT_CALLERS_READ,	/* one at least reads it */
	/* none does, but one at least reads the register of floating point */
	RT_CALLERS_REAL,
	/* behind each call the result's register is written before it is read */
	RT_CALLERS_IGNORE,
};

/*
 * The guesses of one file are saved.  NULL: out of memory, or nothing can be guessed of its
 * machine.
 */
struct rt_guesser;
struct rt_guesser *rt_guesser_open(struct rt_image *image);
void rt_guesser_close(struct rt_guesser *guesser);

/*
 * A guess that was made, and the use that callers make of the result, if that was asked for: the
 * first answer, which another process gives once.  Later ones may know more.
 */
struct rt_guessed {
	uint64_t addr;
	struct rt_guess guess;
	bool done : 1, called : 1;
	uint8_t callers;	/* enum rt_callers_do */
	/*
	 * The guess is final for calls less deep than this: all callees' guesses are, too, and
	 * calls were followed to their end.
	 */
	uint8_t holds;
};

/*
 * All guesses made so far, their number; `*v` (free it) is NULL where there is no memory.  And take
 * one in that another process has made of the same file.
 */
size_t rt_guesser_known(const struct rt_guesser *guesser, struct rt_guessed **v);
void rt_guesser_learn(struct rt_guesser *guesser, const struct rt_guessed *guessed);

/* Guess the arguments of the function of `size` bytes at `addr`. */
void rt_guess(struct rt_guesser *guesser, uint64_t addr, uint64_t size, struct rt_guess *guess);

/* The use that callers in the same file make of its result. */
enum rt_callers_do rt_guess_callers(struct rt_guesser *guesser, uint64_t addr);

/* Can other files call it? */
bool rt_guess_exported(const struct rt_guesser *guesser, uint64_t addr);

/*
 * Does nobody look at the result of the function at `addr`, as far as its direct calls tell?  False
 * where that is not known.
 */
bool rt_guess_ignored(struct rt_guesser *guesser, uint64_t addr);

/* Is it called directly by code of its own file?  True also where that is not known. */
bool rt_guess_called(struct rt_guesser *guesser, uint64_t addr);

/* The same as a prototype in `types`.  0; -ENOENT: it cannot be decided; -ENOMEM. */
int rt_guess_prototype(struct rt_guesser *guesser, uint64_t addr, uint64_t size,
		       struct rt_types *types, struct rt_prototype *prototype);

#endif
