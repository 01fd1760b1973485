#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# USDT probes: the values that a program passes are the values shown, by every mechanism.
. "$SRCDIR/tests/live/lib.sh"
. "$LIVE/wrappers.sh"

target usdt "$CC" -O2 "$TARGETS/usdt.c" || skip_all "$(no_target usdt)"
target libplugin.so "$CC" -O2 -shared -fPIC "$TARGETS/usdtlib.c" ||
	skip_all "$(no_target libplugin.so)"
target usdthost "$CC" -O2 "$TARGETS/usdthost.c" -ldl || skip_all "$(no_target usdthost)"
targets_made
find_mechanisms

# ---- values ----

for mechanism in $MECHANISMS; do
	begin "$mechanism: every value"
	rt --attach="$mechanism" -o "$T/trace" "$T/usdt" 'usdt:toy:*' -- 4
	expect_status 3
	sed -i '/^rawtrace: this kernel does not arm USDT probes/d' "$T/trace"
	# tracefs has no sum of two registers.
	[ "$mechanism" != tracefs ] || sed -i \
		's/^>(toy:index [-0-9]* /&/; s/^\(>(toy:index \)[-0-9]*/\1<in memory>/' "$T/out"
	expect_same "$T/out" "$T/trace"
	end_case
done

begin "types, names and a condition"
rt -o "$T/trace" "$T/usdt" 'usdt:toy:plain(int n, string name, short small, int seven, n > 1)' \
	-- 4
expect_status 3
printf '%s\n' '>(toy:plain 2 "turn 2" -2 7)' '>(toy:plain 3 "turn 3" -3 7)' >"$T/expected"
expect_same "$T/expected" "$T/trace"
end_case

begin "a parameter of another size, and one too many"
rt -o "$T/trace" "$T/usdt" 'toy:plain(char n, string name, long small, int seven, int more)' -- 2
expect_line "^>(toy:plain '.001' \"turn 1\" -1 7 <no such argument>)\$" "$T/trace"
end_case

begin "items, and a condition on a constant"
rt -o "$T/trace" "$T/usdt" 'usdt:toy:plain(arg1, hex arg4, arg4 == 7, arg3 < -1)' -- 4
printf '%s\n' '>(toy:plain 2 0x7)' '>(toy:plain 3 0x7)' >"$T/expected"
expect_same "$T/expected" "$T/trace"
end_case

for mechanism in $MECHANISMS; do
	begin "$mechanism: count, one row for the sites of a probe"
	rt count --attach="$mechanism" -o "$T/counts" "$T/usdt" 'usdt:toy:two' 'toy:plain' -- 50
	expect_status 3
	expect_line '^toy:two  *100$' "$T/counts"
	expect_line '^toy:plain  *50$' "$T/counts"
	expect_number "rows" "$(grep -c toy "$T/counts")" -eq 2
	end_case
done

cat >"$T/sites.c" <<'E2'
#include "sdt.h"

static inline __attribute__((always_inline)) void pass(int n)
{
	SITE("toy", "inlined", "0", "-4@%0", "r"(n));
}

int main(int argc, char **argv)
{
	pass(argc);
	pass(2 * argc);
	if (argv[0])
		pass(3 * argc);
	return 4;
}
E2
if target sites "$CC" -O2 -I "$TARGETS" "$T/sites.c"; then
	begin "an inlined probe is one row of every table, live and recorded"
	rt count -o "$T/counts" "$T/sites" 'toy:*'
	expect_status 4
	expect_line '^toy:inlined  *3$' "$T/counts"
	expect_no_line 'not called' "$T/counts"
	rt --format=summary -o "$T/summary" "$T/sites" 'toy:*'
	expect_line '^ *3 .* toy:inlined$' "$T/summary"
	rt record -o "$T/recording" "$T/sites" 'toy:*'
	expect_status 4
	for table in count summary; do
		rt report --format=$table -o "$T/again" "$T/recording"
		expect_number "rows of $table" "$(grep -c 'toy:inlined' "$T/again")" -eq 1
		expect_line '\(^\| \)3\( \|$\)' "$T/again"
	done
	end_case
