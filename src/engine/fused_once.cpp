// fused_once -- see fused_once.h
#include "engine/fused_once.h"

#include <algorithm>
#include <cstring>

#include "base/stopwatch.h"
#include "engine/fused_join.h"

namespace openclPort {

namespace {

constexpr std::size_t kMostGiven = std::size_t{4} << 20;  // bytes of a call's own columns: more go in chunks
constexpr std::size_t kMostIdle = std::size_t{16} << 20;  // bytes of device memory that wait for a kernel's next call
constexpr std::size_t kUnit = Device::kPartBytes;

std::size_t bytes_of_column(const FusedColumn& column) {
  if (column.resident != nullptr) return 0;
  return column.column.length *
         element_bytes(column.column.type == Column::Type::f64 ? ElementType::f64 : ElementType::i32);
}

std::size_t in_units(std::size_t bytes) { return ceiling_ratio(bytes, kUnit) * kUnit; }

// As FusedOnce::sizes has them.
std::vector<std::size_t> sizes_of(const FusedSpec& spec, const FusedCall& call) {
  std::vector<std::size_t> sizes = {spec.flags * sizeof(std::int32_t)};
  for (std::size_t j = 0; j < spec.outputs.size(); ++j)
    sizes.push_back(fused_results(spec, call, j) * fused_width(spec, call, j) * element_bytes(spec.outputs[j]));
  for (const FusedColumn& column : call.columns) sizes.push_back(bytes_of_column(column));
  return sizes;
}

Buffer next_part(Device& device, const Buffer& whole, ElementType type, std::size_t bytes, std::size_t& first) {
  if (bytes == 0) return Buffer();
  Buffer part = device.part(whole, type, first, bytes / element_bytes(type));
  first += in_units(bytes);
  return part;
}

// `landing` is needed until the queue is finished.
void clear_flags(Queue& queue, const FusedOnce& once) {
  std::memset(once.landing.host(), 0, once.flags.bytes());
  queue.write(once.flags, 0, once.landing.host(), once.flags.bytes());
}

std::shared_ptr<FusedOnce> make_once(Device& device, const FusedSpec& spec, const FusedCall& call,
                                     std::vector<std::size_t> sizes) {
  auto made = std::make_shared<FusedOnce>();
  const std::size_t outputs = spec.outputs.size();
  std::size_t back = 0, there = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) (i <= outputs ? back : there) += in_units(sizes[i]);
  const std::unique_ptr<Queue> queue = device.queue(false);
  made->results = device.allocate(ElementType::bytes, back);
  made->landing = device.stage(back, *queue);
  std::size_t first = 0;
  made->flags = next_part(device, made->results, ElementType::i32, sizes[0], first);
  for (std::size_t j = 0; j < outputs; ++j)
    made->outputs.push_back(next_part(device, made->results, spec.outputs[j], sizes[1 + j], first));
  if (there > 0) {
    made->given = device.allocate(ElementType::bytes, there);
    made->departing = device.stage(there, *queue);
  }
  first = 0;
  for (std::size_t k = 0; k < call.columns.size(); ++k)
    made->columns.push_back(next_part(
        device, made->given, call.columns[k].column.type == Column::Type::f64 ? ElementType::f64 : ElementType::i32,
        sizes[1 + outputs + k], first));
  made->sizes = std::move(sizes);
  if (made->flags) clear_flags(*queue, *made);
  queue->finish();
  return made;
}

// Of the kernel's last call, if that had results and columns of these sizes.
std::shared_ptr<FusedOnce> take_once(FusedKernel::OnDevice& there, const std::vector<std::size_t>& sizes) {
  const std::lock_guard<ProcessMutex> lock(there.mutex);
  const auto found = std::find_if(there.idle.begin(), there.idle.end(),
                                  [&](const std::shared_ptr<FusedOnce>& one) { return one->sizes == sizes; });
  if (found == there.idle.end()) return nullptr;
  const std::shared_ptr<FusedOnce> taken = *found;
  there.idle.erase(found);
  return taken;
}

void give_back(FusedKernel::OnDevice& there, std::shared_ptr<FusedOnce> once) {
  constexpr std::size_t most = 2;
  std::size_t bytes = once->results.bytes() + once->given.bytes();
  for (const Buffer& blocks : once->queued.memory.outputs) bytes += blocks.bytes();
  if (bytes > kMostIdle) return;
  const std::lock_guard<ProcessMutex> lock(there.mutex);
  if (there.idle.size() >= most) there.idle.erase(there.idle.begin());
  there.idle.push_back(std::move(once));
}

// Of no bytes there may be no address.
void copy_bytes(void* to, const void* from, std::size_t bytes) {
  if (bytes > 0) std::memcpy(to, from, bytes);
}

// The call's own columns, put together: in one command a driver takes some microseconds less for each.
void send_columns(Queue& queue, const FusedOnce& once, FusedCall& call) {
  unsigned char* const departing = static_cast<unsigned char*>(once.departing.host());
  std::size_t first = 0, end = 0;
  for (std::size_t k = 0; k < call.columns.size(); ++k) {
    FusedColumn& column = call.columns[k];
    if (column.resident != nullptr) continue;
    const std::size_t bytes = bytes_of_column(column);
    copy_bytes(departing + first, column.column.data, bytes);
    column.column.data = nullptr;
    column.resident = &once.columns[k];
    end = first + bytes;
    first += in_units(bytes);
  }
  if (end > 0) queue.write(once.given, 0, departing, end);
}

}  // namespace

