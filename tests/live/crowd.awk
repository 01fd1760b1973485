# SPDX-License-Identifier: GPL-2.0-or-later
# A tree of tests/live/targets/crowd.c, `threads` of `calls` each: every thread must show outer(i),
# in it inner(i), their results, for each i in order.  With `lossy`, an event may be missing if the
# thread says so, and then the rest must still be right.
function wrong(what) {
	if (++wrongs <= 5)
		print "line " NR ": " what ": " $0
}

/^rawtrace: / { next }

{
	tid = "alone"
	line = $0
	if (match(line, /^\[[0-9]+\] /)) {
		tid = substr(line, 2, RLENGTH - 3)
		line = substr(line, RLENGTH + 1)
	}
	# Until a second thread shows up, the first one has no number; it is the one that continues
	# in the middle.
	if (!(tid in step) && ("alone" in step) && line != ">(outer 1)") {
		step[tid] = step["alone"]
		last[tid] = last["alone"]
		torn[tid] = torn["alone"] || lossy
		delete step["alone"]
	}
	# If events are missing it may be another one that begins in the middle.
	if (!(tid in step)) {
		step[tid] = 0
		torn[tid] = lossy && line != ">(outer 1)"
	}
	if (line ~ /^\*\*\* ([0-9]+ )?events? lost \*\*\*$/) {
		split(line, part, " ")
		lost += part[2]
		torn[tid] = 1
		if (!lossy)
			wrong("lost")
		next
	}
	if (line ~ /(not seen|thread exited|unfinished|maybe of a later call) \*\*\*$/) {
		if (line ~ /call of|maybe/)
			seen++
		torn[tid] = 1
		if (!lossy)
			wrong("not seen")
		next
	}
	seen++
	if (line ~ /^>\(outer [0-9]+\)$/) {
		i = substr(line, 9) + 0
		if (!torn[tid] && (step[tid] != 0 || i != last[tid] + 1))
			wrong("outer is not the next call of thread " tid)
		last[tid] = i
		step[tid] = 1
		torn[tid] = 0
	} else if (line ~ /^> \(inner [0-9]+\)$/) {
		i = substr(line, 10) + 0
		if (step[tid] != 1 || i != last[tid])
			if (!torn[tid])
				wrong("inner is not in its outer in thread " tid)
		step[tid] = 2
	} else if (line ~ /^< [0-9]+$/) {
		if (!torn[tid] && (step[tid] != 2 || substr(line, 3) + 0 != last[tid] + 1))
			wrong("not inner's result in thread " tid)
		step[tid] = 3
	} else if (line ~ /^<[0-9]+$/) {
		if (!torn[tid] && (step[tid] != 3 || substr(line, 2) + 0 != 2 * (last[tid] + 1)))
			wrong("not outer's result in thread " tid)
		step[tid] = 0
	} else if (line ~ /^>\(inner [0-9]+\)$/) {
		if (!torn[tid])
			wrong("inner outside of outer in thread " tid)
	} else {
		wrong("unknown line")
	}
}

END {
	if (seen + lost != threads * calls * 4)
		print seen + 0 " events seen, " lost + 0 " lost: not " threads * calls * 4
	else if (!lossy && lost)
		print lost " lost"
	else if (!wrongs)
		exit 0
	exit 1
}
