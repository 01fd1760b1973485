// SPDX-License-Identifier: GPL-2.0-or-later
// A library for C, whose goroutines' stacks grow, and are moved.
package main

import "C"
import "errors"

//go:noinline
func deep(n int) int {
	var pad [128]byte
	pad[n&127] = 1
	if n == 0 {
		return 0
	}
	return deep(n-1) + int(pad[n&127])
}

//go:noinline
func odd(n int) error {
	if n%2 == 0 {
		return errors.New("even")
	}
	return nil
}

//export Deep
func Deep(n C.int) C.int {
	odd(int(n))
	return C.int(deep(int(n)))
}

func main() {}
