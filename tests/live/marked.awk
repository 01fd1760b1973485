# SPDX-License-Identifier: GPL-2.0-or-later
# marked.awk SAID TRACED: prints the lines that differ.  A mark in the trace for an unknown value
# matches any value of the program.  A copy that the compiler made of a function may be called
# "name.constprop.0".  "marks: N" at the end.

# The length of the value at the beginning of `s`: up to a blank, a comma or an outer bracket.
function value(s,    i, c, depth, quoted) {
	for (i = 1; i <= length(s); i++) {
		c = substr(s, i, 1)
		if (quoted) {
			if (c == "\"")
				quoted = 0
		} else if (c == "\"")
			quoted = 1
		else if (c ~ /[[{(]/)
			depth++
		else if (c ~ /[]})]/ && --depth < 0)
			return i - 1
		else if (c ~ /[ ,]/ && depth <= 0)
			return i - 1
	}
	return length(s)
}

function same(said, traced) {
	while (traced != "") {
		if (match(traced, /^<(optimized out|not known)>/)) {
			traced = substr(traced, RLENGTH + 1)
			said = substr(said, value(said) + 1)
			marks++
			continue
		}
		if (substr(said, 1, 1) != substr(traced, 1, 1))
			return 0
		said = substr(said, 2)
		traced = substr(traced, 2)
	}
	return said == ""
}

NR == FNR {
	line[++lines] = $0
	next
}

{
	plain = $0
	sub(/\.(constprop|isra)[.a-z0-9]*/, "", plain)
	if (!same(line[++at], plain))
		printf "said: %s\ntraced: %s\n", line[at], $0
}

END {
	if (at != lines)
		printf "%d calls said, %d traced\n", lines, at
	print "marks: " marks + 0
}
