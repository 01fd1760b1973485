/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_STREAM_VERIFIER_H
#define RT_STREAM_VERIFIER_H

/*
 * Abilities of the running kernel's verifier, tried by loading a program of a few instructions.
 * Each returns 0, or the errno of bpf(2), negative: -EINVAL if the verifier does not know it,
 * -EOPNOTSUPP if this machine's kernel cannot compile it, others if BPF may not be used.
 */
int rt_verifier_loops(void);		/* that end: 5.3 */
int rt_verifier_fetch_add(void);	/* BPF_ATOMIC with BPF_FETCH: 5.12 */
int rt_verifier_cmpxchg(void);		/* BPF_ATOMIC with BPF_CMPXCHG: 5.12 */

#endif
