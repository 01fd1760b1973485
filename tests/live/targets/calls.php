<?php
# Prints its calls, each indented by its level: recursion, methods, an exception, calls from C.
$level = 0;
function fib($n)
{
	global $level;
	echo str_repeat(' ', $level++), "fib\n";
	try {
		return $n < 2 ? $n : fib($n - 1) + fib($n - 2);
	} finally {
		$level--;
	}
}
class Door
{
	static function open($n)
	{
		global $level;
		echo str_repeat(' ', $level++), "Door.open\n";
		try {
			if (!$n)
				throw new RuntimeException("locked");
			self::open($n - 1);
		} finally {
			$level--;
		}
	}
	function each()
	{
		global $level;
		echo str_repeat(' ', $level++), "Door.each\n";
		array_map('fib', [1, 2]);
		$level--;
	}
}
fib(3);
try {
	Door::open(2);
} catch (RuntimeException $e) {
}
(new Door)->each();
