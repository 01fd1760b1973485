/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/plans.h"

#include "fetch/lower.h"
#include "plan/signature.h"
#include "lang/print.h"

void rt_plans_print(const struct rt_target *t, FILE *file)
{
	static const char guess_of_go[] = "a guess from the room that Go's own table has for arguments";
	size_t i, counts[RT_ORIGIN_GUESSED + 1] = { 0 }, go = 0;
	enum rt_origin origin;

	for (i = 0; i < t->nprototypes; i++) {
		const struct rt_function *f = &t->functions.v[i];

		if (f->hidden)
			continue;
		origin = t->prototypes[i].origin;
		if (origin == RT_ORIGIN_GUESSED && f->go)
			go++;
		else
			counts[origin <= RT_ORIGIN_GUESSED ? origin : 0]++;
		if (t->nprototypes > RT_TOLD_EACH || (origin == RT_ORIGIN_NONE && (f->inside || rt_has_words(f->spec, RT_KIND_ENTRY))))
			continue;
		if (origin == RT_ORIGIN_NONE) {
			fprintf(file, "rawtrace: %s: shown by %u int%s and an int as result, as %s\n", f->name, f->nargs, f->nargs == 1 ? "" : "s",
				f->spec && f->spec->nargs_given ? "asked for" : "nothing tells its types");
			continue;
		}
		fprintf(file, "rawtrace: shown as ");
		rt_prototype_print(file, &t->prototypes[i], f->name);
		fprintf(file, ", by %s%s\n", origin == RT_ORIGIN_GUESSED && f->go ? guess_of_go : rt_origin_name(origin),
			t->prototypes[i].by_name ? " and its name" : "");
	}
	if (t->nprototypes > RT_TOLD_EACH && go)
		fprintf(file, "rawtrace: functions shown by %s: %zu\n", guess_of_go, go);
	for (origin = RT_ORIGIN_NONE; t->nprototypes > RT_TOLD_EACH && origin <= RT_ORIGIN_GUESSED; origin++)
		if (counts[origin])
			fprintf(file, "rawtrace: functions shown by %s: %zu\n", rt_origin_name(origin), counts[origin]);
}
