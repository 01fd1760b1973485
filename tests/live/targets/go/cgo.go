// SPDX-License-Identifier: GPL-2.0-or-later
// Go that calls C, which calls Go back, on the stack of the thread.
package main

/*
extern int back(int x);
static int inlined(int x) { return x * 2; }
static int twice(int x) { return inlined(back(x)); }
*/
import "C"
import "fmt"

//export back
//
//go:noinline
func back(x C.int) C.int { return x + 1 }

//go:noinline
func half(n int) int { return int(C.twice(C.int(n))) / 2 }

func main() {
	sum := 0
	for i := 0; i < 5; i++ {
		sum += half(i)
	}
	fmt.Println("sum", sum)
}
