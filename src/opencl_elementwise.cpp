// opencl_elementwise -- the elementwise engine: columns of any length, chunk by chunk, in bounded device memory.
//
// A chunk goes through upload, launch, download, drain. Where data is copied, two slots with a queue and buffers each
// let the transfers of one chunk overlap the computation of the other; where the device works on host memory there is
// one slot, and its buffers lie over the caller's vectors.
#include <algorithm>
#include <cstring>

#include "opencl_kernel_runners.h"
#include "opencl_launch.h"

namespace openclPort {

#ifdef USE_OPENCL

namespace {

constexpr std::size_t kDefaultChunk = std::size_t{1} << 22;
constexpr std::size_t kMaxChunk = std::size_t{1} << 30;  // `len` is an int, and rounding up must not leave its range
constexpr std::size_t kMinChunk = 64;
constexpr std::size_t kDefaultBudget = std::size_t{256} << 20;

// How a column gets to the device. Columns as long as the result go piece by piece; shorter ones once, whole, and are
// recycled there; a short one that is still too large for that is recycled by the host, piece by piece.
enum class Travel { whole, pieces, recycled_pieces };

struct ColumnPlan {
  Column column;
  Travel travel;
  std::size_t item;    // bytes of one element
  std::size_t source;  // the first column with the same data: its buffer serves both
  cl_long length_argument() const { return travel == Travel::whole ? static_cast<cl_long>(column.length) : 0; }
};

struct Plan {
  std::vector<ColumnPlan> columns;
  std::size_t n, chunk, slots;
  bool share;
};

void check_columns(const KernelSpec& spec, const std::vector<Column>& columns, const double* out) {
  const std::size_t expected = static_cast<std::size_t>(spec.n_real) + static_cast<std::size_t>(spec.n_flags);
  const std::string function = std::string("function '") + spec.name + "'";
  const auto fail = [](const std::string& message) { throw NmathError(message, "run_elementwise_opencl"); };
  if (columns.size() != expected || expected > NMATH_MAX_COLUMNS)
    fail(function + " takes " + std::to_string(expected) + " columns (at most " + std::to_string(NMATH_MAX_COLUMNS) +
         " are possible), but " + std::to_string(columns.size()) + " are given");
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const std::string column = "column " + std::to_string(k + 1) + " of " + function;
    const bool real = k < static_cast<std::size_t>(spec.n_real);
    if (columns[k].length == 0 || columns[k].data == nullptr) fail(column + " has no elements");
    if ((columns[k].type == Column::Type::f64) != real)
      fail(column + (real ? " must hold doubles" : " must hold integers"));
  }
  if (out == nullptr) fail("there is no room for the results of " + function);
}

Plan make_plan(const DeviceInfo& device, const std::vector<Column>& columns, std::size_t n,
               const ElementwiseOptions& options) {
  using Transfer = ElementwiseOptions::Transfer;
  Plan plan{{},
            n,
            options.chunk == 0 ? kDefaultChunk : options.chunk,
            1,
            options.transfer == Transfer::share || (options.transfer == Transfer::automatic && device.host_memory)};
  const std::size_t max_alloc = static_cast<std::size_t>(device.max_alloc);
  const std::size_t budget = plan.share                  ? max_alloc
                             : options.memory_budget > 0 ? options.memory_budget
                                                         : std::min<std::size_t>(kDefaultBudget, device.global_mem / 4);
  const std::size_t largest_whole = std::min(max_alloc, plan.share ? max_alloc : budget / 2 / NMATH_MAX_COLUMNS);

  std::size_t whole_bytes = 0, bytes_per_element = sizeof(double);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    Column column = columns[k];
    column.length = std::min(column.length, n);
    ColumnPlan entry{column, Travel::whole, column.type == Column::Type::f64 ? sizeof(double) : sizeof(cl_int), k};
    if (column.length == n && n > 1)
      entry.travel = Travel::pieces;
    else if (column.length > largest_whole / entry.item)
      entry.travel = Travel::recycled_pieces;
    for (std::size_t j = 0; j < k && entry.source == k; ++j)
      if (columns[j].data == column.data && columns[j].length == column.length && columns[j].type == column.type)
        entry.source = j;
    if (entry.source == k && entry.travel == Travel::whole) whole_bytes += column.length * entry.item;
    if (entry.source == k && entry.travel != Travel::whole) bytes_per_element += entry.item;
    plan.columns.push_back(entry);
  }

