// SPDX-License-Identifier: GPL-2.0-or-later
// See hostile.c.
package main

type T_Hostile_Name_X struct {
	Member_Hostile_Name_X int
}

func (t *T_Hostile_Name_X) Do() int { return t.Member_Hostile_Name_X }

type Doer_Hostile_Name_X interface{ Do() int }

//go:noinline
func f_Hostile_Name_X(a_Hostile_Name_X any, d_Hostile_Name_X Doer_Hostile_Name_X, s string) int {
	return d_Hostile_Name_X.Do() + len(s)
}

func main() {
	t := &T_Hostile_Name_X{1}
	f_Hostile_Name_X(t, t, "text Hostile_Name_X")
	f_Hostile_Name_X(*t, t, "text Hostile_Name_X")
}
