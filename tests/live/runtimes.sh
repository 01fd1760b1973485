#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Sets of USDT probes in programs of Debian, against what these print of themselves.
. "$SRCDIR/tests/live/lib.sh"
targets_made
find_mechanisms

# The library that a program is linked with, as a copy in $T, which LD_LIBRARY_PATH then names.
copy_library() {
	library=$(ldd "$(command -v "$1")" 2>/dev/null | sed -n "s/.*$2.* => \([^ ]*\).*/\1/p")
	[ -n "$library" ] && cp "$library" "$T/" || because "$1 is not linked with $2"
}

# tree_of PATTERN FIRST FUNCTION: the calls whose line has the awk pattern, indented by their level.
# FUNCTION, in awk, makes their names.  FIRST: the level of the first one.
tree_of() {
	awk -v pattern="$1" -v first="$2" '
		{ sub(/^\[[0-9]+\] /, "") }
		/^>/ && $0 ~ pattern {
			split($0, part, "\"")
			printf "%*s%s\n", index($0, "(") - 2 - first, "", name(part)
		}
		'"$3" "$T/trace"
}

if has php; then
	begin "php: functions, methods and an exception are the tree that the program prints"
	cp "$(command -v php)" "$T/php"
	export USE_ZEND_DTRACE=1
	rt -o "$T/trace" "$T/php" @php -- -n "$TARGETS/calls.php"
	expect_status 0
	tree_of 'php:function "[^m]' 2 'function name(part) {
		return (part[6] ? part[6] "." : "") part[2]
	}' >"$T/tree"
	expect_same "$T/out" "$T/tree"
	expect_line '(php:exception__thrown "RuntimeException")$' "$T/trace"
	# The file itself is a function too.
	rt count -o "$T/counts" "$T/php" @php -- -n "$TARGETS/calls.php"
	expect_line "^php:function  *$(($(grep -c . "$T/out") + 1))\$" "$T/counts"
	expect_no_line '__entry\|__return' "$T/counts"
	unset USE_ZEND_DTRACE
	end_case
else
	skip "php" "it is not installed"
fi

if has ruby; then
	# --disable-gems: hundreds of methods.
	begin "ruby: methods are the tree that the program prints"
	copy_library ruby libruby
	export LD_LIBRARY_PATH="$T"
	rt -o "$T/trace" ruby 'usdt:ruby:method__*(string owner, string method)' -- \
		--disable-gems "$TARGETS/calls.rb" traced
	expect_status 0
	tree_of 'ruby:method "Shape"' 0 'function name(part) { return part[2] "." part[4] }' \
		>"$T/tree"
	expect_same "$T/out" "$T/tree"
	expect_no_line 'ruby:method__' "$T/trace"
	end_case

	begin "ruby: an exception's method__return alone is no end of a call"
	rt -o "$T/trace" ruby @ruby -- --disable-gems "$TARGETS/calls.rb"
	expect_status 0
	expect_no_line '(ruby:method \|method__return not seen' "$T/trace"
	raised=$(grep -c "(ruby:method__return \"Shape\" \"open\" " "$T/trace")
	expect_number "exceptions" "$raised" -eq 3
	end_case
	unset LD_LIBRARY_PATH
else
	skip "ruby" "it is not installed"
fi

