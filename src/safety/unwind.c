/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "elf/file.h"
#include "safety/switches.h"
#include "base/array.h"

/*
 * Files that a uretprobe could harm, by the names that they import or contain.
 *
 * A uretprobe puts its trampoline in the place of a return address.  An unwinder that finds the
 * trampoline has no unwind table for it and aborts the program: a C++ program that throws through
 * a traced function ends in std::terminate.  Code that switches stacks or unwinds by longjmp never
 * returns through the trampoline, and the kernel then pairs later returns with the wrong calls.
 *
 * Approach: tables of names.  `__cxa_throw` among the imports means C++; `swapcontext` means
 * stack switches; `backtrace` reads return addresses.  A static program is searched for the
 * functions themselves.  switches.c, walks.c and copies.c search the code for what has no name.
 *
 * Limit: a name says that a program can do it, not that it does, so some programs that never throw
 * get exit probes.
 */

/* A table's names are exact, but those that end in '*', which are beginnings. */
static bool matches(const char *pattern, const char *name)
{
	while (*pattern == *name && *pattern) {
		pattern++;
		name++;
	}
	return *pattern == *name || (*pattern == '*' && !pattern[1]);
}

static bool in_table(const char *const *table, size_t n, const char *name)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (matches(table[i], name))
			return true;
	return false;
}

static const char *const cxx_names[] = {
	"__cxa_throw", "__cxa_rethrow", "__cxa_allocate_exception", "__gxx_personality_v0",
};

static const char *const cxx_libraries[] = { "libstdc++.*", "libc++.*", "libc++abi.*" };

/* Either imported or contained. */
static const char *const unwinding_names[] = {
	"rust_eh_personality",
	"rust_begin_unwind",
	"__gnat_eh_personality",
	"__objc_personality_v0",
	"pthread_exit",
	"pthread_cancel",
	"thrd_exit",
	"swapcontext",
	"makecontext",
	"setcontext",
	"sigaltstack",
	"jump_fcontext",
	"ontop_fcontext",
	"co_switch",
	"__morestack",
	/*
	 * functions that read return addresses: a trampoline's address would end the walk, or be
	 * taken for the caller's
	 */
	"backtrace",
	"unw_backtrace",
	"_ULx86_64_*",
	"_Ux86_64_*",
	"_ULaarch64_*",
	"_Uaarch64_*",
	"_ULx86_init_local*",
	"_ULarm_*",
	"__cyg_profile_func_enter",
};

/*
 * Only imported: the static C library has _Unwind_* in every program, for its own backtraces.  A
 * seccomp filter may kill the program for the system call that a uretprobe makes it do (x86, 6.11).
 */
static const char *const unwinding_imports[] = { "_Unwind_*", "seccomp_load", "seccomp_init",
						 "mcount",    "_mcount",      "__fentry__" };

/* They define what is looked for, and themselves use it only where a program calls them to. */
static const char *const c_libraries[] = {
	"libc.*",	"libc-*",     "ld-*",	 "ld.so*",	 "ld64.*",	 "libpthread.*",
	"libpthread-*", "libgcc_s.*", "libm.*",	 "libm-*",	 "libmvec.*",	 "libdl.*",
	"libdl-*",	"librt.*",    "librt-*", "linux-vdso.*", "linux-gate.*",
};

/*
 * A program with plugins: they may be C++, call it, and be called back.  Those of a library know
 * only libraries.  Uretprobes until the first dlopen() would harm too: a call that is open then has
 * its trampoline.  backtrace() in the plugin ends there, and if it calls pthread_exit(), a program
 * built with -fexceptions loses the cleanup handlers of its callers.
 */
static const char *const loading_names[] = { "dlopen", "dlmopen" };

static void set_reason(struct rt_image *image, const char *what, const char *name)
{
	snprintf(image->unwinds, sizeof(image->unwinds), "%s%.100s", what, name);
}

static bool imports_unwinding(struct rt_image *image)
{
	size_t i;

	for (i = 0; i < image->imports.n; i++) {
		const char *name = image->imports.v[i];

		if (in_table(cxx_names, RT_COUNT(cxx_names), name))
			set_reason(image, "is C++: imports ", name);
		else if (in_table(unwinding_names, RT_COUNT(unwinding_names), name) ||
			 in_table(unwinding_imports, RT_COUNT(unwinding_imports), name) ||
			 (!image->short_name &&
			  in_table(loading_names, RT_COUNT(loading_names), name)))
			set_reason(image, "imports ", name);
		else
			continue;
		return true;
	}
	return false;
}

