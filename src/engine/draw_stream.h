// draw_stream -- says which random numbers a call draws.
#pragma once

#include <cstdint>

namespace openclPort {

// A seed's draws are numbered from 0; element i of a call is draw `first` + i.
struct DrawStream {
  DrawStream(std::uint64_t its_seed = 0, std::uint64_t its_first = 0, bool with_tables = true)
      : seed(its_seed), first(its_first), tables(with_tables) {}
  std::uint64_t seed, first;
  bool tables;  // of laws that have one, see draw_table.h; else draws as kernels of other texts make them
};

}  // namespace openclPort
