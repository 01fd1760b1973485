// SPDX-License-Identifier: GPL-2.0-or-later
// Goroutines without number that call on stacks which grow, panic, recover and end in the middle, for some milliseconds, and count it:
// torture MILLISECONDS [WORKERS]
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

var names = [...]string{"main.leaf", "main.grow", "main.risky", "main.guard", "main.again", "main.quit", "main.adder", "main.adder.func1",
	"main.send", "main.take", "main.walk", "main.root"}
var calls [len(names)]int64
var left int64

func count(function int) {
	atomic.AddInt64(&calls[function], 1)
}

//go:noinline
func leaf(n int) int {
	count(0)
	return n + 1
}

// grow has a frame of some size, and its caller's variable is on the stack that moves.
//
//go:noinline
func grow(n int, sum *int) int {
	var pad [192]byte
	count(1)
	pad[n%192] = byte(n)
	if n > 0 {
		here := 0
		*sum += grow(n-1, &here) + here
	}
	*sum += int(pad[n%192])
	return leaf(n)
}

//go:noinline
func risky(n, depth int) int {
	count(2)
	if n == 0 {
		atomic.AddInt64(&left, int64(depth))
		panic(depth)
	}
	if n == 7 {
		var none *int
		atomic.AddInt64(&left, int64(depth))
		return *none
	}
	return risky(n-1, depth+1) + 1
}

// again is left by another panic than the one that it was called by.
//
//go:noinline
func again(n int) int {
	count(4)
	defer func() {
		if n&1 == 0 {
			atomic.AddInt64(&left, 1)
			panic("another")
		}
		if recover() != nil {
			leaf(n)
		}
	}()
	return risky(n%3, 1)
}

//go:noinline
func guard(n int) (r int) {
	count(3)
	defer func() {
		if recover() != nil {
			r = leaf(n)
		}
	}()
	if n%4 == 0 {
		return again(n / 4)
	}
	if n%5 == 0 {
		return leaf(n)
	}
	return risky(n%9, 1)
}

//go:noinline
func quit(n, depth int) int {
	count(5)
	defer leaf(n)
	if n == 0 {
		atomic.AddInt64(&left, int64(depth))
		runtime.Goexit()
	}
	return quit(n-1, depth+1) + 1
}

//go:noinline
func adder(n int) func(int) int {
	count(6)
	return func(m int) int {
		count(7)
		return leaf(m) + n
	}
}

//go:noinline
func send(to chan int, n int) {
	count(8)
	to <- leaf(n)
}

//go:noinline
func take(from chan int) int {
	count(9)
	return <-from
}

type node struct {
	left, right *node
	pad         [64]byte
}

// walk makes what the collector has to follow while the stack moves.
//
//go:noinline
func walk(n int) *node {
	count(10)
	if n == 0 {
		return &node{}
	}
	return &node{left: walk(n - 1), right: walk(n - 1)}
}

//go:noinline
func root(n int) int {
	count(11)
	sum := guard(n) + adder(n)(1)
	pipe := make(chan int)
	switch n % 4 {
	case 0:
		go func() { pipe <- grow(n%97, new(int)) }()
		sum += take(pipe)
	case 1:
		go func() {
			defer close(pipe)
			quit(n%5, 1)
		}()
		sum += take(pipe)
	case 2:
		go send(pipe, n)
		sum += take(pipe)
	default:
		if walk(n%6).left != nil {
			sum++
		}
	}
	if n%256 == 0 {
		runtime.GC()
	}
	return sum
}

func main() {
	milliseconds, workers := 100, 4
	if len(os.Args) > 1 {
		milliseconds, _ = strconv.Atoi(os.Args[1])
	}
	if len(os.Args) > 2 {
		workers, _ = strconv.Atoi(os.Args[2])
	}
	end := time.Now().Add(time.Duration(milliseconds) * time.Millisecond)
	var group sync.WaitGroup
	for i := 0; i < workers; i++ {
		group.Add(1)
		go func(n int) {
			defer group.Done()
			for ; time.Now().Before(end); n++ {
				root(n)
			}
		}(i)
	}
	group.Wait()
	// A goroutine that ends by Goexit reports it before it ends.
	for runtime.NumGoroutine() > 1 {
		time.Sleep(time.Millisecond)
	}
	for i, name := range names {
		fmt.Println(name, calls[i])
	}
	fmt.Printf("*jumped 0\n*left %d\n", left)
}
