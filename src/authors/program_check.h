// program_check -- checks kernels against the libraries that their tags name.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "authors/checked_folder.h"
#include "loader/kernel_calls.h"

namespace openclPort {

// What the files of a library define, whether they @provide it or not, and no other file of it does.
std::map<std::string, ProvidedName> defined_by(const CheckedFolder& folder);

class ProgramCheck {
 public:
  explicit ProgramCheck(FindingSink found) : found_(std::move(found)) {}

  void check(const CheckedFolder& folder);  // one that holds kernels

 private:
  struct Library {
    CheckedFolder folder;
    KernelIndex index;
    std::map<std::string, ProvidedName> homes, provided;
  };

  const Library* library(const CheckedFolder& kernels, const std::string& name);
  static std::vector<const CheckedFile*> parts(const Library& library, const std::vector<std::string>& stems);
  std::vector<const CheckedFile*> users(const CheckedFolder& folder, const CheckedFile& file, const std::string& name);
  void check_kernel(const CheckedFolder& folder, const CheckedFile& file, const std::string& name);
  void check_needs(const CheckedFolder& folder, const CheckedFile& file, const Library& library,
                   const std::string& name, const std::vector<std::string>& direct);
  void check_calls(const CheckedFile& file, const Library& library, const std::string& name);
  void check_program(const CheckedFile& file, const Library& library, const std::vector<std::string>& direct);

  FindingSink found_;
  std::map<std::string, std::unique_ptr<Library>> libraries_;  // by folder
};

}  // namespace openclPort
