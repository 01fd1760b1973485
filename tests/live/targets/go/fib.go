// SPDX-License-Identifier: GPL-2.0-or-later
// The recursion that the C demo has, to be traced as main.fib.
package main

import (
	"fmt"
)

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func main() {
	n := 4
	res := fib(n)
	fmt.Printf("fib(%d) = %d\n", n, res)
}
