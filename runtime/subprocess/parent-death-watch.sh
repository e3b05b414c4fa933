#!/bin/sh
# parent-death-watch.sh FILE_BLOCKS MEMORY_KIB CPU_SECONDS NICE PROGRAM [ARG...]
# Runs PROGRAM, and kills the process group when stdin reaches its end. That happens when the process that started this script
# ends in any way, because its end of the pipe closes. The caller must make this script the leader of a new process group.
# FILE_BLOCKS limits each file (in blocks of 512 bytes), MEMORY_KIB the writable memory of each process, and CPU_SECONDS the
# processor time of each process. NICE is added to the nice value.
ulimit -f "$1" || exit 126
# -v would not work, because JavaScript runtimes reserve terabytes of addresses. Systems without -d run the program without
# this limit.
ulimit -d "$2" 2>/dev/null
# At the soft limit, the system sends XCPU, which tells this end apart from others. At a hard limit, it would send KILL.
ulimit -S -t "$3" 2>/dev/null
# A core file could contain cookies and keys.
ulimit -c 0 2>/dev/null
nice=$4
shift 4
if [ "$nice" != 0 ]; then
  # The PATH of PROGRAM may not lead to `nice`.
  set -- command -p nice -n "$nice" "$@"
  # Outside of containers, Linux shares the processor among sessions first, so a nice value has no effect beyond its own session.
  { echo "$nice" >/proc/self/autogroup; } 2>/dev/null
fi
exec 3<&0 </dev/null
"$@" 3<&- &
child=$!
# `read` is a builtin, so no further process holds the pipe, as `cat` would.
{ exec >/dev/null 2>&1; read -r _ <&3; kill -KILL 0; } &
watcher=$!
# TERM is for the program. The script stays to report its exit code.
trap : TERM INT HUP
while :; do
  wait "$child"
  code=$?
  # A signal interrupts `wait`, too. The process ID exists until the program is reaped.
  kill -0 "$child" 2>/dev/null || break
done
kill -KILL "$watcher" 2>/dev/null
exit "$code"
