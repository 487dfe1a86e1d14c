// recursion_wrappers -- the R boundary of loops over data: a kernel of one work-item.
#include <algorithm>
#include <memory>

#include "base/stopwatch.h"
#include "device/device_selection.h"
#include "device/devices.h"
#include "expression/prepare.h"
#include "kernel_arguments.h"
#include "loop_run.h"
#include "r_boundary.h"
#include "r_handles.h"
#include "result_memory.h"

using openclPort::KernelCall;
using openclPort::NmathError;
using openclPort::SharedDevice;

namespace {

struct Vectors {
  std::vector<const double*> real;  // null: of integers
  std::vector<const int*> whole;
  std::vector<std::size_t> lengths;
  std::vector<SEXP> handles;  // of those that are resident on a device, else R's NULL
};

Vectors vectors_of(SEXP list) {
  Vectors made;
  r::enter([&] {  // R may have to expand them
    for (R_xlen_t k = 0; k < Rf_xlength(list); ++k) {
      SEXP const x = VECTOR_ELT(list, k);
      const bool resident = handles::is<handles::Vector>(x);
      made.handles.push_back(resident ? x : R_NilValue);
      if (resident) {
        made.real.push_back(nullptr);
        made.whole.push_back(nullptr);
        made.lengths.push_back(0);
        continue;
      }
      const bool real = TYPEOF(x) == REALSXP;
      made.real.push_back(real ? REAL(x) : nullptr);
      made.whole.push_back(real ? nullptr : TYPEOF(x) == LGLSXP ? LOGICAL(x) : INTEGER(x));
      made.lengths.push_back(static_cast<std::size_t>(Rf_xlength(x)));
    }
    return R_NilValue;
  });
  return made;
}

void add_vectors(KernelCall& call, const Vectors& given, SharedDevice device, ArgumentMemory& memory) {
  for (std::size_t k = 0; k < given.lengths.size(); ++k) {
    const std::string name = "vector " + std::to_string(k + 1);
    if (given.handles[k] != R_NilValue) {
      call.memory(name, handles::resident_on(given.handles[k], device).buffer());
      memory.vectors.push_back(handles::object_of<handles::Vector>(given.handles[k]).resident);
      memory.kept.push_back(R_ExternalPtrProtected(given.handles[k]));
    } else if (given.real[k] != nullptr) {
      call.input(name, given.real[k], given.lengths[k]);
    } else {
      call.input(name, given.whole[k], given.lengths[k]);
    }
  }
}

}  // namespace

// What a loop goes over: its rounds, or, where each series has its own, all rows.
static std::size_t elements_of(double rounds, const Vectors& given, double items) {
  if (rounds >= 0) return static_cast<std::size_t>(rounds);
  std::size_t rows = static_cast<std::size_t>(items);
  for (const std::size_t length : given.lengths) rows = std::max(rows, length);
  return rows;
}

// Runs it. `vectors`: those that it takes, doubles, integers or logicals as its text has them; `scalars`: numbers, of
// which `whole` says which are integers; `series`: of loops over several series, vectors that say where each lies, in
// integers; `numbers`: whole numbers that every kernel of this kind takes, the second one is how many rounds there are,
// then lengths; `sizes`: how many numbers each result has; `items`: how many series there are. Any vector may be the
// handle of one that is resident on the device; with `keep` results but the first one are. Gives list(value, report)
// with a list of the results.
// [[Rcpp::export(rng = false)]]
SEXP rounds_run_cpp(SEXP handle, SEXP vectors, const std::vector<double>& scalars, const std::vector<int>& whole,
                    SEXP series, const std::vector<double>& numbers, const std::vector<double>& sizes, double items,
                    const std::string& device, bool keep) {
  return guard_core([&]() -> SEXP {
    apply_program_option();
    apply_thread_option();
    release_left_memory();
    openclPort::Stopwatch watch;
    Loop& loop = loop_of(handle);
    const SharedDevice chosen = openclPort::open_device(openclPort::select_device(device));
    openclPort::RunReport report;
    const Vectors given = vectors_of(vectors), rows = vectors_of(series);
    openclPort::begin_report(report, "opencl_function", chosen->info(), elements_of(numbers.at(1), given, items));
    auto memory = std::make_shared<ArgumentMemory>();
    const bool known = loop.find(chosen) != nullptr;
    KernelCall call(chosen, loop.on(chosen, report), openclPort::expression::kRecursionKernel, &report);
    add_vectors(call, given, chosen, *memory);
    const r::Keep results(r::enter([&] { return Rf_allocVector(VECSXP, static_cast<R_xlen_t>(sizes.size())); }));
    std::vector<std::unique_ptr<handles::Vector>> resident(sizes.size());
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const std::string name = "result " + std::to_string(k + 1);
      const std::size_t elements = static_cast<std::size_t>(sizes[k]);
      if (keep && k > 0) {
        resident[k] = handles::make_vector(chosen, handles::doubles, elements);
        memory->vectors.push_back(resident[k]->resident);
        call.memory(name, resident[k]->resident->buffer());
        continue;
      }
      SEXP const result = new_result(REALSXP, static_cast<R_xlen_t>(elements));
      SET_VECTOR_ELT(results, static_cast<R_xlen_t>(k), result);
      call.output(name, REAL(result), elements);
    }
    add_vectors(call, rows, chosen, *memory);
    const LoopNumbers given_numbers = {scalars, whole, numbers};
    add_loop_numbers(call, given_numbers);
    set_loop_items(call, static_cast<std::size_t>(items), chosen->info());
    memory->kept.insert(memory->kept.end(), {vectors, series, static_cast<SEXP>(results)});
    // Where the kernel has run before the driver has nothing left to compile.
    const double most = *std::max_element(sizes.begin(), sizes.end());
    if (known && is_short_loop(given_numbers, most, items, chosen->info()))
      call.run();
    else
      run_interruptible(call, static_cast<std::size_t>(items), memory);
    for (std::size_t k = 0; k < sizes.size(); ++k)
      if (resident[k] != nullptr) handles::hand_over(std::move(resident[k]), results, static_cast<R_xlen_t>(k));
    report.total = watch.lap();
    return r::enter([&] { return r::List(2).add("value", static_cast<SEXP>(results)).add("report", report).done(); });
  });
}
