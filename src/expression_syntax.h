// expression_syntax -- an R function as the expression compiler's syntax.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "expression/syntax.h"
#include "r_door.h"

// Reads functions, and those that they call, with names resolved by R: `resolve` is a function of a name, an
// environment and a package or NULL, see resolved_call() in R.
class SyntaxReader {
 public:
  // `names`, `envs`, `formal`: of the inputs, by number.
  SyntaxReader(SEXP resolve, std::vector<std::string> names, SEXP envs, std::vector<int> formal)
      : resolve_(resolve), names_(std::move(names)), envs_(envs), formal_(std::move(formal)) {}
  ~SyntaxReader();
  SyntaxReader(const SyntaxReader&) = delete;
  SyntaxReader& operator=(const SyntaxReader&) = delete;

  using Function = openclPort::expression::Function;
  // `parts`: formals, body and environment. Of the function itself all inputs of its environment are known, of others
  // none that are formals.
  std::shared_ptr<Function> read(SEXP formals, SEXP body, SEXP env, bool outermost);
  SEXP call(int number) const { return number == 0 ? R_NilValue : calls_[static_cast<std::size_t>(number) - 1]; }

 private:
  using Syntax = openclPort::expression::Syntax;
  using SyntaxPtr = openclPort::expression::SyntaxPtr;
  using Called = openclPort::expression::Called;
  SyntaxPtr expression(SEXP expr, SEXP env);
  SyntaxPtr leaf(SEXP expr);
  SyntaxPtr function(SEXP expr, SEXP env);
  std::shared_ptr<Syntax> head(SEXP call, SEXP env);
  Called resolved(const std::string& name, const std::string& package, SEXP env);
  int number_of(SEXP call, std::string key);

  SEXP resolve_;
  std::vector<std::string> names_;
  SEXP envs_;
  std::vector<int> formal_;
  int made_functions_ = 0;
  std::vector<SEXP> calls_;                       // parts of the functions' bodies, which live as long as they do
  std::unordered_map<std::string, int> numbers_;  // of calls
  std::map<std::pair<std::string, SEXP>, Called> known_;
  std::vector<std::shared_ptr<Function>> functions_;
  std::vector<SyntaxPtr> parts_;  // in the order of their making: what they are made of first
};
