// fused_join -- see fused_join.h
#include "engine/fused_join.h"

#include <algorithm>

#include "device/first_run.h"
#include "device/pair_device.h"
#include "engine/chunk_plan.h"

namespace openclPort {

std::size_t fused_blocks(const FusedSpec& spec, const FusedCall& call) {
  if (call.grouping != nullptr) return call.grouping->blocks();
  return ceiling_ratio(call.n, call.block > 0 ? call.block : reduction_block(call.n, spec.cost));
}

Range groups_of(std::size_t items, std::size_t groups) {
  Range range;
  range.dimensions = 1;
  range.global[0] = groups * items;
  range.group[0] = items;
  return range;
}

std::size_t items_of_group(const Launch& launch, const DeviceInfo& device, std::size_t count) {
  const KernelInfo& info = launch.info();
  std::size_t most = std::min({info.work_group_size, kMostGroup, count});
  if (device.immediate || device.wide_cores) most = 1;
  std::size_t group = 1;
  while (2 * group <= most) group *= 2;
  return info.required_group[0] > 0 ? info.required_group[0] : group;
}

const std::string& join_of(const FusedSpec& spec, const FusedCall& call) {
  return call.grouping != nullptr ? spec.group_join : spec.join;
}

void set_join(Launch& launch, const FusedSpec& spec, const FusedCall& call, const DeviceInfo& device,
              std::size_t blocks, const std::vector<const Buffer*>& results, const Grouping::OnDevice* on_device) {
  unsigned i = 0;
  for (const Buffer* const buffer : results) launch.set_buffer(i++, *buffer);
  if (call.grouping != nullptr) {
    launch.set_buffer(i++, on_device->group_starts);
    launch.set_buffer(i++, on_device->group_blocks);
    const std::size_t count = call.grouping->groups();
    if (spec.takes(FusedItem::Kind::points)) {
      launch.set(i++, static_cast<std::int32_t>(blocks));
      launch.set(i++, static_cast<std::int32_t>(count));
    }
    launch.check_arguments(i, device.name);
    return launch.range(groups_of(items_of_group(launch, device, ceiling_ratio(blocks, count)), count));
  }
  launch.set(i++, static_cast<std::int32_t>(blocks));
  std::size_t groups = spec.joins;
  for (std::size_t j = 0; j < spec.widths.size(); ++j) {
    if (spec.widths[j] < 0) continue;
    const std::size_t sums = fused_width(spec, call, j) / 2;
    launch.set(i++, static_cast<std::int64_t>(sums));
    groups += sums;
  }
  launch.check_arguments(i, device.name);
  launch.range(groups_of(items_of_group(launch, device, kMostGroup), groups));
}

BlockResults::BlockResults(const FusedSpec& spec, const FusedCall& call, std::size_t blocks) : blocks_(blocks) {
  for (std::size_t j = 0; j + spec.each < spec.outputs.size(); ++j)
    memory_.emplace_back(blocks * fused_width(spec, call, j), 0.0);
}

void BlockResults::take_place(std::vector<void*>& values) {
  for (std::size_t j = 0; j < memory_.size(); ++j) values[j] = memory_[j].data();
}

// A device joins them in the same order wherever they were made.
void BlockResults::join(const SharedDevice& device, const Program& program, const FusedSpec& spec,
                        const FusedCall& call, const InterruptCheck& interrupted) {
  const DeviceInfo& info = device->info();
  const std::unique_ptr<Queue> queue = device->queue(false);
  std::vector<Buffer> buffers;
  for (std::size_t j = 0; j < memory_.size(); ++j) {
    if (info.host_memory) {
      buffers.push_back(device->borrow(spec.outputs[j], memory_[j].data(), memory_[j].size(), Access::read));
      continue;
    }
    buffers.push_back(device->allocate(spec.outputs[j], memory_[j].size()));
    const OwnNumbers own;
    queue->write(buffers.back(), 0, memory_[j].data(), memory_[j].size() * element_bytes(spec.outputs[j]));
  }
  for (std::size_t j = 0; j < memory_.size(); ++j) {
    const std::size_t numbers = fused_results(spec, call, j) * fused_width(spec, call, j);
    buffers.push_back(info.host_memory ? device->borrow(spec.outputs[j], call.values[j], numbers, Access::write)
                                       : device->allocate(spec.outputs[j], numbers));
  }
  std::shared_ptr<const Grouping::OnDevice> groups;
  if (call.grouping != nullptr) groups = call.grouping->on_device(device, false);
  const std::unique_ptr<Launch> launch = program.launch(join_of(spec, call));
  const auto prepare = [&](Launch& one) {
    set_join(one, spec, call, info, blocks_, pointers_to(buffers), groups.get());
  };
  prepare(*launch);
  compile_ahead(device, program, *launch, interrupted, prepare);
  queue->run(*launch, nullptr);
  for (std::size_t j = 0; j < memory_.size(); ++j) {
    const Buffer& result = buffers[memory_.size() + j];
    if (info.host_memory)
      queue->publish(result);
    else
      queue->read(result, 0, call.values[j], result.bytes());
  }
  queue->finish();
}

std::vector<const Buffer*> pointers_to(const std::vector<Buffer>& buffers) {
  std::vector<const Buffer*> pointers;
  for (const Buffer& buffer : buffers) pointers.push_back(&buffer);
  return pointers;
}

}  // namespace openclPort
