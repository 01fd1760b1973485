# SPDX-License-Identifier: GPL-2.0-or-later
"""complete.py RAWTRACE COMPLETION [SETUP]: each line of standard input is typed at an interactive
bash, and a tab; what stands there then is printed."""
import os
import pty
import re
import signal
import sys

signal.alarm(50)  # bash may wait for ever
pid, fd = pty.fork()
if pid == 0:
    os.environ.update(TERM="dumb", PS1="", PS2="", INPUTRC="/dev/null", COLUMNS="1000",
                      PATH=os.path.dirname(sys.argv[1]) + ":" + os.environ["PATH"])
    os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
seen = b""


def read_until(mark):
    """What is printed up to the mark."""
    global seen
    while not re.search(mark, seen):
        seen += os.read(fd, 65536)
    text, seen = seen, b""
    return text


def send(text):
    os.write(fd, text.encode())


send("stty -echo cols 1000; PS1=; bind 'set bell-style none'; "
     "bind 'set enable-bracketed-paste off'; "
     ". '%s'; %s\n" % (sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else ":"))
send("echo re''ady\n")
read_until(rb"\nready")
for line in sys.stdin:
    # At the beginning of the line, when it is completed, the word that only prints it.
    send(line.rstrip("\n") + "\t\x01echo 'got '\x05; echo en''d\n")
    text = read_until(rb"\nend").decode()
    print(re.search(r"(?:^|\n)got +(.*?) *\r\nend", text).group(1))
send("exit\n")
os.waitpid(pid, 0)
