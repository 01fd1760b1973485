# SPDX-License-Identifier: GPL-2.0-or-later
"""top.py LINES COLUMNS KEYS COMMAND...: run it at a terminal of that size.  Press each key when the
table has rows, and has been drawn since the key before.  Print all; exit as it did, or with 99
where the terminal's mode is not what it was."""
import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time

master, slave = pty.openpty()
size = struct.pack("HHHH", int(sys.argv[1]), int(sys.argv[2]), 0, 0)
fcntl.ioctl(slave, termios.TIOCSWINSZ, size)
before = termios.tcgetattr(slave)
pid = os.fork()
if pid == 0:
    os.close(master)
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd in range(3):
        os.dup2(slave, fd)
    os.execvp(sys.argv[4], sys.argv[4:])
keys = sys.argv[3].encode().decode("unicode_escape").encode()
seen = b""
since = 0
status = None
end = time.monotonic() + 30
while status is None and time.monotonic() < end:
    if select.select([master], [], [], 0.1)[0]:
        seen += os.read(master, 65536)
        # A row of the table has a time in it.
        if keys and b"\x1b[J" in seen[since:] and re.search(rb"[0-9] [mu]s ", seen[since:]):
            since = len(seen)
            os.write(master, keys[:1])
            keys = keys[1:]
    elif os.waitpid(pid, os.WNOHANG)[0]:
        status = 0
if status is None:
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    seen += b"no end\n"
sys.stdout.write(seen.decode(errors="replace").replace("\r", ""))
sys.exit(99 if termios.tcgetattr(slave) != before else 0)
