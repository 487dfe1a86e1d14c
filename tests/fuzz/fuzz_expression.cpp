// fuzz_expression -- random syntax trees, which need not be such as R's parser makes: each compiles or is refused.
#include <cmath>

#include "expression/syntax_names.h"
#include "expression/tables.h"
#include "fuzz_compile.h"

namespace {

using fuzz::Choices;
using fuzz::Syntax;

// Names of calls: those of the language oftener than those of functions.
const std::string& some_call(Choices& choices) {
  static const std::vector<std::string> often = {"+", "-", "*", "/", "^", "ifelse", "<-", "{", "(", "%*%", "if", ">"};
  static const std::vector<std::string> language = [] {
    std::vector<std::string> names;
    for (const fuzz::Row& row : fuzz::language_rows()) names.push_back(row.at("name"));
    return names;
  }();
  static const std::vector<std::string> library = {
      "dnorm",  "pgamma",    "qbeta",  "dbinom", "rnorm",   "rbinom", "lgamma", "besselI", "dt",          "pt",
      "qchisq", "rmultinom", "choose", "log1p",  "dnbinom", "ptukey", "beta",   "rgamma",  "dnorm_opencl"};
  const unsigned kind = choices.below(8);
  return choices.one_of(kind < 4 ? often : kind < 6 ? language : library);
}

fuzz::SyntaxPtr leaf(Choices& choices) {
  const auto made = std::make_shared<Syntax>();
  switch (choices.below(8)) {
    case 0:
      made->constant = choices.one_of(std::vector<fuzz::Constant>{
          fuzz::real_constant(0.0), fuzz::real_constant(-1e300), fuzz::real_constant(HUGE_VAL),
          fuzz::real_constant(fuzz::na_real()), fuzz::real_constant(0.5), fuzz::whole_constant(fuzz::Type::integer, 2),
          fuzz::whole_constant(fuzz::Type::logical, 1), fuzz::whole_constant(fuzz::Type::integer, INT_MIN)});
      return made;
    case 1:
      made->constant = fuzz::real_constant(choices.below(256));
      return made;
    case 2:
      made->kind = Syntax::Kind::text;
      made->name = "x + \"1\"";
      if (choices.below(2) == 0) made->shown = "NULL";
      return made;
    case 3:
      made->kind = Syntax::Kind::symbol;
      made->name = choices.one_of(std::vector<std::string>{"u", "v", "w"});
      return made;
    default:
      made->kind = Syntax::Kind::symbol;
      made->name = choices.one_of(fuzz::input_names());
      return made;
  }
}

fuzz::SyntaxPtr tree(Choices& choices, int depth, const std::vector<std::shared_ptr<fuzz::Function>>& own) {
  if (choices.empty() || depth > 60 || choices.below(3) == 0) return leaf(choices);
  const auto made = std::make_shared<Syntax>();
  made->kind = Syntax::Kind::call;
  made->number = 1 + depth;
  made->name = some_call(choices);
  made->called = fuzz::called_by(made->name, false);
  const unsigned special = choices.below(32);
  if (special == 1 || made->called.name.empty()) {
    made->called.kind = fuzz::Called::Kind::refused;
    made->called.name = "it is refused";
  } else if (special < 4 && !own.empty()) {
    made->called.kind = fuzz::Called::Kind::own;
    made->called.function = choices.one_of(own);
    made->name = "own";
  }
  const fuzz::FunctionRow* const row = fuzz::function_of_r(made->name);
  const unsigned count = choices.below(8) == 0 ? choices.below(5) : row != nullptr ? 1 + choices.below(4) : 2;
  for (unsigned k = 0; k < count; ++k) made->args.push_back(tree(choices, depth + 1, own));
  if (choices.below(8) == 0)
    for (unsigned k = 0; k < count; ++k)
      made->names.push_back(choices.one_of(std::vector<std::string>{
          "", "x", "log", "log.p", "lower.tail", "ncp", "mu", "rate", "na.rm", "test", "digits", "base", "no", "n"}));
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  Choices choices(data, size);
  std::vector<std::shared_ptr<fuzz::Function>> own;
  const auto made = [&] {
    const auto function = std::make_shared<fuzz::Function>();
    function->formals = {"x", "v"};
    function->defaults = {nullptr, leaf(choices)};
    function->body = tree(choices, 0, own);
    return function;
  };
  if (choices.below(4) == 0) own.push_back(made());
  const auto function = made();
  fuzz::syntax_text(*function->body);
  fuzz::refused("", [&] { fuzz::compile(function, choices); });
  return 0;
}
