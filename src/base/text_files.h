// text_files -- whole text files, in and out. Every failure is an NmathError that names the path.
#pragma once

#include <string>

namespace openclPort {

bool is_file(const std::string& path);
bool is_directory(const std::string& path);
std::string read_text_file(const std::string& path);  // "File not found: ..."

// The same for a file of a folder that may come from anywhere: a link that leads out of `folder` is refused.
std::string read_file_of_folder(const std::string& folder, const std::string& path);

// Written beside its place and then put there: other readers see the old file or the new one. A link in its place is
// replaced, not followed; the permissions of a file that was there stay.
void write_text_file(const std::string& path, const std::string& text);

// The file that a path, perhaps a link, stands for; the path itself if there is none.
std::string link_target(const std::string& path);

}  // namespace openclPort
