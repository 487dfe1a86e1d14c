// fuzz_expression_text -- an expression as text: it is refused by a place in it, or goes through the whole compiler.
#include "fuzz_compile.h"

// The text ends at the first zero byte; what follows decides how it is compiled.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string all = fuzz::text_of(data, size), text = all.substr(0, all.find('\0'));
  fuzz::Choices choices(data + text.size(), size - text.size());
  choices.below(1);  // the zero byte
  std::shared_ptr<fuzz::Function> function;
  const auto parse = [&] {
    if (text.compare(0, 8, "function") == 0) {
      function = std::make_shared<fuzz::Function>(*fuzz::parse_function(text));
    } else {
      function = std::make_shared<fuzz::Function>();
      function->body = fuzz::parse(text);
    }
  };
  if (fuzz::refused("an expression cannot be read at ", parse)) return 0;
  fuzz::syntax_text(*function->body);
  fuzz::refused("", [&] { fuzz::compile(function, choices); });
  return 0;
}
