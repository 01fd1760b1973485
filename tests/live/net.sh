#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# report --net: the cost of the probes is taken off.  The program measures itself without a trace.
. "$SRCDIR/tests/live/lib.sh"
target work "$CC" -O2 "$TARGETS/work.c" || { skip_all "$(no_target work)"; }
targets_made

# least FUNCTION: the shortest of its calls, ns.
least() {
	awk -v name="\"name\":\"$1\"" 'index($0, name) && match($0, /"dur":[0-9]+/) {
		ns = substr($0, RSTART + 6, RLENGTH - 6) + 0
		if (!n++ || ns < min) min = ns
	} END { print min + 0 }' "$2"
}

# The least of 200 calls is free of what else the machine does, but the cost of a hit changes with
# that too.
is_near() {
	read -r true longer <<-end
		$("$T/work")
	end
	rt record -o "$T/data" "$T/work" pieces piece whole
	rt report --format=json -o "$T/gross" "$T/data"
	rt report --net --format=json -o "$T/net" "$T/data"
	gross=$(least pieces "$T/gross")
	net=$(least pieces "$T/net")
	whole=$(least whole "$T/net")
	[ $((gross * 10)) -gt $((true * 14)) ] && [ $((net * 10)) -lt $((true * 12)) ] &&
		[ $((net * 10)) -gt $((true * 8)) ] && [ "$gross" -gt "$longer" ] &&
		[ "$whole" -gt "$net" ]
}

begin "times are those without a trace"
tries=1
while selected && ! is_near; do
	tries=$((tries + 1))
	[ $tries -le 8 ] || {
		because "untraced $true ns, in a trace $gross ns, with --net $net ns"
		because "another function: untraced $longer ns, with --net $whole ns"
		break
	}
done
expect_line '^rawtrace: --net: [0-9.]* [mu]*s of the probes. cost taken off 10400 calls$' "$T/err"
rt report --format=summary "$T/data"
expect_no_line 'net:' "$T/err"
end_case

begin "filters and tables get net times"
rt report --net --format=summary --min-time=1us --only='piece*' "$T/data"
expect_status 0
expect_line 'pieces$' "$T/out"
end_case

# As older versions wrote it: no block is of this kind.  Their checksums do not cover the kind.
begin "a recording without costs of probes"
if has python3; then
	rt record -o "$T/data" "$FIB" fib -- 2
	python3 -c 'import sys
sys.stdout.buffer.write(sys.stdin.buffer.read().replace(b"RTBK\x06", b"RTBK\x46"))' \
		<"$T/data" >"$T/old"
	rt report "$T/old"
	expect_status 0
	expect_line '^>(fib 2)$' "$T/out"
	rt report --net -o "$T/none" "$T/old"
	expect_status 2
	expect_text "rawtrace: --net: $T/old has no costs of probes; record it anew" "$T/err"
	[ ! -e "$T/none" ] || because "a file was written"
fi
end_case