fi

if with_bpf; then
	begin "a recording"
	rt record -o "$T/recording" "$T/usdt" 'usdt:toy:plain' -- 3
	expect_status 3
	grep plain "$T/out" >"$T/witness"
	rt report "$T/recording"
	expect_same "$T/witness" "$T/out"
	end_case
fi

begin "an end of a call: none, said"
rt hist "$T/usdt" 'usdt:toy:plain' -- 1
expect_status 1
expect_message 'toy:plain.*USDT probe, which has no end' "$T/err"
end_case

# ---- names ----

begin "an unknown probe: names near it"
rt "$T/usdt" 'usdt:toy:plan'
expect_status 2
expect_message "no USDT probe 'toy:plan'; did you mean 'usdt:toy:plain'" "$T/err"
end_case

begin "errors have their column"
rt "$T/usdt" 'usdt:toy:plain(int n) -> int'
expect_status 2
expect_message 'column 10: expected a probe without a result' "$T/err"
rt "$T/usdt" 'usdt:toy:'
expect_message 'column 10: expected the name of a probe' "$T/err"
end_case

if [ "$(uname -m)" = x86_64 ] && sed 's/990:	nop/990:	.byte 0x0f, 0x1f, 0x44, 0, 0/' \
	"$TARGETS/sdt.h" >"$T/sdt.h" && cp "$TARGETS/usdt.c" "$T/nops.c" &&
	target nops "$CC" -O2 "$T/nops.c"; then
	begin "sites on 5-byte nops: traced where that is safe, or else said"
	rt -o "$T/trace" "$T/nops" 'usdt:toy:*' -- 3
	if grep -q '^probed nops *avoided' "$T/doctor"; then
		expect_status 1
		expect_message 'not traced: is a nop that this kernel replaces' "$T/err"
	else
		expect_status 3
		expect_same "$T/out" "$T/trace"
	fi
	end_case
fi

if [ -e /usr/include/sys/sdt.h ] || [ -e "/usr/include/$(uname -m)-linux-gnu/sys/sdt.h" ]; then
	cat >"$T/sdt.c" <<'E2'
#include <sys/sdt.h>

int main(int argc, char **argv)
{
	DTRACE_PROBE2(real, hit, argc, argv[1]);
	return 6;
}
E2
	target sdt "$CC" -O1 "$T/sdt.c"
	begin "a program with systemtap's <sys/sdt.h>"
	rt "$T/sdt" 'real:hit(int argc, const char *argument)' -- word
	expect_status 6
	expect_text '>(real:hit 2 "word")' "$T/err"
	end_case
fi

# perf's definitions have no owner, so the provider has a name of its own.
provider=perf$$
mkdir "$T/beside"
sed "s/\"toy\"/\"$provider\"/" "$TARGETS/usdt.c" >"$T/beside/perf.c"
if has perf && target perf "$CC" -O2 -I "$TARGETS" "$T/beside/perf.c"; then
	begin "perf counts the same hits"
	count_by_perf() {
		trap 'perf probe -q -d "sdt_$provider:*" 2>/dev/null; clean_up' EXIT
		# Its cache has the file's probes.
		perf --buildid-dir "$T/cache" buildid-cache --add "$T/perf" &&
			perf --buildid-dir "$T/cache" probe -q "sdt_$provider:plain" &&
			timeout 60 perf stat -x , -e "sdt_$provider:plain" -o "$T/stat" \
				"$T/perf" 500
	}
	: >"$T/stat"
	! selected || count_by_perf >"$T/build" 2>&1 </dev/null
	rt count -o "$T/counts" "$T/perf" "$provider:plain" -- 500
	expect_line "^$provider:plain  *500\$" "$T/counts"
	expect_line "^500,.*,sdt_$provider:plain," "$T/stat"
	[ ! -s "$T/why" ] || show "$T/build"
	end_case
fi

# ---- semaphores ----

armed_once() {
	[ "$(tail -n 1 "$1")" = 'armed 1' ]
}

