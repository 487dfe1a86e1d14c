// preprocess -- a program's text as the compiler proper would see it: conditions decided, macros expanded.
//
// The translator has to know what each word means, so it cannot leave macros to the device's compiler. What that
// compiler predefines is given. Directives that it has to see itself (pragmas, includes of C's headers) stay as words
// of the kind `line`. Reentrant.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "pair/words.h"

namespace openclPort::pair {

using Definitions = std::vector<std::pair<std::string, std::string>>;  // name, text

// What the words of a program are views into.
struct Memory {
  std::deque<std::string> texts;
  const std::string* keep(std::string text) {
    texts.push_back(std::move(text));
    return &texts.back();
  }
};

// `library` is what stands for `#pragma NMATH_PAIR_LIBRARY`.
std::vector<Word> preprocess(const std::string* text, const Definitions& predefined, const std::string* library,
                             Memory& memory);

// The value of what an #if asks, names expanded; a name that is left is 0.
bool condition_holds(const std::vector<Word>& words, const Word& directive);

}  // namespace openclPort::pair
