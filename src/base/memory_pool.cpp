// memory_pool -- mappings of Linux: huge pages for large blocks.
#include "base/memory_pool.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <thread>

#include "base/memory_limit.h"
#include "base/stopwatch.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace openclPort {

namespace {

constexpr std::size_t kPage = 4096, kHugePage = std::size_t{1} << 21;
constexpr std::size_t kLargeBytes = 2 * kHugePage;
constexpr std::size_t kParts = 8;  // a block of less than so many times a size gives no part of it
// What pages that came with the mapping cost, for each second that it took: they go back to the system again, and no
// cache has them (bench/end_to_end.R). What a byte of fresh pages costs by the first guess; later ones are the mean of
// the last one and of what was measured, as a process's first pages are dearer than others.
constexpr double kCostOfMapping = 2.0, kSecondsPerByte = 2e-11;
constexpr std::size_t kProbes = 5, kProbedPages = 16;  // huge pages touched of a block, of how many at least
constexpr unsigned kTogether = 8;  // as many threads that write fresh pages at the same time hinder each other little

#ifdef __linux__

constexpr bool kWorks = true;

// The pages of a small one at once; those of a large one each at its first write, by whichever thread that is.
void* map(std::size_t bytes) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (bytes < kLargeBytes ? MAP_POPULATE : 0);
  void* const fresh = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  return fresh == MAP_FAILED ? nullptr : fresh;
}

void unmap(void* block, std::size_t bytes) { munmap(block, bytes); }

void* map_aligned(std::size_t bytes) {
  if (bytes < kLargeBytes) return map(bytes);
  const std::size_t all = bytes + kHugePage;
  void* const whole = map(all);
  if (whole == nullptr) return map(bytes);
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(whole);
  const std::size_t before = static_cast<std::size_t>((kHugePage - begin % kHugePage) % kHugePage);
  unsigned char* const block = static_cast<unsigned char*>(whole) + before;
  if (before > 0) unmap(whole, before);
  if (all > before + bytes) unmap(block + bytes, all - before - bytes);
#ifdef MADV_HUGEPAGE
  madvise(block, bytes, MADV_HUGEPAGE);
#endif
  return block;
}

// Seconds for each byte that pages of a fresh block cost at their first write, here the median of a few spread over it,
// divided by the threads that will write the others. It differs by a factor of 100 between machines: virtual ones may
// have to ask for each.
double seconds_per_byte(void* block, std::size_t bytes) {
  static const unsigned threads = std::clamp(std::thread::hardware_concurrency(), 1u, kTogether);
  std::array<double, kProbes> seconds;
  Stopwatch watch;
  for (std::size_t k = 0; k < kProbes; ++k) {
    volatile unsigned char* const page =
        static_cast<unsigned char*>(block) + bytes / kHugePage * k / kProbes * kHugePage;
    for (std::size_t at = 0; at < kHugePage; at += kPage) page[at] = 0;
    seconds[k] = watch.lap();
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds[kProbes / 2] / static_cast<double>(kHugePage * threads);
}

#else

constexpr bool kWorks = false;
double seconds_per_byte(void*, std::size_t) { return kSecondsPerByte; }
void unmap(void*, std::size_t) {}
void* map_aligned(std::size_t) { return nullptr; }

#endif

}  // namespace

std::size_t MemoryPool::block_bytes(std::size_t bytes) {
  std::size_t power = kPage;
  while (power <= bytes / 2) power *= 2;
  const std::size_t step = std::max(power / 8, bytes >= kLargeBytes ? kHugePage : kPage);
  return (bytes + step - 1) / step * step;
}

MemoryPool::MemoryPool(std::size_t bound)
    : bound_(bound), seconds_per_small_byte_(kSecondsPerByte), seconds_per_large_byte_(kSecondsPerByte) {}

bool MemoryPool::serves(std::size_t bytes) const {
  return kWorks && bytes >= kLeastBytes && bytes <= bound_ && in_use_.size() < kMostBlocks;
}

