#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run each example of the manual and README, and compare the manual's options with those of
# rawtrace.
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

# ---- the pages ----

for page in $PAGES; do
	begin "${page##*/} is formatted without a warning"
	if has groff; then
		groff -mdoc -Tutf8 -ww "$page" >"$T/text" 2>"$T/warnings"
		[ ! -s "$T/warnings" ] || show "$T/warnings"
		[ -s "$T/text" ] || because "no text"
		end_case
	else
		skip "${page##*/} is formatted without a warning" "no groff"
	fi
done

# ---- options ----

# options_in TEXT: the options that a help text names.
options_in() {
	tr -s ' [],|=' '\n' <"$1" | grep -E '^(-[A-Za-z]|--[a-z][a-z-]*)$' | sort -u
}

# options_of PAGE [SECTION]: the options that a page names, in a section only.
options_of() {
	awk -v section="${2-}" '
		/^\.Sh / { inside = !section || $0 == ".Sh " section }
		inside && /^\./ {
			for (i = 1; i < NF; i++)
				if (($i == "Fl" || $i == ".Fl") && $(i + 1) ~ /^-?[A-Za-z]/)
					print "-" $(i + 1)
		}
	' "$1" | sort -u
}

# value_of OPTION COMMAND: with a value that is valid, if the option takes one.
value_of() {
	case $1 in
	-p) echo "-p 999999999" ;;
	-o) echo "-o $T/output" ;;
	-e | --events) echo "-e fib" ;;
	-A | --output-append-mode) echo "$1 -o $T/output" ;;
	-u) echo "-u nobody" ;;
	--cgroup | --unit) echo "$1=none" ;;
	--budget) echo "-a --budget=5%" ;;
	-s) echo "-s 1" ;;
	--pid) echo "$1=999999999" ;;
	--user) echo "$1=nobody" ;;
	--output) echo "$1=$T/output" ;;
	--format) [ "$2" = list ] && echo "$1=json" || echo "$1=tree" ;;
	--attach) echo "$1=tracefs" ;;
	--buffer) echo "$1=1M" ;;
	--ring) echo "$1=perf" ;;
	--min-time) echo "$1=1s" ;;
	--only-under) echo "$1=f" ;;
	--only | --exclude) echo "$1=f" ;;
	-x) echo "-x none" ;;
	--tid) echo "$1=1" ;;
	--last) echo "$1=1s" ;;
	--on-slow) echo "--last=1s $1=1s" ;;
	--on-fail) echo "--last=1s $1" ;;
	--from | --to) echo "$1=1s" ;;
	--sort | -S)
		case $2 in
		diff | top) echo "$1 calls" ;;
		*) echo "--format=summary $1 calls" ;;
		esac
		;;
	-F) [ "$2" = list ] && echo "-F json" || echo "-F tree" ;;
	--color) echo "-F flow --color=never" ;;
	--width) echo "-F flow --width=80" ;;
	--callers) echo "--format=graph --callers" ;;
	--depth | --string-limit | --members | --deref) echo "$1=1" ;;
	--entry) echo "$1=exact" ;;
	--demangle) echo "$1=no" ;;
	--return) echo "$1=none" ;;
	--dump) echo "$1=ir" ;;
	*) echo "$1" ;;
	esac
}

# can_take COMMAND OPTION: is that a right command line?  Nothing is traced: there is no such
# program or process.
can_take() {
	case $1,$2 in
	doctor,* | report,*) words= ;;
	diff,*) words="./none ./none" ;;
	*,-p | *,--pid) words=f ;;
	*,-a | *,--all | *,--budget | *,--cgroup | *,--unit) words=./none:f ;;
	*) words="./none f" ;;
	esac
	# shellcheck disable=SC2046,SC2086 # an option with its value, words
	(cd "$T" && "$RAWTRACE" ${1#trace} $(value_of "$2" "$1") $words) >"$T/out" 2>"$T/err"
	[ $? != 2 ]
}

# options_taken COMMAND: into $T/taken.COMMAND.
options_taken() {
	[ ! -e "$T/taken.$1" ] || return 0
	while read -r option; do
		! can_take "$1" "$option" || echo "$option"
	done <"$T/options" >"$T/taken.$1"
}

for command in '' count hist top list record report diff doctor; do
	# shellcheck disable=SC2086 # no word, or one
	"$RAWTRACE" $command --help
done >"$T/help"
options_in "$T/help" >"$T/options"

begin "rawtrace --help has options"
expect_number options "$(grep -c '' "$T/options")" -ge 25
end_case

for page in $PAGES; do
	begin "${page##*/} has no unknown option"
	options_of "$page" >"$T/named"
	comm -23 "$T/named" "$T/options" >"$T/surplus"
	[ ! -s "$T/surplus" ] || show "$T/surplus"
	end_case
done

# --help of a command lists all options that it takes, and no other.
for command in trace count hist top list record report diff doctor; do
	begin "$command --help has the options of its command"
	# shellcheck disable=SC2086 # no word, or one
	"$RAWTRACE" ${command#trace} --help |
		sed \
			-n 's/^  \(-[A-Za-z]\), --/      \1 --/; s/^      \(-[^ =[]*\( --[^ =[]*\)\{0,1\}\).*/\1/p' |
		tr ' ' '\n' | sort -u >"$T/named"
	options_taken "$command"
	expect_same "$T/taken.$command" "$T/named"
	end_case
done

# Each command of --help has a page with as many forms in its synopsis, and the completion knows its
# name.
"$RAWTRACE" --help | sed -n 's/^       rawtrace \([a-z][a-z]*\) .*/\1/p' | sort -u >"$T/names"
begin "rawtrace --help has commands"
expect_number commands "$(grep -c '' "$T/names")" -ge 4
end_case
while read -r command; do
	begin "$command has a page and a completion"
	usages=$("$RAWTRACE" --help | grep -c "^       rawtrace $command ")
	forms=$(sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESCRIPTION/p' \
		"$SRCDIR/contrib/man/rawtrace-$command.1" | grep -c "^\.Nm rawtrace $command\$")
	[ "$usages" = "$forms" ] || because "--help has $usages forms, SYNOPSIS $forms"
	grep -q "_rawtrace_program \"[a-z ]*\b$command\b" "$SRCDIR/contrib/completion/rawtrace" ||
		because "no completion"
	end_case
done <"$T/names"

# A command's page names all options that it takes under OPTIONS, and no other.
for command in trace count hist top list doctor; do
	page=$SRCDIR/contrib/man/rawtrace-$command.1
	[ $command != trace ] || page=$SRCDIR/contrib/man/rawtrace.1
	begin "${page##*/} has the options of its command"
	options_of "$page" OPTIONS >"$T/named"
	options_taken "$command"
	expect_same "$T/taken.$command" "$T/named"
	end_case
done

# ---- examples ----

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
			expect_message "expected a \(known parameter:\|parameter whose type is known[:;]\|member of a struct whose members are known\)" "$T/unknown.err.$n"
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
		selected && (sleep 1; echo hello; sleep 0.3) >"$T/pipe" &
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
