// grouping -- a counting sort, and its copy on a device.
#include "engine/grouping.h"

#include <algorithm>
#include <climits>

#include "base/nmath_error.h"
#include "base/work_threads.h"
#include "engine/transfer.h"

namespace openclPort {

namespace {

constexpr std::size_t kLeastElements = std::size_t{1} << 18;  // that are worth a thread
constexpr std::size_t kMostCounters = std::size_t{1} << 24;

bool in_group(int code, std::size_t groups) { return code >= 1 && static_cast<std::size_t>(code) <= groups; }

}  // namespace

// Each thread counts a share of the elements; sums over the threads within a group say which of the group's elements
// its own are.
Grouping::Grouping(const int* codes, std::size_t n, std::size_t groups, std::size_t block, bool all)
    : elements_(n), block_(std::max<std::size_t>(block, 1)), all_(all), counts_(groups) {
  if (n > INT_MAX) throw NmathError("reductions by group take at most 2^31 - 1 elements", "grouping");
  const std::size_t fitting = std::max<std::size_t>(1, kMostCounters / std::max<std::size_t>(groups, 1));
  const std::size_t threads =
      std::max<std::size_t>(1, std::min({static_cast<std::size_t>(host_threads()), n / kLeastElements, fitting}));
  const std::size_t each = (n + threads - 1) / threads;
  std::vector<std::vector<int>> next(threads, std::vector<int>(groups));  // counts, then ranks
  const auto for_threads = [&](const auto& work) {
    parallel_blocks(
        threads, 1, [&](std::size_t s, std::size_t) { work(next[s], s * each, std::min(n, (s + 1) * each)); }, nullptr);
  };
  for_threads([&](std::vector<int>& counts, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (in_group(codes[i], groups)) ++counts[static_cast<std::size_t>(codes[i]) - 1];
  });
  for (std::size_t g = 0; g < groups; ++g) {
    int rank = 0;
    for (std::vector<int>& counts : next) {
      const int count = counts[g];
      counts[g] = rank;
      rank += count;
    }
    counts_[g] = rank;
  }
  const BlockStarts begin_of = cut();
  auto order = std::make_shared<std::vector<int>>(static_cast<std::size_t>(starts_.back()));
  for_threads([&](std::vector<int>& ranks, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (!in_group(codes[i], groups)) continue;
      const std::size_t g = static_cast<std::size_t>(codes[i]) - 1, rank = static_cast<std::size_t>(ranks[g]++);
      (*order)[begin_of(g, rank / block_) + rank % block_] = static_cast<int>(i);
    }
  });
  order_ = std::move(order);
  gather_blocks();
}

Grouping::Grouping(const Grouping& other, std::size_t block)
    : elements_(other.elements_), block_(std::max<std::size_t>(block, 1)), all_(other.all_), counts_(other.counts_) {
  const BlockStarts begin_of = cut();
  auto order = std::make_shared<std::vector<int>>(other.positions());
  std::vector<std::size_t> ranks(counts_.size());
  for (std::size_t b = 0; b < other.blocks(); ++b) {  // those of a group come in their order
    std::size_t& rank = ranks[static_cast<std::size_t>(other.group_[b]) - 1];
    for (std::int64_t p = other.starts_[b]; p < other.starts_[b + 1]; ++p, ++rank)
      (*order)[begin_of(static_cast<std::size_t>(other.group_[b]) - 1, rank / block_) + rank % block_] =
          other.order()[static_cast<std::size_t>(p)];
  }
  order_ = std::move(order);
  gather_blocks();
}

// By group, which blocks are its own.
void Grouping::gather_blocks() {
  if (!all_) return;
  group_starts_.assign(counts_.size() + 1, 0);
  for (const int g : group_) ++group_starts_[static_cast<std::size_t>(g)];
  for (std::size_t g = 0; g < counts_.size(); ++g) group_starts_[g + 1] += group_starts_[g];
  std::vector<std::int64_t> next(group_starts_.begin(), group_starts_.end() - 1);
  group_blocks_.resize(group_.size());
  for (std::size_t b = 0; b < group_.size(); ++b)
    group_blocks_[static_cast<std::size_t>(next[static_cast<std::size_t>(group_[b]) - 1]++)] = static_cast<int>(b);
}

