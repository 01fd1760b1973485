#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Debug information in other files than the program, functions that are inlined, and the cost of
# reading it.
. "$SRCDIR/tests/live/lib.sh"

has "$CC" || skip_all "no compiler"
"$RAWTRACE" --version | grep -q 'without libdw' && skip_all "built without libdw"

# prototypes FILE ARGUMENT...: what the library says, in $T/prototypes
prototypes() {
	"$BIN/prototypes" "$@" >"$T/prototypes" 2>&1 || because "prototypes: status $?"
}

# ---- where debug information is ----

$CC -w -g -O1 -o "$T/types" "$TARGETS/types.c"
"$BIN/prototypes" "$T/types" >"$T/plain"
begin "prototypes"
expect_line 'int32(int) request(char(char)\* text, struct(struct request)\* r)' "$T/plain"
expect_line 'struct(point) values(struct(point) a, struct(mixed) m, struct(triple) t, enum(enum color) c, enum(enum rights) w)' "$T/plain"
end_case

# same_as_plain CASE FILE
same_as_plain() {
	begin "$1"
	prototypes "$2"
	sort "$T/plain" >"$T/plain.sorted"
	sort "$T/prototypes" >"$T/other.sorted"
	expect_same "$T/plain.sorted" "$T/other.sorted"
	end_case
}
if $CC -w -g -gz -O1 -o "$T/packed" "$TARGETS/types.c" 2>/dev/null; then
	same_as_plain "compressed sections" "$T/packed"
fi
if has objcopy; then
	cp "$T/types" "$T/stripped"
	objcopy --only-keep-debug "$T/types" "$T/stripped.debug" && strip "$T/stripped" &&
		objcopy --add-gnu-debuglink="$T/stripped.debug" "$T/stripped"
	begin "a separate debug file"
	rt "$T/stripped" values
	expect_line \
		'^>(values {.x=1, .y=-2} {.number=3, .other=4} {.a=5, .b=6, .c=7} GREEN READ|RUN)$' \
		"$T/err"
	end_case
