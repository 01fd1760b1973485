#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# rawtrace top: tables of what was called in the last second, on a terminal and as text.
. "$SRCDIR/tests/live/lib.sh"
target hot "$CC" -O2 "$TARGETS/work.c" || skip_all "$(no_target hot)"
targets_made
find_mechanisms

runs_hot() {
	[ "$(readlink "/proc/$hot/exe")" = "$(readlink -f "$T/hot")" ]
}

# A program for a case, which runs until it is ended.
start() {
	in_background "$T/hot" endless
	hot=$PID
	wait_for 20 runs_hot || because "the program has not begun"
}

stop() {
	selected || return 0
	kill -KILL "$hot" 2>/dev/null || because "the program has ended"
	reap "$hot"
}

# seen COLUMN FUNCTION: a number from the first table of $T/out.
seen() {
	awk -v column="$1" -v name="$2" '$NF == name { print int($column); exit }' "$T/out"
}

# Is the self time of pieces less than its time, by the time of the calls of piece in it?
self_is_right() {
	awk '
	function ns(value, unit) {
		return value * (unit == "ns" ? 1 : unit == "us" ? 1e3 : unit == "ms" ? 1e6 : 1e9)
	}
	{ time[$NF] = $1 * ns($2, $3); self[$NF] = ns($6, $7) }
	END {
		sum = self["pieces"] + self["piece"]
		exit !(self["pieces"] < 0.97 * time["pieces"] && sum > 0.5 * time["pieces"] &&
			sum < 1.5 * time["pieces"])
	}' "$T/out"
}

for mechanism in $MECHANISMS; do
	begin "$mechanism: calls a second, and time without the calls inside"
	start
	rt top --batch=1 --attach="$mechanism" -p "$hot" pieces piece whole
	expect_status 0
	stop
	expect_number "calls of pieces" "$(seen 1 pieces)" -gt 0
	calls=$(($(seen 1 pieces) + 0))
	expect_number "calls of piece, at least" "$(seen 1 piece)" -ge $((calls * 40 - 50))
	expect_number "calls of piece, at most" "$(seen 1 piece)" -le $((calls * 60 + 50))
	! selected || self_is_right || { because "self time is wrong"; show "$T/out"; }
	end_case
done

begin "two tables, sorted by a column"
start
rt top --batch=2 --sort=calls -p "$hot" pieces piece whole
stop
expect_number tables "$(grep -c '^ *CALLS/S ' "$T/out")" -eq 2
expect_number "the first is piece" "$(sed -n 2p "$T/out" | grep -c '  piece$')" -eq 1
rt top --batch --sort=max "$FIB" fib
expect_status 2
expect_text 'rawtrace: --sort=max: top sorts by calls, avg, p99 or self' "$T/err"
end_case

begin "without a terminal, and without --batch"
if selected && setsid -w true 2>/dev/null; then
	timeout 60 setsid -w "$RAWTRACE" top "$FIB" fib >"$T/out" 2>"$T/err" </dev/null
	ST=$?
	expect_status 2
	expect_text 'rawtrace: top: no terminal, or in the background; print tables with --batch' \
		"$T/err"
fi
end_case

begin "a program that rawtrace starts: what it did until its end"
rt top --batch "$FIB" fib -- 10
expect_status 0
expect_line '  fib$' "$T/out"
expect_line '^fib(10) = 55$' "$T/out"
end_case

# The alternate screen is left at the end, and no line is longer than the window.
if has python3; then
	begin "keys on a terminal; a window of 5 lines and 50 columns"
	start
	if selected; then
		timeout 60 python3 "$LIVE/top.py" 5 50 casq "$RAWTRACE" top -p "$hot" \
			pieces piece whole >"$T/out" 2>"$T/err" || because "another terminal mode"
		# The escape character as a letter: grep has no name for it.
		tr '\033' '@' <"$T/out" >"$T/text"
		expect_line '@\[?1049h@\[?25l@\[Hkeys: ' "$T/text"
		expect_line '@\[J@\[?25h@\[?1049l' "$T/text"
		expect_no_line 'no end' "$T/text"
		sed 's/@\[[?0-9]*[a-zA-Z]//g' "$T/text" |
			awk '/^rawtrace: / { next } length > 50' >"$T/long"
		[ ! -s "$T/long" ] || show "$T/long"
	fi
	stop
	end_case
fi
if has python3 && ! quick; then
	begin "a signal restores the terminal too"
	start
	if selected; then
		timeout 60 python3 "$LIVE/top.py" 24 80 's\003' "$RAWTRACE" top -p "$hot" piece \
			>"$T/out" 2>"$T/err" || because "another terminal mode"
		tr '\033' '@' <"$T/out" >"$T/text"
		expect_line '@\[?1049l' "$T/text"
		expect_no_line 'no end' "$T/text"
	fi
	stop
	end_case
fi