disarmed() {
	[ "$(tail -n 1 "$1")" = 'not armed 0' ]
}

if grep -q '^USDT semaphores  *ok' "$T/doctor"; then
	for mechanism in $MECHANISMS; do
		begin "$mechanism: a semaphore is armed for the program, and only the one"
		rt --attach="$mechanism" -o "$T/trace" "$T/usdt" 'usdt:toy:hot' -- 3 1
		expect_status 3
		expect_text "$(printf 'armed 1\nend')" "$T/out"
		expect_text "$(printf '>(toy:hot %d)\n' 0 1 2)" "$T/trace"
		end_case
	done

	for mechanism in $MECHANISMS; do
		[ "$mechanism" != tracefs ] || continue
		begin "$mechanism: -a: hits of every process, with its semaphore"
		: >"$T/log"
		in_background "$RAWTRACE" -a --attach="$mechanism" \
			"$T/usdt:usdt:toy:hot(int turn)" >"$T/trace" 2>&1
		tracer=$PID
		in_background "$T/usdt" 4000 10000 >"$T/log"
		one=$PID
		in_background "$T/usdt" 4000 10000 >"$T/null"
		wait_for 10 armed_once "$T/log" || because "not armed"
		for program in "$one" "$PID"; do
			wait_for 10 has_line "^\\[usdt $program\\] >(toy:hot [0-9]*)\$" \
				"$T/trace" || show "$T/trace"
		done
		kill -INT "$tracer" 2>/dev/null
		reap "$tracer"
		wait_for 20 disarmed "$T/log" || because "not disarmed: $(tail -n 1 "$T/log")"
		for program in "$one" "$PID"; do
			kill "$program" 2>/dev/null
			reap "$program"
		done
		end_case
	done

	begin "a semaphore is disarmed when rawtrace is killed"
	in_background "$T/usdt" 4000 10000 >"$T/log"
	program=$PID
	wait_for 10 disarmed "$T/log" || because "the program does not run"
	in_background "$RAWTRACE" -p "$program" 'usdt:toy:hot' >"$T/trace" 2>&1
	tracer=$PID
	wait_for 10 armed_once "$T/log" || because "not armed"
	kill -KILL "$tracer" 2>/dev/null
	reap "$tracer"
	wait_for 20 disarmed "$T/log" || because "not disarmed: $(tail -n 1 "$T/log")"
	kill "$program" 2>/dev/null
	reap "$program"
	end_case
fi

# by_hand COMMAND...: as on a kernel that does not arm semaphores.
if has_mechanism event && [ -e "$BIN/oldkernel.so" ]; then
	old no-semaphores

	begin "before 4.20: a command's semaphore"
	rt --attach=event -o "$T/trace" "$T/usdt" 'usdt:toy:hot' -- 200 5000
	expect_status 3
	expect_line '^armed 1$' "$T/out"
	expect_no_line 'cold' "$T/out"
	expect_line '^>(toy:hot 199)$' "$T/trace"
	expect_line 'does not arm USDT probes' "$T/trace"
	end_case

	begin "before 4.20: armed and disarmed in a running process"
	in_background "$T/usdt" 4000 10000 >"$T/log"
	program=$PID
	wait_for 10 disarmed "$T/log" || because "the program does not run"
	in_background "$RAWTRACE" --attach=event -p "$program" 'usdt:toy:hot' >"$T/trace" 2>&1
	tracer=$PID
	wait_for 10 armed_once "$T/log" || because "not armed"
	wait_for 10 has_line '^>(toy:hot ' "$T/trace" || because "no hit"
	kill -INT "$tracer" 2>/dev/null
	kill -INT "$(cat "$T/pid")" 2>/dev/null
	reap "$tracer"
	wait_for 20 disarmed "$T/log" || because "not disarmed: $(tail -n 1 "$T/log")"
	kill "$program" 2>/dev/null
	reap "$program"
	end_case

	if has_mechanism multi-event; then
		begin "before 4.20: -f: armed in a child, and in the program that it runs"
		rt -f --attach=multi-event -o "$T/trace" sh "$T/usdt:usdt:toy:hot" -- \
			-c "'$T/usdt' 400 5000; exit 5"
		expect_status 5
		expect_line '^armed 1$' "$T/out"
		expect_no_line 'cold' "$T/out"
		expect_line '^\(\[[0-9 ]*\] \)*>(toy:hot 399)$' "$T/trace"
		expect_line 'does not arm USDT probes' "$T/trace"
		end_case
	fi

	RAWTRACE=$REAL
