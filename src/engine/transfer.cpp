// transfer -- blocks of a vector, shared out among threads that each have a queue and page-locked memory.
#include "engine/transfer.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "base/columns.h"
#include "base/streaming_copy.h"
#include "base/work_threads.h"
#include "engine/piece_plan.h"

namespace openclPort {

namespace {

constexpr std::size_t kDirect = std::size_t{1} << 20;  // bytes that no second thread is worth
constexpr int kMostThreads = 8;

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

}  // namespace openclPort
