// device_draws -- takes draws from the memory of a chunk to where they are resident, on a device with memory of its
// own.
#pragma once

#include <memory>

#include "engine/stream_worker.h"

namespace openclPort {

struct DrawsFound {
  bool missing = false;  // some have no value
  bool beyond = false;   // some are no int, where ints are kept
};

// Where the draws of a call are stored.
class DrawStore {
 public:
  // Element `first` of the call goes to the beginning of `out`, which holds doubles or ints. `na`: a double without a
  // value is R's NA, else NaN; an int is R's NA in any case.
  DrawStore(SharedDevice device, const Buffer& out, std::size_t first, bool na);

  std::unique_ptr<Launch> launch() const;
  void prepare(Launch& launch, const Chunk& chunk, const Buffer& draws) const;
  DrawsFound found() const;  // once the launches are over

 private:
  const SharedDevice device_;  // outlives the buffer
  const Buffer& out_;
  const std::size_t first_;
  const bool na_;
  Buffer found_;
};

// A kernel that draws, each of whose launches is followed by one that stores what it has left.
class StoringKernel : public ChunkKernel {
 public:
  StoringKernel(std::unique_ptr<ChunkKernel> draws, const DrawStore& store) : draws_(std::move(draws)), store_(store) {}

  unsigned arguments() const override { return draws_->arguments(); }
  void prepare(Launch& launch, const Chunk& chunk, const ChunkMemory& memory, std::size_t previous) const override {
    draws_->prepare(launch, chunk, memory, previous);
  }
  std::size_t end_of_run(std::size_t begin, std::size_t end) const override { return draws_->end_of_run(begin, end); }
  std::unique_ptr<Launch> follower() const override { return store_.launch(); }
  void prepare_follower(Launch& launch, const Chunk& chunk, const ChunkMemory& memory) const override {
    store_.prepare(launch, chunk, memory.outputs.front());
  }

 private:
  const std::unique_ptr<ChunkKernel> draws_;
  const DrawStore& store_;
};

// Its kernels store_doubles and store_integers have the arguments from, to, first (long: where the chunk begins in
// `to`), missing (ulong: the bits of a missing double), found (int*: bit 0 is set where one is missing, bit 1 where one
// is no int), len.
SharedProgram resident_draws_program(const SharedDevice& device);

}  // namespace openclPort
