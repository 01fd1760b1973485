# gdb's own view of the calls of typed.c, for tests/live/typed.sh.
set pagination off
set confirm off
set print null-stop on
set print repeats unlimited
set print elements 64
set print address on
break parse_request
commands
silent
echo (parse_request\040
output line
echo \040
output n
echo \040
output *r
echo )\n
cont
end
break scalars
commands
silent
echo (scalars\040
output b
echo \040
output c
echo \040
output/d s
echo \040
output/u u
echo \040
output h
echo \040
output uh
echo \040
output l
echo \040
output ul
echo \040
output k
echo )\n
cont
end
break by_value
commands
silent
echo (by_value {.a=
output m.a
echo , .b=<in xmm0>}\040
output t
echo \040
output big
echo \040
output r
echo \040
output last
echo )\n
cont
end
break many
commands
silent
echo (many\040
output a
echo \040
output b
echo \040
output c
echo \040
output d
echo \040
output e
echo \040
output f
echo \040
output g
echo \040
output h
echo \040
output i
echo \040
output j
echo )\n
cont
end
run
