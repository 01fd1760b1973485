#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Compare the options and commands of the manual with those of rawtrace.
. "$SRCDIR/tests/live/lib.sh"
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
	--stack-size) [ "$2" = trace ] && echo "-k $1=24K" || echo "$1=24K" ;;
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
	count,--stack-size | hist,--stack-size) words="./none f by path" ;;
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
