// SPDX-License-Identifier: GPL-2.0-or-later
// The functions of C++ that the manual's examples name.
#define CALLED __attribute__((noinline))

struct Foo {
	int bar(int n);
	int bar(const char *text);
};
CALLED int Foo::bar(int n) { return n; }
CALLED int Foo::bar(const char *text) { return text[0]; }

template<class T> struct Box {
	T v;
	CALLED T get() { return v; }
};

namespace ns { CALLED int one(int n) { return n + 1; } }

int main(int argc, char **)
{
	Foo foo;
	Box<int> box = { argc };

	return foo.bar(1) + foo.bar("x") + box.get() + ns::one(1) == 0;
}
