// SPDX-License-Identifier: GPL-2.0-or-later
// Generic functions, and a function that is inlined, which has others of its name beside it.
package main

import (
	"fmt"
	"os"
)

type number interface{ ~int | ~float64 }

//go:noinline
func sum[T number](v []T, by T) T {
	var s T
	for _, x := range v {
		s += x * by
	}
	return s
}

type stack[T any] struct{ items []T }

//go:noinline
func (s *stack[T]) push(x T) int {
	s.items = append(s.items, x)
	return len(s.items)
}

func push(x string) int { return words.push(x) }

var words stack[string]

func main() {
	fmt.Println(sum([]int{1, 2, 3}, 2), sum([]float64{1.5}, 2), push("one"), push(os.Args[0]))
}
