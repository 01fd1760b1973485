#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Large compressed debug information is kept unpacked for the next run.
. "$SRCDIR/tests/live/lib.sh"

has "$CC" || skip_all "no compiler"
has objcopy || skip_all "no objcopy"
"$RAWTRACE" --version | grep -q 'without libdw' && skip_all "built without libdw"
grep -q 'HAVE_LIBDW_SPLIT_TRUE=.#' "$BUILDDIR/config.log" && skip_all "elfutils before 0.171"

# 65 MB of it, all but the types zeros
$CC -w -g -O1 -Wl,--build-id=sha1 -o "$T/types" "$TARGETS/types.c" || exit 1
truncate -s 65M "$T/zeros"
objcopy --add-section .debug_zeros="$T/zeros" "$T/types" "$T/packed" &&
	objcopy --compress-debug-sections=zlib "$T/packed" ||
	skip_all "objcopy does not compress sections"
has_room() {
	[ "$(df -Pk "$T" | awk 'NR == 2 { print $4 }')" -gt 300000 ]
}
has_room || skip_all "less than 300 MB free"
export XDG_CACHE_HOME="$T/cache"
mkdir "$T/cache"
KEPT=$T/cache/rawtrace/unpacked

# traces WORDS: a trace like that of the program before it was compressed, and -v's WORDS on where
# its debug information is
traces() {
	rt -v "$T/packed" values
	expect_status 0
	grep '^[<>]' "$T/err" >"$T/calls"
	expect_same "$T/plain" "$T/calls"
	if [ "$1" ]; then
		expect_line "^rawtrace: .*packed: debug information $1 $KEPT/[0-9a-f]*-[0-9a-f]*$" \
			"$T/err"
	else
		expect_no_line "debug information \(unpacked\|read\)" "$T/err"
	fi
}

rt "$T/types" values
grep '^[<>]' "$T/err" >"$T/plain"

begin "it is kept for the next run"
grep -q 'values {.x=1, .y=-2}' "$T/plain" || because "no trace to compare with"
traces "unpacked into"
traces "read from"
stat -c %A "$T/cache/rawtrace" "$KEPT" "$KEPT"/* | xargs >"$T/modes"
expect_text "drwx------ drwx------ -rw-------" "$T/modes"
end_case

begin "a small file is not"
objcopy --compress-debug-sections=zlib "$T/types" "$T/small"
rt -v "$T/small" values
expect_status 0
expect_no_line "debug information unpacked" "$T/err"
expect_number "files" "$(find "$KEPT" -type f | wc -l)" -eq 1
end_case

begin "a damaged file is written again"
file=$(ls "$KEPT"/*)
printf x | dd of="$file" bs=1 seek=60 conv=notrunc 2>/dev/null
traces "unpacked into"
end_case

begin "another user's file is written again"
chown 65534 "$KEPT"/*
traces "unpacked into"
end_case

quick && exit 0
begin "a file that is cut off is written again"
truncate -s 1M "$file"
traces "unpacked into"
: >"$file"
traces "unpacked into"
echo "a run that was killed" >"$KEPT/new"
rm "$file"
traces "unpacked into"
traces "read from"
end_case

begin "another file of the same build-id"
cp "$T/packed" "$T/first"
head -c 64 /dev/urandom >>"$T/zeros"
objcopy --add-section .debug_zeros="$T/zeros" "$T/types" "$T/packed" &&
	objcopy --compress-debug-sections=zlib "$T/packed"
traces "unpacked into"
traces "read from"
mv "$T/first" "$T/packed"
traces "read from"
end_case

begin "folders of other users are not used"
chmod 770 "$KEPT"
traces ""
chmod 700 "$KEPT"
traces "read from"
chown 65534 "$KEPT"
traces ""
chown 0 "$KEPT"
mv "$KEPT" "$T/elsewhere"
ln -s "$T/elsewhere" "$KEPT"
traces ""
end_case

begin "where nothing can be kept"
rm -rf "$T/cache/rawtrace"
: >"$T/cache/rawtrace"
traces ""
rm "$T/cache/rawtrace"
(
	ulimit -f 1000
	rt -v "$T/packed" values
	expect_status 0
)
expect_no_line "debug information \(unpacked\|read\)" "$T/err"
end_case

if has setpriv; then
	begin "a user's own cache"
	cp "$RAWTRACE" "$T/rawtrace"
	mkdir "$T/home"
	chown 65534:65534 "$T/home"
	(
		unset XDG_CACHE_HOME
		HOME=$T/home timeout $((60 * SECOND)) setpriv --reuid=65534 --regid=65534 \
			--clear-groups "$T/rawtrace" list "$T/packed" values
	) >"$T/out" 2>"$T/err"
	expect_line 'values(point a' "$T/out"
	stat -c '%u %A' "$T/home/.cache" "$T/home/.cache/rawtrace/unpacked/"* | xargs >"$T/modes"
	expect_text "65534 drwx------ 65534 -rw-------" "$T/modes"
	end_case
fi

if has unshare && unshare -m true 2>/dev/null; then
	begin "root's cache with the environment of another user"
	export PROGRAM="$T/packed"
	rm -rf "${T:?}/home"
	mkdir "$T/home" "$T/other"
	chown 65534:65534 "$T/home" "$T/other"
	XDG_CACHE_HOME="$T/other" HOME="$T/home" timeout $((60 * SECOND)) unshare -m sh -c '
		mount -t tmpfs -o size=400m none /var/cache && "$0" -v "$PROGRAM" values
		stat -c %A /var/cache/rawtrace/unpacked/*' "$RAWTRACE" >"$T/out" 2>"$T/err"
	expect_line 'debug information unpacked into /var/cache/rawtrace/unpacked/' "$T/err"
	expect_line '^-rw-------$' "$T/out"
	find "$T/home" "$T/other" -mindepth 1 >"$T/written"
	expect_same /dev/null "$T/written"
	end_case
fi
exit 0