fi
if ! grep -q 'HAVE_LIBDW_SPLIT_TRUE=.#' "$BUILDDIR/config.log" && $CC -w -g -gsplit-dwarf -O1 \
	-o "$T/split" "$TARGETS/types.c" 2>/dev/null; then
	same_as_plain "split DWARF" "$T/split"
	begin "split DWARF without its other half"
	rm -f "$T"/*.dwo
	rt "$T/split" values
	expect_status 0
	expect_line "types missing: libdw does not find '.*\.dwo'" "$T/err"
	end_case
fi
if has dwz; then
	cp "$T/types" "$T/one"
	cp "$T/types" "$T/two"
	if dwz -m "$T/common" -M common "$T/one" "$T/two" 2>/dev/null && [ -s "$T/common" ]; then
		same_as_plain "dwz" "$T/one"
		begin "dwz without the file that others share"
		mv "$T/common" "$T/moved"
		rt "$T/one" values integers
		expect_status 0
		expect_line "types missing: libdw does not find '.*common'" "$T/err"
		expect_line '<not known>' "$T/err"
		expect_no_line '#<void>' "$T/err"
		end_case
		if has readelf && ! grep -q 'HAVE_LIBDW_SPLIT_TRUE=.#' "$BUILDDIR/config.log"; then
			id=$(readelf -n "$T/moved" | sed -n 's/.*Build ID: //p')
			mkdir -p "$T/debug/.build-id/$(printf %.2s "$id")"
			ln -s "$T/moved" "$T/debug/.build-id/$(printf %.2s "$id")/${id#??}.debug"
			export RAWTRACE_DEBUG_DIR="$T/debug"
			same_as_plain "dwz: the shared file by its build-id" "$T/one"
			unset RAWTRACE_DEBUG_DIR
			mkdir "$T/ask"
			printf '#!/bin/sh\n[ "$1 $2" = "debuginfo %s" ] && echo "%s"\n' "$id" \
				"$T/moved" >"$T/ask/debuginfod-find"
			chmod +x "$T/ask/debuginfod-find"
			path=$PATH
			export DEBUGINFOD_URLS=http://none.invalid DEBUGINFOD_CACHE_PATH="$T/cache"
			export PATH="$T/ask:$PATH"
			same_as_plain "dwz: the shared file from a server" "$T/one"
			unset DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH
			PATH=$path
		fi
	fi
fi

begin "inlined everywhere"
rt "$T/types" tiny
expect_status 2
expect_message "'tiny' is inlined everywhere; try building with -fno-inline" "$T/err"
timeout 60 "$RAWTRACE" list "$T/types" >"$T/listed" 2>&1
expect_line '^- .* no .* tiny  \[inlined everywhere' "$T/listed"
timeout 60 "$RAWTRACE" list "$T/types" 'tin*' >"$T/listed" 2>&1
expect_line '^- .* no .* tiny  \[inlined everywhere' "$T/listed"
end_case

cat >"$T/qualified.cc" <<'EOF'
namespace {
struct Local { int v; int add(int n) { return v += n; } };
namespace in { int deep(int n) { return n + 5; } }
}
namespace bank {
static int once(int n) { return n ^ 5; }
inline namespace v1 { struct Acct { int v; int add(int n) { return v += n; } int add(long n) { return v -= (int)n; } }; }
template <class T> struct Box { T v; T get(T n) { return v + n; } };
}
__attribute__((noinline)) int use(Local *l, bank::Acct *a, int n)
{
	bank::Box<int> box = { n };

	return l->add(n) + in::deep(n) + bank::once(n) + a->add(n) + a->add(2L) + box.get(n);
}
int main(int argc, char **)
{
	Local l = { argc };
	bank::Acct a = { argc };

	return use(&l, &a, argc) > 100;
}
EOF
if target qualified g++ -g -O2 "$T/qualified.cc"; then
	for name in add bank::v1::Acct::add bank::Acct::add 'bank::Acct::add(long)' bank::once \
		'bank::Box<int>::get' bank::Box::get \
		'(anonymous namespace)::Local::add' '(anonymous namespace)::in::deep'; do
		begin "inlined everywhere: $name"
		rt "$T/qualified" "$name"
		expect_status 2
		expect_message \
			"'${name%(long)}' is inlined everywhere; try building with -fno-inline" \
			"$T/err"
		end_case
	done
	for name in bank::Acct::sub Acct::add bank::add; do
		begin "inlined everywhere, and not under this name: $name"
		rt "$T/qualified" "$name"
		expect_status 2
		expect_message "no function '$name'" "$T/err"
		end_case
	done
	begin "inlined everywhere: list"
	timeout 60 "$RAWTRACE" list "$T/qualified" '*' >"$T/listed" 2>&1
	expect_line '^- .* no .* (anonymous namespace)::Local::add  \[inlined everywhere' \
		"$T/listed"
	expect_line '^- .* no .* bank::once  \[inlined everywhere' "$T/listed"
	end_case
fi

begin "inlined in places"
cat >"$T/places.c" <<'EOF'
static inline __attribute__((always_inline)) int thrice(int n) { return 3 * n; }
int twice(int n) { return 2 * n; }
__attribute__((noinline)) int both(int n) { return twice(n) + thrice(n); }
int (*volatile through)(int) = twice;
int main(int argc, char **argv) { (void)argv; return both(argc) - through(2) - argc; }
EOF
$CC -g -O2 -o "$T/places" "$T/places.c"
rt "$T/places" twice both
expect_status 0
expect_line '^rawtrace: twice: calls that the compiler has inlined are not seen$' "$T/err"
expect_line '^>(twice 2)$' "$T/err"
! grep -q 'both: where\|thrice' "$T/err" || show "$T/err"
sed -i 's/through(2)/4/; s/^int (.*//' "$T/places.c"
$CC -g -O2 -o "$T/places" "$T/places.c"
rt count "$T/places" twice
expect_line '^rawtrace: twice: calls that the compiler has inlined are not seen$' "$T/err"
expect_line '^rawtrace: not called: twice$' "$T/err"
end_case

