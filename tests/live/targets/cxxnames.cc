// SPDX-License-Identifier: GPL-2.0-or-later
// Says which of its functions it calls, by the names that were written.
#include <cstdio>
#include <string>

#define NOINLINE __attribute__((noinline, noclone))

static int said(const char *name, int n)
{
	printf("(%s)\n", name);
	return n;
}

namespace ns {
NOINLINE int one(int a) { return said("ns::one", a); }

template <class T> struct Box {
	T value;
	NOINLINE int get(int k) const { return said(sizeof(T) == 4 ? "ns::Box<int>::get" : "ns::Box<long>::get", k); }
};

struct Foo {
	NOINLINE int bar(int a) { return said("ns::Foo::bar", a); }
	NOINLINE int bar(const char *s) { return said("ns::Foo::bar", s[0]); }
	NOINLINE int bar(const std::string &s) const { return said("ns::Foo::bar", (int)s.size()); }
	NOINLINE int operator()(int a) { return said("ns::Foo::operator()", a); }
	NOINLINE bool operator<(const Foo &) const { return said("ns::Foo::operator<", 1); }
};
}

namespace {
NOINLINE int hidden(int a) { return said("(anonymous namespace)::hidden", a); }
}

int main()
{
	ns::Foo foo;
	ns::Box<int> ints = { 1 };
	ns::Box<long> longs = { 2 };
	std::string text = "text";

	return ns::one(1) + foo.bar(2) + foo.bar("three") + foo.bar(text) + foo(4) + (foo < foo) + ints.get(5) + longs.get(6) +
		hidden(7) == 146 ? 0 : 1;
}
