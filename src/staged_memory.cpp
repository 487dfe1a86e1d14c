// staged_memory -- device memory that a function in stages keeps between calls.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "fused_call.h"
#include "staged_plan.h"

using openclPort::Buffer;
using openclPort::ElementType;
using openclPort::SharedDevice;

namespace {

void make_staged_outputs(const StagedPlan& plan, std::size_t s, StagedMemory& memory) {
  const StagedStep& step = plan.steps[s];
  if (!step.launches()) return;
  const unsigned words = step.loop != nullptr ? 0 : fused_kernel_of(step.handle).spec().flags;
  if (words > 0) memory.flags[s] = memory.device->part(memory.results, ElementType::i32, step.flags, words);
  for (const StagedOutput& output : step.outputs) {
    if (!output.comes_back) memory.bytes += output.numbers * sizeof(double);
    memory.outputs[s].push_back(output.comes_back
                                    ? memory.device->part(memory.results, output.type, output.first, output.numbers)
                                    : memory.device->allocate(output.type, output.numbers));
  }
}

}  // namespace

std::unique_ptr<StagedMemory> make_staged_memory(const StagedPlan& plan, const SharedDevice& device) {
  auto memory = std::make_unique<StagedMemory>();
  memory->device = device;
  memory->calls.resize(plan.steps.size());
  memory->outputs.resize(plan.steps.size());
  memory->flags.resize(plan.steps.size());
  memory->columns.resize(plan.travels.size());
  const std::size_t back = std::max<std::size_t>(plan.back_bytes, sizeof(double)), there = plan.there_bytes;
  const std::unique_ptr<openclPort::Queue> queue = device->queue(false);
  memory->bytes = back + there;
  memory->results = device->allocate(ElementType::bytes, back);
  memory->landing = device->stage(back, *queue);
  std::memset(memory->landing.host(), 0, back);
  queue->write(memory->results, 0, memory->landing.host(), back);  // flags are 0
  for (std::size_t s = 0; s < plan.steps.size(); ++s) make_staged_outputs(plan, s, *memory);
  if (there > 0) {
    memory->given = device->allocate(ElementType::bytes, there);
    memory->departing = device->stage(there, *queue);
  }
  for (std::size_t k = 1; k < plan.travels.size(); ++k)
    if (plan.travels[k] != SIZE_MAX)
      memory->columns[k] = device->part(memory->given, plan.whole[k] != 0 ? ElementType::i32 : ElementType::f64,
                                        plan.travels[k], plan.sizes[k]);
  queue->finish();
  return memory;
}
