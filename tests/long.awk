# SPDX-License-Identifier: GPL-2.0-or-later
# FILE:LINE of each line over 100 columns in shell scripts.  Here-documents are excepted, and quoted
# texts that do not fit on a line of their own.
function width(s,	n, i)
{
	for (n = i = 0; ++i <= length(s);)
		n = substr(s, i, 1) == "\t" ? n + 8 - n % 8 : n + 1
	return n
}

# Follow quotes through the line, with $( and ${ in them.  True: a long text is at the border.
function is_text(s,	i, c, top, column, found, word)
{
	word = 1
	for (i = 1; i <= length(s); i++) {
		c = substr(s, i, 1)
		top = depth ? substr(stack, depth, 1) : ""
		column = c == "\t" ? column + 8 - column % 8 : column + 1
		if (top == "'" ? c == "'" : top == "\"" && c == "\"") {
			found = found || (column > 98 && start[depth] <= 98 &&
				(column - start[depth] + width(indent) > 90))
			depth--
		} else if (top == "'") {
			continue
		} else if (c == "\\") {
			i++
			column++
		} else if (c == "$" && substr(s, i + 1, 1) ~ /[({]/) {
			c = substr(s, ++i, 1)
			column++
			stack = substr(stack, 1, depth) c
			start[++depth] = column
		} else if (top == "{" ? c == "}" : top == "(" && c == ")") {
			depth--
		} else if (top == "\"") {
			continue
		} else if (c == "\"" || (c == "'" && top != "{") || (c == "(" && top == "(")) {
			stack = substr(stack, 1, depth) c
			start[++depth] = column
		} else if (c == "#" && word && top != "{") {
			break
		}
		word = c ~ /[ \t;(]/
	}
	top = depth ? substr(stack, depth, 1) : ""
	return found || ((top == "'" || top == "\"") && start[depth] <= 98 && column > 98)
}
FNR == 1 {
	depth = 0
	end = ""
}
end != "" {
	text = $0
	if (dash)
		gsub(/^\t+/, "", text)
	if (text == end)
		end = ""
	next
}
{
	indent = $0
	sub(/[^ \t].*/, "", indent)
	before = depth
	top = depth ? substr(stack, depth, 1) : ""
	for (i = 1; i <= depth; i++)
		start[i] = 0
	text = is_text($0)
	if (!text && width($0) > 100)
		print FILENAME ":" FNR ": " width($0)
	if (top != "'" && match($0, /<<-?[\\'"]?[A-Z]+[0-9]*/) && !/<<</) {
		end = substr($0, RSTART + 2, RLENGTH - 2)
		dash = sub(/^-/, "", end)
		sub(/^[\\'"]/, "", end)
	}
}
