// staged_call -- one call of a function in stages from a plan: on a device all launches are put on one queue, and what
// comes back comes at once; on the host, and where there are loops, one is over before the next begins.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fused_call.h"
#include "staged_plan.h"

constexpr std::size_t kStays = SIZE_MAX;  // of an input that does not travel

inline int as_whole(double x) { return std::isnan(x) ? NA_INTEGER : static_cast<int>(x); }

// Destroyed in reverse order: the queue is finished before what it reads goes.
class StagedCall {
 public:
  StagedCall(StagedPlan& plan, SEXP inputs, SEXP outputs, const openclPort::CallHooks& hooks)
      : plan_(plan),
        inputs_(inputs),
        outputs_(outputs),
        hooks_(hooks),
        computed_(plan.travels.size()),
        found_(plan.travels.size()),
        taken_(plan.steps.size()),
        known_(std::move(plan.values)) {
    for (std::vector<double>& numbers : known_) numbers.clear();
  }
  // False where several devices are asked for.
  bool find_device(const std::vector<std::string>& asked);
  bool compute(openclPort::RunReport& report);
  // Of a function that gives elements: these, once the rest is computed; NULL where R has to look at them.
  SEXP elements(SEXP progress, bool keep, openclPort::RunReport& report);
  const StagedValues& values() const { return known_; }
  const std::vector<StagedNumbers>& found() const { return found_; }
  // What is on the device is good for the next call.
  void keep();

 private:
  bool on_host() const { return device_->info().immediate; }
  bool is_given(int input) const { return input <= plan_.n_given; }
  SEXP given(int input) const { return VECTOR_ELT(inputs_, input - 1); }
  StagedMemory& memory() { return *memory_; }
  // Whether all kernels have run on the device, and are over soon where they come in one transfer.
  bool can_launch() const;
  // A few series are not a GPU's work, and R says whose.
  bool can_loop(const StagedStep& step) const;
  void prepare();
  openclPort::ElementType type_of(std::size_t input) const {
    return plan_.whole[input] != 0 ? openclPort::ElementType::i32 : openclPort::ElementType::f64;
  }
  std::size_t bytes_of(std::size_t input) const { return plan_.sizes[input] * element_bytes(type_of(input)); }
  unsigned char* departing(std::size_t input);
  // The call's own vectors, all in one transfer.
  void send_given();
  void send_computed(std::size_t input);
  // Waits for all launches so far. False where the flags of one say something.
  bool fetch();
  void clear_flags();
  // What a launch has left, where it lies until the call is over: by output. False where R has to say more of it.
  using Left = std::function<const void*(std::size_t output)>;
  bool take_outputs(const StagedStep& step, const Left& left);
  void take_in(const StagedOutput& output, const void* from);
  // What a loop carries to its end, behind a number for each series that is 0 where all is well.
  bool take_carried(const StagedStep& step, const double* from);
  bool compute_step(std::size_t s);
  bool value_of(int input, std::vector<double>& value);
  bool launch_step(std::size_t s, openclPort::RunReport& report);
  // The resident vectors that sums are of; empty where one of their arguments is no such vector.
  std::vector<std::shared_ptr<openclPort::Resident>> sources(const StagedStep& step) const;
  // Whether the sums are those of the call before, which are then taken.
  bool take_stored(std::size_t s);
  void store_sums(std::size_t s);
  // It waits until the loop is over: what follows takes what it carries.
  bool loop_step(std::size_t s, openclPort::RunReport& report);
  // R's memory for what a launch leaves on the host.
  std::vector<void*> new_results(std::size_t s);
  bool queue(std::size_t s, openclPort::FusedKernel& kernel, const openclPort::FusedCall& call);
  bool run_here(std::size_t s, openclPort::FusedKernel& kernel, openclPort::FusedCall& call,
                openclPort::RunReport& report);
  // An input as run_prepared() takes it. NULL: one that is long, and comes from another device.
  SEXP column_for_r(int input);
  // Where a launch finds an input.
  openclPort::FusedColumn column(int input);
  const openclPort::Buffer* output_of(int input);
  openclPort::FusedColumn host_column(int input, openclPort::Column::Type type);

  StagedPlan& plan_;
  SEXP const inputs_;
  SEXP const outputs_;  // on the host: by step, a list of vectors
  const openclPort::CallHooks& hooks_;
  std::vector<std::vector<double>> computed_;  // by input, what is computed here
  std::vector<StagedNumbers> found_;           // by input, what has come back
  std::vector<char> taken_;                    // by step, whether its sums are those of a call before
  StagedValues known_;
  std::vector<std::vector<int>> whole_;
  std::vector<std::shared_ptr<const openclPort::Grouping>> groups_;
  std::size_t elements_ = 0, launched_ = 0, fetched_ = 0, launches_ = 0;
  double waited_ = 0.0;  // seconds, for the device
  bool raised_ = false;  // whether some flags are not 0
  openclPort::SharedDevice device_;
  std::unique_ptr<StagedMemory> memory_;
  std::unique_ptr<openclPort::Queue> queue_;
};
