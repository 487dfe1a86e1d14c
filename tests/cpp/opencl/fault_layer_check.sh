#!/bin/sh
# fault_layer_check.sh NM LIST LAYER -- fails if the fault layer lacks a function of cl_functions.h, the core's LIST.
set -eu
defined=$("$1" -g "$3" | sed -n 's/.* [TWti] _\{0,1\}\(cl[A-Z][A-Za-z]*\)\(@.*\)\{0,1\}$/\1/p' | sort -u)
called=$(sed -n 's/^CL_[A-Z0-9_]*([^,]*, \(cl[A-Za-z]*\),.*/\1/p' "$2" | sort -u)
[ -n "$defined" ] && [ "$(echo "$called" | wc -l)" -eq "$(grep -c '^CL_' "$2")" ]
status=0
for name in $called; do
  echo "$defined" | grep -qx "$name" || { echo "the fault layer lacks $name"; status=1; }
done
exit $status
