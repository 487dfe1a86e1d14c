// result_memory -- R's vectors for results, by way of R's interface for allocators.
#include "result_memory.h"

#include <R_ext/Rallocators.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>

#include "base/memory_limit.h"
#include "base/memory_pool.h"
#include "base/nmath_error.h"
#include "base/stopwatch.h"
#include "collection_rule.h"
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
constexpr double kMegabyte = 1048576.0;

// Cells of R up to which a whole collection takes some tenths of a second at most.
constexpr double kFewCells = 2e6;
// Results for which the memory that is available is looked at first: to write one takes far longer.
constexpr std::size_t kAskBytes = std::size_t{1} << 28;

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

// R's gc() of young vectors only, which its C interface does not have. Returns how many cells R has then.
double collect_young() {
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
  SEXP const table = Rf_eval(call, R_BaseEnv);  // its first number
  return TYPEOF(table) == REALSXP && Rf_xlength(table) > 0 ? REAL(table)[0] : R_PosInf;
}

// Whether R was told to use less memory than the machine has: then its own memory has the results, to the last byte of
// them counted against mem.maxVSize() (R_MAX_VSIZE).
bool r_limits_itself() {
  static const double machine = static_cast<double>(openclPort::memory_limit());
  static SEXP call = nullptr;
  if (call == nullptr) {
    SEXP const name = Rf_install("mem.maxVSize");
    SEXP const known = Rf_findVarInFrame(R_BaseEnv, name);
    call = known == R_UnboundValue ? R_NilValue : Rf_lang1(name);
    R_PreserveObject(call);
  }
  if (call == R_NilValue) return false;
  return Rf_asReal(Rf_eval(call, R_BaseEnv)) * kMegabyte < machine;
}

bool few_cells = true;  // as far as known

// What R leaves: vectors that lived long before they were dropped, and young ones for as long as its own vectors allow.
// A whole collection of many cells takes seconds: a young one has to do instead, which tells how many there are.
void let_r_collect(std::size_t bytes) {
  using openclPort::Collection;
  static openclPort::CollectionRule rule;
  count_for_r(bytes);
  for (Collection kind; (kind = rule.due(pool(), bytes)) != Collection::none;) {
    const std::size_t in_use = pool().in_use();
    openclPort::Stopwatch watch;
    const double cells = collect_young();
    if (kind == Collection::whole && cells <= kFewCells) R_gc();
    few_cells = cells <= kFewCells;
    rule.collected(kind, pool(), watch.lap(), in_use, bytes);
    if (kind == Collection::whole) break;  // another one would find nothing
  }
}

}  // namespace

void apply_recycle_option() {
  static const double by_default = static_cast<double>(openclPort::default_pool_bound());
  const double bytes = bytes_option("nmathopencl.recycle", 0, by_default);
  const std::size_t bound =
      bytes < kAnyBound ? static_cast<std::size_t>(bytes) : std::numeric_limits<std::size_t>::max();
  if (bound != pool().bound()) pool().set_bound(bound);
}

namespace {

std::string gigabytes(double bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f GB", bytes / 1e9);
  return text;
}

}  // namespace

// A result larger than the memory that is available would be written to the swap file, for minutes or until the system
// ends the process. What R and the pool no longer need is available, too.
void refuse_what_would_swap(std::size_t bytes, const char* what) {
  if (bytes < kAskBytes) return;
  const double unset = -1, reported = bytes_option("nmathopencl.available", 0, unset),
               needed = static_cast<double>(bytes);
  const auto available = [reported, unset] {
    return reported == unset
               ? static_cast<double>(openclPort::memory_available()) + static_cast<double>(pool().waiting())
               : reported;
  };
  if (needed <= available()) return;
  r::enter([] {
    R_gc();
    return R_NilValue;
  });
  if (needed <= available()) return;
  throw openclPort::NmathError(
      what + (" of " + gigabytes(needed)) + " is larger than the memory that is available, " + gigabytes(available()),
      "", "",
      "compute it in parts, or set options(nmathopencl.available = Inf) to let the system swap" NMATHOPENCL_SEE_LIMITS);
}

SEXP new_result(SEXPTYPE type, R_xlen_t length) {
  apply_recycle_option();
  const std::size_t item = type == REALSXP ? sizeof(double) : sizeof(int);
  const std::size_t bytes = static_cast<std::size_t>(length) * item;
  refuse_what_would_swap(bytes, "a result");
  if (!pool().serves(bytes) || !stay_loaded()) return r::enter([&] { return Rf_allocVector(type, length); });
  R_allocator_t allocator = {take, give, nullptr, nullptr};
  return r::enter([&] {
    if (r_limits_itself()) return Rf_allocVector(type, length);
    let_r_collect(bytes);
    // R's own collections, which bring all back when they have to, are not bounded by what the pool has.
    if (!few_cells && pool().in_use() + bytes > 2 * pool().bound()) return Rf_allocVector(type, length);
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

// R expands a sequence, or another vector that it computes, as one piece of work that nobody can interrupt: a large one
// is expanded here, a chunk at a time. It stays as it is for R.
void expand_in_chunks(SEXP vectors) {
  constexpr R_xlen_t kExpandedChunk = R_xlen_t{1} << 22;
  for (R_xlen_t k = 0; k < Rf_xlength(vectors); ++k) {
    SEXP const x = VECTOR_ELT(vectors, k);
    const bool real = TYPEOF(x) == REALSXP;
    if ((!real && TYPEOF(x) != INTSXP) || !ALTREP(x)) continue;
    const R_xlen_t n = Rf_xlength(x);
    const std::size_t bytes = static_cast<std::size_t>(n) * (real ? sizeof(double) : sizeof(int));
    if (bytes < kAskBytes || DATAPTR_OR_NULL(x) != nullptr) continue;
    refuse_what_would_swap(bytes, "an argument");
    const r::Keep whole(new_result(TYPEOF(x), n));
    for (R_xlen_t begin = 0; begin < n; begin += kExpandedChunk)
      r::enter([&] {
        R_CheckUserInterrupt();
        if (real)
          REAL_GET_REGION(x, begin, kExpandedChunk, REAL(whole) + begin);
        else
          INTEGER_GET_REGION(x, begin, kExpandedChunk, INTEGER(whole) + begin);
        return R_NilValue;
      });
    SET_VECTOR_ELT(vectors, k, whole);
  }
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
