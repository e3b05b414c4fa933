#!/bin/sh
# lifeline.sh FILE_BLOCKS PROGRAM [ARG...]
# Runs PROGRAM and ends the whole process group as soon as stdin reaches its end, that is, as soon as the process that
# started us is gone, however it went: a parent killed outright can't signal anybody, but its pipes close.
# The starter makes us the leader of a new process group. FILE_BLOCKS is the largest file in 512-byte blocks.
ulimit -f "$1" || exit 126
shift
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
