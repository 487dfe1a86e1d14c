// fused_kernels -- kernels to test with, as OpenCL C and, for devices that build none, as functions of the host.
#pragma once

#include <algorithm>
#include <chrono>
#include <climits>
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "device/devices.h"
#include "engine/fused.h"
#include "host/host_kind.h"

namespace fused_cases {

using namespace openclPort;
using Kind = FusedItem::Kind;
using Arguments = const nmath_host_argument*;

template <typename T>
const T* in(Arguments a, int i) {
  return static_cast<const T*>(a[i].memory);
}
template <typename T>
T* out(Arguments a, int i) {
  return static_cast<T*>(a[i].memory);
}

inline FusedSpec spec_of(const std::string& name, const std::string& text, nmath_host_kernel run,
                         std::vector<FusedItem> items) {
  static std::vector<std::unique_ptr<std::string>>* const names = new std::vector<std::unique_ptr<std::string>>;
  names->push_back(std::make_unique<std::string>(name));
  nmath_host_row* const row = new nmath_host_row{names->back()->c_str(), "k", static_cast<unsigned>(items.size()), run};
  static std::vector<const nmath_host_row*>* const rows = new std::vector<const nmath_host_row*>;
  rows->push_back(row);
  add_host_kernel(row);
  FusedSpec spec;
  spec.function = name;
  spec.program = {
      name,
      [text] {
        return "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
               "#ifdef NMATH_SPANS\n"
               "#define EACH(i) const int span = (len + (int)get_global_size(0) - 1) / (int)get_global_size(0);\\\n"
               "  for (int i = (int)get_global_id(0) * span; i < min(len, ((int)get_global_id(0) + 1) * span); ++i)\n"
               "#else\n"
               "#define EACH(i) for (int i = get_global_id(0); i < len; i += get_global_size(0))\n"
               "#endif\n" +
               text;
      },
      ""};
  spec.kernel = "k";
  spec.items = std::move(items);
  return spec;
}

// ---- element by element: a log density, times an integer or NA, plus a recycled column; which are above the mean ----

inline void pair_host(Arguments a, int, int step) {
  const double *x = in<double>(a, 0), *r = in<double>(a, 4);
  const int* w = in<int>(a, 2);
  const double m = a[6].f64, lifted = -std::log(a[7].f64) - 0.91893853320467274178, inverse = 1.0 / a[7].f64;
  for (int start = 0; start < step; ++start) {
    for (int i = start; i < a[13].i32; i += step) {
      const double z = (x[i + a[1].i64] - m) * inverse;
      const int wi = w[i + a[3].i64];
      const double y = (wi == INT_MIN ? NAN : wi * (lifted - 0.5 * z * z)) + r[(a[12].i64 + i) % a[5].i32];
      out<double>(a, 8)[i + a[10].i64] = y;
      out<int>(a, 9)[i + a[10].i64] = z > 0.0;
      if (y != y) __atomic_fetch_or(out<int>(a, 11) + 1, 4, __ATOMIC_RELAXED);
    }
  }
}

inline FusedSpec pair() {
  FusedSpec spec =
      spec_of("test/fused_pair",
              "__kernel void k(__global const double* x, const long x_at, __global const int* w,\n"
              "    const long w_at, __global const double* r, const int rn, const double m, const double s,\n"
              "    __global double* y, __global int* above, const long at, __global int* flags,\n"
              "    const long first, const int len) {\n"
              "  const double lifted = -log(s) - 0.91893853320467274178, inverse = 1.0 / s;\n"
              "  EACH(i) {\n"
              "    const double z = (x[i + x_at] - m) * inverse;\n"
              "    const int wi = w[i + w_at];\n"
              "    const double v = (wi == INT_MIN ? NAN : wi * (lifted - 0.5 * z * z))\n"
              "        + r[(first + i) % rn];\n"
              "    y[i + at] = v;\n"
              "    above[i + at] = z > 0.0;\n"
              "    if (v != v) atomic_or(flags + 1, 4);\n"
              "  }\n"
              "}\n",
              pair_host,
              {{Kind::column, 0},
               {Kind::offset, 0},
               {Kind::column, 1},
               {Kind::offset, 1},
               {Kind::column, 2},
               {Kind::i32, 2},
               {Kind::f64, 0},
               {Kind::f64, 1},
               {Kind::output, 0},
               {Kind::output, 1},
               {Kind::out_offset, 0},
               {Kind::flags, 0},
               {Kind::first, 0},
               {Kind::len, 0}});
  spec.roles = {FusedRole::full, FusedRole::full, FusedRole::whole};
  spec.outputs = {ElementType::f64, ElementType::i32};
  spec.flags = 2;
  spec.scalars = 3;
  return spec;
}

// ---- a matrix times a vector ----

inline void times_host(Arguments a, int, int step) {
  const double *x = in<double>(a, 0), *b = in<double>(a, 3);
  for (int start = 0; start < step; ++start)
    for (int i = start; i < a[6].i32; i += step) {
      double sum = 0.0;
      for (int k = 0; k < a[4].i32; ++k) sum += x[i + a[1].i64 + k * a[2].i64] * b[k];
      out<double>(a, 5)[i] = sum;
    }
}

inline FusedSpec times() {
  FusedSpec spec = spec_of("test/fused_times",
                           "__kernel void k(__global const double* x, const long at, const long stride,\n"
                           "    __global const double* b, const int m, __global double* y, const int len) {\n"
                           "  EACH(i) {\n"
                           "    double sum = 0.0;\n"
                           "    for (int k = 0; k < m; ++k) sum += x[i + at + k * stride] * b[k];\n"
                           "    y[i] = sum;\n"
                           "  }\n"
                           "}\n",
                           times_host,
                           {{Kind::column, 0},
                            {Kind::offset, 0},
                            {Kind::stride, 0},
                            {Kind::column, 1},
                            {Kind::i32, 0},
                            {Kind::output, 0},
                            {Kind::len, 0}});
  spec.roles = {FusedRole::matrix, FusedRole::whole};
  spec.outputs = {ElementType::f64};
  spec.scalars = 1;
  return spec;
}

// ---- sums of blocks: of doubles, and of integers ----

inline constexpr const char* kGroupSum =
    "  double s = 0.0; long c = 0;\n"
    "  __local double sums[256]; __local long counts[256];\n"
    "  const int l = get_local_id(0), size = get_local_size(0);\n"
    "  for (long p = from + l; p < to; p += size) { const long i = AT(p); s += x[i + x_at]; c += w[i + w_at]; }\n"
    "  sums[l] = s; counts[l] = c;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (int h = size / 2; h > 0; h /= 2) {\n"
    "    if (l < h) { sums[l] += sums[l + h]; counts[l] += counts[l + h]; }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  }\n"
    "  if (l == 0) { out[get_group_id(0)] = sums[0]; total[get_group_id(0)] = counts[0]; }\n"
    "}\n";

inline void sum_host(Arguments a, int begin, int end) {
  for (int b = begin; b < end; ++b) {
    double s = 0.0;
    std::int64_t c = 0;
    const int from = b * a[6].i32, to = std::min(from + a[6].i32, a[7].i32);
    for (int i = from; i < to; ++i) {
      s += in<double>(a, 0)[i + a[1].i64];
      c += in<int>(a, 2)[i + a[3].i64];
    }
    out<double>(a, 4)[b] = s;
    out<std::int64_t>(a, 5)[b] = c;
  }
}

inline FusedSpec sum() {
  FusedSpec spec = spec_of("test/fused_sum",
                           std::string("#define AT(p) (p)\n"
                                       "__kernel void k(__global const double* x, const long x_at,\n"
                                       "    __global const int* w, const long w_at, __global double* out,\n"
                                       "    __global long* total, const int block, const int len) {\n"
                                       "  const long from = (long)get_group_id(0) * block;\n"
                                       "  const long to = min(from + block, (long)len);\n") +
                               kGroupSum,
                           sum_host,
                           {{Kind::column, 0},
                            {Kind::offset, 0},
                            {Kind::column, 1},
                            {Kind::offset, 1},
                            {Kind::output, 0},
                            {Kind::output, 1},
                            {Kind::block, 0},
                            {Kind::len, 0}});
  spec.roles = {FusedRole::full, FusedRole::full};
  spec.outputs = {ElementType::f64, ElementType::i64};
  spec.reduces = true;
  return spec;
}

// ---- sums of each of some columns, which are joined to one result ----

inline void wide_host(Arguments a, int begin, int end) {
  const std::int64_t columns = a[4].i64;
  for (int b = begin; b < end; ++b)
    for (std::int64_t c = 0; c < columns; ++c) {
      double s = 0.0;
      for (int i = b * a[5].i32; i < std::min((b + 1) * a[5].i32, a[6].i32); ++i)
        s += in<double>(a, 0)[i + a[1].i64 + c * a[2].i64];
      out<double>(a, 3)[2 * b * columns + c] = s;
    }
}

inline void wide_join_host(Arguments a, int begin, int end) {
  for (int g = begin; g < end; ++g) {
    double s = 0.0;
    for (std::int64_t b = 0; b < a[2].i32; ++b) s += in<double>(a, 0)[2 * b * a[3].i64 + g];
    out<double>(a, 1)[g] = s;
  }
}

inline FusedSpec wide_sums() {
  FusedSpec spec =
      spec_of("test/fused_wide",
              "__kernel void k(__global const double* x, const long at, const long stride, __global double* out,\n"
              "    const long columns, const int block, const int len) {\n"
              "  if (get_local_id(0) != 0) return;\n"
              "  const int b = get_group_id(0);\n"
              "  for (long c = 0; c < columns; ++c) {\n"
              "    double s = 0.0;\n"
              "    for (int i = b * block; i < min((b + 1) * block, len); ++i) s += x[i + at + c * stride];\n"
              "    out[2 * b * columns + c] = s;\n"
              "  }\n"
              "}\n"
              "__kernel void joined(__global const double* out, __global double* all, const int blocks,\n"
              "    const long columns) {\n"
              "  if (get_local_id(0) != 0) return;\n"
              "  const long c = get_group_id(0);\n"
              "  double s = 0.0;\n"
              "  for (long b = 0; b < blocks; ++b) s += out[2 * b * columns + c];\n"
              "  all[c] = s;\n"
              "}\n",
              wide_host,
              {{Kind::column, 0},
               {Kind::offset, 0},
               {Kind::stride, 0},
               {Kind::output, 0},
               {Kind::i64, 0},
               {Kind::block, 0},
               {Kind::len, 0}});
  static const nmath_host_row row = {"test/fused_wide", "joined", 4, wide_join_host};
  add_host_kernel(&row);
  spec.roles = {FusedRole::matrix};
  spec.outputs = {ElementType::f64};
  spec.scalars = 1;
  spec.reduces = true;
  spec.widths = {0};
  spec.join = "joined";
  return spec;
}

template <bool ordered>
void groups_host(Arguments a, int begin, int end) {
  for (int b = begin; b < end; ++b) {
    double s = 0.0;
    std::int64_t c = 0;
    const std::int64_t* const starts = in<std::int64_t>(a, 6) + a[7].i64 + b;
    for (std::int64_t p = starts[0]; p < starts[1]; ++p) {
      const std::int64_t i = ordered ? in<int>(a, 8)[p] : p;
      s += in<double>(a, 0)[i + a[1].i64];
      c += in<int>(a, 2)[i + a[3].i64];
    }
    out<double>(a, 4)[b] = s;
    out<std::int64_t>(a, 5)[b] = c;
  }
}

inline FusedSpec groups(bool ordered) {
  FusedSpec spec = sum();
  std::vector<FusedItem> items(spec.items.begin(), spec.items.end() - 2);
  items.push_back({Kind::starts, 0});
  items.push_back({Kind::first, 0});
  if (ordered) items.push_back({Kind::order, 0});
  FusedSpec own = spec_of(ordered ? "test/fused_ordered" : "test/fused_groups",
                          std::string("#define AT(p) ") + (ordered ? "order[p]" : "(p)") +
                              "\n__kernel void k(__global const double* x, const long x_at,\n"
                              "    __global const int* w, const long w_at, __global double* out,\n"
                              "    __global long* total, __global const long* starts, const long first" +
                              (ordered ? ", __global const int* order" : "") +
                              ") {\n"
                              "  const long from = starts[first + get_group_id(0)];\n"
                              "  const long to = starts[first + get_group_id(0) + 1];\n" +
                              kGroupSum,
                          ordered ? groups_host<true> : groups_host<false>, items);
  own.roles = spec.roles;
  own.outputs = spec.outputs;
  own.reduces = true;
  return own;
}

// ---- an element of about two milliseconds ----

inline void slow_host(Arguments a, int, int step) {
  for (int start = 0; start < step; ++start)
    for (int i = start; i < a[1].i32; i += step) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      out<double>(a, 0)[i] = 1.0;
    }
}

inline FusedSpec slow() {
  FusedSpec spec = spec_of("test/fused_slow",
                           "__kernel void k(__global double* y, const int len) {\n"
                           "  EACH(i) {\n"
                           "    double v = i;\n"
                           "    for (int j = 0; j < 300000; ++j) v = sqrt(v + 1.0);\n"
                           "    y[i] = v;\n"
                           "  }\n"
                           "}\n",
                           slow_host, {{Kind::output, 0}, {Kind::len, 0}});
  spec.outputs = {ElementType::f64};
  spec.cost = Cost::slow;
  return spec;
}

}  // namespace fused_cases
