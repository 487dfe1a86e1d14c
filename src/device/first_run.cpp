// first_run -- started, waited for, left.
#include "device/first_run.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

#include "base/apart.h"
#include "base/nmath_error.h"
#include "base/stopwatch.h"

namespace openclPort {

FirstRun::FirstRun(SharedDevice device, std::unique_ptr<Launch> launch)
    : device_(std::move(device)), launch_(std::move(launch)) {}

// Pages that nobody writes to cost nothing. What the system does not give, the call's own run does without.
void FirstRun::set_memory(unsigned index, std::size_t bytes) {
  bytes = std::max(bytes, sizeof(double));
  memory_.emplace_back(std::calloc(bytes, 1), std::free);
  possible_ = possible_ && memory_.back() != nullptr;
  if (!possible_) return;
  buffers_.push_back(device_->borrow(ElementType::bytes, memory_.back().get(), bytes, Access::both));
  launch_->set_buffer(index, buffers_.back());
}

void FirstRun::start(const Launch& own) {
  launch_->range(own.least_like());
  queue_ = device_->queue(false);
  queue_->run(*launch_, &event_);
  queue_->flush();
}

void FirstRun::wait(const InterruptCheck& interrupted, const std::shared_ptr<FirstRun>& self) {
  const OwnInterrupts own;
  Stopwatch watch;
  double waited = 0, asked = 0;
  while (!event_->ended()) {
    std::this_thread::sleep_for(std::chrono::duration<double>(std::min(waited / 8 + 1e-6, 2e-3)));
    waited += watch.lap();
    if (waited - asked < kInterruptSeconds) continue;
    asked = waited;
    own.restore();
    if (!interrupted()) continue;
    const Event* const event = event_.get();
    const auto reported = [event](bool (Event::*ask)() const, bool otherwise) {
      try {
        return (event->*ask)();
      } catch (const NmathError&) {
        return otherwise;
      }
    };
    const Unfinished work = {kernel(), [reported] { return reported(&Event::begun, true); },
                             [reported] { return reported(&Event::ended, false); }, self};
    if (!device_->give_up(work)) new std::shared_ptr<FirstRun>(self);  // for ever
    throw Interrupted();
  }
  queue_->finish();
}

void FirstRun::of(const std::shared_ptr<FirstRun>& run, Launch& own, const InterruptCheck& interrupted) {
  if (run->possible_) {
    run->start(own);
    run->wait(interrupted, run);
  }
  own.note_compiled();
}

void compile_ahead(const SharedDevice& device, const Program& program, Launch& own, const InterruptCheck& interrupted,
                   const std::function<void(Launch&)>& prepare) {
  if (!interrupted || own.compiled()) return;
  const auto first = std::make_shared<FirstRun>(device, program.launch(own.kernel()));
  prepare(*first);
  FirstRun::of(first, own, interrupted);
}

}  // namespace openclPort
