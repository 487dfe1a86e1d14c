// test_host_programs -- programs from their text on the host device: ranges, groups that wait, local memory, atomics,
// what C cannot have, and kernels that do not end.

#include <chrono>
#include <cmath>
#include <numeric>
#include <thread>

#include "base/fibres.h"
#include "host/host_text.h"

#include "host_programs.h"
#include "sanitizers.h"

#ifdef UNDER_ADDRESS_SANITIZER
#include <sanitizer/lsan_interface.h>
#endif

TEST_F(HostPrograms, ElementwiseKernelsComputeWithTheLibrary) {
  const std::string text =
      "__kernel void k(__global const double* x, __global double* out, const int len)\n"
      "{ int i = get_global_id(0); if (i < len) out[i] = dnorm(x[i], 0.0, 1.0, 0) + pgamma(x[i], 2.0, 1.0, 1, 0); }";
  std::vector<double> x(100000), out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1e-4 * static_cast<double>(i);
  RunReport report;
  call_of(text, "k", &report)
      .input("x", x)
      .output("out", out.data(), out.size())
      .value("len", 100000)
      .items(100000)
      .run();
  for (std::size_t i = 0; i < x.size(); i += 997) {
    const double expected =
        std::exp(-x[i] * x[i] / 2) / std::sqrt(2 * std::acos(-1.0)) + 1 - (1 + x[i]) * std::exp(-x[i]);
    EXPECT_NEAR(out[i], expected, 1e-12) << x[i];
  }
  EXPECT_EQ(report.built, 1);
  call_of(text, "k", &report);
  EXPECT_EQ(report.built, 1);
  EXPECT_EQ(report.cache_hits, 1);
}

// HOST.cl and OPENCL.cl share no name of a macro.
TEST_F(HostPrograms, FunctionsOfSeveralTypesStandBesideTheLibrary) {
  const std::string text =
      "__kernel void k(__global const double* x, __global double* out)\n"
      "{ int i = get_global_id(0);\n"
      "  out[i] = max(dnorm(x[i], 0.0, 1.0, 0), 0.1) + min(i, 2) + clamp(i, 1, 3) + abs(1 - i) + mul_hi(i << 16, 1 << "
      "17); }";
  const std::vector<double> x = {0, 1, 5, 0.5};
  std::vector<double> out(x.size());
  call_of(text).input("x", x).output("out", out.data(), out.size()).nd_range({x.size()}).run();
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double i = static_cast<double>(k);
    EXPECT_NEAR(out[k],
                std::max(std::exp(-x[k] * x[k] / 2) / std::sqrt(2 * std::acos(-1.0)), 0.1) + std::min(i, 2.0) +
                    std::min(std::max(i, 1.0), 3.0) + std::fabs(1 - i) + 2 * i,
                1e-12);
  }
}

TEST_F(HostPrograms, RangesOfOneToThreeDimensions) {
  const std::string text =
      "size_t linear(void) { return (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) +\n"
      "  get_global_id(0); }\n"
      "__kernel void k(__global int* out, __global int* group)\n"
      "{ size_t i = linear();\n"
      "  out[i] = (int)(get_local_id(0) + 10 * get_local_id(1) + 100 * get_local_id(2)) + 1000 * (int)get_work_dim();\n"
      "  group[i] = (int)(get_group_id(0) + 10 * get_group_id(1) + 100 * get_group_id(2)\n"
      "    + 1000 * get_num_groups(0) * get_local_size(0)); }";
  const std::size_t groups[] = {3, 2, 5};
  for (int dimensions = 1; dimensions <= 3; ++dimensions)
    for (const bool grouped : {false, true}) {
      std::size_t sizes[3] = {1, 1, 1}, local[3] = {1, 1, 1};
      std::vector<std::size_t> global, group;
      for (int d = 0; d < dimensions; ++d) {
        sizes[d] = 30;
        local[d] = grouped ? groups[d] : 1;
        global.push_back(30);
        group.push_back(groups[d]);
      }
      if (!grouped) group.clear();
      const std::size_t n = sizes[0] * sizes[1] * sizes[2];
      std::vector<int> out(n, -1), number(n, -1);
      call_of(text)
          .output_bytes("out", out.data(), 4 * n)
          .output_bytes("group", number.data(), 4 * n)
          .nd_range(global, group)
          .run();
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t id[] = {i % sizes[0], i / sizes[0] % sizes[1], i / sizes[0] / sizes[1]};
        ASSERT_EQ(out[i], static_cast<int>(id[0] % local[0] + 10 * (id[1] % local[1]) + 100 * (id[2] % local[2])) +
                              1000 * dimensions);
        ASSERT_EQ(number[i], static_cast<int>(id[0] / local[0] + 10 * (id[1] / local[1]) + 100 * (id[2] / local[2]) +
                                              1000 * sizes[0]));
      }
    }
}

