# SPDX-License-Identifier: GPL-2.0-or-later
"""terminal.py LINES COMMAND...: run it at a terminal of its own, press ^C after LINES lines, print
all and exit as it did."""
import os
import pty
import sys
import termios
import time

pid, fd = pty.fork()
if pid == 0:
    mode = termios.tcgetattr(0)
    mode[3] = (mode[3] | termios.NOFLSH) & ~termios.ECHO  # ^C drops what was not read yet, else
    termios.tcsetattr(0, termios.TCSANOW, mode)
    os.execvp(sys.argv[2], sys.argv[2:])
seen = b""
pressed = False
end = time.monotonic() + 30
while time.monotonic() < end:
    try:
        data = os.read(fd, 65536)
    except OSError:  # EIO: the last process at the terminal has gone
        break
    if not data:
        break
    seen += data
    if not pressed and seen.count(b"\n") >= int(sys.argv[1]):
        pressed = True
        os.write(fd, b"\x03")
sys.stdout.write(seen.decode().replace("\r\n", "\n"))
status = os.waitpid(pid, 0)[1]
sys.exit(128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))
