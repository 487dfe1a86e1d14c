// preprocess -- a program's text as the compiler proper would see it.
#include "pair/preprocess.h"

#include <cstdlib>
#include <map>
#include <memory>
#include <unordered_map>

namespace openclPort::pair {

namespace {

struct Macro {
  bool call = false, variadic = false, active = false;
  std::vector<std::string_view> parameters;
  std::vector<Word> body;
};

class Preprocessor {
 public:
  Preprocessor(const std::string* library, Memory& memory) : library_(library), memory_(memory) {}

  void define(const std::string& name, const std::string& text) {
    const std::string* line = memory_.keep(name + " " + text);
    Words words(*line, nullptr);
    define(words.rest_of_line());
  }

  void run(const std::string* text) {
    Words words(*text, nullptr);
    Words* const outer = words_;
    words_ = &words;
    const std::size_t depth = open_.size();
    for (;;) {
      const Word word = words_->next();
      if (word.kind == WordKind::end) break;
      if (!directive(word)) expand_from(word, output_, true);
    }
    if (open_.size() != depth) fail(open_.back().begin, "the condition has no #endif");
    words_ = outer;
  }

  std::vector<Word> take_output() { return std::move(output_); }

 private:
  struct Open {
    Word begin;
    bool taken;  // one of its parts
  };

  // A list of words that are read before what comes next in the text; `macro` is what they are the expansion of.
  struct Frame {
    std::vector<Word> words;
    std::size_t at = 0;
    std::shared_ptr<Macro> macro;
  };

  // ---- directives ----

  bool directive(const Word& word) {
    if (!word.first || !word.is("#")) return false;
    const Word name = words_->next();
    if (name.first) {  // a line of its own
      fail(name, "a '#' stands alone");
    }
    const std::string what(name.text);
    if (what == "define") {
      define(words_->rest_of_line());
    } else if (what == "undef") {
      const std::vector<Word> rest = words_->rest_of_line();
      if (!rest.empty()) macros_.erase(rest[0].text);
    } else if (what == "if" || what == "ifdef" || what == "ifndef") {
      const bool holds = asked(what, name);
      open_.push_back({name, holds});
      if (!holds) skip();
    } else if (what == "elif" || what == "else") {
      if (open_.empty()) fail(name, "#" + what + " without #if");
      skip();
    } else if (what == "endif") {
      close(name);
    } else if (what == "line" || name.kind == WordKind::number) {
      set_line(name, what == "line");
    } else if (what == "error") {
      fail(name, "#error" + std::string(words_->rest_as_text()));
    } else if (what == "pragma" || what == "include") {
      pass(name);
    } else {
      fail(name, "#" + what + " cannot be translated");
    }
    return true;
  }

  void close(const Word& name) {
    words_->rest_of_line();
    if (open_.empty()) fail(name, "#endif without #if");
    open_.pop_back();
  }

  bool asked(const std::string& what, const Word& name) {
    std::vector<Word> words = words_->rest_of_line();
    if (what != "if") {
      if (words.empty()) fail(name, "#" + what + " names no macro");
      return (macros_.count(words[0].text) != 0) == (what == "ifdef");
    }
    std::vector<Word> known;
    for (std::size_t k = 0; k < words.size(); ++k) {
      if (!words[k].is("defined")) {
        known.push_back(words[k]);
        continue;
      }
      const bool closed = k + 1 < words.size() && words[k + 1].is("(");
      k += closed ? 2 : 1;
      if (k >= words.size()) fail(name, "'defined' names no macro");
      Word value = words[k];
      value.kind = WordKind::number;
      value.text = macros_.count(words[k].text) != 0 ? "1" : "0";
      known.push_back(value);
      k += closed ? 1 : 0;
    }
    return condition_holds(expanded(known), name);
  }

  // To the part of the condition that is taken, or behind its end.
  void skip() {
    int depth = 0;
    while (words_->skip_to_directive()) {
      const Word name = words_->next();
      const std::string what(name.text);
      if (what == "if" || what == "ifdef" || what == "ifndef") {
        ++depth;
      } else if (what == "endif") {
        if (depth-- == 0) return close(name);
      } else if (depth == 0 && (what == "else" || what == "elif") && !open_.back().taken) {
        if (what == "else" || asked("if", name)) {
          open_.back().taken = true;
          return;
        }
      }
    }
    fail(open_.back().begin, "the condition has no #endif");
  }

