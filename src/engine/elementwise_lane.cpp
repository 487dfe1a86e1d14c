// elementwise_lane -- upload, launch, download and drain of the chunks of one lane.
#include "engine/elementwise_lane.h"

#include <algorithm>
#include <cstring>

#include "engine/column_pieces.h"

namespace openclPort {

namespace {
constexpr const char* kWidenKernel = "nmath_widen";
}  // namespace

ElementwiseLane::ElementwiseLane(const ElementwiseStream& stream, RunReport& report)
    : stream_(stream), plan_(stream.plan), device_(stream.device()), report_(report) {
  const std::size_t columns = plan_.columns.size();
  for (std::size_t s = 0; s < plan_.slots; ++s)
    slots_.emplace_back(columns, stream.program.create_kernel(stream.kernel_name),
                        stream.session->queue(!plan_.staged));
  info_ = read_kernel_info(slots_.front().kernel.get(), device_);
  check_argument_count(info_, stream.first_length() + columns * (plan_.recycles ? 3 : 2), stream.kernel_name, device_);
  for (const ColumnPlan& column : plan_.columns)
    if (column.widen && column.in_pieces() && !widen_) prepare_widening();
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

void ElementwiseLane::send_whole(std::vector<DeviceBuffer>& whole) {
  const auto travels = [](const ColumnPlan& column) { return column.travel == Travel::whole; };
  if (std::none_of(plan_.columns.begin(), plan_.columns.end(), travels)) return;
  whole.resize(plan_.columns.size());
  std::vector<DeviceBuffer> raw(plan_.columns.size());
  Slot& slot = slots_.front();
  for (std::size_t k = 0; k < plan_.columns.size(); ++k) {
    const ColumnPlan& column = plan_.columns[k];
    if (!travels(column) || column.source != k) continue;
    if (column.widen && !widen_) prepare_widening();
    send(slot, column, column.column.data, column.column.length, column.column.length, raw[k], whole[k]);
  }
  slot.queue.finish();  // other queues do not wait for this one's commands
}

// Where a command leaves its event, if its times are wanted.
cl_event* ElementwiseLane::new_event(std::vector<EventHandle>& events) {
  if (plan_.share || plan_.staged) return nullptr;
  events.emplace_back();
  return events.back().receive();
}

void ElementwiseLane::compute(Slot& slot, std::size_t begin, std::size_t end) {
  drain(slot);
  slot.first = begin;
  slot.count = end - begin;
  slot.under_way.lap();
  upload(slot);
  launch(slot);
  download(slot);
  ++report_.chunks;
}

void ElementwiseLane::prepare_widening() {
  widen_ = stream_.program.create_kernel(kWidenKernel);
  widen_info_ = read_kernel_info(widen_.get(), device_);
}

void* ElementwiseLane::stage(std::unique_ptr<Staging>& staging, Slot& slot) {
  if (staging == nullptr)
    staging = std::make_unique<Staging>(stream_.session->staging(plan_.staging, slot.queue.get()));
  return staging->data();
}

// The chunk's piece of a column in host memory: where it lies, or a copy in page-locked memory.
const void* ElementwiseLane::piece_of(Slot& slot, std::size_t k) {
  const ColumnPlan& column = plan_.columns[k];
  const std::size_t item = item_bytes(column.column);
  if (column.travel == Travel::pieces && !plan_.staged)
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
    slot.output =
        stream_.session->host_buffer(stream_.out + slot.first, slot.count * sizeof(double), CL_MEM_WRITE_ONLY);
  else if (!slot.output)
    slot.output = stream_.session->buffer(plan_.chunk * sizeof(double));
  if (plan_.share) report_.transfer += watch.lap();
}

// Gives the device `count` elements of host memory in `target`, which is made for `capacity` of them: a copy, or the
// memory itself. Integers come in `raw` and are widened.
void ElementwiseLane::send(Slot& slot, const ColumnPlan& column, const void* data, std::size_t count,
                           std::size_t capacity, DeviceBuffer& raw, DeviceBuffer& target) {
  DeviceBuffer& received = column.widen ? raw : target;
  const std::size_t item = item_bytes(column.column);
  if (plan_.share) {
    received = stream_.session->host_buffer(const_cast<void*>(data), count * item, CL_MEM_READ_ONLY);
  } else {
    if (!received) received = stream_.session->buffer(capacity * item);
    check_cl(clEnqueueWriteBuffer(slot.queue.get(), received.get(), CL_FALSE, 0, count * item, data, 0, nullptr,
                                  new_event(slot.transfers)),
             "clEnqueueWriteBuffer", device_.name, "copying arguments to the device");
  }
  if (!column.widen) return;
  if (!target) target = stream_.session->buffer(capacity * sizeof(double));
  const cl_mem from = raw.get(), to = target.get();
  const cl_int len = static_cast<cl_int>(count);
  set_kernel_argument(widen_.get(), 0, &from, sizeof from, kWidenKernel, device_);
  set_kernel_argument(widen_.get(), 1, &to, sizeof to, kWidenKernel, device_);
  set_kernel_argument(widen_.get(), 2, &len, sizeof len, kWidenKernel, device_);
  enqueue(slot, widen_.get(), widen_info_, count, kWidenKernel);
}

void ElementwiseLane::enqueue(Slot& slot, cl_kernel kernel, const KernelInfo& info, std::size_t items,
                              const std::string& name) {
  const LaunchShape shape = launch_shape(info, device_, items, cpu_group(stream_.cost));
  cl_event* event = new_event(slot.computations);
  const cl_int status =
      clEnqueueNDRangeKernel(slot.queue.get(), kernel, 1, nullptr, &shape.global, &shape.group, 0, nullptr, event);
  if (status != CL_SUCCESS)
    check_cl(status, "clEnqueueNDRangeKernel", device_.name, ("starting kernel '" + name + "'").c_str());
}

template <typename T>
void ElementwiseLane::set(Slot& slot, std::size_t index, const T& value) {
  set_kernel_argument(slot.kernel.get(), static_cast<unsigned>(index), &value, sizeof value, stream_.kernel_name,
                      device_);
}

// Sets what has changed since the slot's last launch: where data is copied, the buffers stay.
void ElementwiseLane::set_arguments(Slot& slot) {
  const std::size_t columns = plan_.columns.size();
  const bool fresh = slot.launched == 0;
  for (std::size_t k = 0; k < columns && (fresh || plan_.share); ++k) {
    const ColumnPlan& column = plan_.columns[k];
    set(slot, k,
        column.travel == Travel::scalar  ? slot.output.get()  // not looked at
        : column.travel == Travel::whole ? stream_.whole[column.source].get()
                                         : slot.inputs[column.source].get());
  }
  if (fresh || plan_.share) set(slot, columns, slot.output.get());
  if (slot.launched != slot.count) set(slot, columns + 1, static_cast<cl_int>(slot.count));
  if (stream_.draws && fresh) set(slot, columns + 2, static_cast<cl_ulong>(stream_.seed));
  if (stream_.draws) set(slot, columns + 3, static_cast<cl_ulong>(slot.first));
  const std::size_t each = plan_.recycles ? 3 : 2;
  for (std::size_t k = 0; k < columns && (fresh || plan_.recycles); ++k) {
    const ColumnPlan& column = plan_.columns[k];
    const std::size_t index = stream_.first_length() + k * each;
    if (fresh) {
      set(slot, index, static_cast<cl_int>(column.length_argument()));
      set(slot, index + 1, static_cast<cl_long>(column.value));
    }
    if (plan_.recycles) set(slot, index + 2, static_cast<cl_uint>(slot.first % column.column.length));
  }
  slot.launched = slot.count;
}

void ElementwiseLane::launch(Slot& slot) {
  Stopwatch watch;
  set_arguments(slot);
  enqueue(slot, slot.kernel.get(), info_, slot.count, stream_.kernel_name);
  if (!plan_.share) return;
  slot.queue.finish();
  report_.compute += watch.lap();
}

void ElementwiseLane::download(Slot& slot) {
  Stopwatch watch;
  const std::size_t bytes = slot.count * sizeof(double);
  if (plan_.share) {
    collect_shared(slot.queue, slot.output.get(), bytes, device_);
    slot.queue.finish();
    report_.transfer += watch.lap();
    return;
  }
  void* target = plan_.staged ? stage(slot.output_staging, slot) : static_cast<void*>(stream_.out + slot.first);
  check_cl(clEnqueueReadBuffer(slot.queue.get(), slot.output.get(), CL_FALSE, 0, bytes, target, 0, nullptr,
                               new_event(slot.transfers)),
           "clEnqueueReadBuffer", device_.name, "reading results");
  check_cl(clFlush(slot.queue.get()), "clFlush", device_.name);
}

// Waits for the slot's chunk, if it has one, hands its results over and takes its times.
void ElementwiseLane::drain(Slot& slot) {
  if (slot.count == 0) return;
  Stopwatch watch;
  slot.queue.finish();
  stream_.pace.took(slot.count, slot.under_way.lap());
  if (plan_.staged) {
    report_.compute += watch.lap();
    hand_over(slot);
    report_.transfer += watch.lap();
  } else if (stream_.hooks.finished) {
    stream_.hooks.finished(slot.first, slot.first + slot.count);
  }
  for (const EventHandle& event : slot.transfers) report_.transfer += event_seconds(event);
  for (const EventHandle& event : slot.computations) report_.compute += event_seconds(event);
  slot.transfers.clear();
  slot.computations.clear();
  slot.count = 0;
}

// Copies results from page-locked memory in pieces that the processor's first cache still holds when `finished` looks
// through them.
void ElementwiseLane::hand_over(const Slot& slot) {
  constexpr std::size_t kPiece = 4096;
  const double* from = static_cast<const double*>(slot.output_staging->data());
  for (std::size_t done = 0; done < slot.count;) {
    const std::size_t first = slot.first + done, count = std::min(kPiece, slot.count - done);
    std::memcpy(stream_.out + first, from + done, count * sizeof(double));
    if (stream_.hooks.finished) stream_.hooks.finished(first, first + count);
    done += count;
  }
}

}  // namespace openclPort
