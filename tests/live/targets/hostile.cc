// SPDX-License-Identifier: GPL-2.0-or-later
// See hostile.c.
namespace space_Hostile_Name_X {

struct Type_Hostile_Name_X {
	int member_Hostile_Name_X;
	__attribute__((noinline)) int method_Hostile_Name_X(const Type_Hostile_Name_X &other) const
	{
		asm volatile("" : : "r"(this), "r"(&other) : "memory");
		return member_Hostile_Name_X;
	}
};

}

int main()
{
	const space_Hostile_Name_X::Type_Hostile_Name_X v = { 3 };

	return v.method_Hostile_Name_X(v) - 3;
}
