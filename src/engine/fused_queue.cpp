// fused_queue -- see fused_queue.h
#include "engine/fused_queue.h"

#include "engine/fused_chunks.h"
#include "engine/fused_join.h"

namespace openclPort {

namespace {

// The call with results that all are resident on the device.
FusedCall with_results(const FusedCall& call, const std::vector<const Buffer*>& results) {
  FusedCall own = call;
  own.values.assign(results.size(), nullptr);
  own.resident_out = results;
  return own;
}

}  // namespace

bool fits_queue(const SharedDevice& device, FusedKernel& kernel, const FusedCall& call) {
  const DeviceInfo& info = device->info();
  const FusedSpec& spec = kernel.spec();
  if (info.immediate || is_empty(call) || fused_too_short(info, spec, call)) return false;
  const std::shared_ptr<FusedKernel::OnDevice> there = kernel.known_on(device);
  if (there == nullptr) return false;
  const ChunkPlan plan = plan_fused(info, spec, with_results(call, {}), ChunkOptions());
  return plan.chunk_size >= plan.n && pace_of(info, spec.cost, plan, there->rate, false).chunk() >= plan.n;
}

bool queue_fused(Queue& queue, const SharedDevice& device, FusedKernel& kernel, const FusedCall& call,
                 const std::vector<const Buffer*>& results, const Buffer* flags, QueuedCall& own, bool if_compiled) {
  const FusedSpec& spec = kernel.spec();
  const DeviceInfo& info = device->info();
  RunReport report;
  const SharedProgram program = kernel.on_device(device, report)->program;
  const bool join = fused_joins(spec, call);
  FusedCall mine = with_results(call, results);
  const ChunkPlan plan = plan_fused(info, spec, mine, ChunkOptions());
  own.memory.outputs.resize(results.size());
  for (std::size_t j = 0; join && j + spec.each < results.size(); ++j) {
    Buffer& blocks = own.memory.outputs[j];
    const std::size_t numbers = plan.results * fused_width(spec, call, j);
    if (!blocks || blocks.elements() < numbers) blocks = device->allocate(spec.outputs[j], numbers);
    mine.resident_out[j] = &blocks;
  }
  const std::vector<Buffer> none;
  FusedChunks chunks(spec, mine, plan, device, none);
  chunks.lent_flags = flags;
  if (call.grouping != nullptr) chunks.groups = call.grouping->on_device(device, spec.takes(FusedItem::Kind::order));
  if (own.launch == nullptr) {
    own.launch = program->launch(spec.kernel);
    own.launch->check_arguments(chunks.arguments(), info.name);
  }
  const Chunk all = {0, plan.n, 0, plan.reduces() ? plan.results : plan.n};
  chunks.prepare(*own.launch, all, own.memory, 0);
  if (if_compiled && !own.launch->compiled()) return false;
  queue.run(*own.launch, nullptr);
  queue.flush();  // the device begins while what follows is prepared
  if (!join) return true;
  if (own.join == nullptr) own.join = program->launch(join_of(spec, call));
  std::vector<const Buffer*> buffers(mine.resident_out.begin(), mine.resident_out.end() - spec.each);
  buffers.insert(buffers.end(), results.begin(), results.end() - spec.each);
  set_join(*own.join, spec, call, info, plan.results, buffers, chunks.groups.get());
  queue.run(*own.join, nullptr);
  return true;
}

}  // namespace openclPort
