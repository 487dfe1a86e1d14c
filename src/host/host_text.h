// host_text -- from a program in OpenCL C to a text that a C compiler takes.
//
// HOST.cl comes first. Each kernel gets the work-item as a last parameter and, behind its body and on the same line, a
// launcher that adds itself to the object's table: what a condition leaves out is not there. Reentrant.
#ifndef NMATHOPENCL_HOST_TEXT_H
#define NMATHOPENCL_HOST_TEXT_H

#include <string>

namespace openclPort {

std::string host_prelude();  // HOST.cl

struct HostText {
  std::string text;
  // Something of a kernel is hidden in macros: `text` is then for the compiler to follow them, and what it gives goes
  // to host_text_expanded().
  bool to_expand = false;
};

HostText host_text(const std::string& prelude, const std::string& program);
std::string host_text_expanded(const std::string& prelude, const std::string& expanded);

// Why C cannot have what a program that did not compile says: the word, what it is, and where; "" for nothing of the
// kind.
std::string beyond_host(const std::string& program);

}  // namespace openclPort

#endif
