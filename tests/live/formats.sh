#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The formats that sum up, read by the tools that they are for.
. "$SRCDIR/tests/live/lib.sh"
find_mechanisms

# fib(10) makes 177 calls, of which the outermost has all the time.
begin "summary: calls, and recursion once in the total"
rt --format=summary "$FIB" fib -- 10
expect_status 0
expect_line '^ *177 .* fib$' "$T/err"
awk '$NF == "fib" { total = $2 $3; longest = $(NF - 3) $(NF - 2); exit total != longest }' \
	"$T/err" ||
	because "the total is not the time of the outermost call"
end_case

begin "summary of calls that fail"
rt --format=summary cat libc.so:open -- /nonexistent
expect_line '^ *1 .* 1  open$' "$T/err"
end_case

begin "graph: a level a line"
rt --format=graph "$FIB" fib -- 3
expect_line '^ *[0-9.]* [nmu]*s *[0-9.]* [nmu]*s *1    fib$' "$T/err"
expect_line '^ *[0-9.]* [nmu]*s *[0-9.]* [nmu]*s *2      fib$' "$T/err"
end_case

# The worker ends by itself, and rawtrace after it.
begin "summary of a running process: on standard output"
start_worker 1 $((3000 * SECOND)) $PAUSE
rt --format=summary -p "$worker" work leaf
expect_status 0
expect_line '^ *[1-9][0-9]* .* leaf$' "$T/out"
[ ! -s "$T/err" ] || show "$T/err"
reap "$worker"
end_case

# The weights of all chains, against the longest call.
begin "folded: the weights are the time of the outermost call"
rt --format=folded -o "$T/folded" "$FIB" fib -- 8
[ "$(wc -l <"$T/folded")" -eq 8 ] || show "$T/folded"
expect_line '^fib;fib;fib;fib;fib;fib;fib;fib;fib [0-9]*$' "$T/folded"
expect_no_line ' 0$' "$T/folded"
end_case

if has callgrind_annotate; then
	begin "callgrind: callgrind_annotate reads it"
	rt --format=callgrind -o "$T/callgrind" "$FIB" fib -- 10
	callgrind_annotate --threshold=100 --inclusive=yes "$T/callgrind" >"$T/annotated" 2>&1 ||
		because "callgrind_annotate failed"
	expect_line "^ *[0-9,]* (100.0%)  ???:fib\$" "$T/annotated"
	expect_line "???:fib'10\$" "$T/annotated"
	end_case
fi

if has dot; then
	begin "dot: graphviz draws it"
	rt --format=dot -o "$T/dot" "$FIB" fib -- 5
	dot -Tsvg "$T/dot" >"$T/svg" 2>"$T/dot.err" || show "$T/dot.err"
	expect_line '>fib</text>' "$T/svg"
	end_case
fi

