// weighted_products_wrappers -- the R boundary of t(A) W B, W diagonal: the kernels of
// inst/cl/expression/weighted_products.cl.
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "base/sizes.h"
#include "base/stopwatch.h"
#include "device/device_selection.h"
#include "device/devices.h"
#include "kernel_arguments.h"
#include "loop_run.h"
#include "r_boundary.h"
#include "r_handles.h"
#include "result_memory.h"

using openclPort::ceiling_ratio;
using openclPort::KernelCall;
using openclPort::SharedDevice;

namespace {

// One product, of two matrices.
struct Product {
  SEXP left, right, weights;
  std::size_t left_columns, right_columns;
  bool same() const { return left == right; }
  std::size_t results() const { return left_columns * right_columns; }
};

std::vector<Product> products_of(SEXP list) {
  std::vector<Product> found;
  const auto columns_of_side = [](SEXP x, const char* name) {
    return static_cast<std::size_t>(Rf_asReal(r::element_or_null(x, name)));
  };
  r::enter([&] {
    for (R_xlen_t k = 0; k < Rf_xlength(list); ++k) {
      SEXP const one = VECTOR_ELT(list, k);
      found.push_back({r::element_or_null(one, "left"), r::element_or_null(one, "right"),
                       r::element_or_null(one, "weights"), columns_of_side(one, "left_columns"),
                       columns_of_side(one, "right_columns")});
    }
    return R_NilValue;
  });
  return found;
}

// What the kernels' tiles and blocks are, of rows and of results, on this device.
struct Cut {
  static constexpr std::size_t kTile = 32, kRows = 32;  // as the kernels have them
  bool alone;
  std::size_t tiles = 1, blocks = 1, rows;

  Cut(const openclPort::DeviceInfo& device, const Product& product, std::size_t n)
      : alone(device.immediate || device.wide_cores) {
    // Groups that keep a GPU busy, whatever their number of blocks; blocks that threads share.
    constexpr std::size_t groups = 1024, least_rows = 256, most_alone = 32, least_alone = 2048;
    if (alone) {
      blocks = std::clamp<std::size_t>(n / least_alone, 1, most_alone);
    } else {
      const std::size_t a = ceiling_ratio(product.left_columns, kTile), b = ceiling_ratio(product.right_columns, kTile);
      tiles = product.same() ? a * (a + 1) / 2 : a * b;
      blocks = std::clamp<std::size_t>(groups / tiles, 1, std::max<std::size_t>(1, n / least_rows));
    }
    rows = ceiling_ratio(ceiling_ratio(n, blocks), kRows) * kRows;
    blocks = std::max<std::size_t>(1, ceiling_ratio(n, rows));
  }
  std::size_t numbers(const Product& product) const { return blocks * product.results() * (alone ? 2 : 1); }
};

class Side {
 public:
  Side(SEXP x, SharedDevice device, ArgumentMemory& memory) : x_(x) {
    if (!handles::is<handles::Vector>(x)) return;
    buffer_ = &handles::resident_on(x, device).buffer();
    memory.vectors.push_back(handles::object_of<handles::Vector>(x).resident);
    memory.kept.push_back(R_ExternalPtrProtected(x));
  }
  void add(KernelCall& call, const std::string& name) const {
    if (buffer_ != nullptr)
      call.memory(name, *buffer_);
    else
      call.input(name, REAL(x_), static_cast<std::size_t>(Rf_xlength(x_)));
  }

 private:
  SEXP x_;
  const openclPort::Buffer* buffer_ = nullptr;
};

// Products that are over before anybody could interrupt them.
double short_work(const openclPort::DeviceInfo& device) { return device.host_memory ? 5e7 : 2e10; }

void run_product(Loop& program, const SharedDevice& device, const Product& product, std::size_t n, double* result,
                 const std::shared_ptr<ArgumentMemory>& memory, openclPort::RunReport& report) {
  const Cut cut(device->info(), product, n);
  const bool known = program.find(device) != nullptr;
  const auto number = [](std::size_t x) { return static_cast<int>(x); };
  const Side left(product.left, device, *memory), right(product.right, device, *memory),
      weights(product.weights, device, *memory);
  const std::unique_ptr<handles::Vector> parts = handles::make_vector(device, handles::doubles, cut.numbers(product));
  memory->vectors.push_back(parts->resident);

  KernelCall sums(device, program.on(device, report), cut.alone ? "nmath_weighted_alone" : "nmath_weighted_products",
                  &report);
  left.add(sums, "a");
  right.add(sums, "b");
  weights.add(sums, "w");
  sums.memory("out", parts->resident->buffer()).value("n", static_cast<std::int64_t>(n));
  for (const int value : {number(product.left_columns), number(product.right_columns), int{product.same()}})
    sums.value("number", value);
  sums.value("rows", static_cast<std::int64_t>(cut.rows)).value("count", number(cut.alone ? cut.blocks : cut.tiles));
  if (cut.alone)
    sums.items(cut.blocks);
  else
    sums.nd_range({cut.tiles * cut.blocks * 64}, {64});
  // Where the kernels have run before the driver has nothing left to compile.
  const bool is_short =
      known && static_cast<double>(n) * static_cast<double>(product.results()) < short_work(device->info());
  if (is_short)
    sums.run();
  else
    run_interruptible(sums, n, memory);

  KernelCall join(device, program.on(device, report), cut.alone ? "nmath_weighted_join_alone" : "nmath_weighted_join",
                  &report);
  join.memory("parts", parts->resident->buffer()).output("out", result, product.results());
  for (const int value :
       {number(product.left_columns), number(product.right_columns), int{product.same()}, number(cut.blocks)})
    join.value("number", value);
  if (cut.alone)
    join.items(product.results());
  else
    join.nd_range({product.results() * 64}, {64});
  if (is_short)
    join.run();
  else
    run_interruptible(join, product.results(), memory);
}

}  // namespace

