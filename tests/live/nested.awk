# SPDX-License-Identifier: GPL-2.0-or-later
# Is this tree nested?  Prints its errors and fails.  whole: every call has its return and none is
# marked as not seen.

function wrong(what) {
	print "line " NR ": " what ": " $0
	bad = 1
}

/^rawtrace: / || /^(\[[0-9]+\] )?\*\*\* ([0-9]+ )?events? lost \*\*\*$/ {
	if (whole && !/were single-stepped/ && !/ not traced; -f traces children$/)
		wrong("a remark")
	next
}

# The end of a process, with -f.
/^\+\+\+ [0-9]+ (exited|killed by).* \+\+\+$/ {
	next
}

{
	line = $0
	tid = 0
	# Columns of several processes: [PROCESS THREAD]
	if (match(line, /^\[[0-9]+ [0-9]+\] /))
		line = "[" substr(line, index(line, " ") + 1)
	if (match(line, /^\[[0-9]+\] /)) {
		tid = substr(line, 2) + 0
		line = substr(line, RLENGTH + 1)
	}
	# Coroutines, and signals on a stack of their own.
	if (match(line, /^\[stack [0-9]+\] /)) {
		tid = substr(line, 1, RLENGTH)
		line = substr(line, RLENGTH + 1)
	}
	if (!match(line, /^[<>][<> ]*/)) {
		wrong("no call and no return")
		next
	}
	# A number: busybox's awk compares what was never set, and then copied, as text.
	depth[0] += 0
	depth[tid] += 0
	mark = substr(line, 1, 1)
	level = RLENGTH - 1
	line = substr(line, RLENGTH + 1)
	if (match(line, /^\[[0-9]+\] /)) {
		if (level != 6)
			wrong("the prefix before a level's number")
		level = substr(line, 2) + 0
		line = substr(line, RLENGTH + 1)
	}
	# The thread that was there before there was a column has none on its first lines.  A new
	# thread begins with a call at level 0, or with the return of one that began before the
	# trace.
	if (!tid)
		unnamed = 1
	else if (unnamed && !(tid in named)) {
		named[tid] = 1
		if (!moved && (level != 0 || (mark == "<" &&
			line !~ /call of .* (not seen|began before the trace)/))) {
			depth[tid] = depth[0] + 0
			depth[0] = 0
			moved = 1
		}
	}
	if (mark == ">") {
		# A tail call takes the place of the call that it was made in.
		if (level != depth[tid] && level != depth[tid] - 1)
			wrong("a call at level " level " where " depth[tid] " are open")
		depth[tid] = level + 1
	} else if (line ~ /call of .* (not seen|began before the trace)/) {
		if (whole)
			wrong("marked")
		if (level != depth[tid])
			wrong("a return of an unseen call at level " level " where " \
				depth[tid] " are open")
	} else {
		if (whole && line ~ /\*\*\*/)
			wrong("marked")
		if (level != depth[tid] - 1)
			wrong("a return at level " level " where " depth[tid] " are open")
		depth[tid] = level
	}
}

END {
	for (t in depth)
		if (depth[t] > 0) {
			print "thread " t ": " depth[t] " calls still open at the end"
			bad = 1
		}
	exit bad
}
