#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A thousand functions at once, each called once.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms

timeout 10 "$BIN/many" >"$T/untraced"
for mechanism in $MECHANISMS; do
	# Detaching one by one takes a tenth of a second each.
	case $mechanism in
	uprobe-multi | multi-event | tracefs) glob='many_*' number=1000 ;;
	*) glob='many_01?' number=10 ;;
	esac
	begin "$mechanism: $number functions"
	rm -f "$T/witness"
	began=$(date +%s)
	WITNESS="$T/witness" rt --attach="$mechanism" "$BIN/many" "$glob"
	took=$(($(date +%s) - began))
	expect_status 0
	expect_same "$T/untraced" "$T/out"
	if [ $number = 1000 ]; then
		expect_agreement "$T/err" "$T/witness"
	else
		expect_number calls "$(grep -c '^>(many_01' "$T/err")" -eq $number
		expect_nested "$T/err" whole
	fi
	slow || expect_number "seconds that it took" "$took" -le 20
	end_case
done
