// tables -- the tables of inst/spec that the compiler of expressions uses.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace openclPort::expression {

// A row: the text of each column by the column's name; "" where it is empty.
using Row = std::map<std::string, std::string>;

std::vector<std::string> split_commas(const std::string& text);  // "x, mean" as {"x", "mean"}; "" as {}

// A function of inst/spec/functions.tsv, or of rule_functions.tsv (which only rules of derivatives call).
struct FunctionRow {
  std::string name, stem, formals, call, cost, warn, mirrors;
  std::vector<std::string> columns;  // its real arguments by R's names
  std::vector<std::string> flags;    // "lower.tail", "log.p", "log"; or "draws", "counts", "cells"
  std::vector<std::string> params;   // names of arguments in `call`
  std::string r_name;                // in R: "dnorm"; of functions that R calls in C only, `name`
  bool of_rules = false;
  bool draws() const { return !flags.empty() && (flags[0] == "draws" || flags[0] == "counts" || flags[0] == "cells"); }
};

// The call of R that chooses it, for messages: "dnorm()", "dt(ncp = )" of dnt, "dnbinom(mu = )" of dnbinom_mu.
std::string call_in_r(const FunctionRow& row);

const FunctionRow* function_row(const std::string& name);       // by `name`; nullptr where there is none
const FunctionRow* function_of_r(const std::string& r_name);    // what R's name stands for: the first form; nor "^"
const FunctionRow* rule_function_row(const std::string& name);  // of rule_functions.tsv only

// inst/spec/language.tsv: what an expression may call besides those. See the file's head.
const Row* language_row(const std::string& name);
const std::vector<Row>& language_rows();

// inst/spec/derivatives.tsv and the column `derivative` of language.tsv: the rule's text, an expression of the
// language; nullptr where there is none.
const std::string* derivative_rule(const std::string& name, const std::string& argument, const std::string& form);

// The arguments of a function in which inst/spec/derivatives.tsv has a rule, in its order.
std::vector<std::string> ruled_arguments(const std::string& name);

// inst/spec/second_derivatives.tsv, where it has a rule, else derivative_rule(): rules that hold when they are
// differentiated in turn, also at single points, and those of functions that only rules call.
const std::string* rule_to_differentiate(const std::string& name, const std::string& argument, const std::string& form);

// inst/spec/chained_derivatives.tsv: the rule of a derivative in u, where the argument is `inside` of u, "1/u",
// "exp(u)" or "plogis(u)"; nullptr where there is none.
const std::string* chained_rule(const std::string& name, const std::string& argument, const std::string& inside,
                                const std::string& form);
bool has_chained_rule(const std::string& name, const std::string& argument, const std::string& inside);

// inst/spec/supports.tsv: where a density is not 0 by its definition, a condition in its arguments; "TRUE": everywhere.
const std::string& support_of(const std::string& density);

const std::vector<Row>& fixed_rows();  // inst/spec/fixed.tsv
// The function of floats that a function has in single precision, inst/spec/single.tsv; "": none of its own.
std::string single_form(const std::string& name);
const std::vector<Row>& reduction_table();  // inst/spec/reductions.tsv

}  // namespace openclPort::expression
