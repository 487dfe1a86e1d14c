// transfer -- blocks of a vector through page-locked memory, in one queue, or in one for each of several threads.
#include "engine/transfer.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "base/columns.h"
#include "base/streaming_copy.h"
#include "base/work_threads.h"
#include "engine/chunk_plan.h"

namespace openclPort {

namespace {

constexpr std::size_t kDirect = std::size_t{1} << 20;  // bytes that no second thread is worth
constexpr int kMostThreads = 8;
constexpr std::size_t kByThreads = std::size_t{4} << 20;    // bytes that are worth threads beside a call's launches
constexpr std::size_t kCopyChunk = std::size_t{256} << 10;  // which the bus moves while the next one is copied
constexpr std::size_t kMostBlocks = 4;

// Moves block [begin, end) of the bytes by way of `staging`, which is null for short ones.
using Move = std::function<void(Queue& queue, void* staging, std::size_t begin, std::size_t end)>;

void for_blocks(const SharedDevice& device, std::size_t bytes, const InterruptCheck& interrupted, const Move& move) {
  if (bytes == 0) return;
  if (device->info().host_memory || bytes <= kDirect) {
    const std::unique_ptr<Queue> queue = device->queue(false);
    move(*queue, nullptr, 0, bytes);
    return;
  }
  const std::size_t blocks = ceiling_ratio(bytes, kStagingBlock);
  const int threads =
      std::min<int>({kMostThreads, host_threads(), static_cast<int>(std::min<std::size_t>(blocks, 64))});
  BlockQueue queue_of_blocks(bytes, kStagingBlock);
  run_workers(threads, queue_of_blocks, [&](int id) {
    Buffer staging;
    const std::unique_ptr<Queue> queue = device->queue(false);  // is finished before the memory goes
    staging = device->stage(kStagingBlock, *queue);
    std::size_t begin, end;
    while (queue_of_blocks.next(begin, end)) {
      move(*queue, staging.host(), begin, end);
      if (id == 0) stop_if(interrupted);
    }
  });
}

}  // namespace

void send_bytes(const SharedDevice& device, const Buffer& to, std::size_t offset, const void* from, std::size_t bytes,
                const InterruptCheck& interrupted) {
  for_blocks(device, bytes, interrupted, [&](Queue& queue, void* staging, std::size_t begin, std::size_t end) {
    const void* data = static_cast<const unsigned char*>(from) + begin;
    if (staging != nullptr) data = std::memcpy(staging, data, end - begin);
    queue.write(to, offset + begin, data, end - begin);
    queue.finish();
  });
}

void fetch_bytes(const SharedDevice& device, const Buffer& from, std::size_t offset, void* to, std::size_t bytes,
                 const InterruptCheck& interrupted) {
  expect_writes(to, bytes);
  const bool streams = bytes >= kBeyondCaches;
  for_blocks(device, bytes, interrupted, [&](Queue& queue, void* staging, std::size_t begin, std::size_t end) {
    void* const target = static_cast<unsigned char*>(to) + begin;
    queue.read(from, offset + begin, staging != nullptr ? staging : target, end - begin);
    queue.finish();
    if (staging == nullptr) return;
    if (streams)
      streaming_copy(target, staging, end - begin);
    else
      std::memcpy(target, staging, end - begin);
  });
}

bool CallTransfers::by_threads(std::size_t bytes) const { return bytes >= kByThreads && !device_->info().host_memory; }

// Room in page-locked memory, once what is under way through it has arrived where none is left.
void* CallTransfers::place(std::size_t bytes) {
  constexpr std::size_t line = 256;
  if (block_ < blocks_.size() && used_ + bytes > kStagingBlock) {
    ++block_;
    used_ = 0;
  }
  if (block_ == kMostBlocks) {
    queue_->finish();
    land();
  }
  if (block_ == blocks_.size()) blocks_.push_back(device_->stage(kStagingBlock, *queue_));
  void* const found = static_cast<unsigned char*>(blocks_[block_].host()) + used_;
  used_ += ceiling_ratio(bytes, line) * line;
  return found;
}

// The queue is finished.
void CallTransfers::land() {
  for (const Landing& landing : landings_) std::memcpy(landing.to, landing.staged, landing.bytes);
  landings_.clear();
  block_ = used_ = 0;
}

void CallTransfers::send(const Buffer& to, std::size_t offset, const void* from, std::size_t bytes) {
  if (device_->info().host_memory) return queue_->write(to, offset, from, bytes);
  if (by_threads(bytes)) return send_bytes(device_, to, offset, from, bytes);
  for (std::size_t done = 0, chunk = 0; done < bytes; done += chunk) {
    chunk = std::min(kCopyChunk, bytes - done);
    void* const staged = place(chunk);
    std::memcpy(staged, static_cast<const unsigned char*>(from) + done, chunk);
    queue_->write(to, offset + done, staged, chunk);
  }
}

void CallTransfers::fetch(const Buffer& from, std::size_t offset, void* to, std::size_t bytes) {
  if (device_->info().host_memory) return queue_->read(from, offset, to, bytes);
  if (by_threads(bytes)) {
    long_.push_back({&from, offset, to, bytes});
    return;
  }
  for (std::size_t done = 0, chunk = 0; done < bytes; done += chunk) {
    chunk = std::min(kStagingBlock, bytes - done);
    void* const staged = place(chunk);
    queue_->read(from, offset + done, staged, chunk);
    landings_.push_back({staged, static_cast<unsigned char*>(to) + done, chunk});
  }
}

void CallTransfers::finish() {
  queue_->finish();
  land();
  for (const Long& each : long_) fetch_bytes(device_, *each.from, each.offset, each.to, each.bytes);
  long_.clear();
}

}  // namespace openclPort
