// shared_object -- compiled code: its bytes from a private folder into this process.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace openclPort {

// A folder of this process that only its user can enter, made new; it goes with all that is in it.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& parent);  // "": where the system has temporary files
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string file(const std::string& name) const;  // its path
  std::string lack_of_room() const;                 // what an error says where its disk is nearly full; "" elsewhere

 private:
  std::string path_;
};

// What is in a file, any bytes, `limit` at most; written for this user alone.
std::string read_bytes(const std::string& path, std::size_t limit = std::string::npos);
void write_bytes(const std::string& path, const std::string& bytes);

// Loaded until it is destroyed. Throws NmathError where the system will not have it.
class SharedObject {
 public:
  SharedObject(const std::string& bytes, const std::string& parent);  // of a temporary folder
  ~SharedObject();
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;
  void* symbol(const char* name) const;  // null if there is none

 private:
  std::unique_ptr<TemporaryFolder> folder_;  // kept where a loaded file cannot be removed
  void* handle_ = nullptr;
};

// Why the system does not load a library, by its name or path; "" where it does. The library stays loaded.
std::string loading_problem(const std::string& library);

}  // namespace openclPort
