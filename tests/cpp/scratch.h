// scratch -- a folder for a test and the variables of the environment, on every system.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>

// A fresh folder, its name with forward slashes; who makes it removes it.
inline std::string make_scratch_folder(const std::string& name) {
  std::random_device random;
  for (;;) {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / (name + "-" + std::to_string(random()));
    if (std::filesystem::create_directory(folder)) return folder.generic_string();
  }
}

inline void set_variable(const char* name, const std::string& value) {
#ifdef _WIN32
  _putenv_s(name, value.c_str());
#else
  setenv(name, value.c_str(), 1);
#endif
}

inline void unset_variable(const char* name) {
#ifdef _WIN32
  _putenv_s(name, "");
#else
  unsetenv(name);
#endif
}