static bool needs_cxx(struct rt_image *image)
{
	size_t i;

	for (i = 0; i < image->needed.n; i++) {
		if (in_table(cxx_libraries, RT_COUNT(cxx_libraries), image->needed.v[i])) {
			set_reason(image, "is C++: needs ", image->needed.v[i]);
			return true;
		}
	}
	return false;
}

static bool contains_unwinding(struct rt_image *image)
{
	size_t i;

	for (i = 0; i < image->nsymbols; i++) {
		const char *name = image->symbols[i].name;

		if (in_table(cxx_names, RT_COUNT(cxx_names), name))
			set_reason(image, "is C++: contains ", name);
		/* Since 1.87 Rust mangles it: _RNv..._7___rustc17rust_begin_unwind. */
		else if (in_table(unwinding_names, RT_COUNT(unwinding_names), name) ||
			 strstr(name, "17rust_begin_unwind"))
			set_reason(image, "contains ", name);
		else
			continue;
		return true;
	}
	return false;
}

static const char *library_name(const struct rt_image *image)
{
	return image->soname ? image->soname : image->short_name ? image->short_name : "";
}

static bool is_c_library(const struct rt_image *image)
{
	return in_table(c_libraries, RT_COUNT(c_libraries), library_name(image));
}

static void judge(struct rt_image *image)
{
	const struct rt_symbol *v;
	const char *name;
	bool turns;
	size_t n;

	if (image->is_go) {
		set_reason(image, "is a Go program", "");
		return;
	}
	if (is_c_library(image))
		return;
	if (in_table(cxx_libraries, RT_COUNT(cxx_libraries), library_name(image))) {
		set_reason(image, "is the C++ library", "");
		return;
	}
	if (needs_cxx(image))
		return;
	if (rt_image_symbols(image, &v, &n, NULL)) {
		set_reason(image, "has a damaged symbol table", "");
		return;
	}
	if (imports_unwinding(image) || contains_unwinding(image))
		return;
	/*
	 * Every static program has the C library's own exception table; elsewhere one means C++,
	 * Rust or their like.
	 */
	if (image->has_except_table && (image->interp || image->needed.n || image->short_name))
		set_reason(image, "has exception handlers", "");
	else if (rt_image_switches(image, &name))
		set_reason(image, *name ? "switches stacks in " : "switches stacks", name);
	else if (rt_image_walks(image, &name))
		set_reason(image, *name ? "follows frame pointers in " : "follows frame pointers",
			   name);
	else if (rt_image_copies(image, &name, &turns))
		set_reason(image,
			   turns   ? *name ? "has coroutines of setjmp and longjmp in "
					   : "has coroutines of setjmp and longjmp"
			   : *name ? "may put back a copy of its stack in "
				   : "may put back a copy of its stack",
			   name);
}

const char *rt_image_unwinds(struct rt_image *image)
{
	if (!image->unwinds_known) {
		image->unwinds_known = true;
		judge(image);
	}
	return image->unwinds[0] ? image->unwinds : NULL;
}

static const char *const exec_names[] = { "execve", "execv",  "execvp",	 "execvpe", "execl",
					  "execlp", "execle", "fexecve", "execveat" };

static const char *first_import(const struct rt_image *image, const char *const *table, size_t n)
{
	size_t i;

	for (i = 0; i < image->imports.n; i++)
		if (in_table(table, n, image->imports.v[i]))
			return image->imports.v[i];
	return NULL;
}

/*
 * The first name of a table that the file imports or, being static or with `contained`, contains.
 */
static const char *first_of(struct rt_image *image, const char *const *table, size_t n,
			    bool contained)
{
	const struct rt_symbol *v;
	const char *name;
	size_t i, nv;

	/* Reads the imports too. */
	if (rt_image_symbols(image, &v, &nv, NULL))
		return "what its damaged symbol table hides";
	name = first_import(image, table, n);
	if (name)
		return name;
	if (!contained && (image->interp || image->needed.n || image->short_name))
		return NULL;
	for (i = 0; i < nv; i++)
		if (in_table(table, n, v[i].name))
			return v[i].name;
	return NULL;
}

const char *rt_image_becomes(struct rt_image *image)
{
	const char *name = rt_image_execs(image);

	return is_c_library(image) || name
		       ? name
		       : first_of(image, loading_names, RT_COUNT(loading_names), false);
}