TEST_F(HostPrograms, GroupsWaitAndShareLocalMemory) {
  if (!Fibres::supported()) GTEST_SKIP();
  // Sums by halves in memory that is given, declared, and behind a function that waits.
  const std::string text =
      "void halves(__local double* tile, int size)\n"
      "{ int me = get_local_id(0);\n"
      "  for (int n = size; n > 1; n = (n + 1) / 2) {\n"
      "    barrier(CLK_LOCAL_MEM_FENCE);\n"
      "    if (me < n / 2) tile[me] += tile[me + (n + 1) / 2];\n"
      "  }\n"
      "  barrier(CLK_LOCAL_MEM_FENCE); }\n"
      "__kernel void k(__global const double* x, __global double* sums, __global double* firsts, __local double* "
      "tile)\n"
      "{ __local double first[2]; __local double* p; __local int count;\n"
      "  const int me = get_local_id(0), size = get_local_size(0);\n"
      "  p = tile;\n"
      "  p[me] = x[get_global_id(0)];\n"
      "  if (me == 0) { first[0] = x[get_global_id(0)]; count = 0; }\n"
      "  halves(tile, size);\n"
      "  atomic_inc(&count);\n"
      "  barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  if (me == size - 1) { sums[get_group_id(0)] = tile[0]; firsts[get_group_id(0)] = first[0] + count; } }";
  for (const std::size_t size : {1, 7, 64, 256, 1024}) {
    const std::size_t groups = 200;
    std::vector<double> x(groups * size), sums(groups, -1), firsts(groups, -1);
    std::iota(x.begin(), x.end(), 1.0);
    call_of(text)
        .input("x", x)
        .output("sums", sums.data(), groups)
        .output("firsts", firsts.data(), groups)
        .local("tile", 8 * size)
        .nd_range({x.size()}, {size})
        .run();
    for (std::size_t g = 0; g < groups; ++g) {
      const double n = static_cast<double>(size), first = static_cast<double>(g * size + 1);
      ASSERT_EQ(sums[g], n * first + n * (n - 1) / 2) << size << " " << g;
      ASSERT_EQ(firsts[g], first + n);
    }
  }
}

TEST_F(HostPrograms, AtomicsCountOverAllThreads) {
  const std::string text =
      "__kernel void k(__global int* count)\n"
      "{ int i = get_global_id(0); atomic_add(&count[0], i); atomic_inc(count + 1); atomic_max(&count[2], i);\n"
      "  atomic_or(&count[3], i); atomic_min(&count[4], -i); int old = count[5];\n"
      "  while (1) { int seen = atomic_cmpxchg(&count[5], old, old + 2); if (seen == old) break; old = seen; } }";
  std::vector<int> count(6, 0);
  call_of(text).output_bytes("count", count.data(), 24).items(40000).run();
  EXPECT_EQ(count, (std::vector<int>{799980000, 40000, 39999, 65535, -39999, 80000}));
}

