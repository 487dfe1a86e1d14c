// expression_syntax -- R's parse tree as plain structs.
#include "expression_syntax.h"

#include "base/nmath_error.h"

using openclPort::NmathError;
using openclPort::expression::Called;
using openclPort::expression::Constant;
using openclPort::expression::Syntax;
using openclPort::expression::SyntaxPtr;
using openclPort::expression::Type;

namespace {

std::string string_of(SEXP list, const char* name) {
  SEXP const x = r::element_or_null(list, name);
  return TYPEOF(x) == STRSXP && Rf_xlength(x) == 1 ? CHAR(STRING_ELT(x, 0)) : std::string();
}

bool is_function_made(SEXP x) {
  static SEXP const symbol = Rf_install("function");
  return TYPEOF(x) == LANGSXP && CAR(x) == symbol;
}

bool is_no_argument(SEXP x) { return x == R_MissingArg; }

struct CallName {
  std::string name, package;
};

// R has refused other heads when the function was made.
CallName name_of_call(SEXP call) {
  SEXP const head = CAR(call);
  if (TYPEOF(head) == SYMSXP) return {CHAR(PRINTNAME(head)), ""};
  if (TYPEOF(head) == LANGSXP && Rf_length(head) == 3 && TYPEOF(CADR(head)) == SYMSXP && TYPEOF(CADDR(head)) == SYMSXP)
    return {CHAR(PRINTNAME(CADDR(head))), CHAR(PRINTNAME(CADR(head)))};
  throw NmathError("a function is called by its name");
}

// A call whose arguments are being read.
struct OpenCall {
  std::shared_ptr<Syntax> syntax;
  SEXP call, rest;  // rest: arguments that are left
  std::string key;  // equal calls have equal ones
};

void append_key(std::string& key, const Syntax& part) {
  switch (part.kind) {
    case Syntax::Kind::call:
      key += 'c' + std::to_string(part.number);
      break;
    case Syntax::Kind::symbol:
      key += 's' + part.name;
      break;
    case Syntax::Kind::text:
      key += 't' + part.name + part.shown;
      break;
    case Syntax::Kind::empty:
      key += 'e';
      break;
    case Syntax::Kind::function:
      key += 'f' + std::to_string(part.number);
      break;
    case Syntax::Kind::constant:
      key += part.constant.type == Type::real ? 'd' : part.constant.type == Type::integer ? 'i' : 'l';
      key.append(reinterpret_cast<const char*>(&part.constant.whole), sizeof part.constant.whole);
      key.append(reinterpret_cast<const char*>(&part.constant.real), sizeof part.constant.real);
  }
  key += ',';
}

}  // namespace

SyntaxReader::~SyntaxReader() {
  for (const auto& function : functions_) {  // which may hold each other
    function->body.reset();
    function->defaults.clear();
  }
  known_.clear();
  while (!parts_.empty()) parts_.pop_back();  // what holds others goes first: deep expressions need no deep stack
}

SyntaxPtr SyntaxReader::leaf(SEXP expr) {
  auto made = std::make_shared<Syntax>();
  if (is_no_argument(expr)) {
    made->kind = Syntax::Kind::empty;
  } else if (TYPEOF(expr) == SYMSXP) {
    made->kind = Syntax::Kind::symbol;
    made->name = CHAR(PRINTNAME(expr));
  } else if (TYPEOF(expr) == REALSXP && Rf_xlength(expr) == 1) {
    made->constant = openclPort::expression::real_constant(REAL(expr)[0]);
  } else if (TYPEOF(expr) == INTSXP && Rf_xlength(expr) == 1) {
    made->constant = openclPort::expression::whole_constant(Type::integer, INTEGER(expr)[0]);
  } else if (TYPEOF(expr) == LGLSXP && Rf_xlength(expr) == 1) {
    made->constant = openclPort::expression::whole_constant(Type::logical, LOGICAL(expr)[0]);
  } else if (is_no_argument(expr)) {
    made->kind = Syntax::Kind::empty;
  } else {
    made->kind = Syntax::Kind::text;
    if (TYPEOF(expr) == STRSXP && Rf_xlength(expr) == 1) made->name = CHAR(STRING_ELT(expr, 0));
    if (TYPEOF(expr) != STRSXP) made->shown = "NULL";
  }
  parts_.push_back(made);
  return made;
}

// `function(v) v^2` in a body: what is free in it is looked for where it is made.
SyntaxPtr SyntaxReader::function(SEXP expr, SEXP env) {
  auto made = std::make_shared<Syntax>();
  made->kind = Syntax::Kind::function;
  made->number = ++made_functions_;
  const auto read_one = read(CADR(expr), CADDR(expr), env, false);
  read_one->inputs.clear();
  made->shown = "function(";
  for (std::size_t k = 0; k < read_one->formals.size(); ++k) made->shown += (k > 0 ? ", " : "") + read_one->formals[k];
  made->shown += ") ...";
  made->function = read_one;
  parts_.push_back(made);
  return made;
}

