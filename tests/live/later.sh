#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Functions of libraries by globs, and of libraries that are loaded later, by name.
. "$SRCDIR/tests/live/lib.sh"

has "$CC" || skip_all "no compiler"

# Hidden folders are not searched: files in .lib are known once they are mapped.
mkdir "$T/lib" "$T/.lib" "$T/plugins"
for name in one two; do
	cat >"$T/$name.c" <<E2
int ${name}_add(int n) { return n + 1; }
int ${name}_sub(int n) { return n - 1; }
E2
	"$CC" -O1 -shared -fPIC -Wl,-soname,"libtoy$name.so.1" -o "$T/lib/libtoy$name.so.1" \
		"$T/$name.c" || exit 1
done
cat >"$T/both.c" <<'E2'
int one_add(int), one_sub(int), two_add(int);

int main(void)
{
	return one_add(1) + one_sub(5) + two_add(3);
}
E2
# shellcheck disable=SC2016 # the loader's word
"$CC" -O1 -o "$T/both" "$T/both.c" "$T/lib/libtoyone.so.1" "$T/lib/libtoytwo.so.1" \
	-Wl,-rpath,'$ORIGIN/lib' || exit 1

begin "later: a glob over libraries"
rt "$T/both" 'libtoy*:*_add'
expect_status 10
expect_line '^>(one_add 1)$' "$T/err"
expect_line '^>(two_add 3)$' "$T/err"
expect_no_line 'one_sub' "$T/err"
end_case

begin "later: a glob over libraries, of which one has the function"
rt "$T/both" 'libtoy*.so.?:one_sub'
expect_status 10
expect_line '^>(one_sub 5)$' "$T/err"
end_case

begin "later: a glob over libraries that have no such function"
rt "$T/both" 'libtoy*:three'
expect_status 2
expect_message "no function of 'libtoy\\*' (libtoyone.so.1, ...) is 'three'" "$T/err"
end_case

# The program calls until one of its calls is seen, or for 20 s at most.
cat >"$T/plug.c" <<'E2'
int twice(int n) { return 2 * n; }
int thrice(int n) { return 3 * n; }
E2
cat >"$T/host.c" <<'E2'
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	void *plugin;
	int (*f)(int);
	int n;

	/* With -p: not before the trace has begun. */
	for (n = 0; n < 2000 && argc > 3 && access(argv[3], F_OK) != 0; n++)
		usleep(10000);
	plugin = dlopen(argv[1], RTLD_NOW);
	if (argc > 4)
		unlink(argv[1]);
	f = plugin ? (int (*)(int))dlsym(plugin, "twice") : NULL;
	for (n = 0; f && n < 2000 && access(argv[2], F_OK) != 0; n++) {
		f(21);
		usleep(10000);
	}
	return f && f(21) == 42 ? 5 : 6;
}
E2
"$CC" -O1 -shared -fPIC -Wl,-soname,libplug.so.1 -o "$T/.lib/libplug.so.1" "$T/plug.c" &&
	"$CC" -O1 -o "$T/host" "$T/host.c" -ldl || exit 1

# Wait until the trace in $T/err has a line; then let the program end.
until_line() { # PATTERN
	tries=0
	while ! grep -q "$1" "$T/err" && [ "$tries" -lt 400 ]; do
		sleep 0.05
		tries=$((tries + 1))
	done
}

stop_when() { # PATTERN
	until_line "$1"
	: >"$T/stop"
}

rt_later() { # PATTERN ARGUMENTS...
	selected || return 0
	pattern=$1
	shift
	rm -f "$T/stop"
	: >"$T/err"
	in_background "$RAWTRACE" "$@" >"$T/out" 2>"$T/err"
	stop_when "$pattern"
	wait "$PID"
	ST=$?
}

find_mechanisms
for mechanism in $MECHANISMS; do
	[ "$mechanism" != tracefs ] || continue
	begin "later: $mechanism: a library that is loaded later, by its name"
	rt_later '^<42$' --attach="$mechanism" "$T/host" libplug:twice -- \
		"$T/.lib/libplug.so.1" "$T/stop"
	expect_status 5
	expect_line '^rawtrace: libplug.so.1: loaded .* ms before its probes were in' "$T/err"
	expect_line '^>(twice 21)$' "$T/err"
	expect_line '^<42$' "$T/err"
	end_case
