/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A shared library of our own, for probes that some mechanisms put into every process. */
#include "witness.h"

int library_square(int n);

TRACED int library_square(int n)
{
	OPAQUE(n);
	w_enter("library_square", n);
	return w_return(n * n);
}
