// program_store -- how many programs of users' texts are kept.
#include "device/program_store.h"

#include <algorithm>
#include <atomic>

namespace openclPort {

namespace {
std::atomic<std::size_t> most_programs{kDefaultUserPrograms};
}  // namespace

void set_user_programs(int most) { most_programs = static_cast<std::size_t>(std::max(most, 1)); }
std::size_t user_programs() { return most_programs.load(); }

}  // namespace openclPort
