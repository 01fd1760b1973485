# SPDX-License-Identifier: GPL-2.0-or-later
# Are all returns that objdump shows probed (--dump=bpf's "# probe" lines of a program), and nothing
# but exits of functions?  Prints the errors.
import re
import sys

starts, returns, jumps, functions = set(), {}, {}, {}
name = None
for line in open(sys.argv[2]):
    m = re.match(r'([0-9a-f]+) <(.*)>:$', line)
    if m:
        name = m[2]
        functions[name] = []
        continue
    m = re.match(r' *([0-9a-f]+):\t(.*)', line)
    if not m:
        continue
    at = int(m[1], 16)
    starts.add(at)
    if re.match(r'(bnd |repz |rep )*ret', m[2]):
        returns[at] = name
        functions[name].append(at)
    elif re.match(r'(bnd |notrack )*j', m[2]):
        jumps[at] = name

probed, bad = {}, 0
traced = set()
for line in open(sys.argv[1]):
    m = re.match(r'# probe \d+: (.*) of (.*), .*\+0x([0-9a-f]+)$', line)
    kind, function, offset = m[1], m[2], int(m[3], 16)
    if kind == 'entry':
        continue
    traced.add(function)
    probed.setdefault(function, set()).add(offset)
    if kind != 'return instruction' and offset not in jumps:
        print('not on a jump:', line.strip())
        bad += 1
# Positions are offsets in the file; a segment's distance is the same for all of them.
if not any(o in starts for s in probed.values() for o in s):
    print('no probe stands on an instruction')
    bad += 1
n = 0
for function, offsets in probed.items():
    for o in offsets:
        if o not in starts:
            print('not on an instruction:', function, hex(o))
            bad += 1
    missing = [hex(a) for a in functions.get(function, []) if a not in offsets]
    n += len(offsets)
    # A cheaper instruction may stand for a return.
    if missing and len(offsets) < len(functions[function]):
        print('missing:', function, missing)
        bad += 1
print(len(traced), 'functions,', n, 'exits')
sys.exit(bad != 0 or n < 100)
