/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_VALUE_CODE_H
#define RT_OUTPUT_VALUE_CODE_H

#include "base/bytes.h"
#include "output/value.h"

/*
 * The values of a call as bytes, for recordings: what rt_values_of_entry or rt_values_of_return
 * gives, one value after the other.  Nothing in them leads to the process or to its types.
 */

/* Append them; `ctx` of an rt_value_fn is the rt_bytes. */
void rt_value_encode(void *ctx, const struct rt_value *value);

/*
 * Give the values in `n` bytes to `take`.  Returns false where the bytes are damaged; the values
 * before the damage were given.
 */
bool rt_values_decode(const uint8_t *bytes, size_t n, rt_value_fn *take, void *ctx);

#endif
