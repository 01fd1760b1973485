# SPDX-License-Identifier: GPL-2.0-or-later
"""huge.py FILE: put 2,000 units of 250,000 bytes each behind the debug information of an ELF file,
as a hole: 500 MB."""
import struct
import sys

UNITS, SIZE = 2000, 250000
path = sys.argv[1]
data = open(path, "rb").read()
shoff, = struct.unpack_from("<Q", data, 40)
shentsize, shnum, shstrndx = struct.unpack_from("<HHH", data, 58)
headers = [list(struct.unpack_from("<IIQQQQIIQQ", data, shoff + i * shentsize))
           for i in range(shnum)]
names = headers[shstrndx][4]
name = lambda h: data[names + h[0]:data.index(b"\0", names + h[0])]
info, = [h for h in headers if name(h) == b".debug_info"]
abbrev, = [h for h in headers if name(h) == b".debug_abbrev"]
content = lambda h: data[h[4]:h[4] + h[5]]
# One kind of entry: a unit with a producer and children, which are null entries.
own = bytes([1, 0x11, 1, 0x25, 8, 0, 0, 0])
unit = struct.pack("<IHIB", SIZE - 4, 4, abbrev[5], 8) + bytes([1]) + b"GNU C\0"
with open(path, "r+b") as f:
    f.seek(0, 2)
    at = f.tell()
    f.write(content(abbrev) + own)
    abbrev[4:6] = [at, abbrev[5] + len(own)]
    at = f.tell()
    f.write(content(info))
    for i in range(UNITS):
        f.seek(at + info[5] + i * SIZE)
        f.write(unit)
    info[4:6] = [at, info[5] + UNITS * SIZE]
    f.seek(at + info[5])
    at = f.tell()
    for h in headers:
        f.write(struct.pack("<IIQQQQIIQQ", *h))
    f.seek(40)
    f.write(struct.pack("<Q", at))
