// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of one name.  It prints a line for each call: what means that one alone, its arguments as they are shown, and those without debug information.
#include <cstdint>
#include <cstdio>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#define CALLED __attribute__((noinline))

CALLED static void keep(const void *p) { __asm__ volatile("" :: "r"(p) : "memory"); }

CALLED int over(int a) { keep(&a); return a; }
CALLED int over(int &a) { keep(&a); return a; }
CALLED int over(int a, int b) { keep(&a); return a + b; }
CALLED int over(const char *s) { keep(s); return s[0]; }
CALLED int over(const std::string &s) { keep(&s); return (int)s.size(); }
CALLED int over(std::vector<int> const &v) { keep(&v); return (int)v.size(); }
CALLED int over(std::vector<char> const &v) { keep(&v); return (int)v.size(); }

CALLED int over(std::string_view s) { keep(&s); return (int)s.size(); }
CALLED int over(uint64_t a) { keep(&a); return (int)a; }
CALLED int over(unsigned short *a) { keep(a); return *a; }

namespace lib { inline namespace v1 { CALLED int within(const std::list<int> &l) { keep(&l); return (int)l.size(); } } }

namespace own {
typedef std::vector<int> Ints;
struct Shop {
	typedef int Count;
	int kept = 3;
	int sell(Count n);
	int sell(const char *what);
	std::string label(int n);
};
CALLED int Shop::sell(Count n) { keep(this); return kept + n; }
CALLED int Shop::sell(const char *what) { keep(what); return kept; }
CALLED std::string Shop::label(int n) { keep(this); return std::string(n, 'x') + std::to_string(kept); }
CALLED int take(const Ints &v) { keep(&v); return (int)v.size(); }
CALLED int take(int n) { keep(&n); return n; }
}

int main()
{
	own::Shop shop;
	own::take({ 8, 9 });
	own::take(1);
	shop.sell(6);
	shop.sell("it");
	shop.label(2);
	int (*volatile by_value)(int) = over;
	int (*volatile by_reference)(int &) = over;
	int i = 5;

	by_value(4);
	std::puts("over(int)| 4| 4");
	std::puts("int over(int number)| 4| 4");
	by_reference(i);
	std::puts("over(int &)| 5| 5");
	over(1, 2);
	std::puts("over(int,int)| 1 2| 1 2");
	over("text");
	std::puts("over(const char *)| \"text\"| \"text\"");
	std::puts("over(char const*)| \"text\"| \"text\"");
	over(std::string("words"));
	std::puts("over(const std::string&)| \"words\"| \"words\"");
	over(std::vector<int>{ 1, 2 });
	std::puts("over(std::vector<int> const&)| [1, 2]| ADDRESS");
	std::puts("over(const std::vector<int> &)| [1, 2]| ADDRESS");
	over(std::vector<char>{ 'a' });
	std::puts("over(std::vector<char> const&)| \"a\"| ADDRESS");
	over(std::string_view("two"));
	std::puts("over(std::string_view)| \"two\"| \"two\"");
	over(uint64_t{ 7 });
	std::puts("over(uint64_t)| 7| 7");
	std::puts("over(const size_t)| 7| 7");
	std::puts("over(long unsigned int)| 7| 7");
	unsigned short half = 3;
	over(&half);
	std::puts("over(uint16_t *)| ADDRESS| ADDRESS");
	return lib::within({ 1 }) - 1;
}
