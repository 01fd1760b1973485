// SPDX-License-Identifier: GPL-2.0-or-later
// Calls that grow and move their stacks, of many goroutines that change threads, and that end by panics and Goexit: calls MODE N.
package main

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"time"
)

//go:noinline
func fib(n int) int {
	enter("main.fib " + strconv.Itoa(n))
	r := n
	if n > 1 {
		r = fib(n-1) + fib(n-2)
	}
	leave(strconv.Itoa(r))
	return r
}

// deep has a frame of some size, so that few levels make the stack grow, which moves it.
//
//go:noinline
func deep(n int) int {
	var pad [256]byte
	enter("main.deep " + strconv.Itoa(n))
	pad[n&255] = 1
	r := 0
	if n > 0 {
		r = deep(n-1) + int(pad[n&255])
	}
	leave(strconv.Itoa(r))
	return r
}

type counter struct{ n int }

//go:noinline
func (c *counter) add(by int) int {
	c.n += by
	// The other goroutines come to run, and this one goes on in any thread.
	runtime.Gosched()
	return c.n
}

//go:noinline
func risky(n int) int {
	enter("main.risky " + strconv.Itoa(n))
	if n == 0 {
		panic("as wanted")
	}
	r := risky(n-1) + 1
	leave(strconv.Itoa(r))
	return r
}

//go:noinline
func guard(n int) (r int) {
	enter("main.guard " + strconv.Itoa(n))
	inside := open()
	defer func() {
		if recover() != nil {
			ended(inside, "*** unwound ***")
			r = -1
		}
		leave(strconv.Itoa(r))
	}()
	return risky(n)
}

// shelter defers a call that goes deeper than the one that panicked, and its goroutine ends behind it.
//
//go:noinline
func shelter(n int) {
	inside := open()
	defer deep(n)
	defer func() {
		if recover() != nil {
			ended(inside, "*** unwound ***")
		}
	}()
	risky(n)
}

//go:noinline
func quit(n int) int {
	enter("main.quit " + strconv.Itoa(n))
	if n == 0 {
		ended(0, "*** goroutine exited ***")
		runtime.Goexit()
	}
	return quit(n-1) + 1
}

func garbage(stop chan bool) {
	var keep [][]byte
	for {
		select {
		case <-stop:
			return
		default:
			keep = append(keep, make([]byte, 4096))
			if len(keep) > 1000 {
				keep = nil
				debug.FreeOSMemory()
			}
		}
	}
}

func each(n int, what func(i int)) {
	var group sync.WaitGroup
	for i := 0; i < n; i++ {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			what(i)
		}(i)
	}
	group.Wait()
}

func main() {
	n, sum := 0, 0
	if len(os.Args) > 2 {
		n, _ = strconv.Atoi(os.Args[2])
	}
	fib(0) // the first call is goroutine 1's
	switch os.Args[1] {
	case "fib":
		sum = fib(n)
	case "deep":
		sum = deep(n)
	case "panic":
		for i := 0; i < n; i++ {
			sum += guard(i%5) + fib(2)
		}
	case "shelter":
		each(n, func(i int) { shelter(i % 5) })
	case "crash":
		fib(n)
		risky(n)
	case "exit":
		before := runtime.NumGoroutine()
		each(n, func(i int) { quit(i % 4) })
		// Their deferred calls have run, and they may not have ended yet.
		for runtime.NumGoroutine() > before {
			time.Sleep(time.Millisecond)
		}
	case "many":
		each(n, func(i int) { fib(i % 6); deep(i % 40) })
	case "load":
		// The stacks shrink at each collection.
		stop := make(chan bool)
		go garbage(stop)
		totals := make([]int, 8)
		each(8, func(i int) {
			c := counter{}
			for k := 0; k < n; k++ {
				totals[i] = c.add(deep(k%20) + fib(k%3))
				if k%100 == 0 {
					time.Sleep(time.Microsecond)
				}
			}
		})
		stop <- true
		for _, t := range totals {
			sum += t
		}
	}
	testify()
	fmt.Println("sum", sum)
	os.Exit(n % 7)
}
