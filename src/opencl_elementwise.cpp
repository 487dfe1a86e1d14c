// opencl_elementwise -- the elementwise engine: columns of any length, chunk by chunk, in bounded memory.
//
// A chunk goes through upload, launch, download, drain. Where data is copied, several lanes share the chunks out: each
// is a thread with a queue and buffers of its own that fills page-locked memory from the caller's, sends it on its way,
// waits, and empties the results; what the device and the bus do for one lane overlaps with the copies of the others.
// (A second chunk under way in each lane is slower: its memory does not fit into the processor's cache.) A single lane
// has two slots instead. Where the device works on host memory there is one lane with one slot, and its buffers lie over
// the caller's vectors.
#include <algorithm>
#include <array>
#include <cstring>

#include "column_pieces.h"
#include "elementwise_plan.h"
#include "opencl_kernel_runners.h"
#include "opencl_launch.h"
#include "work_threads.h"

namespace openclPort {

#ifdef USE_OPENCL

namespace {

constexpr const char* kWidenKernel = "nmath_widen";
constexpr double kChunkSeconds = 0.1;
constexpr std::size_t kFirstTimedChunk = std::size_t{1} << 17;

// What the lanes of one call share; none of it changes while they run.
struct Stream {
  std::shared_ptr<Session> session;
  KernelBundle program;
  std::string kernel_name;
  ElementwisePlan plan;
  double* out;
  const CallHooks& hooks;
  std::vector<DeviceBuffer> whole;  // the columns that travel once

  const DeviceInfo& device() const { return session->device(); }
};

class Lane {
 public:
  Lane(const Stream& stream, RunReport& report)
      : stream_(stream),
        plan_(stream.plan),
        device_(stream.device()),
        report_(report) {
    const std::size_t columns = plan_.columns.size();
    for (std::size_t s = 0; s < plan_.slots; ++s)
      slots_.emplace_back(columns, stream.program.create_kernel(stream.kernel_name), stream.session->queue(!plan_.staged));
    info_ = read_kernel_info(slots_.front().kernel.get(), device_);
    check_argument_count(info_, columns * (plan_.recycles ? 4 : 3) + 2, stream.kernel_name, device_);
    for (const ColumnPlan& column : plan_.columns)
      if (column.widen && column.in_pieces() && !widen_) prepare_widening();
  }

  // Computes chunks until there are none left.
  void run(BlockQueue& chunks, const InterruptCheck& interrupted) {
    std::size_t begin, end, turn = 0;
    while (chunks.next(begin, end)) {
      if (turn > 0 && interrupted && interrupted()) throw NmathError("interrupted");
      compute(slots_[turn++ % slots_.size()], begin, end);
    }
    for (std::size_t s = 0; s < slots_.size(); ++s) drain(slots_[(turn + s) % slots_.size()]);
  }

  // The same where a chunk is over when its launch is: chunks of some kChunkSeconds, so that an interrupt is soon seen.
  void run_timed(const InterruptCheck& interrupted) {
    std::size_t most = std::min(plan_.chunk, kFirstTimedChunk), end = 0;
    for (std::size_t begin = 0; begin < plan_.n; begin = end) {
      if (begin > 0 && interrupted && interrupted()) throw NmathError("interrupted");
      Stopwatch watch;
      end = begin + std::min(most, plan_.n - begin);
      compute(slots_.front(), begin, end);
      drain(slots_.front());
      const double fitting = kChunkSeconds / std::max(watch.lap(), 1e-6) * static_cast<double>(end - begin);
      most = static_cast<std::size_t>(std::min(std::max(fitting, 1024.0), static_cast<double>(plan_.chunk)));
    }
  }

