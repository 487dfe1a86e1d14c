/* host_kept -- tables of values that a thread keeps from one work-item to the next.
 *
 * A table is made when its key comes a second time in a row, as far as the tables' places go (by a hash of the key), so
 * that keys that change all the time cost a comparison. What a table holds is what is computed without one, bit for
 * bit. */
#pragma once

#include "host/host_shim.h"

#define NMATH_KEPT_TABLES 8
#define NMATH_KEPT_VALUES 2048

typedef struct {
  double m, n;
  int kind; /* not 0 */
} nmath_kept_key;

typedef struct {
  nmath_kept_key key, last; /* of this table; of the last look-up that was for another, or kind 0 */
  int filled;               /* values[0], ..., values[filled - 1] are there; 0 in a new table */
  double scale;
  double values[NMATH_KEPT_VALUES];
} nmath_kept_table;

static NMATH_THREAD_LOCAL nmath_kept_table nmath_kept[NMATH_KEPT_TABLES];

static inline int nmath_kept_same(const nmath_kept_key* key, double m, double n, int kind) {
  return key->m == m && key->n == n && key->kind == kind;
}

/* The table for whole numbers m and n below 2^31, or 0. */
static inline nmath_kept_table* nmath_kept_at(double m, double n, int kind) {
  nmath_kept_table* table = nmath_kept + ((unsigned)m + 3u * (unsigned)n + (unsigned)kind) % NMATH_KEPT_TABLES;
  if (nmath_kept_same(&table->key, m, n, kind)) {
    table->last.kind = 0;
    return table;
  }
  int again = nmath_kept_same(&table->last, m, n, kind);
  table->last.m = m;
  table->last.n = n;
  table->last.kind = kind;
  if (!again) return 0;
  table->key = table->last;
  table->filled = 0;
  return table;
}

#define NMATH_KEPT 1
