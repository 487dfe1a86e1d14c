#!/bin/sh
# make.sh -- makes the tables of certified derivatives, tests/testthat/ref-derivatives, all of them or those named, and records in
# VERSION there which version of the generator made which table, with its MD5 sum.
#
#   sh tools/derivative_reference/make.sh [NAME ...]      from the repository's root; JOBS (2) tables at a time; hours for all
#
# Needs bzip2, FLINT and Arb (Debian: libflint-arb-dev). POINTS and LIMIT are passed on to derivative_reference.
set -e
tables=tests/testthat/ref-derivatives
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
g++ -O2 -std=c++17 -o "$work/make" tools/derivative_reference/derivative_reference.cpp -lflint-arb -lflint -lmpfr -lgmp
[ $# -gt 0 ] || set -- $("$work/make" --names)
printf '%s\n' "$@" | xargs -P "${JOBS:-2}" -n 1 "$work/make" "$work"
version=$("$work/make" --version)
[ -f $tables/VERSION ] || printf 'derivative_reference %s\ntable, MD5 sum and version\n' "$version" > $tables/VERSION
for name in "$@"; do
  bzip2 -9 -c "$work/$name.tsv" > "$tables/$name.tsv.bz2"
  grep -v "^$name	" $tables/VERSION > "$work/VERSION" || :
  printf '%s\t%s\t%s\n' "$name" "$(md5sum < "$tables/$name.tsv.bz2" | cut -d' ' -f1)" "$version" >> "$work/VERSION"
  { echo "derivative_reference $version"; sed -n 2p "$work/VERSION"; sed 1,2d "$work/VERSION" | LC_ALL=C sort; } > $tables/VERSION
done