begin "GCC's copies, which the compiler marks as inlined"
cat >"$T/copies.c" <<'EOF'
static __attribute__((noinline)) int only(int a, int b) { __asm__ volatile("" ::: "memory"); return b == 3 ? a : a * 7 + b; }
int main(int argc, char **argv) { (void)argv; return only(argc, 20) + only(argc + 1, 20) < 0; }
EOF
# Newer versions of GCC may make no copy of it.
if $CC -g -O2 -o "$T/copies" "$T/copies.c" && nm "$T/copies" | grep -q ' only\.constprop\.0$'; then
	rt "$T/copies" only
	! grep -q 'inlined' "$T/err" || show "$T/err"
	# Debug information gives its place at no byte of the code.
	expect_line '^>(only\.constprop\.0 2 ' "$T/err"
	rt "$T/copies" 'int only(int a, int b)'
	expect_status 2
	expect_message "no function 'only'; did you mean 'only\.constprop\.0'?" "$T/err"
fi
end_case

# ---- cost ----

# scopes CASE COMPILER OPTION...: classes that are only declared where they are used
scopes() {
	begin "classes defined elsewhere: $1"
	compiler=$2
	shift 2
	for part in 0 1 2 3; do
		"$compiler" -g -O1 "$@" -DPART=$part -c -o "$T/part$part.o" "$TARGETS/scopes.cc" \
			>"$T/cc" 2>&1 || show "$T/cc"
	done
	"$compiler" "$@" -o "$T/scopes" "$T"/part?.o >"$T/cc" 2>&1 || show "$T/cc"
	[ -z "$index" ] || readelf -SW "$T/scopes" | grep -q "$index" || because "no $index"
	rt "$T/scopes" A::f A::g h
	expect_status 0
	expect_line '^>(A::f {\.right=7})' "$T/err"
	expect_line '^>(A::g {\.deep=8})' "$T/err"
	# Two of them differ, and nothing says which one is meant.
	expect_line '^>(h 0x[0-9a-f]*)' "$T/err"
	end_case
}

index=
has g++ && scopes "g++" g++
has clang++ && scopes "clang++" clang++ -Wno-unused-command-line-argument
if has clang++ && has ld.lld; then
	index=gdb_index
	scopes "clang++, .gdb_index" clang++ -Wno-unused-command-line-argument -ggnu-pubnames \
		-fuse-ld=lld -Wl,--gdb-index
	index=debug_names
	scopes "clang++, .debug_names" clang++ -Wno-unused-command-line-argument -gdwarf-5 -glldb \
		-gpubnames
fi

# list_cost PROGRAM: $ms of CPU time and $mb that it takes to tell its function `request` by DWARF
list_cost() {
	python3 - "$RAWTRACE" "$1" >"$T/cost" 2>&1 <<'PYTHON'
import resource, subprocess, sys
out = subprocess.run([sys.argv[1], "list", sys.argv[2], "request"], stdout=subprocess.PIPE,
                     timeout=60).stdout.decode()
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print("int request(" in out, int((used.ru_utime + used.ru_stime) * 1000), used.ru_maxrss // 1024)
PYTHON
	read -r found ms mb <"$T/cost"
	[ "$found" = True ] || show "$T/cost"
}

if has python3 && has objcopy && [ "$(uname -m)" = x86_64 ]; then
	begin "one function of 500 MB"
	cp "$T/types" "$T/huge"
	objcopy -R .debug_aranges "$T/huge" && python3 "$LIVE/huge.py" "$T/huge"
	list_cost "$T/huge"
	slow || expect_number "ms of CPU time" "$ms" -lt 300
	expect_number "MB" "$mb" -lt 200
	end_case

	quick && exit 0
	begin "what is unpacked is not kept beside what it was unpacked from"
	head -c 6000000 /dev/urandom | base64 >"$T/noise"
	objcopy --add-section .debug_loc="$T/noise" --add-section .debug_ranges="$T/noise" \
		--add-section .debug_macro="$T/noise" \
		--add-section .debug_types="$T/noise" "$T/types" "$T/packed"
	objcopy --compress-debug-sections=zlib "$T/packed"
	list_cost "$T/packed"
	expect_number "MB" "$mb" -lt 55
	end_case
fi
exit 0
