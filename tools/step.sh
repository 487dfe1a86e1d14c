#!/bin/sh
# step.sh -- runs one step of `make demo`, `make check` or `make check-all`: its output goes to a file, whose end is shown if it fails.
#
#   sh tools/step.sh [--open] [--show REGEX] [--log FILE] NAME COMMAND [ARGUMENT ...]
#
# Prints "ok", the seconds and NAME, or "FAILED" and where the output is; gives COMMAND's exit status. --open: the output is
# what matters, and is shown as it comes. --show: lines of it that are shown in any case. The file is build-logs/NAME.log in
# the checkout unless --log names one; blanks of NAME are dashes there. STEP_LINES: how much of it is shown (60).
set -u

open=
show=
log=
while [ $# -gt 0 ]; do
  case $1 in
    --open) open=yes ;;
    --show) show=$2; shift ;;
    --log) log=$2; shift ;;
    *) break ;;
  esac
  shift
done
[ $# -ge 2 ] || { echo "usage: step.sh [--open] [--show REGEX] [--log FILE] NAME COMMAND [ARGUMENT ...]" >&2; exit 2; }
name=$1
shift

if [ -z "$log" ]; then
  folder=$(cd "$(dirname "$0")/.." && pwd)/build-logs
  mkdir -p "$folder" || exit 1
  log=$folder/$(printf '%s' "$name" | tr -c 'A-Za-z0-9.\n' '-').log
fi

begin=$(date +%s)
if [ -n "$open" ]; then
  "$@"
  status=$?
else
  # Whoever watches sees what is under way; in a file it would stand beside the line of the result.
  [ ! -t 1 ] || printf '...            %s\r' "$name"
  "$@" > "$log" 2>&1
  status=$?
fi
seconds=$(($(date +%s) - begin))

if [ $status = 0 ]; then
  printf 'ok      %4d s  %s\n' "$seconds" "$name"
else
  printf 'FAILED  %4d s  %s (exit status %d)\n' "$seconds" "$name" "$status"
fi
[ -n "$open" ] && exit $status
[ -z "$show" ] || grep -E "$show" "$log" | sed 's/^/               /'
if [ $status != 0 ]; then
  tail -n "${STEP_LINES:-60}" "$log" | sed 's/^/    | /'
  echo "All of it: $log"
fi
exit $status
