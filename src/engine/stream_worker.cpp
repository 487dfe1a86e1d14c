// stream_worker -- upload, launch, download and drain of the chunks of one worker.
#include "engine/stream_worker.h"

#include <algorithm>
#include <cstring>

#include "base/streaming_copy.h"
#include "device/first_run.h"

namespace openclPort {

namespace {

constexpr const char* kWidenKernel = "nmath_widen";

using Transport = ChunkInput::Transport;
using Fill = ChunkInput::Fill;

std::size_t rows_of(const ChunkInput& input) { return input.column.length / input.planes; }

void* at(void* memory, std::size_t elements, ElementType type) {
  return static_cast<unsigned char*>(memory) + elements * element_bytes(type);
}

const void* at(const ChunkInput& input, std::size_t row) {
  return static_cast<const unsigned char*>(input.column.data) + row * item_bytes(input.column);
}

void plain_copy(void* to, const void* from, std::size_t bytes) noexcept { std::memcpy(to, from, bytes); }

}  // namespace

void ChunkStream::run(RunReport& report) {
  ChunkQueue chunks(plan);
  std::vector<RunReport> reports(plan.workers);  // one each, so that no worker writes where another does
  StreamWorker first(*this, reports.front());
  first.send_whole(whole);
  report.threads = run_workers(static_cast<int>(plan.workers), chunks.blocks(), [&](int id) {
    if (id == 0)
      first.run(chunks, hooks.interrupted);
    else
      StreamWorker(*this, reports[static_cast<std::size_t>(id)]).run(chunks, nullptr);
  });
  // Of several workers the times are this machine's, a mean over the workers: copying, and waiting for the device.
  for (const RunReport& own : reports) {
    report.chunks += own.chunks;
    report.transfer += own.transfer / static_cast<double>(plan.workers);
    report.compute += own.compute / static_cast<double>(plan.workers);
  }
}

StreamWorker::StreamWorker(const ChunkStream& stream, RunReport& report)
    : stream_(stream),
      plan_(stream.plan),
      device_(*stream.device),
      timed_(!stream.device->info().immediate),
      report_(report) {
  for (std::size_t s = 0; s < plan_.slots; ++s)
    slots_.emplace_back(plan_, stream.program->launch(stream.kernel_name), stream.kernel.follower(),
                        device_.queue(plan_.timed));
  slots_.front().launch->check_arguments(stream.kernel.arguments(), device_.info().name);
  for (const ChunkInput& input : plan_.inputs)
    if (input.widen && input.transport == Transport::chunks && widen_ == nullptr) prepare_widening();
}

void StreamWorker::run(ChunkQueue& chunks, const InterruptCheck& interrupted) {
  Chunk chunk;
  std::size_t turn = 0;
  interrupted_ = interrupted;
  while (chunks.next(chunk, stream_.pace.chunk())) {
    if (turn > 0) stop_if(interrupted);
    compute(slots_[turn++ % slots_.size()], chunk);
    if (plan_.zero_copy) drain(slots_.front());  // the chunk was over when its launch was
  }
  for (std::size_t s = 0; s < slots_.size(); ++s) drain(slots_[(turn + s) % slots_.size()]);
}

void StreamWorker::send_whole(std::vector<Buffer>& whole) {
  const auto travels = [](const ChunkInput& input) { return input.transport == Transport::whole; };
  if (std::none_of(plan_.inputs.begin(), plan_.inputs.end(), travels)) return;
  whole.resize(plan_.inputs.size());
  std::vector<Buffer> raw(plan_.inputs.size());
  Slot& slot = slots_.front();
  for (std::size_t k = 0; k < plan_.inputs.size(); ++k) {
    const ChunkInput& input = plan_.inputs[k];
    if (!travels(input) || input.source != k) continue;
    if (input.widen && widen_ == nullptr) prepare_widening();
    Buffer& received = input.widen ? raw[k] : whole[k];
    const std::size_t count = input.column.length;
    lend(input, input.column.data, count, received);
    if (!received) {
      received = device_.allocate(input.sent(), count);
      slot.queue->write(received, 0, input.column.data, count * item_bytes(input.column), new_event(slot.transfers));
    }
    if (input.widen) widen(slot, raw[k], whole[k], count, count);
  }
  if (plan_.workers * plan_.slots > 1) slot.queue->finish();  // other queues do not wait for this one's commands
}

// Where a command leaves its event, if its times are wanted.
Queue::EventSlot StreamWorker::new_event(Events& events) {
  if (plan_.zero_copy || !plan_.timed) return nullptr;
  events.emplace_back();
  return &events.back();
}

void StreamWorker::compute(Slot& slot, const Chunk& chunk) {
  for (std::size_t first = chunk.first, last = 0; first < chunk.first + chunk.count; first = last) {
    last = stream_.kernel.end_of_run(first, chunk.first + chunk.count);
    drain(slot);
    slot.under_way.lap();
    slot.chunk = chunk;
    if (!plan_.reduces()) slot.chunk = {first, last - first, first, last - first};
    upload(slot);
    launch(slot);
    download(slot);
  }
  ++report_.chunks;
}

void StreamWorker::prepare_widening() { widen_ = stream_.program->launch(kWidenKernel); }

void* StreamWorker::stage(Slot& slot, Buffer& staging, std::size_t least) {
  if (!staging) staging = device_.stage(std::max(plan_.staging, least), *slot.queue);
  return staging.host();
}

void StreamWorker::upload(Slot& slot) {
  Stopwatch watch;
  std::size_t planes = 0;
  for (std::size_t k = 0; k < plan_.inputs.size(); ++k)
    if (plan_.inputs[k].transport == Transport::chunks && plan_.inputs[k].source == k) upload_input(slot, k, planes);
  make_outputs(slot);
  if (plan_.zero_copy) report_.transfer += seconds_since(watch);
}

// Host memory for the device to work on, where it does.
void StreamWorker::lend(const ChunkInput& input, const void* data, std::size_t count, Buffer& target) {
  if (plan_.zero_copy) target = device_.borrow(input.sent(), const_cast<void*>(data), count, Access::read);
}

// Gives the device the chunk of an input: where it lies, or a copy, by way of page-locked memory or, where the chunk
// has to be put together, of scratch memory of the worker, which stays in the processor's cache. `planes` counts what
// the slot has staged.
void StreamWorker::upload_input(Slot& slot, std::size_t k, std::size_t& planes) {
  const ChunkInput& input = plan_.inputs[k];
  const ElementType type = input.sent();
  const std::size_t first = slot.chunk.first, count = slot.chunk.count;
  const std::size_t item = element_bytes(type), capacity = plan_.zero_copy ? count : plan_.chunk_size;
  Buffer& received = input.widen ? slot.raw[k] : slot.memory.inputs[k];
  if (plan_.zero_copy && input.fill == Fill::plain) {
    lend(input, at(input, first), (input.planes - 1) * rows_of(input) + count, received);
  } else {
    if (!plan_.zero_copy && !received) received = device_.allocate(type, input.planes * plan_.chunk_size);
    if (!plan_.staged && input.fill != Fill::plain && slot.scratch[k].size() < input.planes * capacity * item)
      slot.scratch[k].resize(input.planes * capacity * item);
    for (std::size_t plane = 0; plane < input.planes; ++plane) {
      const void* from = at(input, plane * rows_of(input) + first);
      if (plan_.staged || input.fill != Fill::plain) {
        if (plan_.staged && slot.staging.size() == planes) slot.staging.emplace_back();
        void* const target =
            plan_.staged ? stage(slot, slot.staging[planes++]) : at(slot.scratch[k].data(), plane * capacity, type);
        Stopwatch watch;
        fill_chunk(plan_, input, plane, first, count, target);
        if (plan_.staged) report_.transfer += watch.lap();
        from = target;
      }
      if (!plan_.zero_copy)
        slot.queue->write(received, plane * plan_.chunk_size * item, from, count * item, new_event(slot.transfers));
    }
    if (plan_.zero_copy) lend(input, slot.scratch[k].data(), input.planes * count, received);
  }
  if (input.widen) widen(slot, slot.raw[k], slot.memory.inputs[k], count, plan_.chunk_size);
}

void StreamWorker::make_outputs(Slot& slot) {
  for (std::size_t j = 0; j < plan_.outputs.size(); ++j) {
    const ChunkOutput& output = plan_.outputs[j];
    if (output.host == nullptr && !output.passed_on) continue;
    Buffer& buffer = slot.memory.outputs[j];
    if (plan_.zero_copy && output.host != nullptr)
      buffer = device_.borrow(output.type, at(output.host, slot.chunk.first_of(output), output.type),
                              slot.chunk.count_of(output), Access::write);
    else if (!buffer)
      buffer = device_.allocate(output.type, plan_.capacity_of(output));
  }
}

void StreamWorker::widen(Slot& slot, const Buffer& raw, Buffer& target, std::size_t count, std::size_t capacity) {
  if (!target) target = device_.allocate(ElementType::f64, capacity);
  widen_->set_buffer(0, raw);
  widen_->set_buffer(1, target);
  widen_->set(2, static_cast<std::int32_t>(count));
  widen_->items(count, stream_.cost);
  enqueue(slot, *widen_);
}

void StreamWorker::enqueue(Slot& slot, Launch& launch) { slot.queue->run(launch, new_event(slot.computations)); }

// What the driver compiles for this launch, before it refers to anything of the caller's.
void StreamWorker::compile_ahead(Slot& slot) {
  const auto first = std::make_shared<FirstRun>(stream_.device, stream_.program->launch(stream_.kernel_name));
  stream_.kernel.prepare(*first, Chunk(), slot.memory, 0);
  FirstRun::of(first, *slot.launch, interrupted_);
}

void StreamWorker::launch(Slot& slot) {
  Stopwatch watch;
  stream_.kernel.prepare(*slot.launch, slot.chunk, slot.memory, slot.launched);
  if (!slot.launch->compiled() && interrupted_) compile_ahead(slot);
  slot.launched = slot.chunk.count;
  enqueue(slot, *slot.launch);
  if (slot.follower != nullptr) {
    stream_.kernel.prepare_follower(*slot.follower, slot.chunk, slot.memory);
    enqueue(slot, *slot.follower);
  }
  if (!plan_.zero_copy) return;
  slot.queue->finish();
  report_.compute += seconds_since(watch);
}

void StreamWorker::download(Slot& slot) {
  Stopwatch watch;
  for (std::size_t j = 0; j < plan_.outputs.size(); ++j) {
    const ChunkOutput& output = plan_.outputs[j];
    if (output.host == nullptr) continue;
    const Buffer& buffer = slot.memory.outputs[j];
    if (plan_.zero_copy) {
      slot.queue->publish(buffer);
      continue;
    }
    const std::size_t count = slot.chunk.count_of(output), item = element_bytes(output.type);
    void* const target = plan_.staged ? stage(slot, slot.output_staging[j], plan_.capacity_of(output) * item)
                                      : at(output.host, slot.chunk.first_of(output), output.type);
    slot.queue->read(buffer, 0, target, count * item, plan_.staged ? nullptr : new_event(slot.transfers));
  }
  if (plan_.workers * plan_.slots == 1) stream_.kernel.collect(*slot.queue);
  if (plan_.zero_copy) {
    slot.queue->finish();
    report_.transfer += seconds_since(watch);
  } else if (slots_.size() > 1) {
    slot.queue->flush();  // the worker goes on to another slot before it waits for this one
  }
}

// Whether somebody looks through the results, which are one double for each element.
bool StreamWorker::looked_through() const {
  return stream_.hooks.arrived && !plan_.reduces() && plan_.outputs.size() == 1 &&
         plan_.outputs.front().host != nullptr && plan_.outputs.front().type == ElementType::f64;
}

void StreamWorker::arrived(std::size_t begin, std::size_t end, void* results) {
  stream_.hooks.arrived(begin, end, static_cast<double*>(results));
}

// Waits for the slot's chunk, if it has one, hands its results over and takes its times.
void StreamWorker::drain(Slot& slot) {
  if (slot.chunk.count == 0) return;
  Stopwatch watch;
  slot.queue->finish();
  stream_.pace.took(slot.chunk.count, slot.under_way.lap());
  const double waited = watch.lap();
  if (!plan_.timed && !plan_.zero_copy) report_.compute += waited;
  if (!plan_.zero_copy) report_.compute += slot.queue->take_run_seconds();
  if (plan_.staged) {
    hand_over(slot);
    report_.transfer += watch.lap();
  } else {
    const Chunk& chunk = slot.chunk;
    const std::size_t end = chunk.first + chunk.count;
    if (looked_through()) arrived(chunk.first, end, at(plan_.outputs.front().host, chunk.out_first, ElementType::f64));
    if (stream_.hooks.finished) stream_.hooks.finished(chunk.first, end);
  }
  for (const auto& event : slot.transfers) report_.transfer += seconds_between(*event, *event);
  for (const auto& event : slot.computations) report_.compute += busy_.add(*event);
  slot.transfers.clear();
  slot.computations.clear();
  slot.chunk.count = 0;
}

// Copies results from page-locked memory, those of elements in chunks that the processor's first cache still holds
// after they were looked through.
void StreamWorker::hand_over(const Slot& slot) {
  constexpr std::size_t kChunk = 4096;
  const auto copy = plan_.streams ? streaming_copy : plain_copy;
  const Chunk& chunk = slot.chunk;
  for (std::size_t done = 0; done < chunk.out_count;) {
    const std::size_t count = plan_.reduces() ? chunk.out_count : std::min(kChunk, chunk.out_count - done);
    const std::size_t first = chunk.first + (plan_.reduces() ? 0 : done);
    if (looked_through()) arrived(first, first + count, at(slot.output_staging.front().host(), done, ElementType::f64));
    for (std::size_t j = 0; j < plan_.outputs.size(); ++j) {
      const ChunkOutput& output = plan_.outputs[j];
      if (output.host == nullptr) continue;
      const std::size_t place = output.each ? chunk.first : chunk.out_first + done;
      copy(at(output.host, output.first(place), output.type),
           at(slot.output_staging[j].host(), output.first(done), output.type),
           (output.each ? chunk.count : output.count(count)) * element_bytes(output.type));
    }
    if (stream_.hooks.finished) stream_.hooks.finished(first, first + (plan_.reduces() ? chunk.count : count));
    done += count;
  }
}

}  // namespace openclPort