  plan.chunk = std::min({plan.chunk, kMaxChunk, max_alloc / sizeof(double), n});
  if (!plan.share) {
    const std::size_t for_chunks = budget > whole_bytes ? budget - whole_bytes : 0;
    if (plan.chunk < n || for_chunks / bytes_per_element < n) plan.slots = 2;
    plan.chunk = std::min(plan.chunk, std::max(for_chunks / plan.slots / bytes_per_element, std::min(n, kMinChunk)));
  }
  return plan;
}

// Elements [first, first + count) of a column recycled on the host.
void recycle(const ColumnPlan& plan, std::size_t first, std::size_t count, std::vector<unsigned char>& target) {
  target.resize(count * plan.item);
  const unsigned char* data = static_cast<const unsigned char*>(plan.column.data);
  for (std::size_t done = 0; done < count;) {
    const std::size_t from = (first + done) % plan.column.length;
    const std::size_t piece = std::min(count - done, plan.column.length - from);
    std::memcpy(target.data() + done * plan.item, data + from * plan.item, piece * plan.item);
    done += piece;
  }
}

class ElementwiseStream {
 public:
  ElementwiseStream(std::shared_ptr<Session> session, const KernelBundle& program, const KernelSpec& spec,
                    const Plan& plan, double* out, RunReport& report)
      : session_(std::move(session)),
        device_(session_->device()),
        plan_(plan),
        kernel_name_(spec.kernel_name),
        out_(out),
        report_(report),
        kernel_(program.create_kernel(kernel_name_)),
        info_(read_kernel_info(kernel_.get(), device_)) {
    check_argument_count(info_, plan_.columns.size() + 3 + NMATH_MAX_COLUMNS, kernel_name_, device_);
    whole_.resize(plan_.columns.size());
    for (std::size_t s = 0; s < plan_.slots; ++s) slots_.emplace_back(plan_.columns.size(), session_->queue());
  }

  void run(const InterruptCheck& interrupted) {
    upload_whole_columns();
    std::size_t chunk = 0;
    for (std::size_t first = 0; first < plan_.n; first += plan_.chunk, ++chunk) {
      if (chunk > 0 && interrupted && interrupted()) throw NmathError("interrupted");
      Slot& slot = slots_[chunk % slots_.size()];
      drain(slot);
      slot.first = first;
      slot.count = std::min(plan_.chunk, plan_.n - first);
      upload(slot);
      launch(slot);
      download(slot);
      ++report_.chunks;
    }
    for (Slot& slot : slots_) drain(slot);
  }

 private:
  // One chunk under way. Members are destroyed in reverse order: the queue is finished before buffers and staging go.
  struct Slot {
    Slot(std::size_t columns, QueueLease lease) : staging(columns), inputs(columns), queue(std::move(lease)) {}
    std::size_t first = 0, count = 0;
    std::vector<std::vector<unsigned char>> staging;
    std::vector<DeviceBuffer> inputs;
    DeviceBuffer output;
    std::vector<EventHandle> transfers;
    EventHandle computation;
    QueueLease queue;
  };

  void upload_whole_columns() {
    Stopwatch watch;
    Slot& slot = slots_.front();
    for (std::size_t k = 0; k < plan_.columns.size(); ++k) {
      const ColumnPlan& column = plan_.columns[k];
      if (column.travel == Travel::whole && column.source == k)
        send(slot, whole_[k], column.column.data, column.column.length * column.item, 0);
    }
    if (slots_.size() > 1) slot.queue.finish();  // the other queue does not wait for this one's commands
    if (plan_.share) report_.transfer += watch.lap();
  }

  void upload(Slot& slot) {
    Stopwatch watch;
    for (std::size_t k = 0; k < plan_.columns.size(); ++k) {
      const ColumnPlan& column = plan_.columns[k];
      if (column.travel == Travel::whole || column.source != k) continue;
      const void* data = static_cast<const unsigned char*>(column.column.data) + slot.first * column.item;
      if (column.travel == Travel::recycled_pieces) {
        recycle(column, slot.first, slot.count, slot.staging[k]);
        data = slot.staging[k].data();
      }
      send(slot, slot.inputs[k], data, slot.count * column.item, plan_.chunk * column.item);
    }
    if (plan_.share)
      slot.output = session_->host_buffer(out_ + slot.first, slot.count * sizeof(double), CL_MEM_WRITE_ONLY);
    else if (!slot.output)
      slot.output = session_->buffer(plan_.chunk * sizeof(double));
    if (plan_.share) report_.transfer += watch.lap();
  }

