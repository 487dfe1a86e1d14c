// text_diff -- lists the lines in which two texts differ.
#pragma once

#include <string>

namespace openclPort {

// In the unified format, three lines around each change; `name` stands in its head. "" for equal texts. A carriage
// return at the end of a line is shown as \r.
std::string text_diff(const std::string& before, const std::string& after, const std::string& name);

}  // namespace openclPort
