// host_text -- translates a program in OpenCL C to C.
//
// HOST.cl comes first. Each kernel gets the work-item as a last parameter and, behind its body and on the same line, a
// launcher that adds itself to the object's table: what a condition leaves out is not there. Reentrant.
#pragma once

#include <map>
#include <set>
#include <string>

namespace openclPort {

std::string host_prelude();  // HOST.cl

struct HostText {
  std::string text;
  // Something of a kernel is hidden in macros: `text` is then for the compiler to follow them, and what it gives goes
  // to host_text_expanded().
  bool to_expand = false;
  std::set<std::string> waits;  // functions that are no kernels and have their callers wait at barriers
};

// `waiting`: functions of other texts that have their callers wait.
HostText host_text(const std::string& prelude, const std::string& program, const std::set<std::string>& waiting = {});
HostText host_text_expanded(const std::string& prelude, const std::string& expanded,
                            const std::set<std::string>& waiting = {});

// The text with that of each header in place of the line that includes it. Other inclusions stay as they are.
std::string with_headers(const std::string& program, const std::map<std::string, std::string>& headers);

// Why C cannot have what a program that did not compile says: the word, what it is, and where; "" for nothing of the
// kind.
std::string beyond_host(const std::string& program);

}  // namespace openclPort
