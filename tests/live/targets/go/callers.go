// Calls reached() in several ways; it prints its callers each time, a name a line, an empty line last.
package main

import (
	"fmt"
	"runtime"
	"sort"
	"strings"
)

//go:noinline
func reached(n int) int {
	pcs := make([]uintptr, 100)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	var names strings.Builder
	for {
		frame, more := frames.Next()
		names.WriteString(frame.Function + "\n")
		if !more {
			break
		}
	}
	fmt.Println(names.String())
	return n + 1
}

//go:noinline
func recurse(n int) int {
	if n > 0 {
		return recurse(n-1) + 1
	}
	return reached(n) + 1
}

type byLength []string

func (s *byLength) Len() int      { return len(*s) }
func (s *byLength) Swap(i, k int) { (*s)[i], (*s)[k] = (*s)[k], (*s)[i] }

//go:noinline
func (s *byLength) Less(i, k int) bool { return reached(len((*s)[i])) < len((*s)[k]) }

//go:noinline
func roomy(n int) int {
	var room [100]int
	for i := range room {
		room[i] = i * n
	}
	return reached(room[n]) + room[n/2]
}

//go:noinline
func recovered(n int) (r int) {
	defer func() {
		recover()
		r = reached(n)
	}()
	return []int{}[n]
}

func main() {
	sum := recurse(5) + roomy(3) + recovered(2)
	sort.Stable(&byLength{"abc", "de"})
	done := make(chan int)
	go func() { done <- reached(7) }()
	sum += <-done
	func() { sum += reached(sum) }()
}
