#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# bash completion (contrib/completion/rawtrace), by a tab typed at bash.
. "$SRCDIR/tests/live/lib.sh"

has bash || skip_all "no bash"
has python3 || skip_all "no python3"
cat >"$T/prog.c" <<-EOT
	#include <unistd.h>
	__attribute__((noinline)) int only_this_one(int n) { return n + 1; }
	int main(int argc, char **argv) { return only_this_one(argc) + (argc > 1 ? pause() : 0) == 0; }
EOT
"$CC" -o "$T/prog" "$T/prog.c" >"$T/cc" 2>&1 || skip_all "no build: $(tail -1 "$T/cc")"
in_background "$T/prog" waits
worker=$PID
wait_for 20 grep -q '/libc' "/proc/$worker/maps"

# completes CASE SETUP: the lines of $T/typed become those of $T/wanted
completes() {
	begin "$1"
	timeout 60 python3 "$LIVE/complete.py" "$RAWTRACE" "$SRCDIR/contrib/completion/rawtrace" \
		"$2" \
		<"$T/typed" >"$T/completed" 2>"$T/err" || because "$(tail -1 "$T/err")"
	expect_same "$T/wanted" "$T/completed"
	end_case
}

cat >"$T/typed" <<EOT
rawtrace $T/prog only_th
rawtrace $T/prog libc.so:fopencooki
rawtrace $T/prog only_this_one libc.so.6:fopencooki
rawtrace $T/prog 'libc.so:fopencooki
rawtrace count $T/prog libc.so:fopencooki
rawtrace -p $worker libc.so:fopencooki
rawtrace -p $worker --only-under=libc.so:fopencooki
rawtrace -p $worker --only-under libc.so:fopencooki
rawtrace $T/prog libc.so:nosuchfunct
rawtrace $T/prog nosuch:fopencooki
EOT
sed "s/'//; s/only_th\$/only_this_one/; /nosuch:/!s/fopencooki\$/fopencookie/" "$T/typed" \
	>"$T/wanted"
completes "functions of a library" :
# shellcheck disable=SC2016 # bash's
completes "where a colon does not break words" 'COMP_WORDBREAKS=${COMP_WORDBREAKS//:}'
cat >"$T/typed" <<EOT
rawtrace --only-un
rawtrace --form
rawtrace --format=callgr
rawtrace -F flo
rawtrace list --format=js
rawtrace -u nobody --members 3 $T/prog only_th
rawtrace doctor --cl
rawtrace count --only-un
EOT
sed 's/^rawtrace --only-un$/rawtrace --only-under=/; s/form$/format=/; s/callgr$/callgrind/; s/flo$/flow/; s/=js$/=json/; s/only_th$/only_this_one/; s/--cl$/--clean/' "$T/typed" >"$T/wanted"
completes "options and their values" :
kill "$worker"
reap "$worker"
exit "${CASES_FAILED:-0}"
