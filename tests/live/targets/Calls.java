/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints its calls, each indented by its level: recursion, an exception, compiled methods, a
 * thread.
 */
class Log
{
	static void enter(int level, String name)
	{
		System.out.println(" ".repeat(level) + name);
	}
}

class Worker extends Thread
{
	public void run()
	{
		Calls.fib(0, 2);
	}
}

public class Calls
{
	static int fib(int level, int n)
	{
		Log.enter(level, "fib");
		return n < 2 ? n : fib(level + 1, n - 1) + fib(level + 1, n - 2);
	}

	static int open(int level, int n)
	{
		Log.enter(level, "open");
		if (n == 0)
			throw new IllegalStateException("locked");
		return open(level + 1, n - 1);
	}

	static int enter(int level)
	{
		Log.enter(level, "enter");
		try {
			return open(level + 1, 2);
		} catch (IllegalStateException e) {
			return fib(level + 1, 3);
		}
	}

	public static void main(String[] args) throws InterruptedException
	{
		Worker worker = new Worker();

		Log.enter(0, "main");
		enter(1);
		/* Some of them are compiled after 200 calls, one within another. */
		for (int i = 0; i < 20; i++)
			fib(1, 6);
		worker.start();
		worker.join();
	}
}