done

begin "later: a library that is loaded later, by a glob"
rt_later '^<42$' "$T/host" 'libpl*:t*ice' -- "$T/.lib/libplug.so.1" "$T/stop"
expect_status 5
expect_line '^>(twice 21)$' "$T/err"
end_case

begin "later: the types that a specification gives"
rt_later '^<WHOLE$' "$T/host" 'libplug:twice(enum {HALF=21} n) -> enum {WHOLE=42}' -- \
	"$T/.lib/libplug.so.1" "$T/stop"
expect_status 5
expect_line '^>(twice HALF)$' "$T/err"
expect_line '^<WHOLE$' "$T/err"
end_case

begin "later: a count of what is called in a library that is loaded later"
rt_later 'before its probes were in' count "$T/host" 'libpl*:t*ice' -- \
	"$T/.lib/libplug.so.1" "$T/stop"
expect_status 5
expect_line '^twice  *[1-9][0-9]*$' "$T/err"
end_case

begin "later: a library that never comes"
rt "$T/host" libnone:twice -- "$T/.lib/libplug.so.1" "$T/.lib/libplug.so.1"
expect_status 5
expect_line '^rawtrace: libnone: no call was seen; it was not loaded, or' "$T/err"
end_case

begin "later: a name that is no library's, where the program loads none"
rt "$T/both" libnone:twice
expect_status 2
expect_message "no library 'libnone'" "$T/err"
end_case

# ---- files without a name, and two at one address ----

cat >"$T/a.c" <<'E2'
int twice(int n) { return 2 * n; }
E2
cat >"$T/b.c" <<'E2'
int thrice(int n) { return 3 * n; }
E2
cat >"$T/swap.c" <<'E2'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* Load, call until the file `stop` is there, and unload. */
static void *use(const char *path, const char *name, const char *stop)
{
	void *library = dlopen(path, RTLD_NOW);
	int (*f)(int) = library ? (int (*)(int))dlsym(library, name) : NULL;
	int n;

	for (n = 0; f && n < 2000 && access(stop, F_OK) != 0; n++) {
		f(21);
		usleep(10000);
	}
	if (library)
		dlclose(library);
	return (void *)f;
}

/* swap A B STOP: two files; swap A - STOP: a copy in memory. */
int main(int argc, char **argv)
{
	int fd = memfd_create("libinmemory.so", 0), in = open(argv[1], O_RDONLY);
	char path[64], stop[300], buf[4096];
	void *first, *second;
	ssize_t n;

	snprintf(stop, sizeof(stop), "%s", argv[3]);
	if (argv[2][0] == '-') {
		while ((n = read(in, buf, sizeof(buf))) > 0)
			if (write(fd, buf, (size_t)n) != n)
				return 1;
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		return use(path, "twice", stop) ? 0 : 1;
	}
	first = use(argv[1], "twice", stop);
	snprintf(stop, sizeof(stop), "%s2", argv[3]);
	second = use(argv[2], "thrice", stop);
	return first && first == second ? 0 : 3;
}
E2
"$CC" -O1 -shared -fPIC -o "$T/.lib/liba.so" "$T/a.c" &&
	"$CC" -O1 -shared -fPIC -o "$T/.lib/libb.so" "$T/b.c" &&
	"$CC" -O1 -o "$T/swap" "$T/swap.c" -ldl || exit 1

for mechanism in $MECHANISMS; do
	[ "$mechanism" != tracefs ] || continue
	begin "later: $mechanism: another file at the address of one that was unloaded"
	if selected; then
		rm -f "$T/stop" "$T/stop2"
		: >"$T/err"
		in_background "$RAWTRACE" --attach="$mechanism" "$T/swap" 'lib[ab].so:*' -- \
			"$T/.lib/liba.so" "$T/.lib/libb.so" "$T/stop" >"$T/out" 2>"$T/err"
		stop_when '^<42$'
		until_line '^<63$'
		: >"$T/stop2"
		wait "$PID"
		ST=$?
		expect_no_line '^<0x' "$T/err"
		expect_number "twice" "$(grep -c '^>(twice 21)$' "$T/err")" -gt 0
		expect_number "thrice" "$(grep -c '^>(thrice 21)$' "$T/err")" -gt 0
		expect_number "results" "$(grep -c '^<63$' "$T/err")" -eq \
			"$(grep -c '^>(thrice' "$T/err")"
	fi
	expect_status 0
	end_case
