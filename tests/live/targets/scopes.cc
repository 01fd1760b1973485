// SPDX-License-Identifier: GPL-2.0-or-later
// Classes that are declared where they are used and defined elsewhere, among others of the same last name.  Built of four parts.
#if PART == 0		// those that are not meant come first
struct B { int global; } b;
struct Impl { int nowhere; } impl;
namespace C { struct B { int wrong; } b; }
struct Twice { long other[3]; } other;
#elif PART == 1
namespace A {
struct B;
struct Outer { struct Impl; Impl *p; };
B *make();
Outer::Impl *inner();
int use(B *), use(Outer::Impl *);
__attribute__((noinline)) int f(B *b) { return use(b); }
__attribute__((noinline)) int g(Outer::Impl *i) { return use(i); }
}
struct Twice;
Twice *twice();
int use(Twice *);
__attribute__((noinline)) int h(Twice *t) { return use(t); }
int main() { return A::f(A::make()) + A::g(A::inner()) + h(twice()) != 16; }
#elif PART == 2
namespace A {
struct B { int right; };
struct Outer { struct Impl { int deep; }; Impl *p; };
B b = { 7 };
Outer::Impl i = { 8 };
Outer o = { &i };
B *make() { return &b; }
Outer::Impl *inner() { return o.p; }
int use(B *b) { return b->right; }
int use(Outer::Impl *i) { return i->deep; }
}
#else
struct Twice { int one; } t = { 1 };
Twice *twice() { return &t; }
int use(Twice *t) { return t->one; }
#endif
