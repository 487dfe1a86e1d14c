// result_memory -- R's vectors for results, by way of R's interface for allocators.
#include "result_memory.h"

#include <R_ext/Rallocators.h>

#include <algorithm>
#include <limits>

#include "base/collection_rule.h"
#include "base/memory_pool.h"
#include "base/stopwatch.h"
#include "r_boundary.h"

#ifdef __linux__
#include <dlfcn.h>
#endif

namespace {

using openclPort::MemoryPool;

// What R puts before the elements; the block's first bytes stay empty, so that the elements begin at a cache line.
constexpr std::size_t kHeaders = sizeof(R_allocator_t) + 48, kLine = 64;
constexpr std::size_t kLead = (kLine - kHeaders % kLine) % kLine;

constexpr std::size_t kCounted = std::size_t{1} << 25;
constexpr double kAnyBound = 1e18;  // nearly what a size_t holds

// Never destroyed: R may free vectors while the process ends.
MemoryPool& pool() {
  static MemoryPool* const kept = new MemoryPool(openclPort::default_pool_bound());
  return *kept;
}

void* take(R_allocator_t*, std::size_t bytes) {
  unsigned char* const block = static_cast<unsigned char*>(pool().take(bytes + kLead));
  return block == nullptr ? nullptr : block + kLead;
}

void give(R_allocator_t*, void* memory) { pool().give(static_cast<unsigned char*>(memory) - kLead); }

// R keeps addresses of the two functions above in vectors that may outlive the package.
bool stay_loaded() {
#ifdef __linux__
  static const bool stays = [] {
    Dl_info here;
    return dladdr(reinterpret_cast<void*>(&give), &here) != 0 && here.dli_fname != nullptr &&
           dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) != nullptr;
  }();
  return stays;
#else
  return false;
#endif
}

// R does not count what an allocator gives, and would never look for what nobody holds any more. A vector of its own
// for every 32 MiB, dropped at once and never written, makes it collect as often as it would have.
void count_for_r(std::size_t bytes) {
  static std::size_t uncounted = 0;
  uncounted += std::min(bytes, kCounted);
  if (uncounted < kCounted) return;
  Rf_allocVector(RAWSXP, static_cast<R_xlen_t>(kCounted));
  uncounted -= kCounted;
}

// R's gc() of young vectors only, which its C interface does not have.
void collect_young() {
  static SEXP call = nullptr;
  if (call == nullptr) {
    SEXP const no = Rf_ScalarLogical(FALSE);
    SEXP const gc = PROTECT(Rf_lang3(Rf_install("gc"), no, no));
    SET_TAG(CDR(gc), Rf_install("verbose"));
    SET_TAG(CDDR(gc), Rf_install("full"));
    R_PreserveObject(gc);
    UNPROTECT(1);
    call = gc;
  }
  Rf_eval(call, R_BaseEnv);
}

// What R leaves: vectors that lived long before they were dropped, and young ones for as long as its own vectors allow.
void let_r_collect(std::size_t bytes) {
  using openclPort::Collection;
  static openclPort::CollectionRule rule;
  count_for_r(bytes);
  for (Collection kind; (kind = rule.due(pool(), bytes)) != Collection::none;) {
    const std::size_t in_use = pool().in_use();
    openclPort::Stopwatch watch;
    if (kind == Collection::young)
      collect_young();
    else
      R_gc();
    rule.collected(kind, pool(), watch.lap(), in_use, bytes);
    if (kind == Collection::whole) break;  // another one would find nothing
  }
}

// What the option says, asked each time: a bound that became smaller holds at once.
void apply_recycle_option() {
  static const double by_default = static_cast<double>(openclPort::default_pool_bound());
  const double bytes = bytes_option("nmathopencl.recycle", 0, by_default);
  const std::size_t bound =
      bytes < kAnyBound ? static_cast<std::size_t>(bytes) : std::numeric_limits<std::size_t>::max();
  if (bound != pool().bound()) pool().set_bound(bound);
}

}  // namespace

SEXP new_result(SEXPTYPE type, R_xlen_t length) {
  apply_recycle_option();
  const std::size_t item = type == REALSXP ? sizeof(double) : sizeof(int);
  const std::size_t bytes = static_cast<std::size_t>(length) * item;
  if (!pool().serves(bytes) || !stay_loaded()) return r::enter([&] { return Rf_allocVector(type, length); });
  R_allocator_t allocator = {take, give, nullptr, nullptr};
  return r::enter([&] {
    let_r_collect(bytes);
    return Rf_allocVector3(type, length, &allocator);
  });
}

SEXP new_result(SEXPTYPE type, int rows, int columns) {
  const r::Keep result(new_result(type, static_cast<R_xlen_t>(rows) * columns));
  return r::enter([&] {
    SEXP const dim = PROTECT(Rf_allocVector(INTSXP, 2));
    INTEGER(dim)[0] = rows;
    INTEGER(dim)[1] = columns;
    Rf_setAttrib(result, R_DimSymbol, dim);
    UNPROTECT(1);
    return static_cast<SEXP>(result);
  });
}

// Bytes: what may wait, what waits, and what vectors hold.
// [[Rcpp::export(rng = false)]]
SEXP result_memory_cpp() {
  return r::enter([] {
    return r::List(3)
        .add("bound", static_cast<double>(pool().bound()))
        .add("waiting", static_cast<double>(pool().waiting()))
        .add("in_use", static_cast<double>(pool().in_use()))
        .done();
  });
}

// Gives back what waits, and from now on what is given back: the package ends.
// [[Rcpp::export(rng = false)]]
void release_results_cpp() { pool().set_bound(0); }
