// SPDX-License-Identifier: GPL-2.0-or-later
// The witness: a traced function says itself that it was called and what it returned, in racket/trace's layout, each line behind its
// goroutine's id.  What was said goes into the file that $WITNESS names when the program ends.
package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

type lines struct {
	depth int
	text  bytes.Buffer
}

var (
	witnessed sync.Map // of *lines, by goroutine
	order     []*lines
	lock      sync.Mutex
	listening = os.Getenv("WITNESS") != ""
)

// The runtime tells a goroutine's id in its tracebacks alone: "goroutine 18 [running]:".
func goid() int {
	var buf [64]byte
	text := string(buf[:runtime.Stack(buf[:], false)])
	id, _ := strconv.Atoi(strings.Fields(text)[1])
	return id
}

func mine() (*lines, int) {
	id := goid()
	l, ok := witnessed.Load(id)
	if !ok {
		l = &lines{}
		witnessed.Store(id, l)
		lock.Lock()
		order = append(order, l.(*lines))
		lock.Unlock()
	}
	return l.(*lines), id
}

func (l *lines) line(id int, mark byte, what string) {
	shown := l.depth
	if shown >= 10 {
		shown = 6
	}
	prefix := make([]byte, shown+1)
	for i := range prefix {
		prefix[i] = mark
		if i%2 == 1 {
			prefix[i] = ' '
		}
	}
	fmt.Fprintf(&l.text, "[%d] %s", id, prefix)
	if shown < l.depth {
		fmt.Fprintf(&l.text, "[%d] ", l.depth)
	}
	l.text.WriteString(what + "\n")
}

// A call, with its arguments as the trace shows them.
func enter(call string) {
	if listening {
		l, id := mine()
		l.line(id, '>', "("+call+")")
		l.depth++
	}
}

func leave(result string) {
	if listening {
		l, id := mine()
		l.depth--
		l.line(id, '<', result)
	}
}

// The number of open calls.
func open() int {
	if !listening {
		return 0
	}
	l, _ := mine()
	return l.depth
}

// The calls from the innermost out to `to` have ended without a return.
func ended(to int, how string) {
	for open() > to {
		leave(how)
	}
}

func testify() {
	if !listening {
		return
	}
	file, err := os.Create(os.Getenv("WITNESS"))
	if err != nil {
		panic(err)
	}
	for _, l := range order {
		file.Write(l.text.Bytes())
	}
	file.Close()
}
