// pair_functions -- the functions of inst/cl/pair, compiled as C (pair_functions.c).
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  float hi, lo;
} test_pair;

typedef struct {
  const char* name;  // 0 behind the last one
  int arguments;
  void (*call)(const test_pair* x, test_pair* result);
} pair_function;

extern const pair_function pair_functions[];

uint64_t test_pair_bits(test_pair x);
test_pair test_pair_of_bits(uint64_t bits);
// kind: int, unsigned, 64 bits, 64 bits unsigned
test_pair test_pair_of(int kind, int64_t x);
int64_t test_pair_to(int kind, test_pair x);
test_pair test_pair_frexp(test_pair x, int* n);

#ifdef __cplusplus
}
#endif