  // Gives the device `bytes` of host memory: a copy in `buffer` (made with `capacity` for later chunks), or the memory.
  void send(Slot& slot, DeviceBuffer& buffer, const void* data, std::size_t bytes, std::size_t capacity) {
    if (plan_.share) {
      buffer = session_->host_buffer(const_cast<void*>(data), bytes, CL_MEM_READ_ONLY);
      return;
    }
    if (!buffer) buffer = session_->buffer(std::max(bytes, capacity));
    slot.transfers.emplace_back();
    check_cl(clEnqueueWriteBuffer(slot.queue.get(), buffer.get(), CL_FALSE, 0, bytes, data, 0, nullptr,
                                  slot.transfers.back().receive()),
             "clEnqueueWriteBuffer", device_.name, "copying arguments to the device");
  }

  template <typename T>
  void set(std::size_t index, const T& value) {
    set_kernel_argument(kernel_.get(), static_cast<unsigned>(index), &value, sizeof value, kernel_name_, device_);
  }

  void launch(Slot& slot) {
    Stopwatch watch;
    const std::size_t columns = plan_.columns.size();
    for (std::size_t k = 0; k < columns; ++k) {
      const std::size_t source = plan_.columns[k].source;
      set(k, plan_.columns[k].travel == Travel::whole ? whole_[source].get() : slot.inputs[source].get());
    }
    set(columns, slot.output.get());
    set(columns + 1, static_cast<cl_int>(slot.count));
    set(columns + 2, static_cast<cl_long>(slot.first));
    for (std::size_t k = 0; k < NMATH_MAX_COLUMNS; ++k)
      set(columns + 3 + k, k < columns ? plan_.columns[k].length_argument() : cl_long{1});

    const LaunchShape shape = launch_shape(info_, device_, slot.count);
    const cl_int status =
        clEnqueueNDRangeKernel(slot.queue.get(), kernel_.get(), 1, nullptr, &shape.global, &shape.group, 0, nullptr,
                               plan_.share ? nullptr : slot.computation.receive());
    if (status != CL_SUCCESS)
      check_cl(status, "clEnqueueNDRangeKernel", device_.name, ("starting kernel '" + kernel_name_ + "'").c_str());
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
    slot.transfers.emplace_back();
    check_cl(clEnqueueReadBuffer(slot.queue.get(), slot.output.get(), CL_FALSE, 0, bytes, out_ + slot.first, 0, nullptr,
                                 slot.transfers.back().receive()),
             "clEnqueueReadBuffer", device_.name, "reading results");
    check_cl(clFlush(slot.queue.get()), "clFlush", device_.name);
  }

  // Waits for the slot's chunk, if it has one, and takes its times.
  void drain(Slot& slot) {
    if (slot.count == 0) return;
    slot.queue.finish();
    for (const EventHandle& event : slot.transfers) report_.transfer += event_seconds(event);
    report_.compute += event_seconds(slot.computation);
    slot.transfers.clear();
    slot.computation.reset();
    slot.count = 0;
  }

  std::shared_ptr<Session> session_;
  const DeviceInfo& device_;
  const Plan& plan_;
  std::string kernel_name_;
  double* out_;
  RunReport& report_;
  KernelHandle kernel_;
  KernelInfo info_;
  std::vector<DeviceBuffer> whole_;
  std::vector<Slot> slots_;
};

}  // namespace

void run_elementwise_opencl(const DeviceInfo& device, const KernelSpec& spec, const ProgramText& program_text,
                            const std::vector<Column>& columns, std::size_t n, double* out, RunReport& report,
                            const InterruptCheck& interrupted, const ElementwiseOptions& options) {
  enter_opencl("run_elementwise_opencl");
  Stopwatch watch;
  report.function = spec.name;
  report.device = device.name;
  report.device_type = device.type;
  report.elements = n;
  if (n == 0) return;
  check_columns(spec, columns, out);

  const std::shared_ptr<Session> session = session_for(device);
  const KernelBundle program = session->program(
      std::string("NMATH_RECYCLE ") + spec.kernel_file, [&] { return "#define NMATH_RECYCLE 1\n" + program_text(); },
      "", &report);
  const Plan plan = make_plan(device, columns, n, options);
  ElementwiseStream(session, program, spec, plan, out, report).run(interrupted);
  report.total += watch.lap();
}

#else

void run_elementwise_opencl(const DeviceInfo&, const KernelSpec&, const ProgramText&, const std::vector<Column>&,
                            std::size_t, double*, RunReport&, const InterruptCheck&, const ElementwiseOptions&) {
  enter_opencl("run_elementwise_opencl");
}

#endif

}  // namespace openclPort
