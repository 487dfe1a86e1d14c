/* host_argument -- one argument of a kernel of the host device. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* As OpenCL has it: memory, or a value. */
typedef union {
  void* memory;
  double f64;
  int32_t i32;
  uint32_t u32;
  int64_t i64;
  uint64_t u64;
} nmath_host_argument;
