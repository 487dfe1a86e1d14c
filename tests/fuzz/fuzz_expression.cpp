// fuzz_expression -- random syntax trees, which need not be such as R's parser makes: each compiles or is refused.
#include <cmath>

#include "expression/syntax_names.h"
#include "expression/tables.h"
#include "fuzz_compile.h"

namespace {

using fuzz::Choices;
using fuzz::Syntax;

constexpr std::size_t kHead = 40;

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

fuzz::SyntaxPtr symbol(const std::string& name) {
  const auto made = std::make_shared<Syntax>();
  made->kind = Syntax::Kind::symbol;
  made->name = name;
  return made;
}

std::shared_ptr<Syntax> call_of(const std::string& name, int number) {
  const auto made = std::make_shared<Syntax>();
  made->kind = Syntax::Kind::call;
  made->number = number;
  made->name = name;
  made->called = fuzz::called_by(name, false);
  return made;
}

// A product that fits.
fuzz::SyntaxPtr product() {
  const auto made = call_of("%*%", 1);
  made->args = {symbol("X"), symbol("b")};
  return made;
}

fuzz::SyntaxPtr constant(const fuzz::Constant& value) {
  const auto made = std::make_shared<Syntax>();
  made->constant = value;
  return made;
}

// What ends an expression more often than not is rare: an error leaves nothing to look at behind it.
bool oddly(Choices& choices) { return choices.below(64) == 63; }

fuzz::SyntaxPtr odd_leaf(Choices& choices) {
  const auto made = std::make_shared<Syntax>();
  made->kind = Syntax::Kind::text;
  made->name = "x + 1";
  if (choices.below(2) == 0) made->shown = "NULL";
  return choices.below(2) == 0 ? symbol("nobody") : made;
}

fuzz::SyntaxPtr leaf(Choices& choices) {
  if (oddly(choices)) return odd_leaf(choices);
  switch (choices.below(8)) {
    case 0:
      return constant(choices.one_of(std::vector<fuzz::Constant>{
          fuzz::real_constant(0.0), fuzz::real_constant(-1e300), fuzz::real_constant(HUGE_VAL),
          fuzz::real_constant(fuzz::na_real()), fuzz::real_constant(0.5), fuzz::whole_constant(fuzz::Type::integer, 2),
          fuzz::whole_constant(fuzz::Type::logical, 1), fuzz::whole_constant(fuzz::Type::integer, INT_MIN)}));
    case 1:
      return constant(fuzz::real_constant(choices.below(256)));
    case 2:
      return symbol(choices.one_of(std::vector<std::string>{"u", "v"}));
    case 3:
      return product();
    default:
      return symbol(choices.one_of(std::vector<std::string>{"x", "y", "n", "l", "s", "x", "y"}));
  }
}

// How many arguments a call of this name has where it is right.
unsigned usual_count(const std::string& name, Choices& choices) {
  const fuzz::Row* const row = fuzz::language_row(name);
  if (row == nullptr) {
    const fuzz::FunctionRow* const called = fuzz::function_of_r(name);
    return called == nullptr ? 1 : static_cast<unsigned>(called->columns.size()) + (called->draws() ? 1 : 0);
  }
  const std::string& kind = row->at("kind");
  if (name == "ifelse" || name == "if") return 3;
  if (kind == "arithmetic" || kind == "comparison" || name == "pmin" || name == "pmax" || name == "<-") return 2;
  if (name == "atan2" || name == "log" || name == "round" || name == "signif") return 2;
  if (kind == "logic") return name == "!" ? 1 : 2;
  return name == "{" ? 1 + choices.below(3) : 1;
}

using Functions = std::vector<std::shared_ptr<fuzz::Function>>;

fuzz::SyntaxPtr tree(Choices& choices, int depth, const Functions& own) {
  if (choices.empty() || depth > 60 || choices.below(4) == 0) return leaf(choices);
  const auto made = call_of(some_call(choices), 2 + depth);
  std::string& name = made->name;
  if (name == "%*%" && !oddly(choices)) return product();
  if (made->called.name.empty() || (oddly(choices) && oddly(choices))) {
    made->called.kind = fuzz::Called::Kind::refused;
    made->called.name = "it is refused";
  } else if (choices.below(16) == 15 && !own.empty()) {
    made->called.kind = fuzz::Called::Kind::own;
    made->called.function = choices.one_of(own);
    name = "own";
  }
  const unsigned count = oddly(choices) ? choices.below(5) : usual_count(name, choices);
  for (unsigned k = 0; k < count; ++k) {
    const bool target = k == 0 && (name == "<-" || name == "="), test = k == 0 && (name == "if" || name.back() == '&');
    if (target && !oddly(choices))
      made->args.push_back(symbol(choices.one_of(std::vector<std::string>{"u", "v", "x"})));
    else if (test && !oddly(choices))
      made->args.push_back(symbol("s"));
    else
      made->args.push_back(tree(choices, depth + 1, own));
  }
  if (choices.below(4) == 0 && made->called.kind == fuzz::Called::Kind::library) {
    const fuzz::FunctionRow& row = *fuzz::function_row(made->called.name);
    if (!row.flags.empty() && !row.draws()) {
      made->names.assign(made->args.size(), "");
      made->names.push_back(choices.one_of(row.flags));
      made->args.push_back(constant(fuzz::whole_constant(fuzz::Type::logical, static_cast<int>(choices.below(2)))));
    }
  }
  if (oddly(choices)) {
    made->names.clear();
    for (std::size_t k = 0; k < made->args.size(); ++k)
      made->names.push_back(choices.one_of(std::vector<std::string>{
          "", "x", "log", "log.p", "lower.tail", "ncp", "mu", "rate", "na.rm", "test", "digits", "base", "no", "n"}));
  }
  return made;
}

// Where `u` and `v` have values.
fuzz::SyntaxPtr body(Choices& choices, const Functions& own) {
  const auto made = call_of("{", 1), first = call_of("<-", 1), second = call_of("<-", 1);
  first->args = {symbol("u"), symbol("x")};
  second->args = {symbol("v"), tree(choices, 0, own)};
  made->args = {first, second, tree(choices, 0, own)};
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  // The first bytes say how it is compiled: what the tree takes leaves none.
  const std::size_t head = size < kHead ? size : kHead;
  Choices settings(data, head), choices(data + head, size - head);
  Functions own;
  const auto made = [&] {
    const auto function = std::make_shared<fuzz::Function>();
    function->formals = {"x", "v"};
    function->defaults = {nullptr, leaf(choices)};
    function->body = body(choices, own);
    return function;
  };
  if (choices.below(4) == 0) own.push_back(made());
  const auto function = made();
  fuzz::syntax_text(*function->body);
  fuzz::refused("", [&] { fuzz::compile(function, settings); });
  return 0;
}
