// SPDX-License-Identifier: GPL-2.0-or-later
// Assembly keeps its arguments on the stack, whatever the compiler does.
package main

import "fmt"

func sum(a, b int64, c uint8) (r int64, odd bool)

//go:noinline
func add(a, b int64) int64 {
	r, _ := sum(a, b, 3)
	return r
}

func main() {
	fmt.Println(add(1, 2), add(-5, 1))
}
