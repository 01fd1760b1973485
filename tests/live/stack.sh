#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The callers of each call (-k).  The program prints them too, as libgcc unwinds its stack.
. "$SRCDIR/tests/live/lib.sh"

target unwound "$CC" -g -O2 -fomit-frame-pointer -fPIE -pie -static-libgcc \
	"$TARGETS/unwound.c" -ldl -lpthread || { no_target unwound; exit 1; }
target unwoundlib.so "$CC" -O2 -shared -fPIC "$TARGETS/unwoundlib.c" ||
	{ no_target unwoundlib.so; exit 1; }
targets_made

# frames_of FILE: the frames of a tree or flow as the program prints them: "FILE 0xADDRESS".
frames_of() {
	sed -n -e 's/^[^ ].*(reached .*//p' -e 's/^ .* ms .* reached(.*//p' \
		-e 's/^ > \.\.\.$/cut/p' \
		-e 's/^ > \(.*\/\)*\([^(/]*\)(.*) \[\(0x[0-9a-f]*\)\].*$/\2 \3/p' "$1" |
		sed '1{/^$/d}'
	echo
}

begin "as libgcc unwinds: recursion, alloca, an aligned frame, qsort, a library, a thread, a signal"
rt -k "$T/unwound" reached -- "$T/unwoundlib.so"
if grep -q 'stacks need BPF and a ring of Linux 5.8' "$T/err"; then
	expect_status 1
	end_case
	[ -z "${CASES_FAILED:-}" ]
	exit
fi
expect_status 0
frames_of "$T/err" >"$T/frames"
expect_same "$T/out" "$T/frames"
expect_line '^ > .*/unwound(main+0x[0-9a-f]*) \[0x[0-9a-f]*\]' "$T/err"
end_case

begin "debug information gives source lines, as addr2line has them"
if "$RAWTRACE" --version | grep -q 'without libdw'; then
	skip "lines" "built without libdw"
elif has addr2line; then
	rt -k "$T/unwound" reached -- "$T/unwoundlib.so"
	sed -n 's/^ > .*unwound(.*) \[\(0x[0-9a-f]*\)\]\(.*\)/\1\2/p' "$T/err" | sort -u >"$T/lines"
	while read -r addr at; do
		line=$(addr2line -e "$T/unwound" "$(printf '0x%x' $((addr - 1)))")
		case $line in
		*\?*) echo "$addr" ;;
		*) echo "$addr at ${line%% (*}" ;;
		esac
	done <"$T/lines" >"$T/witness"
	sed 's/ at .*\// at /' "$T/lines" >"$T/lines.names"
	sed 's/ at .*\// at /' "$T/witness" >"$T/witness.names"
	expect_same "$T/witness.names" "$T/lines.names"
	expect_line ' at .*unwound.c:[0-9]*$' "$T/err"
fi
end_case

begin "--stack-size: a function with a large array"
printf '%s\n' 'volatile char *at;' '__attribute__((noinline)) int leaf(int n) { return n + 1; }' \
	'__attribute__((noinline)) int large(int n)' \
	'{ volatile char v[20000]; for (int i = 0; i < 20000; i++) v[i] = n; at = v;' \
	'return leaf(n) + v[n]; }' \
	'int main(void) { return large(1) == -1000; }' >"$T/large.c"
"$CC" -O1 -o "$T/large" "$T/large.c" || because "large.c was not compiled"
rt -k "$T/large" leaf
expect_status 0
expect_line '^ > .*/large(large+0x' "$T/err"
expect_no_line '^ > .*/large(main+0x' "$T/err"
expect_line '^ > \.\.\.$' "$T/err"
rt -k --stack-size=24K "$T/large" leaf
expect_status 0
expect_line '^ > .*/large(main+0x' "$T/err"
rt count "$T/large" leaf by path --stack-size=24K
expect_status 0
expect_line main "$T/err"
rt -k --stack-size=31K "$T/large" leaf
expect_status 2
expect_message '--stack-size=31K: expected 512 to 30720 bytes, such as 24K' "$T/err"
rt --stack-size=24K "$T/large" leaf
expect_status 2
expect_message '--stack-size: goes with -k and by path' "$T/err"
end_case

begin "a stripped library's functions have the names of its debug file"
if has objcopy; then
	objcopy --only-keep-debug "$T/unwoundlib.so" "$T/library.debug"
	objcopy -S --add-gnu-debuglink="$T/library.debug" "$T/unwoundlib.so" "$T/library.so"
	rt -k "$T/unwound" reached -- "$T/library.so"
	expect_line '^ > .*/library.so(pass+0x' "$T/err"
fi
end_case

begin "flow has the callers behind a call's line, json in an object"
rt -k -F flow "$T/unwound" reached -- "$T/unwoundlib.so"
frames_of "$T/err" >"$T/frames"
expect_same "$T/out" "$T/frames"
rt -k -F json -o "$T/json" "$T/unwound" reached -- "$T/unwoundlib.so"
expect_line '"stack":\[{"file":"[^"]*unwoundlib.so","function":"pass","offset":' "$T/json"
end_case

begin "count and hist by caller and by path"
rt count "$T/unwound" reached by caller -- "$T/unwoundlib.so"
for caller in recurse take_room align_stack compare pass run; do
	expect_line "^reached < $caller  *1\$" "$T/err"
done
expect_no_line 'rawtrace: ' "$T/err"
rt count "$T/unwound" reached by path -- "$T/unwoundlib.so"
expect_line '^reached < pass < call_back < main < .*  *1$' "$T/err"
rt hist "$T/unwound" reached by path -- "$T/unwoundlib.so"
expect_line '^Function = reached < take_room < main < ' "$T/err"
rt count --no-bpf "$FIB" fib by caller
expect_status 2
expect_message 'by caller: only BPF programs copy stacks' "$T/err"
end_case

begin "a stack that ends a page or two further up is whole"
for depth in 50 150 250; do
	rt -k "$T/unwound" reached -- $depth "$T/unwoundlib.so"
	frames_of "$T/err" >"$T/frames"
	expect_same "$T/out" "$T/frames"
done
end_case

begin "a stack that is larger than the copy is cut"
rt -k "$T/unwound" reached -- 2000 "$T/unwoundlib.so"
frames_of "$T/err" | sed '/^$/d' >"$T/frames"
expect_number frames "$(grep -c '^unwound 0x' "$T/frames")" -ge 250
sed -n '$p' "$T/frames" >"$T/frames.last"
sed '$d' "$T/frames" >"$T/first"
head -n "$(grep -c '' "$T/first")" "$T/out" >"$T/known"
expect_same "$T/known" "$T/first"
expect_text cut "$T/frames.last"
end_case

begin "-k is refused where stacks cannot be copied"
for words in --no-bpf --ring=perf --return=uretprobe --min-time=1us --format=html; do
	rt -k $words "$FIB" fib
	expect_status 2
	expect_message '-k: ' "$T/err"
done
rt record -k "$FIB" fib
expect_status 2
end_case

[ -z "${CASES_FAILED:-}" ]
