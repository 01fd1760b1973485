#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# USDT probes of programs that everybody has: each site of their notes is listed and attached.
. "$SRCDIR/tests/live/lib.sh"
target mapped "$CC" -O1 "$TARGETS/mapped.c" || skip_all "$(no_target mapped)"
targets_made
find_mechanisms
with_bpf || skip_all "no mechanism that is limited to a process"
has readelf || skip_all "no readelf"

# library_of PROGRAM NAME: the file of the library that the program is linked with.
library_of() {
	ldd "$(command -v "$1")" 2>/dev/null | sed -n "s/.*$2.* => \([^ ]*\).*/\1/p"
}

java=$(readlink -f "$(command -v java)")
for file in "${java%/bin/java}/lib/server/libjvm.so" /usr/lib/postgresql/*/bin/postgres \
	"$(library_of virsh libvirt\\.so)" "$(library_of ruby libruby)" "$(command -v php)" \
	/usr/bin/python3 /usr/lib/*/libstdc++.so.6 /usr/lib/*/libpython3.*.so.1.0 \
	/usr/lib/*/libguestfs.so.0 /usr/sbin/libvirtd \
	/usr/lib/*/libvirt/connection-driver/libvirt_driver_qemu.so; do
	[ ! -f "$file" ] || readelf -n "$file" >"$T/read" 2>/dev/null
	[ -f "$file" ] && grep -q stapsdt "$T/read" || continue
	name=$(basename "$(readlink -f "$file")")
	cp "$file" "$T/$name"
	mv "$T/read" "$T/$name.notes"
	echo "$name" >>"$T/names"
done
[ -s "$T/names" ] || skip_all "no file with USDT probes is installed"

# places NAME COLUMN: how many different ones its notes have; 0 is none.
places() {
	sed -n "s/.*$2: 0x\([0-9a-f]*\).*/\1/p" "$T/$1.notes" | grep -v '^0*$' | sort -u |
		grep -c ''
}

while read -r name; do
	begin "$name: each operand of each site can be read"
	rt list --format=json "$T/$name" 'usdt:*'
	expect_status 0
	# The program's libraries have probes too.
	grep "\"file\":\"$T/$name\"" "$T/out" >"$T/listed"
	expect_number sites "$(grep -o '"address"' "$T/listed" | grep -c '')" \
		-eq "$(grep -c '^  stapsdt' "$T/$name.notes")"
	expect_no_line '"why"' "$T/listed"
	end_case
	echo "$name $(places "$name" Location) $(places "$name" Semaphore)" >>"$T/expected"
	echo "$name 0 0" >>"$T/unchanged"
done <"$T/names"

# last_of FILE: has the program's last line on each of its files become that of FILE?
last_of() {
	awk '{ last[$1] = $0 } END { for (name in last) print last[name] }' "$T/mapped.log" | sort \
		>"$T/now"
	sort "$1" | cmp -s - "$T/now"
}

# A breakpoint is one byte, and so is a semaphore of 1.
begin "each site has its breakpoint, and each semaphore is armed"
attach_all() {
	# shellcheck disable=SC2046 # file names without blanks
	in_background "$T/mapped" $(sed "s|^|$T/|" "$T/names") >"$T/mapped.log" 2>&1
	program=$PID
	wait_for 20 last_of "$T/unchanged" || show "$T/mapped.log"
	in_background "$RAWTRACE" -p "$program" 'usdt:*' >"$T/err" 2>&1
	wait_for 20 last_of "$T/expected" || {
		show "$T/err"
		show "$T/now"
	}
	kill "$program" 2>/dev/null
	reap "$program"
	reap "$PID"
	expect_status 0
}
! selected || attach_all
end_case
exit "${CASES_FAILED:-0}"
