// elementwise_lane -- upload, launch, download and drain of the chunks of one lane.
#include "engine/elementwise_lane.h"

#include <algorithm>
#include <cstring>

namespace openclPort {

namespace {

constexpr const char* kWidenKernel = "nmath_widen";

ElementType type_of(const Column& column) {
  return column.type == Column::Type::f64 ? ElementType::f64 : ElementType::i32;
}

int flag_at(const Column& column, std::size_t i) {
  return static_cast<const int*>(column.data)[column.length == 1 ? 0 : i % column.length];
}

}  // namespace

ElementwiseLane::ElementwiseLane(const ElementwiseStream& stream, RunReport& report)
    : stream_(stream),
      plan_(stream.plan),
      device_(*stream.device),
      timed_(!stream.device->info().immediate),
      report_(report) {
  const std::size_t columns = plan_.columns.size();
  for (std::size_t s = 0; s < plan_.slots; ++s)
    slots_.emplace_back(columns, stream.program->launch(stream.spec.kernel_name), device_.queue(!plan_.staged));
  slots_.front().launch->check_arguments(stream.first_length() + columns * (plan_.recycles ? 3 : 2),
                                         device_.info().name);
  for (const ColumnPlan& column : plan_.columns)
    if (column.widen && column.in_pieces() && widen_ == nullptr) prepare_widening();
}

void ElementwiseLane::run(BlockQueue& chunks, const InterruptCheck& interrupted) {
  std::size_t begin, end, turn = 0;
  while (chunks.next(begin, end, stream_.pace.piece())) {
    if (turn > 0) stop_if(interrupted);
    compute(slots_[turn++ % slots_.size()], begin, end);
    if (plan_.share) drain(slots_.front());  // the chunk was over when its launch was
  }
  for (std::size_t s = 0; s < slots_.size(); ++s) drain(slots_[(turn + s) % slots_.size()]);
}

void ElementwiseLane::send_whole(std::vector<Buffer>& whole) {
  const auto travels = [](const ColumnPlan& column) { return column.travel == Travel::whole; };
  if (std::none_of(plan_.columns.begin(), plan_.columns.end(), travels)) return;
  whole.resize(plan_.columns.size());
  std::vector<Buffer> raw(plan_.columns.size());
  Slot& slot = slots_.front();
  for (std::size_t k = 0; k < plan_.columns.size(); ++k) {
    const ColumnPlan& column = plan_.columns[k];
    if (!travels(column) || column.source != k) continue;
    if (column.widen && widen_ == nullptr) prepare_widening();
    send(slot, column, column.column.data, column.column.length, column.column.length, raw[k], whole[k]);
  }
  slot.queue->finish();  // other queues do not wait for this one's commands
}

// Where a command leaves its event, if its times are wanted.
Queue::EventSlot ElementwiseLane::new_event(Events& events) {
  if (plan_.share || plan_.staged) return nullptr;
  events.emplace_back();
  return &events.back();
}

void ElementwiseLane::compute(Slot& slot, std::size_t begin, std::size_t end) {
  for (std::size_t first = begin; first < end;) {
    const std::size_t last = plan_.runs ? run_of_flags(first, end) : end;
    drain(slot);
    slot.under_way.lap();
    compute_piece(slot, first, last);
    first = last;
  }
  ++report_.chunks;
}

void ElementwiseLane::compute_piece(Slot& slot, std::size_t begin, std::size_t end) {
  slot.first = begin;
  slot.count = end - begin;
  upload(slot);
  launch(slot);
  download(slot);
}

// The end of the elements from `begin` on whose flags are equal.
std::size_t ElementwiseLane::run_of_flags(std::size_t begin, std::size_t end) const {
  std::size_t last = begin + 1;
  const auto differs = [&](const ColumnPlan& column) {
    return column.travel == Travel::runs && flag_at(column.column, begin) != flag_at(column.column, last);
  };
  while (last < end && std::none_of(plan_.columns.begin(), plan_.columns.end(), differs)) ++last;
  return last;
}

void ElementwiseLane::prepare_widening() { widen_ = stream_.program->launch(kWidenKernel); }

void* ElementwiseLane::stage(Buffer& staging, Slot& slot) {
  if (!staging) staging = device_.stage(plan_.staging, *slot.queue);
  return staging.host();
}

// The chunk's piece of a column in host memory: where it lies, or a copy, in page-locked memory or in scratch memory of
// the lane, which stays in the processor's cache.
const void* ElementwiseLane::piece_of(Slot& slot, std::size_t k) {
  const ColumnPlan& column = plan_.columns[k];
  const std::size_t item = column.widen_here ? sizeof(double) : item_bytes(column.column);
  if (column.travel == Travel::pieces && !plan_.staged && !column.widen_here)
    return static_cast<const unsigned char*>(column.column.data) + slot.first * item;
  void* target;
  if (plan_.staged) {
    target = stage(slot.inputs_staging[k], slot);
  } else {
    slot.recycled.resize(plan_.columns.size());
    slot.recycled[k].resize(slot.count * item);
    target = slot.recycled[k].data();
  }
  Stopwatch watch;
  if (column.widen_here)
    widen_piece(column.column, slot.first, slot.count, static_cast<double*>(target));
  else
    copy_piece(column.column, slot.first, slot.count, target);
  if (plan_.staged) report_.transfer += watch.lap();
  return target;
}

void ElementwiseLane::upload(Slot& slot) {
  Stopwatch watch;
  for (std::size_t k = 0; k < plan_.columns.size(); ++k) {
    const ColumnPlan& column = plan_.columns[k];
    if (!column.in_pieces() || column.source != k) continue;
    send(slot, column, piece_of(slot, k), slot.count, plan_.chunk, slot.raw[k], slot.inputs[k]);
  }
  if (plan_.share)
    slot.output = device_.borrow(ElementType::f64, stream_.out + slot.first, slot.count, Access::write);
  else if (!slot.output)
    slot.output = device_.allocate(ElementType::f64, plan_.chunk);
  if (plan_.share) report_.transfer += seconds_since(watch);
}

// Gives the device `count` elements of host memory in `target`, which is made for `capacity` of them: a copy, or the
// memory itself. Integers come in `raw` and are widened.
void ElementwiseLane::send(Slot& slot, const ColumnPlan& column, const void* data, std::size_t count,
                           std::size_t capacity, Buffer& raw, Buffer& target) {
  Buffer& received = column.widen ? raw : target;
  const ElementType type = column.widen_here ? ElementType::f64 : type_of(column.column);
  if (plan_.share) {
    received = device_.borrow(type, const_cast<void*>(data), count, Access::read);
  } else {
    if (!received) received = device_.allocate(type, capacity);
    slot.queue->write(received, 0, data, count * element_bytes(type), new_event(slot.transfers));
  }
  if (!column.widen) return;
  if (!target) target = device_.allocate(ElementType::f64, capacity);
  widen_->set_buffer(0, raw);
  widen_->set_buffer(1, target);
  widen_->set(2, static_cast<std::int32_t>(count));
  enqueue(slot, *widen_, count);
}

void ElementwiseLane::enqueue(Slot& slot, Launch& launch, std::size_t items) {
  launch.items(items, stream_.spec.cost);
  slot.queue->run(launch, new_event(slot.computations));
}

// Sets what has changed since the slot's last launch: where data is copied, the buffers stay.
void ElementwiseLane::set_arguments(Slot& slot) {
  const unsigned columns = static_cast<unsigned>(plan_.columns.size());
  const bool fresh = slot.launched == 0;
  Launch& launch = *slot.launch;
  for (unsigned k = 0; k < columns && (fresh || plan_.share); ++k) {
    const ColumnPlan& column = plan_.columns[k];
    launch.set_buffer(k, column.travel == Travel::whole ? stream_.whole[column.source]
                         : column.in_pieces()           ? slot.inputs[column.source]
                                                        : slot.output);  // not looked at
  }
  if (fresh || plan_.share) launch.set_buffer(columns, slot.output);
  if (slot.launched != slot.count) launch.set(columns + 1, static_cast<std::int32_t>(slot.count));
  if (stream_.spec.draws() && fresh) launch.set(columns + 2, stream_.seed);
  if (stream_.spec.draws()) launch.set(columns + 3, static_cast<std::uint64_t>(slot.first));
  const unsigned each = plan_.recycles ? 3 : 2, first_length = static_cast<unsigned>(stream_.first_length());
  for (unsigned k = 0; k < columns && (fresh || plan_.recycles || plan_.runs); ++k) {
    const ColumnPlan& column = plan_.columns[k];
    const unsigned index = first_length + k * each;
    if (fresh) {
      launch.set(index, static_cast<std::int32_t>(column.length_argument()));
      launch.set(index + 1, column.value);
    }
    if (column.travel == Travel::runs)
      launch.set(index + 1, static_cast<std::int64_t>(flag_at(column.column, slot.first)));
    if (plan_.recycles) launch.set(index + 2, static_cast<std::uint32_t>(slot.first % column.column.length));
  }
  slot.launched = slot.count;
}

void ElementwiseLane::launch(Slot& slot) {
  Stopwatch watch;
  set_arguments(slot);
  enqueue(slot, *slot.launch, slot.count);
  if (!plan_.share) return;
  slot.queue->finish();
  report_.compute += seconds_since(watch);
}

void ElementwiseLane::download(Slot& slot) {
  Stopwatch watch;
  if (plan_.share) {
    slot.queue->publish(slot.output);
    slot.queue->finish();
    report_.transfer += seconds_since(watch);
    return;
  }
  void* target = plan_.staged ? stage(slot.output_staging, slot) : static_cast<void*>(stream_.out + slot.first);
  slot.queue->read(slot.output, 0, target, slot.count * sizeof(double), new_event(slot.transfers));
  slot.queue->flush();
}

// Waits for the slot's chunk, if it has one, hands its results over and takes its times.
void ElementwiseLane::drain(Slot& slot) {
  if (slot.count == 0) return;
  Stopwatch watch;
  slot.queue->finish();
  stream_.pace.took(slot.count, slot.under_way.lap());
  if (plan_.staged) {
    report_.compute += watch.lap();
    hand_over(slot);
    report_.transfer += watch.lap();
  } else if (stream_.hooks.finished) {
    stream_.hooks.finished(slot.first, slot.first + slot.count);
  }
  for (const auto& event : slot.transfers) report_.transfer += seconds_between(*event, *event);
  for (const auto& event : slot.computations) report_.compute += seconds_between(*event, *event);
  slot.transfers.clear();
  slot.computations.clear();
  slot.count = 0;
}

// Copies results from page-locked memory in pieces that the processor's first cache still holds when `finished` looks
// through them.
void ElementwiseLane::hand_over(const Slot& slot) {
  constexpr std::size_t kPiece = 4096;
  const double* from = static_cast<const double*>(slot.output_staging.host());
  for (std::size_t done = 0; done < slot.count;) {
    const std::size_t first = slot.first + done, count = std::min(kPiece, slot.count - done);
    std::memcpy(stream_.out + first, from + done, count * sizeof(double));
    if (stream_.hooks.finished) stream_.hooks.finished(first, first + count);
    done += count;
  }
}

}  // namespace openclPort
