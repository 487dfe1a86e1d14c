// near_names -- finds the known names that an unknown name may be a misspelling of.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace openclPort {

// How many letters have to be inserted, left out or replaced to make one of the other, 1 where only their order
// differs; capitals do not matter.
std::size_t letters_apart(const std::string& a, const std::string& b);

// The end of a message about `name`, which is none of `known`: "; did you mean 'dnorm'?"; "" where none is near.
std::string did_you_mean(const std::string& name, const std::vector<std::string>& known);

}  // namespace openclPort
