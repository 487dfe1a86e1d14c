#!/bin/sh
# fault_layer_check.sh NM CORE LAYER -- fails if the core calls an OpenCL function that the fault layer does not define.
set -eu
symbols() { sed -n 's/.* _\{0,1\}\(cl[A-Z][A-Za-z]*\)\(@.*\)\{0,1\}$/\1/p' | sort -u; }
defined=$("$1" -g "$3" | grep -E ' [TWti] ' | symbols)
called=$("$1" -u "$2" 2> /dev/null | symbols)
[ -n "$defined" ] && [ -n "$called" ]
status=0
for name in $called; do
  echo "$defined" | grep -qx "$name" || { echo "the fault layer lacks $name"; status=1; }
done
exit $status