// The program of this text, behind a handle.
// [[Rcpp::export(rng = false)]]
SEXP weighted_program_cpp(const std::string& text) {
  return guard_core([&]() -> SEXP {
    auto program = std::make_unique<Loop>();
    program->text = text;
    return handles::make(std::move(program), R_NilValue);
  });
}

// `products`: each list(left, left_columns, right, right_columns, weights); matrices of `n` rows and weights are
// doubles, in R's memory or resident on the device; NULL: a column of ones. Gives list(value, report), a vector of each
// product.
// [[Rcpp::export(rng = false)]]
SEXP weighted_products_cpp(SEXP handle, SEXP products, double n, const std::string& device) {
  return guard_core([&]() -> SEXP {
    apply_program_option();
    apply_thread_option();
    release_left_memory();
    openclPort::Stopwatch watch;
    Loop& program = loop_of(handle);
    const SharedDevice chosen = openclPort::open_device(openclPort::select_device(device));
    const std::vector<Product> wanted = products_of(products);
    openclPort::RunReport report;
    openclPort::begin_report(report, "opencl_function", chosen->info(), static_cast<std::size_t>(n));
    const r::Keep results(r::enter([&] { return Rf_allocVector(VECSXP, static_cast<R_xlen_t>(wanted.size())); }));
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      SEXP const result = new_result(REALSXP, static_cast<R_xlen_t>(wanted[k].results()));
      SET_VECTOR_ELT(results, static_cast<R_xlen_t>(k), result);
      auto memory = std::make_shared<ArgumentMemory>();
      memory->kept.insert(memory->kept.end(), {products, static_cast<SEXP>(results)});
      run_product(program, chosen, wanted[k], static_cast<std::size_t>(n), REAL(result), memory, report);
    }
    report.total = watch.lap();
    return r::enter([&] { return r::List(2).add("value", static_cast<SEXP>(results)).add("report", report).done(); });
  });
}

// The matrix of these blocks times `factor`: `sides`, a column for each, has the arguments of its rows and columns in
// its first and third row, of `sizes`. Blocks of the same arguments add up; what is below the diagonal is as above it.
// NULL where a number of it is not finite.
// [[Rcpp::export(rng = false)]]
SEXP joined_blocks_cpp(SEXP blocks, SEXP sides, SEXP sizes, double factor) {
  return guard_core([&]() -> SEXP {
    std::vector<std::size_t> before = {0};
    for (R_xlen_t k = 0; k < Rf_xlength(sizes); ++k)
      before.push_back(before.back() + static_cast<std::size_t>(REAL(sizes)[k]));
    const std::size_t all = before.back();
    std::vector<double> sum(all * all, 0.0);
    for (R_xlen_t k = 0; k < Rf_xlength(blocks); ++k) {
      const auto left = static_cast<std::size_t>(INTEGER(sides)[4 * k]),
                 right = static_cast<std::size_t>(INTEGER(sides)[4 * k + 2]);
      const double* from = REAL(VECTOR_ELT(blocks, k));
      for (std::size_t j = before[right - 1]; j < before[right]; ++j)
        for (std::size_t i = before[left - 1]; i < before[left]; ++i) sum[i + j * all] += *from++;
    }
    bool finite = true;
    for (std::size_t j = 0; j < all; ++j)
      for (std::size_t i = 0; i <= j; ++i) {
        const double x = sum[i + j * all] * factor;
        finite = finite && std::isfinite(x);
        sum[i + j * all] = sum[j + i * all] = x;
      }
    if (!finite) return R_NilValue;
    return r::enter([&] {
      SEXP const made = PROTECT(Rf_allocMatrix(REALSXP, static_cast<int>(all), static_cast<int>(all)));
      std::copy(sum.begin(), sum.end(), REAL(made));
      UNPROTECT(1);
      return made;
    });
  });
}
