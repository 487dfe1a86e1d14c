// known_call -- a call of an opencl_function() of a known shape: what R would ask before its program runs, asked here.
#pragma once

#include <string>
#include <vector>

#include "base/report.h"
#include "r_door.h"

// What a user gave, and the environment that opencl_function() has made of the function (R/opencl_function.R).
struct GivenCall {
  SEXP expression;
  SEXP values;  // of the arguments that the function uses
  SEXP by, device, fallback, verbose, keep;
  SEXP frame;               // of the R function that asks: a progress bar closes with it
  bool with_outer = false;  // behind the values are those of the variables that the function reads
};

// A call for which nothing is left to be decided.
struct KnownCall {
  SEXP plans = nullptr;  // by the key of a call's shape; NULL: there are none
  SEXP inputs = nullptr;
  SEXP by = nullptr;  // NULL: there is none
  std::vector<std::string> device;
  bool keep = false;
  SEXP progress = nullptr;  // as CallMonitor takes it
};

// The variables that a function reads from environments: a list. Inside r::enter().
SEXP outer_of(SEXP expression);

// False where R has to look at the call: other functions than before are called, an argument has a class, a device is
// not one plain name, data have to be placed, there is no compiler. `inputs` is a list, to be kept by the caller, with
// room for the values and variables of environments; it takes the place of the values where some are data on a device,
// or where there are such variables. Inside r::enter().
bool read_known_call(const GivenCall& given, SEXP inputs, KnownCall& known);

// The frame, where a call shows its progress, else NULL. Inside r::enter().
SEXP progress_of(SEXP frame);

// Notes for last_run() and print() what a call did. Outside r::enter().
void note_known_call(SEXP expression, const openclPort::RunReport& report);
