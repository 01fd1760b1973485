# SPDX-License-Identifier: GPL-2.0-or-later
# A torture program's summary of its calls, and its trace -> the same summary of the trace: NAME
# CALLS.  A star marks calls that a tail call ended, and calls that ended without a return.

FILENAME == ARGV[1] {
	said[++lines] = $1
	next
}

{
	while (sub(/^\[[^]]*\] /, ""))
		;
}

/^>/ {
	sub(/^[> ]*(\[[0-9]+\] )?\(/, "")
	sub(/\)$/, "", $1)
	calls[$1]++
	open++
	next
}

/^</ {
	open--
	left += /\*\*\* (unwound|thread exited|goroutine exited) \*\*\*$/
	unseen += /\*\*\* return not seen/
	next
}

/^rawtrace: [0-9]+ child.* not traced; -f traces children$/ { next }
{ print "marked: " $0 >"/dev/stderr" }

END {
	calls["*jumped"] = open
	calls["*left"] = left
	for (i = 1; i <= lines; i++)
		print said[i], calls[said[i]] + 0
	if (unseen)
		print unseen " returns not seen" >"/dev/stderr"
}
