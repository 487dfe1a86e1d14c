// fault_layer_kept -- contexts and programs that the driver keeps for the tests, see keep_builds().
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "fault_layer_state.h"

namespace fault_layer {

// Thread-safe. What is given out has a reference of its own; what is not kept is null.
class KeptBuilds {
 public:
  static KeptBuilds& get();

  void keep_from_now_on(bool keep);
  cl_context context(cl_uint count, const cl_device_id* devices);
  void keep(cl_uint count, const cl_device_id* devices, cl_context context);
  cl_program program(cl_context context, const std::string& text);
  void keep(cl_context context, const std::string& text, cl_program program);
  // `how`: to an executable or an object, and the options.
  bool is_built(cl_program program, const std::string& how);
  void built(cl_program program, const std::string& how);
  void failed(cl_program program);
  cl_program linked(cl_uint count, const cl_program* programs, const char* options);
  void keep(cl_uint count, const cl_program* programs, const char* options, cl_program linked);

 private:
  // A program that is not built yet may be given to one caller only: another one's build would be its, too.
  struct Program {
    cl_program handle = nullptr;
    bool built = false;
    std::string how;
  };

  using Link = std::pair<std::vector<cl_program>, std::string>;
  // Of kept programs only: an address of another one may come again. Empty where one is not.
  Link link_of(cl_uint count, const cl_program* programs, const char* options) const;

  std::mutex mutex_;
  bool keeps_ = false;
  std::map<cl_device_id, cl_context> contexts_;
  std::map<std::pair<cl_context, std::string>, Program> programs_;
  std::map<Link, cl_program> links_;
};

}  // namespace fault_layer
