// SPDX-License-Identifier: GPL-2.0-or-later
// A server and its clients in one process, which ask it N times each: http N [CLIENTS].
package main

import (
	"fmt"
	"io/ioutil"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
)

// By this it is a function of its own, and not only a part of those that call it.
var get = http.Get

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	clients := 8
	if len(os.Args) > 2 {
		clients, _ = strconv.Atoi(os.Args[2])
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s!", r.URL.Path)
	}))
	var group sync.WaitGroup
	var lock sync.Mutex
	bytes := 0
	for i := 0; i < clients; i++ {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			for k := 0; k < n; k++ {
				answer, err := get(fmt.Sprintf("http://%s/%d/%d", listener.Addr(), i, k))
				if err != nil {
					panic(err)
				}
				body, _ := ioutil.ReadAll(answer.Body)
				answer.Body.Close()
				lock.Lock()
				bytes += len(body)
				lock.Unlock()
			}
		}(i)
	}
	group.Wait()
	fmt.Println("bytes", bytes)
}