// First the first block of every group, then the second ones: work-groups that run at a time read elements that lie
// near one another.
Grouping::BlockStarts Grouping::cut() {
  BlockStarts found;
  found.first_block.resize(counts_.size() + 1);
  std::vector<std::size_t> open;  // groups that have another block
  for (std::size_t g = 0; g < counts_.size(); ++g) {
    std::size_t blocks = (static_cast<std::size_t>(counts_[g]) + block_ - 1) / block_;
    if (all_ && blocks == 0) blocks = 1;
    found.first_block[g + 1] = found.first_block[g] + blocks;
    if (blocks > 0) open.push_back(g);
  }
  found.start.resize(found.first_block.back());
  std::int64_t place = 0;
  for (std::size_t j = 0; !open.empty(); ++j) {
    std::size_t left = 0;
    for (const std::size_t g : open) {
      const std::size_t rest =
          static_cast<std::size_t>(counts_[g]) - std::min(static_cast<std::size_t>(counts_[g]), j * block_);
      starts_.push_back(place);
      group_.push_back(static_cast<int>(g) + 1);
      found.start[found.first_block[g] + j] = static_cast<std::size_t>(place);
      place += static_cast<std::int64_t>(std::min(rest, block_));
      if (rest > block_) open[left++] = g;
    }
    open.resize(left);
  }
  starts_.push_back(place);
  return found;
}

std::shared_ptr<const Grouping::OnDevice> Grouping::on_device(const SharedDevice& device, bool order) const {
  const std::lock_guard<ProcessMutex> lock(mutex_);
  const auto known = std::find_if(known_.begin(), known_.end(), [&](const std::shared_ptr<const OnDevice>& entry) {
    return entry->device->identity() == device->identity();
  });
  if (known != known_.end() && ((*known)->order || !order)) return *known;
  auto made = std::make_shared<OnDevice>();
  made->device = device;
  const auto send = [&](ElementType type, const void* data, std::size_t count, Queue* queue) {
    if (device->info().host_memory) return device->borrow(type, const_cast<void*>(data), count, Access::read);
    Buffer buffer = device->allocate(type, count);
    queue->write(buffer, 0, data, count * element_bytes(type));
    return buffer;
  };
  const std::unique_ptr<Queue> queue = device->queue(false);
  made->starts = send(ElementType::i64, starts_.data(), starts_.size(), queue.get());
  if (order) made->order = send(ElementType::i32, order_->data(), order_->size(), queue.get());
  if (all_) {
    made->group_starts = send(ElementType::i64, group_starts_.data(), group_starts_.size(), queue.get());
    made->group_blocks = send(ElementType::i32, group_blocks_.data(), group_blocks_.size(), queue.get());
  }
  queue->finish();
  // What the device had before, or before it was reset, is of no use.
  known_.erase(std::remove_if(known_.begin(), known_.end(),
                              [&](const std::shared_ptr<const OnDevice>& entry) {
                                return entry->device->info().name == device->info().name &&
                                       entry->device->info().index == device->info().index;
                              }),
               known_.end());
  known_.push_back(made);
  return made;
}

namespace {

using KnownGroupings = std::vector<std::shared_ptr<const Grouping>>;  // the last one used first

std::shared_ptr<const Grouping> sorted(const Resident& codes, std::size_t block, std::size_t wanted) {
  const std::size_t n = codes.elements();
  const int* values = static_cast<const int*>(codes.buffer().host());
  std::vector<int> fetched;
  if (values == nullptr) {
    fetched.resize(n);
    fetch_bytes(codes.device(), codes.buffer(), 0, fetched.data(), n * sizeof(int));
    values = fetched.data();
  }
  int groups = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (values[i] < 1 && values[i] != INT_MIN) throw NmathError("codes in `by` must be from 1 on", "grouping");
    groups = std::max(groups, values[i]);
  }
  return std::make_shared<const Grouping>(values, n, wanted > 0 ? wanted : static_cast<std::size_t>(groups), block,
                                          wanted > 0);
}

}  // namespace

std::shared_ptr<const Grouping> grouping_of(const Resident& codes, std::size_t block, std::size_t groups) {
  constexpr std::size_t kMost = 3;  // each has an order of its own on the device
  if (codes.type() != ElementType::i32) throw NmathError("codes of groups must be integers", "grouping");
  codes.device();  // throws in a forked process
  auto known = std::static_pointer_cast<KnownGroupings>(codes.beside);
  if (known == nullptr) known = std::make_shared<KnownGroupings>();
  const auto fits = [&](const auto& one) {
    return one->all() == (groups > 0) && (groups == 0 || one->groups() == groups);
  };
  const auto found =
      std::find_if(known->begin(), known->end(), [&](const auto& one) { return one->block() == block && fits(one); });
  if (found != known->end()) {
    std::rotate(known->begin(), found, found + 1);
    return known->front();
  }
  const auto like = std::find_if(known->begin(), known->end(), fits);
  const std::shared_ptr<const Grouping> made =
      like == known->end() ? sorted(codes, block, groups) : std::make_shared<const Grouping>(**like, block);
  known->insert(known->begin(), made);
  if (known->size() > kMost) known->pop_back();
  codes.beside = known;
  return made;
}

}  // namespace openclPort
