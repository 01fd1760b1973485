// SPDX-License-Identifier: GPL-2.0-or-later
// A library for C, loaded twice: each copy has a runtime of its own.  Its traced functions say on standard error what they do, behind the
// copy's name and the goroutine's id.
package main

/*
typedef int (*step)(int);
static int call(step f, int n) { return f(n); }
*/
import "C"
import (
	"runtime"
	"unsafe"
)

var (
	name  string
	next  C.step
	alive int
)

func number(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return number(n/10) + number(n%10)
}

// The runtime tells a goroutine's id in its tracebacks alone: "goroutine 18 [running]:".
func say(mark string, what string) {
	var buf [64]byte
	text := string(buf[:runtime.Stack(buf[:], false)])
	for i := 10; i < len(text); i++ {
		if text[i] == ' ' {
			print(name + " " + text[10:i] + " " + mark + " " + what + "\n")
			return
		}
	}
}

//go:noinline
func relay(n int) int {
	say(">", "(main.relay "+number(n)+")")
	r := n
	if n > 0 {
		r += int(C.call(next, C.int(n-1)))
	}
	say("<", number(r))
	return r
}

//go:noinline
func fall(n int) int {
	say(">", "(main.fall "+number(n)+")")
	if n == 0 {
		say("<", "*** unwound ***")
		panic("down")
	}
	defer func() {
		if recover(); n < 3 {
			say("<", "*** unwound ***")
			panic("further")
		}
		say("<", "0")
	}()
	return fall(n - 1)
}

//go:noinline
func alone(n int) (r int) {
	say(">", "(main.alone "+number(n)+")")
	if n > 0 {
		alone(n - 1)
	} else {
		fall(3)
	}
	if n == 1 {
		say("<", "*** goroutine exited ***")
		say("<", "*** goroutine exited ***")
		runtime.Goexit()
	}
	say("<", number(n))
	return n
}

//export Relay
func Relay(n C.int) C.int { return C.int(relay(int(n))) }

//export Many
func Many(n C.int) {
	done := make(chan bool)
	for i := 0; i < int(n); i++ {
		go func() {
			defer func() { done <- true }()
			alone(2)
		}()
	}
	for i := 0; i < int(n); i++ {
		<-done
	}
}

//export Begin
func Begin(letter C.char, step unsafe.Pointer) {
	name = string(rune(letter))
	next = C.step(step)
	alive = runtime.NumGoroutine()
}

// All goroutines have ended.
//
//export End
func End() {
	for runtime.NumGoroutine() > alive {
		runtime.Gosched()
	}
}

func main() {}
