// definition_rules -- checks what the files of one program define: duplicates, and names that clash.
#pragma once

#include <vector>

#include "authors/checked_folder.h"

namespace openclPort {

// Functions and provided names that two files have, and macros that mean another thing in a later file.
void check_definitions(const std::vector<const CheckedFile*>& files, const FindingSink& found);

// Functions that come back to themselves.
void check_recursion(const std::vector<const CheckedFile*>& files, const FindingSink& found);

}  // namespace openclPort
