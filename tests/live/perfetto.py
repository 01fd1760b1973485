#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# perfetto.py FILE: the slices of a trace in Perfetto's format, by name, and how deep they nest.
import sys


def number(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        tag, at = number(data, at)
        value, at = number(data, at)
        assert tag & 7 in (0, 2), tag
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
            assert at <= len(data)
        yield tag >> 3, value


PACKET_TIME, PACKET_EVENT, PACKET_INTERNED = 8, 11, 12
EVENT_TYPE, EVENT_NAME, EVENT_TRACK = 9, 10, 11

names, stacks, begins, ends, last, depth = {}, {}, {}, {}, {}, 0
for field, packet in fields(open(sys.argv[1], 'rb').read()):
    assert field == 1
    packet = dict(fields(packet))
    if PACKET_INTERNED in packet:
        for _, entry in fields(packet[PACKET_INTERNED]):
            entry = dict(fields(entry))
            names[entry[1]] = entry[2].decode()
    if PACKET_EVENT not in packet:
        continue
    event = dict(fields(packet[PACKET_EVENT]))
    track = event[EVENT_TRACK]
    stack = stacks.setdefault(track, [])
    assert packet[PACKET_TIME] >= last.get(track, 0)
    last[track] = packet[PACKET_TIME]
    if event[EVENT_TYPE] == 1:
        stack.append(names[event[EVENT_NAME]])
        begins[stack[-1]] = begins.get(stack[-1], 0) + 1
        depth = max(depth, len(stack))
    elif event[EVENT_TYPE] == 2:
        name = stack.pop()
        ends[name] = ends.get(name, 0) + 1
for name in sorted(begins):
    print(f'{name}: {begins[name]} begin, {ends.get(name, 0)} end, depth {depth}')
