// private_folder_windows -- a folder of this user's files, and the files in it: Windows, where the system's access
// rules keep others out of a user's folders. Links (reparse points) are refused as files.
#ifdef _WIN32

#ifndef NOMINMAX
#define NOMINMAX
#endif
#include "base/private_folder.h"

#include <direct.h>
#include <stdlib.h>
#include <windows.h>

#include <cerrno>
#include <cstdio>

// Of <stdlib.h>, which declares it only where _CRT_RAND_S is defined before it is first read.
extern "C" _CRTIMP errno_t __cdecl rand_s(unsigned int* value);

namespace openclPort {

namespace {

bool make_folder(const std::string& path) {
  const DWORD found = GetFileAttributesA(path.c_str());
  if (found != INVALID_FILE_ATTRIBUTES) return (found & FILE_ATTRIBUTE_DIRECTORY) != 0;
  const std::size_t slash = path.find_last_of("/\\");
  if (slash != std::string::npos && slash > 0 && path[slash - 1] != ':' && !make_folder(path.substr(0, slash)))
    return false;
  return _mkdir(path.c_str()) == 0 || errno == EEXIST;
}

// Windows refuses to open, replace or remove a file while another holds it in a way that does not agree. Readers and
// writers of these files do so for milliseconds, and virus scanners little longer: half a second of trying again is
// enough.
template <typename Attempt>
bool insist(const Attempt& attempt) {
  for (int round = 0; !attempt(); ++round) {
    const DWORD reason = GetLastError();
    if (round == 50 || (reason != ERROR_SHARING_VIOLATION && reason != ERROR_ACCESS_DENIED)) return false;
    Sleep(10);
  }
  return true;
}

std::time_t seconds_since_1970(const FILETIME& time) {
  const std::uint64_t ticks = static_cast<std::uint64_t>(time.dwHighDateTime) << 32 | time.dwLowDateTime;
  return static_cast<std::time_t>(ticks / 10000000u - 11644473600u);
}

}  // namespace

PrivateFolder::PrivateFolder(const std::string& path, bool make) : path_(path) {
  if (make && !make_folder(path)) {
    problem_ = "the folder cannot be made";
    return;
  }
  const DWORD found = GetFileAttributesA(path.c_str());
  if (found == INVALID_FILE_ATTRIBUTES || (found & FILE_ATTRIBUTE_DIRECTORY) == 0) {
    state_ = found == INVALID_FILE_ATTRIBUTES ? FolderState::missing : FolderState::failed;
    problem_ = "the folder cannot be opened";
    return;
  }
  state_ = FolderState::open;
}

PrivateFolder::~PrivateFolder() {}

std::vector<std::string> PrivateFolder::names() const {
  std::vector<std::string> names;
  WIN32_FIND_DATAA entry;
  const HANDLE search = FindFirstFileA((path_ + "\\*").c_str(), &entry);
  if (search == INVALID_HANDLE_VALUE) return names;
  do {
    names.emplace_back(entry.cFileName);
  } while (FindNextFileA(search, &entry));
  FindClose(search);
  return names;
}

std::optional<PrivateFolder::File> PrivateFolder::file(const std::string& name) const {
  WIN32_FILE_ATTRIBUTE_DATA info;
  if (!GetFileAttributesExA((path_ + "\\" + name).c_str(), GetFileExInfoStandard, &info) ||
      (info.dwFileAttributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT)) != 0)
    return std::nullopt;
  return File{name, static_cast<std::uint64_t>(info.nFileSizeHigh) << 32 | info.nFileSizeLow,
              seconds_since_1970(info.ftLastWriteTime)};
}

std::optional<std::string> PrivateFolder::read(const std::string& name, std::uint64_t limit) const {
  if (!file(name)) return std::nullopt;
  const std::string path = path_ + "\\" + name;
  HANDLE handle = INVALID_HANDLE_VALUE;
  const auto open = [&] {  // others may replace or remove it meanwhile
    handle = CreateFileA(path.c_str(), GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                         OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
    return handle != INVALID_HANDLE_VALUE;
  };
  if (!insist(open)) return std::nullopt;
  LARGE_INTEGER size;
  std::optional<std::string> bytes;
  if (GetFileSizeEx(handle, &size) && size.QuadPart > 0 && static_cast<std::uint64_t>(size.QuadPart) <= limit) {
    bytes.emplace(static_cast<std::size_t>(size.QuadPart), '\0');
    DWORD got = 0;
    if (!ReadFile(handle, &(*bytes)[0], static_cast<DWORD>(bytes->size()), &got, nullptr) || got != bytes->size())
      bytes.reset();
  }
  CloseHandle(handle);
  return bytes;
}

bool PrivateFolder::write_new(const std::string& name, std::initializer_list<const std::string*> pieces) const {
  const HANDLE handle =
      CreateFileA((path_ + "\\" + name).c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (handle == INVALID_HANDLE_VALUE) return false;
  bool good = true;
  for (const std::string* piece : pieces) {
    DWORD written = 0;
    const DWORD bytes = static_cast<DWORD>(piece->size());
    good = good && WriteFile(handle, piece->data(), bytes, &written, nullptr) && written == bytes;
  }
  good = CloseHandle(handle) && good;
  if (!good) remove(name);
  return good;
}

bool PrivateFolder::replace(const std::string& from, const std::string& to) const {
  const std::string old_path = path_ + "\\" + from, new_path = path_ + "\\" + to;
  return insist([&] { return MoveFileExA(old_path.c_str(), new_path.c_str(), MOVEFILE_REPLACE_EXISTING) != 0; });
}

bool PrivateFolder::remove(const std::string& name) const { return std::remove((path_ + "\\" + name).c_str()) == 0; }

void PrivateFolder::touch(const std::string& name) const {
  const HANDLE handle = CreateFileA((path_ + "\\" + name).c_str(), FILE_WRITE_ATTRIBUTES, FILE_SHARE_READ, nullptr,
                                    OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (handle == INVALID_HANDLE_VALUE) return;
  FILETIME now;
  GetSystemTimeAsFileTime(&now);
  SetFileTime(handle, nullptr, nullptr, &now);
  CloseHandle(handle);
}

std::string random_bytes(std::size_t count) {
  std::string bytes;
  while (bytes.size() < count) {
    unsigned int word = 0;
    if (rand_s(&word) != 0) break;
    for (int i = 0; i < 4 && bytes.size() < count; ++i) bytes += static_cast<char>(word >> (8 * i));
  }
  return bytes;
}

}  // namespace openclPort

#endif  // _WIN32