done

begin "later: a library in memory (memfd)"
rt_later '^<42$' "$T/swap" 'libinmemory*:twice' -- "$T/.lib/liba.so" - "$T/stop"
expect_status 0
expect_line '^>(twice 21)$' "$T/err"
end_case

begin "later: -p, a library that is loaded later and deleted at once"
if selected; then
	rm -f "$T/stop" "$T/go"
	: >"$T/err"
	cp "$T/.lib/libplug.so.1" "$T/.lib/gone.so"
	"$T/host" "$T/.lib/gone.so" "$T/stop" "$T/go" delete &
	host=$!
	in_background "$RAWTRACE" -v -p "$host" libplug:twice >"$T/out" 2>"$T/err"
	until_line 'attached to'
	: >"$T/go"
	stop_when '^<42$'
	wait "$PID"
	wait "$host"
	expect_number "host" "$?" -eq 5
	expect_line '^>(twice 21)$' "$T/err"
fi
end_case

# ---- without BPF: by ld.so.cache ----

# in_cache COMMAND...: where ld.so.cache has the libraries of $T/.lib too; the trace is in $T/err.
in_cache() {
	rm -f "$T/stop" "$T/go"
	: >"$T/err"
	# shellcheck disable=SC2016 # the arguments are those of the inner shell
	in_background unshare -m sh -c 'mount --bind "$0" /etc/ld.so.cache && exec "$@"' \
		"$T/cache" "$@" >"$T/out" 2>"$T/err"
}

echo "$T/.lib" >"$T/ld.so.conf"
if has unshare && unshare -m true 2>/dev/null &&
	ldconfig -X -C "$T/cache" -f "$T/ld.so.conf" 2>/dev/null &&
	[ -e /etc/ld.so.cache ] && [ -s "$T/cache" ]; then
	for how in command -p; do
		begin "later: --no-bpf: a library of ld.so.cache, $how"
		if selected && [ "$how" = command ]; then
			in_cache "$RAWTRACE" --no-bpf "$T/host" libplug:twice -- \
				libplug.so.1 "$T/stop"
		elif selected; then
			# shellcheck disable=SC2016 # the arguments are those of the inner shell
			in_cache sh -c '"$2" libplug.so.1 "$3/stop" "$3/go" &
				until [ "$(readlink /proc/$!/exe)" = "$2" ]; do sleep 0.05; done
				"$1" -v --no-bpf -p $! libplug:twice
				wait $!' \
				sh "$RAWTRACE" "$T/host" "$T"
			until_line 'attached to'
			: >"$T/go"
		fi
		if selected; then
			stop_when '^<42$'
			wait "$PID"
			ST=$?
		fi
		expect_status 5
		expect_line '^>(twice 21)$' "$T/err"
		expect_no_line 'give its path' "$T/err"
		end_case
	done
fi

begin "later: --no-bpf: a library that is in no folder that is searched"
rt --no-bpf "$T/host" libplug:twice -- "$T/.lib/libplug.so.1" "$T/.lib/libplug.so.1"
expect_status 5
expect_line '^rawtrace: libplug: not found; without BPF, give its path$' "$T/err"
end_case

# ---- files that are found by name before the program loads them ----

cat >"$T/born.c" <<'E2'
int twice(int n) { return 2 * n; }
__attribute__((constructor)) static void born(void) { twice(1); }
E2
"$CC" -O1 -fno-inline -shared -fPIC -o "$T/plugins/libborn.so" "$T/born.c" || exit 1
mkdir "$T/.run"
cp "$T/plugins/libborn.so" "$T/.run/libhidden.so"
cp "$T/plugins/libborn.so" "$T/plugins/libborn.so.2"