fi

if has_mechanism multi-event && [ -e "$BIN/oldkernel.so" ]; then
	for kernel in 6.6 5.4; do
		words=link-create without='uprobe-multi: the kernel has no uprobe_multi links'
		[ $kernel = 6.6 ] || words=$words,multi-probe=replace \
			without='multi-event: an event cannot have several probes here'
		old "$words"
		begin "before $kernel: a library that is loaded later has all functions"
		rm -f "$T/stop"
		in_background "$RAWTRACE" -v "$T/usdthost" 'plugin:work(int n, string text)' -- \
			"$T/libplugin.so" "$T/stop" >"$T/trace" 2>&1
		wait_for 20 has_line '^>(plugin:work 21 "text")$' "$T/trace" || because "not seen"
		: >"$T/stop"
		reap "$PID"
		expect_status 4
		expect_line "^rawtrace: attach $without" "$T/trace"
		[ ! -s "$T/why" ] || show "$T/trace"
		end_case
		RAWTRACE=$REAL
	done
fi

# ---- children, and files that come later ----

if with_bpf; then
	echo 'toy:hot(int turn)' >"$T/short"
	for words in toy:hot "@$T/short"; do
		begin "the short form with -p: ${words%%/*}"
		in_background "$T/usdt" 40000 10000 >"$T/log"
		program=$PID
		wait_for 10 test "/proc/$program/exe" -ef "$T/usdt" || because "it does not run"
		in_background "$RAWTRACE" -p "$program" "$words" >"$T/trace" 2>&1
		wait_for 20 has_line '^>(toy:hot [0-9]*)$' "$T/trace" || show "$T/trace"
		kill "$program" 2>/dev/null
		reap "$program"
		reap "$PID"
		end_case
	done

	begin "-f: a child that runs the program"
	rt -f -o "$T/trace" sh "$T/usdt:usdt:toy:plain" -- -c "'$T/usdt' 2; exit 5"
	expect_status 5
	sed -n '/plain/p' "$T/out" >"$T/witness"
	sed -n 's/^\(\[[0-9 ]*\] \)*>/>/p' "$T/trace" >"$T/hits"
	expect_same "$T/witness" "$T/hits"
	end_case

	begin "-f: a probe without its file: the remark has the words to type"
	for words in toy:plain usdt:toy:plain; do
		rt -f -o "$T/trace" sh "$words" -- -c :
		expect_status 0
		expect_line '^rawtrace: .*first .* may be missed; .* FILE:usdt:toy:plain?*$' \
			"$T/trace"
	done
	end_case

	# The set has a probe of one program and a function of another.
	printf '%s\n' 'usdt:toy:plain' 'leaf(int n)' >"$T/both"
	printf '#!%s 2\n' "$T/usdt" >"$T/script"
	chmod +x "$T/script"
	for words in toy:plain usdt:toy:plain "@$T/both"; do
		begin "-f: all hits in programs that the words of the command name: ${words%%/*}"
		program=$T/usdt
		[ "$words" != toy:plain ] || program=$T/script
		rt -f -o "$T/trace" sh "$words" -- -c \
			"cd /;'$program' 2; (FAMILY=$T/said '$BIN/family' one 7); exit 5"
		expect_status 5
		sed -n '/plain/p' "$T/out" >"$T/witness"
		[ "$words" != "@$T/both" ] || echo '>(leaf 7)' >>"$T/witness"
		sed -n 's/^\(\[[0-9 ]*\] \)*>/>/p' "$T/trace" >"$T/hits"
		expect_same "$T/witness" "$T/hits"
		expect_no_line 'may be missed' "$T/trace"
		end_case
	done

	echo 'usdt:plugin:work' >"$T/late"
	for words in plugin:work "@$T/late"; do
		begin "-f: a library in memory of a child, which no word names: ${words%%/*}"
		rm -f "$T/stop"
		: >"$T/trace"
		# shellcheck disable=SC2016 # the arguments are those of the inner shell
		in_background "$RAWTRACE" -f sh "$words" -- -c \
			'"$0"host "$1"in.so "$2" memfd; exit 3' "$T/usdt" "$T/libplug" "$T/stop" \
			>"$T/trace" 2>&1
		tracer=$PID
		wait_for 20 has_line '>(plugin:work 21 0x[0-9a-f]*)$' "$T/trace" || {
			because "not seen"
			show "$T/trace"
		}
		expect_line 'may be missed' "$T/trace"
		: >"$T/stop"
		reap "$tracer"
		expect_status 3
		end_case
	done

	# All of them are in the ring of one CPU, and are read together.
	begin "-f: a library in memory of a child, after more processes than can be named"
	rm -f "$T/stop" "$T/start" "$T/pid"
	: >"$T/trace"
	# shellcheck disable=SC2016 # the arguments are those of the inner shell
	in_background "$RAWTRACE" -f sh plugin:work -- -c '
		taskset -p 1 $$ >"$2.ready" 2>&1; until [ -e "$3" ]; do sleep 0.01; done
		i=0; while [ $((i += 1)) -le 80 ]; do env true; done
		"$0"host "$1"in.so "$2" memfd & echo $! >"$4"; wait $!; exit 3' \
		"$T/usdt" "$T/libplug" "$T/stop" "$T/start" "$T/pid" >"$T/trace" 2>&1
	tracer=$PID
	wait_for 20 test -e "$T/stop.ready" || because "the program was not started"
	kill -STOP "$tracer"
	: >"$T/start"
	wait_for 20 test -s "$T/pid" || because "no child"
	! selected || wait_for 10 has_line memfd "/proc/$(cat "$T/pid")/maps" ||
		because "not loaded"
	kill -CONT "$tracer"
	wait_for 20 has_line '>(plugin:work 21 0x[0-9a-f]*)$' "$T/trace" || {
		because "not seen"
		show "$T/trace"
	}
	: >"$T/stop"
	reap "$tracer"
	expect_status 3
	end_case

	for words in plugin:work 'libstapsdt*:usdt:plugin:w*k'; do
		begin "-p: a library in memory (memfd) that is loaded later: $words"
		rm -f "$T/stop" "$T/start"
		in_background "$T/usdthost" "$T/libplugin.so" "$T/stop" memfd "$T/start"
		program=$PID
		wait_for 10 test "/proc/$program/exe" -ef "$T/usdthost" || because "it does not run"
		in_background "$RAWTRACE" -v -p "$program" "$words" >"$T/trace" 2>&1
		wait_for 20 has_line '^rawtrace: attached to' "$T/trace" || show "$T/trace"
		: >"$T/start"
		wait_for 20 has_line '^>(plugin:work 21 0x[0-9a-f]*)$' "$T/trace" || show "$T/trace"
		: >"$T/stop"
		reap "$program"
		expect_status 4
		reap "$PID"
		end_case
	done

	for way in dlopen memfd; do
		# The short form may mean a library too, and waits for both.
		form=${way#dlopen}
		begin "a library that is loaded later: $way"
		rm -f "$T/stop"
		: >"$T/trace"
		in_background "$RAWTRACE" "$T/usdthost" \
			"${form:+usdt:}plugin:work(int n, string text)" -- \
			"$T/libplugin.so" "$T/stop" ${way#dlopen} >"$T/trace" 2>&1
		tracer=$PID
		wait_for 20 has_line '^>(plugin:work 21 "text")$' "$T/trace" || {
			because "not seen"
			show "$T/trace"
		}
		: >"$T/stop"
		reap "$tracer"
		expect_status 4
		end_case
	done
fi

exit "${CASES_FAILED:-0}"
