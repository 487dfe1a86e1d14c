// private_folder -- a folder in which only this user can have put anything, and the files in it.
//
// A folder is opened once and its files are reached through it: what is later put in the place of its path has no
// effect. No link is followed to a file. Where files have no owners and modes (Windows) the system's own protection of
// a user's folders has to do. Nothing here throws: a cache has to work without its files.
#pragma once

#include <cstdint>
#include <ctime>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace openclPort {

enum class FolderState { open, missing, failed, unsafe };  // unsafe: others could have put files there

class PrivateFolder {
 public:
  // `make`: the folder and those above it are made where they are missing, for this user alone.
  PrivateFolder(const std::string& path, bool make);
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  FolderState state() const { return state_; }
  const std::string& problem() const { return problem_; }  // "" where it is open
  const std::string& path() const { return path_; }

  struct File {
    std::string name;
    std::uint64_t bytes;
    std::time_t time;
  };
  std::vector<std::string> names() const;
  // A regular file of this user that nobody else may write to; nothing otherwise.
  std::optional<File> file(const std::string& name) const;
  std::optional<std::string> read(const std::string& name, std::uint64_t limit) const;

  // A new file of these pieces, readable by this user alone. False: it was there, or cannot be written whole.
  bool write_new(const std::string& name, std::initializer_list<const std::string*> pieces) const;
  bool replace(const std::string& from, const std::string& to) const;
  bool remove(const std::string& name) const;
  void touch(const std::string& name) const;  // its time becomes now

 private:
  std::string path_, problem_;
  FolderState state_ = FolderState::failed;
  int handle_ = -1;
};

// Bytes that nobody can guess; fewer where the system gives none.
std::string random_bytes(std::size_t count);

}  // namespace openclPort
