#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run each example of the manual and README.
# The functions that examples name are in manual.c and manual.cc.
. "$SRCDIR/tests/live/lib.sh"
# shellcheck disable=SC2086 # a command with its options
target known $CC -g -O1 -fno-builtin -w "$TARGETS/manual.c" -lm || skip_all "$(no_target manual.c)"
# shellcheck disable=SC2086
target unknown $CC -O1 -fno-builtin -w -Wl,--strip-debug "$TARGETS/manual.c" -lm ||
	skip_all "$(no_target manual.c)"
has g++ && target cxx g++ -O1 -w "$TARGETS/manual.cc"
sed -n 's/^    \(int gcd(\)/\1/p; s/^    \(int lcm(\)/\1/p' "$SRCDIR/README" >"$T/gcd.c"
cat >>"$T/gcd.c" <<'END'
int atoi(const char *);
int printf(const char *, ...);
int main(int argc, char **argv) { return printf("%d\n", lcm(atoi(argv[1]), atoi(argv[2]))) < 0; }
END
# shellcheck disable=SC2086
target gcd $CC -w "$T/gcd.c" || skip_all "$(no_target gcd.c)"
targets_made
cp "$T/known" "$T/calc"
cp "$T/unknown" "$T/postgres"
cp "$FIB" "$T/fib"
ln -s "$RAWTRACE" "$T/rawtrace"

