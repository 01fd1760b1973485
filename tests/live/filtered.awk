# SPDX-License-Identifier: GPL-2.0-or-later
# Filters a whole trace, or a witness's lines.
#   -v traced=FUNCTION,...
#   -v hidden=FUNCTION              counts as a level and is not shown
#   -v depth=LEVELS
#   -v under=FUNCTION
#   -v tests=FUNCTION,OP,NUMBER;... a call of a function that has tests must pass one

function prefix(level, mark,    i, text) {
	for (i = 0; i <= (level < 10 ? level : 6); i++)
		text = text (i % 2 ? " " : mark)
	return text (level < 10 ? "" : "[" level "] ")
}

function passes(name, value,    i, has, good, limit, list, word) {
	for (i = 1; i <= split(tests, list, ";"); i++) {
		split(list[i], word, ",")
		if (word[1] != name)
			continue
		has = 1
		limit = word[3] + 0
		if (word[2] == ">" ? value > limit : word[2] == "<" ? value < limit : \
			value == limit)
			good = 1
	}
	return !has || good
}

# Level `level` of thread t is no longer open, nor is what is inside it.
function close_from(level) {
	while (open[t] > level)
		shown[t] -= kept[t, --open[t]]
}

{
	t = column = ""
	if (match($0, /^\[[0-9]+\] /)) {
		t = column = substr($0, 1, RLENGTH)
		$0 = substr($0, RLENGTH + 1)
	}
	mark = substr($0, 1, 1)
	if (mark != ">" && mark != "<")
		next
	match($0, /^[<>][<> ]*/)
	level = RLENGTH - 1
	rest = substr($0, RLENGTH + 1)
	if (level == 6 && match(rest, /^\[[0-9]+\] /)) {
		level = substr(rest, 2) + 0
		rest = substr(rest, RLENGTH + 1)
	}
}

mark == ">" {
	split(rest, word, /[( )]/)
	# A call that replaces a shown call has the same callers as that one.
	became = open[t] > level && kept[t, level]
	close_from(level)
	keep = (!traced || index("," traced ",", "," word[2] ",")) &&
		(!under || shown[t] || became || word[2] == under) &&
		passes(word[2], word[3] + 0) && (!depth || shown[t] + 0 < depth)
	if (keep && word[2] != hidden)
		print column prefix(shown[t] + 0, ">") rest
	kept[t, level] = keep
	named[t, level] = word[2]
	shown[t] += keep
	open[t] = level + 1
}

mark == "<" {
	close_from(level + 1)
	keep = open[t] == level + 1 && kept[t, level]
	name = named[t, level]
	close_from(level)
	if (keep && name != hidden)
		print column prefix(shown[t] + 0, "<") rest
}