  // Sends the columns that travel once; the lane's own slots are not used yet.
  void send_whole(std::vector<DeviceBuffer>& whole) {
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

 private:
  // One chunk under way. Members are destroyed in reverse order: the queue is finished before buffers and staging go.
  struct Slot {
    Slot(std::size_t columns, KernelHandle its_kernel, QueueLease lease)
        : inputs_staging(columns),
          raw(columns),
          inputs(columns),
          kernel(std::move(its_kernel)),
          queue(std::move(lease)) {}
    std::size_t first = 0, count = 0;
    std::size_t launched = 0;  // elements of the last launch; 0: the kernel has no arguments yet
    std::vector<std::unique_ptr<Staging>> inputs_staging;
    std::unique_ptr<Staging> output_staging;
    std::vector<std::vector<unsigned char>> recycled;  // where pieces are put together, without page-locked memory
    std::vector<DeviceBuffer> raw, inputs;             // integers before they are widened; what the kernel reads
    DeviceBuffer output;
    std::vector<EventHandle> transfers, computations;  // none of staged chunks: a driver spends more on them than on
                                                       // the launch
    KernelHandle kernel;
    QueueLease queue;
  };

  // Where a command leaves its event, if its times are wanted.
  cl_event* new_event(std::vector<EventHandle>& events) {
    if (plan_.share || plan_.staged) return nullptr;
    events.emplace_back();
    return events.back().receive();
  }

  void compute(Slot& slot, std::size_t begin, std::size_t end) {
    drain(slot);
    slot.first = begin;
    slot.count = end - begin;
    upload(slot);
    launch(slot);
    download(slot);
    ++report_.chunks;
  }

  void prepare_widening() {
    widen_ = stream_.program.create_kernel(kWidenKernel);
    widen_info_ = read_kernel_info(widen_.get(), device_);
  }

  void* stage(std::unique_ptr<Staging>& staging, Slot& slot) {
    if (staging == nullptr)
      staging = std::make_unique<Staging>(stream_.session->staging(plan_.staging, slot.queue.get()));
    return staging->data();
  }

  // The chunk's piece of a column in host memory: where it lies, or a copy in page-locked memory.
  const void* piece_of(Slot& slot, std::size_t k) {
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

  void upload(Slot& slot) {
    Stopwatch watch;
    for (std::size_t k = 0; k < plan_.columns.size(); ++k) {
      const ColumnPlan& column = plan_.columns[k];
      if (!column.in_pieces() || column.source != k) continue;
      send(slot, column, piece_of(slot, k), slot.count, plan_.chunk, slot.raw[k], slot.inputs[k]);
    }
    if (plan_.share)
      slot.output = stream_.session->host_buffer(stream_.out + slot.first, slot.count * sizeof(double),
                                                 CL_MEM_WRITE_ONLY);
    else if (!slot.output)
      slot.output = stream_.session->buffer(plan_.chunk * sizeof(double));
    if (plan_.share) report_.transfer += watch.lap();
  }

  // Gives the device `count` elements of host memory in `target`, which is made for `capacity` of them: a copy, or the
  // memory itself. Integers come in `raw` and are widened.
  void send(Slot& slot, const ColumnPlan& column, const void* data, std::size_t count, std::size_t capacity,
            DeviceBuffer& raw, DeviceBuffer& target) {
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

  void enqueue(Slot& slot, cl_kernel kernel, const KernelInfo& info, std::size_t items, const std::string& name) {
    const LaunchShape shape = launch_shape(info, device_, items);
    cl_event* event = new_event(slot.computations);
    const cl_int status = clEnqueueNDRangeKernel(slot.queue.get(), kernel, 1, nullptr, &shape.global, &shape.group, 0,
                                                 nullptr, event);
    if (status != CL_SUCCESS)
      check_cl(status, "clEnqueueNDRangeKernel", device_.name, ("starting kernel '" + name + "'").c_str());
  }

  template <typename T>
  void set(Slot& slot, std::size_t index, const T& value) {
    set_kernel_argument(slot.kernel.get(), static_cast<unsigned>(index), &value, sizeof value, stream_.kernel_name,
                        device_);
  }

  // Sets what has changed since the slot's last launch: where data is copied, the buffers stay.
  void set_arguments(Slot& slot) {
    const std::size_t columns = plan_.columns.size();
    const bool fresh = slot.launched == 0;
    for (std::size_t k = 0; k < columns && (fresh || plan_.share); ++k) {
      const ColumnPlan& column = plan_.columns[k];
      set(slot, k, column.travel == Travel::scalar  ? slot.output.get()  // not looked at
                   : column.travel == Travel::whole ? stream_.whole[column.source].get()
                                                    : slot.inputs[column.source].get());
    }
    if (fresh || plan_.share) set(slot, columns, slot.output.get());
    if (slot.launched != slot.count) set(slot, columns + 1, static_cast<cl_int>(slot.count));
    const std::size_t each = plan_.recycles ? 3 : 2;
    for (std::size_t k = 0; k < columns && (fresh || plan_.recycles); ++k) {
      const ColumnPlan& column = plan_.columns[k];
      const std::size_t index = columns + 2 + k * each;
      if (fresh) {
        set(slot, index, static_cast<cl_int>(column.length_argument()));
        set(slot, index + 1, static_cast<cl_long>(column.value));
      }
      if (plan_.recycles) set(slot, index + 2, static_cast<cl_uint>(slot.first % column.column.length));
    }
    slot.launched = slot.count;
  }

  void launch(Slot& slot) {
    Stopwatch watch;
    set_arguments(slot);
    enqueue(slot, slot.kernel.get(), info_, slot.count, stream_.kernel_name);
    if (!plan_.share) return;
    slot.queue.finish();
    report_.compute += watch.lap();
  }

  void download(Slot& slot) {
    Stopwatch watch;
    const std::size_t bytes = slot.count * sizeof(double);
    if (plan_.share) {
      collect_shared(slot.queue, slot.output.get(), bytes, device_);
      slot.queue.finish();
      report_.transfer += watch.lap();
      return;
    }
    void* target = plan_.staged ? stage(slot.output_staging, slot)
                                : static_cast<void*>(stream_.out + slot.first);
    check_cl(clEnqueueReadBuffer(slot.queue.get(), slot.output.get(), CL_FALSE, 0, bytes, target, 0, nullptr,
                                 new_event(slot.transfers)),
             "clEnqueueReadBuffer", device_.name, "reading results");
    check_cl(clFlush(slot.queue.get()), "clFlush", device_.name);
  }

  // Waits for the slot's chunk, if it has one, hands its results over and takes its times.
  void drain(Slot& slot) {
    if (slot.count == 0) return;
    Stopwatch watch;
    slot.queue.finish();
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
  void hand_over(const Slot& slot) {
    constexpr std::size_t kPiece = 4096;
    const double* from = static_cast<const double*>(slot.output_staging->data());
    for (std::size_t done = 0; done < slot.count;) {
      const std::size_t first = slot.first + done, count = std::min(kPiece, slot.count - done);
      std::memcpy(stream_.out + first, from + done, count * sizeof(double));
      if (stream_.hooks.finished) stream_.hooks.finished(first, first + count);
      done += count;
    }
  }

  const Stream& stream_;
  const ElementwisePlan& plan_;
  const DeviceInfo& device_;
  RunReport& report_;
  KernelInfo info_;
  KernelHandle widen_;
  KernelInfo widen_info_;
  std::vector<Slot> slots_;
};

void run_stream(Stream& stream, RunReport& report) {
  const ElementwisePlan& plan = stream.plan;
  BlockQueue chunks(plan.n, plan.chunk);
  std::vector<RunReport> reports(plan.lanes);  // one each, so that no lane writes where another does
  Lane first(stream, reports.front());
  first.send_whole(stream.whole);
  report.threads = run_workers(static_cast<int>(plan.lanes), chunks, [&](int id) {
    if (plan.timed)
      first.run_timed(stream.hooks.interrupted);
    else if (id == 0)
      first.run(chunks, stream.hooks.interrupted);
    else
      Lane(stream, reports[static_cast<std::size_t>(id)]).run(chunks, nullptr);
  });
  // Of several lanes the times are this machine's, a mean over the lanes: copying, and waiting for the device.
  for (const RunReport& own : reports) {
    report.chunks += own.chunks;
    report.transfer += own.transfer / static_cast<double>(plan.lanes);
    report.compute += own.compute / static_cast<double>(plan.lanes);
  }
}

}  // namespace

void run_elementwise_opencl(const DeviceInfo& device, const KernelSpec& spec, const ProgramText& program_text,
                            const std::vector<Column>& columns, std::size_t n, double* out, RunReport& report,
                            const CallHooks& hooks, const ElementwiseOptions& options) {
  enter_opencl("run_elementwise_opencl");
  Stopwatch watch;
  report.function = spec.name;
  report.device = device.name;
  report.device_type = device.type;
  report.elements = n;
  if (n == 0) return;
  check_columns(spec, columns, out);
  expect_writes(out, n * sizeof(double));

  std::shared_ptr<Session> session = session_for(device);
  ElementwisePlan plan = plan_elementwise(device, spec, columns, n, options);
  const std::string form = plan.recycles ? "2" : "1";
  KernelBundle program = session->program(
      "NMATH_RECYCLE " + form + " " + spec.kernel_file,
      [&] { return "#define NMATH_RECYCLE " + form + "\n" + program_text(); }, "", &report);
  Stream stream{std::move(session), std::move(program), spec.kernel_name, std::move(plan), out, hooks, {}};
  run_stream(stream, report);
  report.total += watch.lap();
}

#else

void run_elementwise_opencl(const DeviceInfo&, const KernelSpec&, const ProgramText&, const std::vector<Column>&,
                            std::size_t, double*, RunReport&, const CallHooks&, const ElementwiseOptions&) {
  enter_opencl("run_elementwise_opencl");
}

#endif

}  // namespace openclPort