TEST_F(HostPrograms, BuiltinsThatCDoesNotHave) {
  const std::string text =
      "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
      "__constant double table[3] = {1.0, 2.0, 4.0};\n"
      "inline double of(__constant const double* t, uint i) { return t[i]; }\n"
      "kernel __attribute__((reqd_work_group_size(1, 1, 1))) void k(global double* out)\n"
      "{ int n = 0; double c; uint u = 3000000000u; long l = -5; ulong big = 1; uchar small = 255;\n"
      "  out[n++] = mad(2.0, 3.0, 4.0); out[n++] = clamp(5.0, 0.0, 1.0); out[n++] = min(3, -4); out[n++] = max(u, "
      "7u);\n"
      "  out[n++] = min(l, 3L); out[n++] = select(1.0, 2.0, 1L); out[n++] = mix(1.0, 3.0, 0.5); out[n++] = step(2.0, "
      "1.0);\n"
      "  out[n++] = rsqrt(4.0); out[n++] = native_exp(0.0); out[n++] = as_double(as_ulong(1.5)); out[n++] = "
      "as_int(1.0f);\n"
      "  out[n++] = convert_int_rte(2.5); out[n++] = popcount(255u); out[n++] = clz(1); out[n++] = rotate(1u, 33u);\n"
      "  out[n++] = mul_hi(u, 4u); out[n++] = isequal(1.0, 1.0); out[n++] = abs(-3); out[n++] = of(table, 2);\n"
      "  out[n++] = sincos(0.0, &c) + c; out[n++] = sign(-2.0); out[n++] = cospi(1.0); out[n++] = clamp(-3, -1, 4);\n"
      "  out[n++] = small + (big << 40); out[n++] = popcount(-1); out[n++] = add_sat(2147483647, 1); out[n++] = "
      "hypot(3.0, 4.0); }";
  const std::vector<double> expected = {10,  1,          -4, 3e9, -5,
                                        2,   2,          0,  0.5, 1,
                                        1.5, 1065353216, 2,  8,   31,
                                        2,   2,          1,  3,   4,
                                        1,   -1,         -1, -1,  255 + 1099511627776.0,
                                        32,  2147483647, 5};
  std::vector<double> out(expected.size(), -99);
  call_of(text).output("out", out.data(), out.size()).nd_range({1}, {1}).run();
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], expected[i]) << i;
}

TEST_F(HostPrograms, TypesAndKernelsHiddenInMacros) {
  const std::string text =
      "#define ARGUMENTS __global const double* x, __global double* out\n"
      "#define MAKE(name, value) __kernel void name(ARGUMENTS, const real a) { __local double t[4]; \\\n"
      "  t[get_local_id(0)] = a; barrier(CLK_LOCAL_MEM_FENCE); out[get_global_id(0)] = t[0] + x[0] + value; }\n"
      "#define real double\n"
      "MAKE(one, 1.0)\nMAKE(two, 2.0)\n";
  std::vector<double> out(8, 0.0), x = {10.0};
  for (const auto& name : {"one", "two"}) {
    call_of(text, name).input("x", x).output("out", out.data(), 8).value("a", 0.5).nd_range({8}, {4}).run();
    EXPECT_EQ(out[7], name == std::string("one") ? 11.5 : 12.5);
  }
  EXPECT_EQ(call_of(text, "one").program()->signature("one").at(2).type, "double");
}

TEST_F(HostPrograms, LocalMemoryDeclaredByMacros) {
  const std::string head =
      "#define QUALIFIED __local const\n#define TILE(name) __local double \\\n  name[4];\n#define TWO TILE(t) TILE(u)\n"
      "#define OPEN(name) __local double name[4]\n#define POINTER(p) ((__local double*)(p))\n"
      "static double first(QUALIFIED double* t) { return t[0]; }\n"
      "__kernel void k(__global const double* x, __global double* out) {\n";
  const std::string tail =
      "\n  const int i = get_local_id(0); t[i] = x[0] + i; u[i] = 2 * t[i]; barrier(CLK_LOCAL_MEM_FENCE);\n"
      "  out[get_global_id(0)] = first(POINTER(t)) + u[3 - i]; }\n";
  std::vector<double> x = {10.0};
  for (const std::string& declared : {"__local double t[4], u[4];", "TILE(t) TILE(u)", "TWO", "OPEN(t); OPEN(u);"}) {
    std::vector<double> out(8, 0.0);
    call_of(head + declared + tail, "k").input("x", x).output("out", out.data(), 8).nd_range({8}, {4}).run();
    EXPECT_EQ(out[4], 10.0 + 26.0) << declared;
    EXPECT_EQ(out[7], 10.0 + 20.0) << declared;
    // Only what a kernel uses and cannot be told from the macro's own text needs the preprocessor.
    EXPECT_EQ(host_text(host_prelude(), head + declared + tail, {}).to_expand, declared[0] == 'O') << declared;
  }
}