PAGES=$(echo "$SRCDIR"/contrib/man/*.[15])

# The specifications: all that is marked as literal and has a parameter list, the kernel's words, a
# scope, a version or a library.
# shellcheck disable=SC2086 # several files
awk '/(^\.| )Ql / {
	sub(/^.*[ .]Ql /, "")
	sub(/( [.,:;)])+$/, "")
	sub(/^'\''/, ""); sub(/'\''$/, "")
	gsub(/\\\(dq/, "\""); gsub(/\\&/, ""); gsub(/\\e/, "\\")
	if ((!/^[+<]/ && /[A-Za-z0-9_]\(/) || /=%/ || /[A-Za-z>]::[A-Za-z*]/ || /^_Z/ ||
	    /@GLIBC/ || /\.so[.0-9]*:/)
		print
}' $PAGES | sort -u >"$T/specs"

begin "the manual has specifications"
expect_number specifications "$(grep -c '' "$T/specs")" -ge 30
end_case

# program_of SPECIFICATION: which has what it names, in $PROGRAM; or none.
program_of() {
	PROGRAM=$T/known
	case $1 in
	*@GLIBC* | *=%*) [ "$(uname -m)" = x86_64 ] || PROGRAM= ;;
	*::* | _Z*) PROGRAM=$T/cxx ;;
	esac
	[ -e "$PROGRAM" ]
}

# Most of a short trace is waiting for the kernel: several at a time.
n=0
while read -r spec; do
	n=$((n + 1))
	program_of "$spec" || continue
	{
		timeout $((60 * SECOND)) "$RAWTRACE" "$PROGRAM" "$spec" >"$T/out.$n" 2>"$T/err.$n" \
			</dev/null
		echo $? >"$T/status.$n"
		timeout $((60 * SECOND)) "$RAWTRACE" --dump=ir "$T/unknown" "$spec" >"$T/out.$n" \
			2>"$T/unknown.err.$n" </dev/null
		echo $? >"$T/unknown.$n"
	} &
	[ $((n % 6)) -ne 0 ] || wait
done <"$T/specs"
wait

# Without debug information it may be refused because nothing tells a name, or what is in a
# structure, and for nothing else.
n=0
while read -r spec; do
	n=$((n + 1))
	program_of "$spec" || { skip "$spec" "not on this machine"; continue; }
	begin "$spec"
	read -r ST <"$T/status.$n"
	[ "$ST" = 0 ] || show "$T/err.$n"
	case $spec in
	libc*) ;;
	*) expect_line '^\(\[[0-9]*\] \)\{0,1\}>(' "$T/err.$n" ;;
	esac
	if [ "$PROGRAM" = "$T/known" ]; then
		read -r ST <"$T/unknown.$n"
		[ "$ST" = 0 ] ||
			expect_message "expected a \(known parameter:\|parameter of known type[:;]\|member of a struct with known members\)" "$T/unknown.err.$n"
	fi
	end_case
done <"$T/specs"

# run COMMAND: as a shell in $T would; its output, of rawtrace too, in $T/out and its status in $ST.
run() {
	(cd "$T" && PATH="$T:$PATH" timeout 60 sh -c "$1") >"$T/out" 2>&1 </dev/null
	ST=$?
}

# The commands: where they name a process, one is there; the pid that is written is not its.
# shellcheck disable=SC2086 # several files
sed -n 's/^\.Dl # \(rawtrace .*\)/\1/p' $PAGES | sed 's/\\(dq/"/g' >"$T/commands"
begin "the manual has commands"
expect_number commands "$(grep -c '' "$T/commands")" -ge 10
end_case
while read -r command; do
	begin "$command"
	case $command in
	*' -p '*)
		in_background "$T/postgres" >"$T/rounds"
		one=$PID
		in_background "$T/postgres" >"$T/rounds"
		printf '#!/bin/sh\necho %s\n' "$one" >"$T/pidof"
		chmod +x "$T/pidof"
		run "$(printf '%s\n' "$command" |
			sed "s/ 1234,1240 / $one,$PID /; s/ 1234 / $one /")"
		expect_status 0
		reap "$one"
		reap "$PID"
		expect_line '^>(\|^\[[0-9]*\] >(\|^ngx_http_init  *[0-9]\|  ngx_http_init$' "$T/out"
		;;
	*' -a '*)
		in_background sh -c \
			"cd '$T' && exec $(printf '%s\n' "$command" |
			sed "s|rawtrace|'$RAWTRACE' -v|")" 2>"$T/out"
		wait_for 20 has_line '^rawtrace: attached to every process' "$T/out" ||
			because "not attached"
		"$T/fib" >/dev/null
		wait_for 20 has_line '^\[fib [0-9]*\] <3$' "$T/out" || show "$T/out"
		kill -INT "$PID"
		reap "$PID"
		expect_status 0
		;;
	*)
		run "$command"
		expect_status 0
		;;
	esac
	end_case
done <"$T/commands"

# Until it is traced, or for 20 s.
say_hello() {
	tries=0
	until has_line 'hello' "$T/out" || [ $((tries += 1)) -gt 200 ]; do
		echo hello
		sleep 0.1
	done
}

# README's commands, with the lines that it shows below each: those are compared, but for numbers
# that differ each time, of its own programs.
awk -v folder="$T" '
	/^    \$ / {
			n++
			file = folder "/readme." n
			sub(/^    \$ /, "")
			print >file
			shown = 1
			next
		}
	!/^    / { shown = 0 }
	shown && !/^    \.\.\.$/ { sub(/^    /, ""); print >file }
' "$SRCDIR/README"
commands=0
for file in "$T"/readme.*; do
	command=$(sed 's/sudo //; q' "$file")
	case $command in *rawtrace\ *) ;; *) continue ;; esac
	# The manual has that one too.
	[ "$command" != './rawtrace doctor' ] || continue
	commands=$((commands + 1))
	begin "README: $command"
	wanted=0
	case $(cat "$file") in
	*'No such file'*) wanted=1 ;;
	*'no function'*) wanted=2 ;;
	esac
	case $command in
	*' -p '*)
		mkfifo "$T/pipe"
		rm -f "$T/out"
		selected && say_hello >"$T/pipe" &
		in_background sh -c 'exec cat <"$0"' "$T/pipe" >"$T/hello"
		run "$(printf '%s\n' "$command" | sed "s/ -p [0-9]*/ -p $PID/")"
		expect_status 0
		reap "$PID"
		expect_line '^>(write 1 "hello\\n" 6)$' "$T/out"
		end_case
		continue
		;;
	esac
	run "$command"
	expect_status $wanted
	case $command in
	*hist* | *chrome* | *libc.so*) ;;
	*)
		# Times, threads and addresses differ each time.
		for lines in "$file" "$T/out"; do
			sed 's/ *[0-9.]* [mu]s/ TIME/g; s/TIME  *[0-9][0-9]*  */TIME TID /; s/0x[0-9a-f]*/ADDRESS/' \
				"$lines" | sort >"$lines.same"
		done
		grep -v -x -F -e "$(sed q "$file")" "$file.same" >"$T/wanted"
		mv "$T/out.same" "$T/seen"
		expect_same "$T/wanted" "$T/seen"
		;;
	esac
	end_case
done
begin "README has commands"
expect_number commands "$commands" -ge 7
end_case