void* MemoryPool::take(std::size_t bytes) noexcept {
  const std::size_t size = block_bytes(bytes);
  void* block = take_waiting(size);
  if (block == nullptr) block = take_part(size);
  if (block == nullptr) block = take_fresh(size);
  if (block == nullptr && waiting_bytes_ > 0) {
    shrink_to(0);
    block = take_fresh(size);
  }
  if (block == nullptr) return nullptr;
  try {
    in_use_.emplace(block, size);
  } catch (...) {
    unmap(block, size);
    return nullptr;
  }
  in_use_bytes_ += size;
  ++taken_;
  return block;
}

bool MemoryPool::one_waits(std::size_t size) const {
  const auto beyond = by_size_.lower_bound({size + 1, 0});
  return beyond != by_size_.begin() && std::prev(beyond)->first == size;
}

bool MemoryPool::part_waits(std::size_t size) const {
  return !by_size_.empty() && std::prev(by_size_.end())->first >= kParts * size;
}

bool MemoryPool::waits_for(std::size_t bytes) const {
  const std::size_t size = block_bytes(bytes);
  return one_waits(size) || part_waits(size);
}

double MemoryPool::seconds_of_fresh(std::size_t bytes) const {
  const std::size_t size = block_bytes(bytes);
  return (size < kLargeBytes ? seconds_per_small_byte_ : seconds_per_large_byte_) * static_cast<double>(size);
}

void* MemoryPool::take_waiting(std::size_t size) noexcept {
  if (!one_waits(size)) return nullptr;
  const auto last = std::prev(by_size_.lower_bound({size + 1, 0}));
  const auto found = waiting_.find(last->second);
  void* const block = found->second.block;
  waiting_.erase(found);
  by_size_.erase(last);
  waiting_bytes_ -= size;
  return block;
}

// Of the largest that waits: the end of it, or the beginning where parts are to be at multiples of huge pages, as what
// is left then is, too. A part comes back as a block of its own.
void* MemoryPool::take_part(std::size_t size) noexcept {
  if (!part_waits(size)) return nullptr;
  auto largest = by_size_.extract(std::prev(by_size_.end()));
  Waiting& whole = waiting_.find(largest.value().second)->second;
  unsigned char* const begin = static_cast<unsigned char*>(whole.block);
  whole.size -= size;
  largest.value().first = whole.size;
  by_size_.insert(std::move(largest));
  waiting_bytes_ -= size;
  if (size < kLargeBytes) return begin + whole.size;
  whole.block = begin + size;
  return begin;
}

void* MemoryPool::take_fresh(std::size_t size) noexcept {
  Stopwatch watch;
  void* const block = map_aligned(size);
  if (block == nullptr) return nullptr;
  if (size < kLargeBytes)
    seconds_per_small_byte_ = kCostOfMapping * watch.lap() / static_cast<double>(size);
  else if (size >= kProbedPages * kHugePage)
    seconds_per_large_byte_ = 0.5 * (seconds_per_large_byte_ + seconds_per_byte(block, size));
  fresh_.bytes += size;
  fresh_.seconds += seconds_of_fresh(size);
  return block;
}

void MemoryPool::give(void* block) noexcept {
  const auto found = in_use_.find(block);
  if (found == in_use_.end()) return;
  const std::size_t size = found->second;
  in_use_.erase(found);
  in_use_bytes_ -= size;
  if (size > bound_) return unmap(block, size);
  shrink_to(bound_ - size);
  const Turn turn = ++turn_;
  try {
    waiting_.emplace(turn, Waiting{block, size});
    by_size_.emplace(size, turn);
  } catch (...) {
    waiting_.erase(turn);
    return unmap(block, size);
  }
  waiting_bytes_ += size;
}

void MemoryPool::set_bound(std::size_t bytes) noexcept {
  bound_ = bytes;
  shrink_to(bytes);
}

void MemoryPool::shrink_to(std::size_t bytes) noexcept {
  while (waiting_bytes_ > bytes) {
    const auto oldest = waiting_.begin();
    const Waiting freed = oldest->second;
    by_size_.erase({freed.size, oldest->first});
    waiting_.erase(oldest);
    waiting_bytes_ -= freed.size;
    unmap(freed.block, freed.size);
  }
}

std::size_t default_pool_bound() {
  constexpr std::uint64_t most = std::uint64_t{1} << 32;
  return kWorks ? static_cast<std::size_t>(std::min<std::uint64_t>(most, memory_limit() / 16)) : 0;
}

}  // namespace openclPort