const char *rt_image_execs(struct rt_image *image)
{
	return is_c_library(image) ? NULL
				   : first_of(image, exec_names, RT_COUNT(exec_names), false);
}

/*
 * A function that loads code may load such code; in a static program the C library itself has
 * dlopen, for its own C.
 */
static const char *first_or_loads(struct rt_image *image, const char *const *table, size_t n)
{
	const char *name = first_of(image, table, n, true);

	return name ? name : first_import(image, loading_names, RT_COUNT(loading_names));
}

/*
 * Not __longjmp, by which the static C library, in every program, cancels threads: no call comes
 * after that.
 */
static const char *const jumping_names[] = {
	"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk", "__libc_longjmp", "__libc_siglongjmp",
};

bool rt_name_jumps(const char *name)
{
	return in_table(jumping_names, RT_COUNT(jumping_names), name);
}

bool rt_image_has_jumps(struct rt_image *image)
{
	return first_of(image, jumping_names, RT_COUNT(jumping_names), true);
}

const char *rt_image_jumps(struct rt_image *image)
{
	return is_c_library(image) ? NULL
				   : first_or_loads(image, jumping_names, RT_COUNT(jumping_names));
}

static const char *const forking_names[] = { "fork",  "__fork",	 "__libc_fork",
					     "vfork", "__vfork", "_Fork" };

const char *rt_image_forks(struct rt_image *image)
{
	return is_c_library(image) ? NULL
				   : first_or_loads(image, forking_names, RT_COUNT(forking_names));
}

static const char *const filtering_names[] = { "prctl", "seccomp" };

const char *rt_image_filters(struct rt_image *image)
{
	return is_c_library(image)
		       ? NULL
		       : first_of(image, filtering_names, RT_COUNT(filtering_names), false);
}

#define TWICE	"returns twice"
#define FORKS	"returns twice, first in a child"
#define STACKS	"switches stacks"
#define CHILD	"returns once more, in a child"
#define NO_RA	"its stack top is not a return address"
#define OWN_RA	"uses its own return address"
#define CALLER	"looks at its return address to know its caller"
#define SIGNAL	"is entered by a signal's return"
#define ENTRY	"is the program's entry: there is no return address"

static const struct {
	const char *name, *why;
} unsafe[] = {
	{ "setjmp", TWICE },
	{ "_setjmp", TWICE },
	{ "__setjmp", TWICE },
	{ "sigsetjmp", TWICE },
	{ "__sigsetjmp", TWICE },
	{ "vfork", FORKS },
	{ "__vfork", FORKS },
	{ "__libc_vfork", FORKS },
	{ "clone", CHILD },
	{ "__clone", CHILD },
	{ "clone3", CHILD },
	{ "__clone3", CHILD },
	{ "__clone_internal", CHILD },
	{ "__clone_internal_fallback", CHILD },
	{ "getcontext", TWICE },
	{ "__getcontext", TWICE },
	{ "swapcontext", STACKS },
	{ "__swapcontext", STACKS },
	{ "makecontext", STACKS },
	{ "__makecontext", STACKS },
	{ "setcontext", STACKS },
	{ "__setcontext", STACKS },
	{ "__start_context", STACKS },
	{ "__push___start_context", STACKS },
	{ "jump_fcontext", STACKS },
	{ "ontop_fcontext", STACKS },
	{ "co_switch", STACKS },
	{ "__morestack*", STACKS },
	{ "pthread_exit", "ends its thread" },
	{ "__pthread_exit", "ends its thread" },
	{ "thrd_exit", "ends its thread" },
	{ "_Unwind_RaiseException", "unwinds the stack" },
	{ "_Unwind_Resume*", "unwinds the stack" },
	{ "_Unwind_ForcedUnwind*", "unwinds the stack" },
	{ "_Unwind_Backtrace", "walks the stack" },
	{ "backtrace", "walks the stack" },
	{ "__backtrace", "walks the stack" },
	{ "_dl_runtime_resolve*", NO_RA },
	{ "_dl_runtime_profile*", NO_RA },
	{ "__restore_rt", SIGNAL },
	{ "__restore", SIGNAL },
	{ "__default_rt_sa_restorer", SIGNAL },
	{ "__default_sa_restorer", SIGNAL },
	{ "_start", ENTRY },
	{ "__start", ENTRY },
	{ "_dl_start_user", ENTRY },
	{ "_dlstart", ENTRY },
	{ "_rt0_*", ENTRY },
	{ "__x86.get_pc_thunk.*", OWN_RA },
	{ "__x86_get_pc_thunk_*", OWN_RA },
	{ "__i686.get_pc_thunk.*", OWN_RA },
	{ "__x86_return_thunk*", OWN_RA },
	{ "__x86_indirect_thunk*", OWN_RA },
	{ "__llvm_retpoline_*", OWN_RA },
	{ "__llvm_lvi_thunk_*", OWN_RA },
	{ "mcount", OWN_RA },
	{ "_mcount", OWN_RA },
	{ "__mcount", OWN_RA },
	{ "__fentry__", OWN_RA },
	{ "dlsym", CALLER },
	{ "__dlsym", CALLER },
	{ "___dlsym", CALLER },
	{ "dlvsym", CALLER },
	{ "__dlvsym", CALLER },
	{ "___dlvsym", CALLER },
	{ "dlopen", CALLER },
	{ "__dlopen", CALLER },
	{ "___dlopen", CALLER },
	{ "dlmopen", CALLER },
	{ "__dlmopen", CALLER },
	{ "___dlmopen", CALLER },
};