// Equal calls have one number.
int SyntaxReader::number_of(SEXP call, std::string key) {
  const auto known = numbers_.find(key);
  if (known != numbers_.end()) return known->second;
  calls_.push_back(call);
  const int number = static_cast<int>(calls_.size());
  numbers_.emplace(std::move(key), number);
  return number;
}

std::shared_ptr<Syntax> SyntaxReader::head(SEXP call, SEXP env) {
  auto made = std::make_shared<Syntax>();
  const CallName called = name_of_call(call);
  made->kind = Syntax::Kind::call;
  made->name = called.name;
  made->called = resolved(called.name, called.package, env);
  made->qualified = !called.package.empty();
  SEXP const written = Rf_getAttrib(call, Rf_install("written"));  // what the user has there
  if (TYPEOF(written) == STRSXP && Rf_xlength(written) == 1) made->shown = CHAR(STRING_ELT(written, 0));
  for (SEXP rest = CDR(call); rest != R_NilValue; rest = CDR(rest))
    if (TAG(rest) != R_NilValue) made->names.resize(static_cast<std::size_t>(Rf_length(call)) - 1);
  std::size_t k = 0;
  for (SEXP rest = CDR(call); rest != R_NilValue && !made->names.empty(); rest = CDR(rest), ++k)
    if (TAG(rest) != R_NilValue) made->names[k] = CHAR(PRINTNAME(TAG(rest)));
  return made;
}

SyntaxPtr SyntaxReader::expression(SEXP expr, SEXP env) {
  if (is_function_made(expr)) return function(expr, env);
  if (TYPEOF(expr) != LANGSXP) return leaf(expr);
  std::vector<OpenCall> open;
  const auto begin = [&](SEXP call) {
    open.push_back({head(call, env), call, CDR(call), std::string()});
    open.back().key = open.back().syntax->name + '(';
  };
  const auto take = [&](const SyntaxPtr& part) {
    OpenCall& last = open.back();
    if (!last.syntax->names.empty()) last.key += last.syntax->names[last.syntax->args.size()] + '=';
    append_key(last.key, *part);
    last.syntax->args.push_back(part);
  };
  for (begin(expr);;) {
    OpenCall& last = open.back();
    if (last.rest == R_NilValue) {
      last.syntax->number = number_of(last.call, std::move(last.key));
      const SyntaxPtr done = last.syntax;
      parts_.push_back(done);
      open.pop_back();
      if (open.empty()) return done;
      take(done);
      continue;
    }
    SEXP const next = CAR(last.rest);
    last.rest = CDR(last.rest);
    if (is_function_made(next))
      take(function(next, env));
    else if (TYPEOF(next) == LANGSXP)
      begin(next);
    else
      take(leaf(next));
  }
}

Called SyntaxReader::resolved(const std::string& name, const std::string& package, SEXP env) {
  const std::pair<std::string, SEXP> key(package + "::" + name, env);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  const r::Keep answer(r::enter([&] {
    SEXP const of = PROTECT(r::value(name, CE_UTF8));
    SEXP const from = PROTECT(package.empty() ? R_NilValue : r::value(package, CE_UTF8));
    SEXP const call = PROTECT(Rf_lang4(resolve_, of, env, from));
    SEXP const value = Rf_eval(call, R_GlobalEnv);
    UNPROTECT(3);
    return value;
  }));
  Called called;
  const std::string kind = string_of(answer, "kind");
  called.name = string_of(answer, "name");
  if (kind == "own") {
    called.kind = Called::Kind::own;
    auto function = std::make_shared<Function>();
    functions_.push_back(function);
    called.function = function;
    known_[key] = called;  // it may call itself
    SEXP const reduces = r::element_or_null(answer, "reduces");
    const std::shared_ptr<Function> made =
        read(r::element_or_null(answer, "formals"), r::element_or_null(answer, "body"),
             r::element_or_null(answer, "env"), false);
    *function = *made;
    function->reduces = Rf_asLogical(reduces) == TRUE;
    return called;
  }
  called.kind = kind == "library"    ? Called::Kind::library
                : kind == "language" ? Called::Kind::language
                                     : Called::Kind::refused;
  known_[key] = called;
  return called;
}

std::shared_ptr<SyntaxReader::Function> SyntaxReader::read(SEXP formals, SEXP body, SEXP env, bool outermost) {
  auto function = std::make_shared<Function>();
  functions_.push_back(function);
  for (SEXP rest = formals; rest != R_NilValue; rest = CDR(rest)) {
    function->formals.push_back(CHAR(PRINTNAME(TAG(rest))));
    function->defaults.push_back(is_no_argument(CAR(rest)) ? nullptr : expression(CAR(rest), env));
  }
  for (std::size_t k = 0; k < names_.size(); ++k)
    if (VECTOR_ELT(envs_, static_cast<R_xlen_t>(k)) == env && (outermost || formal_[k] == 0))
      function->inputs.emplace_back(names_[k], static_cast<int>(k) + 1);
  function->body = expression(body, env);
  return function;
}