if has jq; then
	begin "json: jq adds its calls up"
	rt --format=json -o "$T/jsonl" "$FIB" fib -- 10
	got=$(jq -s '[.[] | select(.name == "fib" and .result == 1)] | length' "$T/jsonl")
	[ "$got" -eq 89 ] || because "$got calls have the result 1, not 89"
	got=$(jq -s '(map({(.id | tostring): .}) | add) as $call |
		[.[] | select(.parent != 0 and $call[.parent | tostring].args.n - .args.n > 2)] | length' "$T/jsonl")
	[ "$got" = 0 ] || because "$got calls stand below a wrong parent"
	end_case
fi

if has go; then
	begin "pprof: go tool pprof reads calls and time"
	rt --format=pprof -o "$T/pb.gz" "$FIB" fib -- 10
	HOME=$T PPROF_TMPDIR=$T timeout 60 go tool pprof -top -sample_index=calls "$T/pb.gz" \
		>"$T/out" 2>"$T/err" ||
		show "$T/err"
	expect_line '^ *177 *100% *100% *177 *100% *fib$' "$T/out"
	HOME=$T PPROF_TMPDIR=$T timeout 60 go tool pprof -raw "$T/pb.gz" >"$T/out" 2>"$T/err" ||
		show "$T/err"
	expect_line '^Samples:$' "$T/out"
	expect_line 'thread:\[fib\]' "$T/out"
	if has readelf; then
		id=$(readelf -n "$FIB" | sed -n 's/.*Build ID: *//p')
		rt record -o "$T/data" "$FIB" fib 'libc.so:exit' -- 3
		rt report --format=pprof -o "$T/pb.gz" "$T/data"
		HOME=$T PPROF_TMPDIR=$T timeout 60 go tool pprof -raw "$T/pb.gz" >"$T/out" \
			2>"$T/err" || show "$T/err"
		expect_line "^1: .*fib $id" "$T/out"
		id=$(readelf -n "$(ldd "$FIB" | awk '/libc\.so/ { print $3 }')" |
			sed -n 's/.*Build ID: *//p')
		expect_line "^[23]: .*libc.*$id" "$T/out"
	fi
	end_case
fi

begin "flow: braces nest, and a call without calls inside is a line"
rt -F flow --width=60 "$FIB" fib -- 10
awk '/{$/ { open++; n++ } /} = [0-9]*  fib$/ { open-- } /fib\([0-9]*\) = [0-9]*$/ { n++ }
	length > 60 || open < 0 { wrong++ } END { print n, open + 0, wrong + 0 }' "$T/err" >"$T/out"
expect_text '177 0 0' "$T/out"
end_case

begin "flow: deep calls are on a line that is cut, with their level"
rt -F flow --width=80 "$BIN/recurse" deep -- 0 29
expect_line '^ *[0-9.]* ms .*  \[29\] deep(0) = 0$' "$T/err"
awk 'length > 80' "$T/err" >"$T/long"
[ ! -s "$T/long" ] || show "$T/long"
end_case

begin "tree: times of day, since the line before, and of calls"
before=$(date +%s)
rt -ttt -T "$FIB" fib -- 2
awk -v least="$before" -v most="$(date +%s)" '
	/^[0-9]+\.[0-9][0-9][0-9][0-9][0-9][0-9] [>< ]/ && $1 >= least && $1 <= most + 1 { n++ }
	/<[0-9]+\.[0-9]+>$/ { ends++ } END { print n, ends }' "$T/err" >"$T/out"
expect_text '6 3' "$T/out"
rt -r "$FIB" fib -- 2
expect_line '^     0\.000000 >(fib 2)$' "$T/err"
expect_line '^     [0-9]*\.[0-9]* < 1$' "$T/err"
end_case

# At a terminal: its width and colours.
if has python3; then
	begin "flow: a terminal has colours, and lines end at its width"
	TERM=xterm NO_COLOR='' timeout 60 python3 "$LIVE/terminal.py" 1000 sh -c \
		'stty cols 50 && exec "$@"' sh "$RAWTRACE" -F flow "$BIN/timed" '*' >"$T/out" 2>&1
	expect_line "$(printf '\033')\[33m" "$T/out"
	sed "s/$(printf '\033')\[[0-9]*m//g" "$T/out" | awk 'length > 50' >"$T/long"
	[ ! -s "$T/long" ] || show "$T/long"
	end_case
fi

# Its slices nest, and a trace that is killed is whole.
if has python3; then
	begin "perfetto: a slice a call, with the argument"
	rt --format=perfetto -o "$T/trace" "$FIB" fib -- 10
	timeout 60 python3 "$LIVE/perfetto.py" "$T/trace" >"$T/out" 2>"$T/err" || show "$T/err"
	expect_text 'fib: 177 begin, 177 end, depth 10' "$T/out"
	end_case

	begin "speedscope: opening and closing events nest"
	rt --format=speedscope -o "$T/scope" "$FIB" fib -- 10
	timeout 60 python3 - "$T/scope" >"$T/out" 2>"$T/err" <<-'END' || show "$T/err"
		import json, sys
		data = json.load(open(sys.argv[1]))
		for profile in data['profiles']:
		    stack, last = [], profile['startValue']
		    for event in profile['events']:
		        assert last <= event['at'] <= profile['endValue']
		        last = event['at']
		        if event['type'] == 'O':
		            stack.append(event['frame'])
		        else:
		            assert stack.pop() == event['frame']
		    assert not stack
		    print(data['shared']['frames'][profile['events'][0]['frame']]['name'], len(profile['events']))
	END
	expect_text 'fib 354' "$T/out"
	end_case
fi

# Pages are looked at by a browser: the script has filled the table in, and painted.
if has chromium; then
	# Each turn of the wheel shows 2/3 of the range.  A click shows the outermost call, which
	# takes all of the time.
	begin "html: a browser shows the table and the time line, and zooms"
	rt --format=html -o "$T/page.html" "$FIB" fib -- 21
	cat >>"$T/page.html" <<-'end'
		<script>
		const box = time.getBoundingClientRect(), ranges = [view[1] - view[0]];
		const middle = { clientX: box.x + box.width / 2, clientY: box.y + 40 };
		const at = (kind, type, more) =>
			time.dispatchEvent(new kind(type, Object.assign({}, middle, more)));
		for (let i = 0; i < 2; i++)
			at(WheelEvent, 'wheel', { deltaY: -100 });
		ranges.push(view[1] - view[0]);
		at(MouseEvent, 'mousemove', {});
		at(MouseEvent, 'click', {});
		ranges.push(view[1] - view[0]);
		document.body.append('ratios ' + (ranges[0] / ranges[1]).toFixed(2) + ' ' +
			(ranges[2] / ranges[0]).toFixed(2) + ' ' +
			document.getElementById('span').textContent);
		</script>
	end
	HOME=$T timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-quic \
		--no-first-run \
		--disable-background-networking --disable-component-update --disable-sync \
		--user-data-dir="$T/chromium" \
		--dump-dom "file://$T/page.html" >"$T/dom" 2>"$T/chromium.err" ||
		show "$T/chromium.err"
	expect_line '<td>35421</td>.*<td>fib</td>' "$T/dom"
	expect_line '>20000 calls, threads: 1; 15421 shorter calls are left out\.<' "$T/dom"
	expect_line 'ratios 2\.25 1\.00 fib  [0-9.]* [mu]*s, at [0-9.]* [mun]*s, in fib [0-9]' \
		"$T/dom"
	end_case
fi