static const char *unsafe_name(const char *name)
{
	size_t i;

	for (i = 0; i < RT_COUNT(unsafe); i++)
		if (matches(unsafe[i].name, name))
			return unsafe[i].why;
	return rt_name_fragment(name);
}

bool rt_name_reads_return_address(const char *name)
{
	return unsafe_name(name) && !rt_name_fragment(name);
}

const char *rt_name_fragment(const char *name)
{
	const char *part = strstr(name, ".part.");

	if (strstr(name, ".cold"))
		return "is the cold part of a function, entered by a jump";
	if (part && part[6] >= '0' && part[6] <= '9')
		return "is a part of a function, which may be entered by a jump";
	return NULL;
}

/* Exit probes do not change the return address, so the function may read it. */
static const char *unsafe_exit_name(const char *name)
{
	const char *why = unsafe_name(name);

	return why && strcmp(why, CALLER) == 0 ? NULL : why;
}

static const char *unsafe_code(const struct rt_image *image, uint64_t addr, uint64_t size)
{
	uint8_t code[RT_ARCH_BODY];

	if (!image->arch->unsafe_return)
		return NULL;
	return image->arch->unsafe_return(
		code, rt_image_read(image, addr, code, size < sizeof(code) ? size : sizeof(code)));
}

/*
 * A program's own function that is called clone copies something else than its process, unless it
 * asks the kernel itself.  Plain probes would not harm it even then.
 */
static bool is_other(const struct rt_image *image, const char *why, uint64_t addr, uint64_t size)
{
	uint8_t code[RT_ARCH_BODY];
	size_t i, n;

	if (!image->arch->system_call || !size || size > sizeof(code) ||
	    !(strcmp(why, CHILD) == 0 || strcmp(why, FORKS) == 0))
		return false;
	n = rt_image_read(image, addr, code, size);
	for (i = 1; i < n; i++)
		if (memcmp(code + i - 1, image->arch->system_call, 2) == 0)
			return false;
	return n == size;
}

const char *rt_image_unsafe_exits(const struct rt_image *image, const char *name, uint64_t addr)
{
	const struct rt_symbol *aliases;
	const char *why = unsafe_exit_name(name);
	size_t i, n;

	if (!why && addr == image->entry)
		why = ENTRY;
	aliases = rt_symbols_at(image, addr, &n);
	for (i = 0; i < n && !why; i++)
		why = aliases[i].name == name ? NULL : unsafe_exit_name(aliases[i].name);
	if (why && n && is_other(image, why, addr, aliases[0].size))
		why = NULL;
	/* Calls and returns are paired by the stack pointer, which its callee has too. */
	for (i = 0; i < n && !why; i++)
		why = unsafe_code(image, addr, aliases[i].size);
	return why;
}

const char *rt_image_unsafe_return(const struct rt_image *image, const char *name, uint64_t addr)
{
	const struct rt_symbol *aliases;
	const char *why = unsafe_name(name);
	size_t i, n;

	if (!why && addr == image->entry)
		why = ENTRY;
	aliases = rt_symbols_at(image, addr, &n);
	for (i = 0; i < n && !why; i++)
		why = aliases[i].name == name ? NULL : unsafe_name(aliases[i].name);
	for (i = 0; i < n && !why; i++)
		why = unsafe_code(image, addr, aliases[i].size);
	return why;
}
