// SPDX-License-Identifier: GPL-2.0-or-later
// Types that C++ has besides C.  Each call is printed before it is made, as rawtrace shows it.
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noipa))
#endif

static volatile int sink;

struct point { int x, y; };

struct counted {
	int n;
	counted(int start) : n(start) {}
	counted(const counted &other) : n(other.n) {}
	~counted() { sink = n; }
};

class shape {
public:
	virtual ~shape() {}
	int scale(int by, const point &at) const;
	static int area(point p);
	int sides = 4;
};

NOINLINE int shape::scale(int by, const point &at) const { return sink = sides * by + at.x + at.y; }
NOINLINE int shape::area(point p) { return sink = p.x * p.y; }

namespace ns {
NOINLINE int text(const std::string &s, std::string t, std::string_view v) { return sink = (int)(s.size() + t.size() + v.size()); }
NOINLINE int lists(const std::vector<int> &v, std::vector<point> w, std::vector<std::string> *none) { return sink = v[0] + w[0].x + w[0].y + (none != nullptr); }
NOINLINE std::string same(std::string t) { return t; }
NOINLINE int object(counted c, counted &d, counted *e, int n) { return sink = c.n + d.n + e->n + n; }
}

enum class level { low = -1, high = 1 };
NOINLINE int kinds(level l, bool b, char c) { return sink = (int)l + b + c; }

int main()
{
	std::string shorter = "short", longer = "one that is longer than sixteen";
	std::vector<int> v { 1, 2, 3 };
	std::vector<point> w { { 4, 5 } };
	counted c(6), d(7), e(8);
	shape s;
	point p { 9, 10 };

	puts("(ns::text \"one that is longer than sixteen\" \"short\" \"view\")");
	ns::text(longer, shorter, "view");
	puts("(ns::text \"\" \"twenty-two characters!\" \"twenty-three characters\")");
	ns::text("", "twenty-two characters!", "twenty-three characters");
	puts("(ns::text \"twenty-three characters\" \"a\\000b\" \"\")");
	ns::text("twenty-three characters", std::string("a\0b", 3), "");
	puts("(ns::same \"one that is longer than sixteen\")");
	sink = (int)ns::same(longer).size();
	puts("(ns::lists [1, 2, 3] [{.x=4, .y=5}] NULL)");
	ns::lists(v, w, nullptr);
	puts("(ns::object {.n=6} {.n=7} {.n=8} 11)");
	ns::object(c, d, &e, 11);
	puts("(shape::scale {.sides=4} 12 {.x=9, .y=10})");
	s.scale(12, p);
	puts("(shape::area {.x=9, .y=10})");
	shape::area(p);
	puts("(kinds low true 'c')");
	kinds(level::low, true, 'c');
	return 0;
}
