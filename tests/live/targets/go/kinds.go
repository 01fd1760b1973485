// SPDX-License-Identifier: GPL-2.0-or-later
// Arguments and results of every kind.
package main

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

type point struct{ x, y int32 }
type named struct {
	id   int
	name string
	tags []string
}
type T struct {
	n int
	s string
}
type shape interface{ area() int }

func (p point) area() int { return int(p.x*p.y) + len(fmt.Sprint()) }

//go:noinline
func (t *T) Method(a int, b string) (int, error) {
	if a < 0 {
		return 0, errors.New("negative " + b)
	}
	return a + t.n, nil
}

//go:noinline
func (p point) add(q point) point { return point{p.x + q.x, p.y + q.y} }

//go:noinline
func text(s string, b []byte, n int8, u uint16, ok bool) (string, bool) { return s + string(b), !ok }

//go:noinline
func floats(f float64, n int, g float32) float64 { return f*float64(n) + float64(g) }

//go:noinline
func many(a, b, c, d, e, f, g, h, i, j, k int) int { return a + b + c + d + e + f + g + h + i + j + k }

//go:noinline
func big(v named, n int) int { return v.id + n + len(v.name) + len(v.tags) }

//go:noinline
func arr(a [1]int, b [3]int, c int) int { return a[0] + b[1] + c }

//go:noinline
func iface(s shape, e error, x interface{}) int {
	if s == nil {
		return -1
	}
	return s.area()
}

//go:noinline
func blank(_ int, b string, _ bool) int { return len(b) }

//go:noinline
func multi(n int) (a int, b string, c *T, err error) { return n, "x", nil, nil }

//go:noinline
func nothing() {}

//go:noinline
func apply(f func(int) int, m map[string]int, c chan int) int { return f(len(m)) }

type word string
type failure struct {
	Op  string
	Err error
}

//go:noinline
func names(v []string) []string { return v[:2] }

//go:noinline
func failed(v []failure) error { return v[0].Err }

//go:noinline
func anything(v ...interface{}) (int, interface{}) { return len(v), "s" }

type eight struct{ a, b, c, d, e, f, g, h int8 }

// Up to 1.24 debug information has its result twice.
//
//go:noinline
func changed(t eight, x int) eight { t.a++; return t }

func main() {
	t := &T{5, "t"}
	fmt.Println(t.Method(3, "three"))
	fmt.Println(t.Method(-1, "one"))
	fmt.Println(point{1, 2}.add(point{3, 4}))
	fmt.Println(text("ab", []byte("cd"), -3, 65535, true))
	fmt.Println(floats(1.5, 2, 0.5))
	fmt.Println(many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11))
	fmt.Println(big(named{7, "seven", []string{"a", "b"}}, 3))
	fmt.Println(arr([1]int{1}, [3]int{1, 2, 3}, 9))
	fmt.Println(iface(point{2, 3}, errors.New("bad"), 5), iface(nil, nil, nil))
	fmt.Println(blank(1, "bb", true))
	fmt.Println(multi(4))
	nothing()
	fmt.Println(names([]string{"x", "y", "", "zz", "more"}), failed([]failure{{"stat", syscall.ENOENT}, {}}))
	fmt.Println(anything(int8(-1), true, 2.5, word("w"), nil))
	fmt.Println(changed(eight{1, 2, 3, 4, 5, 6, 7, -8}, 9))
	k := len(os.Args)
	fmt.Println(apply(func(n int) int { return n + k }, map[string]int{"a": 1}, nil))
}