# expect_born: the constructor was seen.
expect_born() {
	expect_status 5
	expect_line '^>(born)$' "$T/err"
	expect_line '^> (twice 1)$' "$T/err"
	expect_no_line 'before its probes were in' "$T/err"
	expect_no_line 'no call was seen' "$T/err"
}

begin "later: constructors of plugins beside the program, in each file of that name"
for name in libborn.so 'libborn*' libborn; do
	rt "$T/host" "$name:*" -- "$T/plugins/libborn.so" "$T/host"
	expect_born
done
rt "$T/host" "libborn.so:*" -- "$T/plugins/libborn.so.2" "$T/host"
expect_born
end_case

begin "later: constructors of a library of LD_LIBRARY_PATH"
LD_LIBRARY_PATH=$T/.run rt "$T/host" 'libhidden.so:*' -- libhidden.so "$T/host"
expect_born
end_case

# java has libjvm.so in ../lib/server, and DT_RUNPATH with ../lib.
begin "later: constructors of a library below a folder of LD_LIBRARY_PATH"
LD_LIBRARY_PATH=$T rt "$T/host" 'libborn.so:*' -- "$T/plugins/libborn.so" "$T/host"
expect_born
end_case

begin "later: a library without the function is another one of that name"
rt "$T/host" libborn:thrice -- "$T/.lib/libplug.so.1" "$T/host"
expect_status 5
expect_line 'no call was seen' "$T/err"
end_case

begin "later: -v says that not all folders were searched"
if selected; then
	i=0
	while [ $i -lt 17 ]; do
		i=$((i + 1))
		mkdir -p "$T/many/$i" && cp "$T/plugins/libborn.so" "$T/many/$i/libsame.so"
	done
fi
rt -v "$T/host" 'libsame.so:*' -- "$T/many/1/libsame.so" "$T/host"
expect_status 5
expect_line '^rawtrace: libsame.so: not searched everywhere: too many files of that name; give' \
	"$T/err"
mkdir "$T/wide"
cd "$T/wide" || exit 1
! selected || seq 6001 | xargs mkdir
rt -v "$T/host" libnone:f -- "$T/many/1/libsame.so" "$T/host"
expect_line '^rawtrace: libnone: not searched everywhere: too many folders; give its path$' "$T/err"
rt "$T/host" libnone:f -- "$T/many/1/libsame.so" "$T/host"
expect_no_line 'not searched' "$T/err"
cd "$BUILDDIR" || exit 1
rm -rf "$T/many" "$T/wide"
end_case

# ---- real programs ----

begin "later: functions that a compiler makes as the program runs"
for name in node:JavaScript java:Java; do
	cp "$FIB" "$T/${name%:*}"
	rt "$T/${name%:*}" my_function
	expect_status 2
	expect_message "no function 'my_function'.*; [a-z]* of ${name#*:} are no native functions" \
		"$T/err"
done
end_case

PYTHON=$(readlink -f "$(command -v /usr/bin/python3)" 2>/dev/null)
if [ -x "$PYTHON" ] && "$PYTHON" -c 'import sqlite3' 2>/dev/null; then
	cp "$PYTHON" "$T/python3"

	begin "later: python3: a library of ld.so.cache that a module needs"
	rt "$T/python3" 'libsqlite3*:sqlite3_libversion' -- -c 'import sqlite3'
	expect_status 0
	expect_line '^>(sqlite3_libversion' "$T/err"
	end_case

	if ls /usr/lib/python3*/lib-dynload/_json.*.so >/dev/null 2>&1; then
		begin "later: python3: the first call of a module, _json"
		rt "$T/python3" '_json:PyInit_*' -- -c 'import _json'
		expect_status 0
		expect_line '^>(PyInit__json' "$T/err"
		expect_no_line 'before its probes were in' "$T/err"
		end_case
	fi

	begin "later: python3: its own functions are no native ones"
	rt "$T/python3" my_function -- -c 1
	expect_status 2
	expect_message 'functions of Python are no native functions' "$T/err"
	end_case
fi