TEST_F(HostPrograms, WhatCannotBeIsSaid) {
  const auto failure = [](const std::string& text, const std::string& kernel = "k") {
    return message_of([&] {
      std::vector<double> out(4);
      call_of(text, kernel).output("out", out.data(), 4).items(4).run();
    });
  };
  EXPECT_TRUE(says(failure("__kernel void k(__global double* out)\n{\n double4 v = (double4)(0.0);\n out[0] = v.x; }"),
                   "no vector types: 'double4' at your program:3"));
  EXPECT_TRUE(says(failure("__kernel void k(read_only image2d_t i) { }"), "no images: 'image2d_t' at your program:1"));
  EXPECT_TRUE(says(failure("__kernel void k(__global double* out)\n{\n out[0] = foo; }"), "your program:3"));
  EXPECT_TRUE(says(failure("__kernel void k(__global double* out)\n{\n out[0] = foo(1); }"), "your program:3"));
  EXPECT_TRUE(says(failure("struct s { int a; };\n__kernel void k(struct s x) { }"), "cannot give: struct s x"));
  EXPECT_TRUE(says(failure("__kernel void other(__global double* out) { }"), "no kernel 'k'; its kernels: other"));
  EXPECT_TRUE(says(message_of([] {
                     std::vector<double> out(4);
                     call_of("__kernel void k(__global double* out) { out[get_global_id(0)] = 1; }")
                         .output("out", out.data(), 4)
                         .nd_range({4}, {3})
                         .run();
                   }),
                   "not a multiple of the group"));
}

TEST_F(HostPrograms, AKernelThatIsSlowStopsAndOneThatDoesNotEndIsLeft) {
  const std::string text =
      "__kernel void k(__global double* x)\n"
      "{ volatile __global double* o = x; do o[0] = o[0] + 1.0; while (x[1] < 0.0); }";
  const std::string slow =
      "__kernel void k(__global double* x)\n"
      "{ volatile double s = 0; for (int i = 0; i < 1000000; ++i) s = s + 1.0; x[0] = s; }";
  auto data = std::make_shared<std::vector<double>>(std::vector<double>{0.0, -1.0});
  int asked = 0;
  const auto now = std::chrono::steady_clock::now();
  KernelCall many = call_of(slow);
  many.output("x", data->data(), 2).items(1000000);
  EXPECT_THROW(many.run_interruptible([&] { return ++asked > 2; }, data), Interrupted);
  KernelCall endless = call_of(text);
  endless.output("x", data->data(), 2).items(1);
  data->at(1) = -1.0;
  {
#ifdef SANITIZER_LSAN_INTERFACE_H
    const __lsan::ScopedDisabler left;  // what the kernel may still be using
#endif
    EXPECT_THROW(endless.run_interruptible([&] { return ++asked > 4; }, data), DeviceGivenUp);
  }
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - now).count(), 5.0);
  // The device goes on.
  std::vector<double> out(1);
  call_of("__kernel void k(__global double* out) { out[0] = 3.0; }").output("out", out.data(), 1).items(1).run();
  EXPECT_EQ(out[0], 3.0);
  data->at(1) = 1.0;  // and this one ends for the sanitizers' sake
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

TEST_F(HostPrograms, DrawsAreThoseOfThePackage) {
  const std::string text =
      "// @depends_nmath: rgamma\n\n"
      "__kernel void k(__global double* out, const ulong seed)\n"
      "{ int i = get_global_id(0); NMATH_RNG(seed, (nmath_u64)i); out[i] = rgamma(2.0, 1.0); }";
  std::vector<double> out(1000);
  call_of(text).output("out", out.data(), 1000).value("seed", std::int64_t{7}).items(1000).run();
  double mean = 0;
  for (const double x : out) mean += x / 1000;
  EXPECT_NEAR(mean, 2.0, 0.2);
}