bool fits_once(const DeviceInfo& device, const FusedSpec& spec, const FusedCall& call) {
  const bool whole = call.range.first == 0 && call.range.count >= call.n;
  if (device.immediate || !spec.reduces || spec.each > 0 || !whole) return false;
  std::size_t bytes = 0;
  for (std::size_t k = 0; k < call.columns.size(); ++k) {
    if (call.columns[k].resident != nullptr) continue;
    const bool gathered =
        call.grouping != nullptr && spec.roles[k] != FusedRole::whole && !spec.takes(FusedItem::Kind::order);
    if (gathered) return false;
    bytes += in_units(bytes_of_column(call.columns[k]));
  }
  for (std::size_t j = 0; j < spec.outputs.size(); ++j)  // of many groups
    bytes += fused_results(spec, call, j) * fused_width(spec, call, j) * sizeof(double);
  return bytes <= kMostGiven;
}

bool run_once(const SharedDevice& device, FusedKernel& kernel, const FusedCall& call, RunReport& report,
              const CallHooks& hooks, std::vector<int>& flags) {
  const FusedSpec& spec = kernel.spec();
  const std::shared_ptr<FusedKernel::OnDevice> there = kernel.known_on(device);
  std::vector<std::size_t> sizes = sizes_of(spec, call);
  std::shared_ptr<FusedOnce> once = take_once(*there, sizes);
  if (once == nullptr) once = make_once(*device, spec, call, std::move(sizes));
  Stopwatch watch;
  FusedCall own = call;
  const std::unique_ptr<Queue> queue = device->queue(false);  // is finished before what it reads goes
  send_columns(*queue, *once, own);
  if (!queue_fused(*queue, device, kernel, own, pointers_to(once->outputs), &once->flags, once->queued, true))
    return false;
  const double ran = queue->take_run_seconds(), sent = watch.lap() - ran;
  std::size_t back = 0;
  for (std::size_t i = 0; i <= spec.outputs.size(); ++i) back += in_units(once->sizes[i]);
  unsigned char* landed = static_cast<unsigned char*>(once->landing.host());
  queue->read(once->results, 0, landed, back);
  queue->finish();
  report.compute += ran + watch.lap();
  flags.assign(spec.flags, 0);
  copy_bytes(flags.data(), landed, once->sizes[0]);
  landed += in_units(once->sizes[0]);
  for (std::size_t j = 0; j < spec.outputs.size(); landed += in_units(once->sizes[1 + j]), ++j)
    copy_bytes(call.values[j], landed, once->sizes[1 + j]);
  if (hooks.finished) hooks.finished(0, call.n);
  ++report.chunks;
  report.threads = 1;
  report.transfer += sent + watch.lap();
  if (std::any_of(flags.begin(), flags.end(), [](int word) { return word != 0; })) {
    clear_flags(*queue, *once);
    queue->finish();
  }
  give_back(*there, std::move(once));
  return true;
}

}  // namespace openclPort
