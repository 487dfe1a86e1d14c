// fuzz -- what the targets share: a property that does not hold ends the process, which libFuzzer reports with the
// input.
#ifndef NMATHOPENCL_FUZZ_H
#define NMATHOPENCL_FUZZ_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/nmath_error.h"

namespace fuzz {

inline void expect(bool holds, const char* property, const std::string& detail = "") {
  if (holds) return;
  std::fprintf(stderr, "property fails: %s\n%s\n", property, detail.c_str());
  std::abort();
}

// Runs `body`; whatever it refuses has to be an NmathError whose message begins with `source`. Whether it was refused.
template <typename Body>
bool refused(const std::string& source, const Body& body) {
  try {
    body();
  } catch (const openclPort::NmathError& error) {
    expect(std::string(error.what()).compare(0, source.size(), source) == 0, "an error names its source", error.what());
    return true;
  }
  return false;
}

inline std::string text_of(const std::uint8_t* data, std::size_t size) {
  return std::string(reinterpret_cast<const char*>(data), size);
}

}  // namespace fuzz

#endif
