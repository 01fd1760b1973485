// SPDX-License-Identifier: GPL-2.0-or-later
// Recovers from the panics of a plugin's function: host PLUGIN
package main

import (
	"os"
	"plugin"
	"runtime"
)

func shelter(deep func(int) int, n int) {
	defer func() { recover() }()
	deep(n)
}

func main() {
	p, err := plugin.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	deep, err := p.Lookup("Deep")
	if err != nil {
		panic(err)
	}
	done := make(chan bool)
	for i := 0; i < 3; i++ {
		go func(n int) {
			defer close(done)
			shelter(deep.(func(int) int), n)
			shelter(deep.(func(int) int), 1)
			runtime.Goexit()
		}(i + 1)
		<-done
		done = make(chan bool)
	}
}
