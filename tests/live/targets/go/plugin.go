// SPDX-License-Identifier: GPL-2.0-or-later
// A plugin, for host.go: Go's runtime is the program's, and the one in the plugin's file does not run.
package main

//go:noinline
func Deep(n int) int {
	if n == 0 {
		panic("down")
	}
	return Deep(n-1) + 1
}

func main() {}