if has java && has javac; then
	begin "java: methods are the tree that the program prints, classes are those of its log"
	cat >"$T/methods" <<-'END'
		library libjvm.so*
		usdt:hotspot:method__entry(long thread, const char class[n] == "Calls", int n, const char method[m], int m)
		usdt:hotspot:method__return(long thread, const char class[n] == "Calls", int n, const char method[m], int m)
		usdt:hotspot:class__loaded(const char name[n], int n)
	END
	javac -d "$T" "$TARGETS/Calls.java" >"$T/build" 2>&1 || show "$T/build"
	rt -s 200 -o "$T/trace" java "@$T/methods" -- -XX:+ExtendedDTraceProbes \
		-Xlog:class+load:file="$T/log" -cp "$T" Calls
	expect_status 0
	tree_of 'hotspot:method [0-9]+ "Calls"' 0 'function name(part) { return part[4] }' \
		>"$T/tree"
	expect_same "$T/out" "$T/tree"
	expect_no_line 'hotspot:method__\|unwound\|before its probes' "$T/trace"
	selected && {
		sed -n 's/.*] \([^ ]*\) source: .*/\1/p' "$T/log" | sort >"$T/logged"
		sed -n 's/.*(hotspot:class__loaded "\([^"]*\)".*/\1/p' "$T/trace" | tr / . |
			sort >"$T/loaded"
		expect_same "$T/logged" "$T/loaded"
		expect_number "classes" "$(grep -c '' "$T/loaded")" -ge 100
	}
	end_case

	if ! quick; then
		cat >"$T/Ends.java" <<-'END'
			public class Ends
			{
				static int thrown(int n)
				{
					if (n % 2 == 0)
						throw new IllegalStateException();
					return n;
				}

				static int after(int n) { return n; }

				static int outer(int n)
				{
					try {
						return thrown(n);
					} catch (IllegalStateException e) {
						return after(n);
					}
				}

				public static void main(String[] args)
				{
					for (int i = 0; i < 3000; i++)
						outer(i);
				}
			}
		END
		begin "java: calls behind an exception in compiled code are the caller's, or marked"
		javac -d "$T" "$T/Ends.java" >"$T/build" 2>&1 || show "$T/build"
		sed 's/"Calls"/"Ends"/; /class__/d' "$T/methods" >"$T/ends"
		for inline in + -; do
			rt --buffer=16M -o "$T/trace" java "@$T/ends" -- -XX:+ExtendedDTraceProbes \
				-XX:TieredStopAtLevel=1 "-XX:${inline}Inline" -cp "$T" Ends
			expect_status 0
			selected || continue
			inside=$(grep -c '^> > (.*"after"' "$T/trace")
			expect_number "calls of after" "$(grep -c '"after"' "$T/trace")" -eq 1500
			expect_number "marks" \
				"$(grep -c "unwound.* the caller's" "$T/trace")" -eq "$inside"
			[ "$inline" = - ] || expect_number "inside thrown" "$inside" -ge 1
			[ "$inline" = + ] || expect_no_line 'unwound' "$T/trace"
		done
		end_case
	fi
else
	skip "java" "it is not installed, or has no compiler"
fi

if has virsh && has python3; then
	begin "libvirt: objects, events and messages are those of the library's log"
	copy_library virsh libvirt.so
	in_background python3 "$TARGETS/rpc.py" "$T/socket" >"$T/server" 2>&1
	wait_for 20 test -S "$T/socket" || because "the server does not begin"
	export LD_LIBRARY_PATH="$T" LIBVIRT_DEBUG=1 LIBVIRT_LOG_OUTPUTS="1:file:$T/log"
	rt -o "$T/trace" virsh @libvirt -- -c "qemu+unix:///system?socket=$T/socket" list
	unset LD_LIBRARY_PATH LIBVIRT_DEBUG LIBVIRT_LOG_OUTPUTS
	expect_status 1
	reap "$PID"
	expect_status 0
	sed -n -e 's/.* OBJECT_NEW: obj=\([^ ]*\) classname=\(.*\)/object_new \1 "\2"/p' \
		-e 's/.* RPC_CLIENT_NEW: client=\([^ ]*\) sock=/rpc_client_new \1 /p' \
		-e 's/.* EVENT_GLIB_ADD_HANDLE: watch=\([0-9]*\) fd=\([0-9]*\) events=\([0-9]*\) .*/event_glib_add_handle \1 \2 \3/p' \
		-e '/ RPC_CLIENT_MSG_/{
			s/.* RPC\(_CLIENT_MSG_[A-Z_]*\): /rpc\L\1 /
			s/prog=536903814/REMOTE/; s/type=0/CALL/; s/type=1/REPLY/; s/status=0/OK/
			s/[a-z]*=//gp
		}' "$T/log" >"$T/logged"
	sed -n 's/^\(\[[0-9]*\] \)*>(libvirt:\(.*\))$/\2/p' "$T/trace" |
		grep -e '^object_new ' -e '^rpc_client_[mn]' -e '_add_handle ' >"$T/traced"
	expect_number "messages" "$(grep -c '^rpc_client_msg' "$T/logged")" -ge 3
	expect_same "$T/logged" "$T/traced"
	end_case
else
	skip "libvirt" "virsh or python3 is not installed"
fi
exit "${CASES_FAILED:-0}"