  void define(const std::vector<Word>& words) {
    if (words.empty() || !words[0].is_name()) return;
    Macro macro;
    std::size_t at = 1;
    if (words.size() > 1 && words[1].is("(") && !words[1].spaced) {
      macro.call = true;
      for (at = 2; at < words.size() && !words[at].is(")"); ++at) {
        if (words[at].is("...")) {
          macro.variadic = true;
          macro.parameters.push_back("__VA_ARGS__");
        } else if (!words[at].is(",")) {
          macro.parameters.push_back(words[at].text);
        }
      }
      ++at;
    }
    macro.body.assign(words.begin() + static_cast<std::ptrdiff_t>(std::min(at, words.size())), words.end());
    macros_[words[0].text] = std::make_shared<Macro>(std::move(macro));
  }

  void set_line(const Word& name, bool named) {
    std::vector<Word> rest = words_->rest_of_line();
    if (!named) rest.insert(rest.begin(), name);
    if (rest.empty()) fail(name, "#line without a number");
    const int line = std::atoi(std::string(rest[0].text).c_str());
    const std::string* file = nullptr;
    if (rest.size() > 1 && rest[1].text.size() >= 2) {
      const std::string wanted(rest[1].text.substr(1, rest[1].text.size() - 2));
      auto known = files_.find(wanted);
      if (known == files_.end()) known = files_.emplace(wanted, memory_.keep(wanted)).first;
      file = known->second;
    }
    words_->set_line(line - 1, file);
  }

  // The compiler's own. That the device has doubles is no longer asked for.
  void pass(const Word& name) {
    const std::string_view rest = words_->rest_as_text();
    if (rest.find("NMATH_PAIR_LIBRARY") != std::string_view::npos) return run(library_);
    if (rest.find("cl_khr_fp64") != std::string_view::npos) return;
    Word line = name;
    line.kind = WordKind::line;
    line.text = *memory_.keep("#" + std::string(name.text) + std::string(rest));
    output_.push_back(line);
  }

  // ---- macros ----

  // A word, of the list that is read or of the text; where `from_text` is false the end of the lists is the end.
  Word read(bool from_text) {
    while (frames_.size() > base_) {
      Frame& frame = frames_.back();
      if (frame.at < frame.words.size()) return frame.words[frame.at++];
      if (frame.macro != nullptr) frame.macro->active = false;
      frames_.pop_back();
    }
    if (!from_text) return Word();
    for (;;) {
      const Word word = words_->next();
      if (!directive(word)) return word;
    }
  }

  void unread(const Word& word) { frames_.push_back({{word}, 0, nullptr}); }

  // Writes a word and what it and its expansion give; `outer` places them.
  void expand_from(const Word& first, std::vector<Word>& into, bool from_text) {
    const std::size_t depth = frames_.size();
    Word word = first;
    for (;;) {
      if (!expands(word, from_text)) {
        word.line = first.line;
        word.file = first.file;
        into.push_back(word);
      }
      for (;;) {  // lists that are read
        if (frames_.size() <= depth) return;
        if (frames_.back().at < frames_.back().words.size()) break;
        if (frames_.back().macro != nullptr) frames_.back().macro->active = false;
        frames_.pop_back();
      }
      word = frames_.back().words[frames_.back().at++];
    }
  }

  std::vector<Word> expanded(const std::vector<Word>& words) {
    const std::size_t base = base_;
    std::vector<Word> result;
    base_ = frames_.size();
    frames_.push_back({words, 0, nullptr});
    for (;;) {
      Word word = read(false);
      if (word.kind == WordKind::end) break;
      if (!expands(word, false)) result.push_back(word);
    }
    base_ = base;
    return result;
  }

  // Whether the word is a macro that is expanded here: then its expansion is what is read next.
  bool expands(Word& word, bool from_text) {
    if (!word.is_name() || word.fixed) return false;
    const auto found = macros_.find(word.text);
    if (found == macros_.end()) return false;
    const std::shared_ptr<Macro> known = found->second;
    Macro& macro = *known;
    if (macro.active) {
      word.fixed = true;
      return false;
    }
    std::vector<std::vector<Word>> arguments;
    if (macro.call) {
      const Word open = read(from_text);
      if (!open.is("(")) {
        if (open.kind != WordKind::end) unread(open);
        return false;
      }
      arguments = read_arguments(word, macro, from_text);
    }
    std::vector<Word> body = macro.call ? replaced(macro, arguments, word) : macro.body;
    if (!macro.call) paste(body, word);
    if (!body.empty()) body[0].spaced = word.spaced;
    macro.active = true;
    frames_.push_back({std::move(body), 0, known});
    return true;
  }

