#!/bin/sh
# lifeline.sh FILE_BLOCKS MEMORY_KIB CPU_SECONDS PROGRAM [ARG...]
# Runs PROGRAM and ends the whole process group as soon as stdin reaches its end, that is, as soon as the process that
# started us is gone, however it went: a parent killed outright can't signal anybody, but its pipes close.
# The starter makes us the leader of a new process group. FILE_BLOCKS is the largest file in 512-byte blocks, MEMORY_KIB
# the most memory of each process that it writes to, in KiB, CPU_SECONDS the most processor time of each process.
ulimit -f "$1" || exit 126
# Not -v: a JavaScript runtime reserves terabytes of addresses that it never touches. POSIX has only -f; where there is no
# such limit (macOS takes it and ignores it), the program runs without.
ulimit -d "$2" 2>/dev/null
# The soft limit alone: the system sends XCPU, by which the program is known to have used up its time. At a hard limit it sends KILL.
ulimit -S -t "$3" 2>/dev/null
# A core file would hold cookies and keys.
ulimit -c 0 2>/dev/null
shift 3
exec 3<&0 </dev/null
"$@" 3<&- &
child=$!
# `read` and not `cat`: it is part of the shell, so no further process holds the pipe.
{ exec >/dev/null 2>&1; read -r _ <&3; kill -KILL 0; } &
watcher=$!
# TERM is for the program; we stay to report its exit code.
trap : TERM INT HUP
while :; do
  wait "$child"
  code=$?
  # An interrupted wait returns too; until the program is reaped its id still exists.
  kill -0 "$child" 2>/dev/null || break
done
kill -KILL "$watcher" 2>/dev/null
exit "$code"