  std::vector<std::vector<Word>> read_arguments(const Word& name, const Macro& macro, bool from_text) {
    std::vector<std::vector<Word>> arguments(1);
    for (int depth = 0;;) {
      const Word word = read(from_text);
      if (word.kind == WordKind::end) fail(name, "the call of macro " + std::string(name.text) + " has no end");
      if (word.is(")") && depth-- == 0) break;
      if (word.is("(")) ++depth;
      const bool rest = macro.variadic && arguments.size() == macro.parameters.size();
      if (word.is(",") && depth == 0 && !rest)
        arguments.emplace_back();
      else
        arguments.back().push_back(word);
    }
    if (macro.parameters.empty() && arguments.size() == 1 && arguments[0].empty()) arguments.clear();
    if (macro.variadic && arguments.size() + 1 == macro.parameters.size()) arguments.emplace_back();
    if (arguments.size() != macro.parameters.size())
      fail(name, "macro " + std::string(name.text) + " takes " + std::to_string(macro.parameters.size()) +
                     " arguments, not " + std::to_string(arguments.size()));
    return arguments;
  }

  std::vector<Word> replaced(const Macro& macro, const std::vector<std::vector<Word>>& arguments, const Word& name) {
    std::vector<Word> result;
    std::vector<std::unique_ptr<std::vector<Word>>> values(arguments.size());
    const auto parameter = [&](std::size_t k) -> std::ptrdiff_t {
      if (k >= macro.body.size() || !macro.body[k].is_name()) return -1;
      for (std::size_t p = 0; p < macro.parameters.size(); ++p)
        if (macro.parameters[p] == macro.body[k].text) return static_cast<std::ptrdiff_t>(p);
      return -1;
    };
    bool pastes = false;
    for (std::size_t k = 0; k < macro.body.size(); ++k) {
      const Word& word = macro.body[k];
      pastes = pastes || word.is("##");
      if (word.is("#") && parameter(k + 1) >= 0) {
        result.push_back(as_text(arguments[static_cast<std::size_t>(parameter(++k))], word));
        continue;
      }
      const std::ptrdiff_t p = parameter(k);
      if (p < 0) {
        result.push_back(word);
        continue;
      }
      const std::size_t at = static_cast<std::size_t>(p), begin = result.size();
      const bool plain =
          (k > 0 && macro.body[k - 1].is("##")) || (k + 1 < macro.body.size() && macro.body[k + 1].is("##"));
      if (!plain && values[at] == nullptr) values[at] = std::make_unique<std::vector<Word>>(expanded(arguments[at]));
      const std::vector<Word>& value = plain ? arguments[at] : *values[at];
      result.insert(result.end(), value.begin(), value.end());
      if (result.size() > begin) result[begin].spaced = word.spaced;
    }
    if (pastes) paste(result, name);
    return result;
  }

  Word as_text(const std::vector<Word>& words, const Word& sign) {
    std::string text = "\"";
    for (const Word& word : words) {
      if (word.spaced && text.size() > 1) text += ' ';
      for (const char c : word.text) {
        if (word.kind == WordKind::text && (c == '"' || c == '\\')) text += '\\';
        text += c;
      }
    }
    Word result = sign;
    result.kind = WordKind::text;
    result.text = *memory_.keep(text + "\"");
    return result;
  }

  void paste(std::vector<Word>& words, const Word& name) {
    for (std::size_t k = 1; k + 1 < words.size();) {
      if (!words[k].is("##")) {
        ++k;
        continue;
      }
      const std::string* text = memory_.keep(std::string(words[k - 1].text) + std::string(words[k + 1].text));
      Words pasted(*text, nullptr);
      const std::vector<Word> parts = pasted.rest_of_line();
      if (parts.size() != 1) fail(name, "'##' makes no word: " + *text);
      const bool spaced = words[k - 1].spaced;
      words[k - 1] = parts[0];
      words[k - 1].spaced = spaced;
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(k), words.begin() + static_cast<std::ptrdiff_t>(k) + 2);
    }
  }

  const std::string* library_;
  Memory& memory_;
  Words* words_ = nullptr;
  std::unordered_map<std::string_view, std::shared_ptr<Macro>> macros_;  // an argument of one may end it
  std::map<std::string, const std::string*> files_;
  std::vector<Open> open_;
  std::vector<Frame> frames_;
  std::size_t base_ = 0;
  std::vector<Word> output_;
};

}  // namespace

std::vector<Word> preprocess(const std::string* text, const Definitions& predefined, const std::string* library,
                             Memory& memory) {
  Preprocessor preprocessor(library, memory);
  for (const auto& definition : predefined) preprocessor.define(definition.first, definition.second);
  preprocessor.run(text);
  return preprocessor.take_output();
}

}  // namespace openclPort::pair
