// tables -- reads the built-in texts of the tables, once.
#include "expression/tables.h"

#include <algorithm>

#include "expression/tables_gen.h"

namespace openclPort::expression {

namespace {

std::vector<std::string> split_at(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  for (std::size_t at; (at = text.find(separator, from)) != std::string::npos; from = at + 1)
    parts.push_back(text.substr(from, at - from));
  parts.push_back(text.substr(from));
  return parts;
}

// The head is the first line; each one ends with a line break.
std::vector<Row> rows_of(const char* text) {
  std::vector<Row> rows;
  const std::vector<std::string> lines = split_at(text, '\n'), head = split_at(lines[0], '\t');
  for (std::size_t at = 1; at + 1 < lines.size(); ++at) {
    const std::vector<std::string> cells = split_at(lines[at], '\t');
    Row row;
    for (std::size_t k = 0; k < head.size(); ++k) row[head[k]] = k < cells.size() ? cells[k] : "";
    rows.push_back(std::move(row));
  }
  return rows;
}

// "stats::dnorm" and "base::`^`" without package and backquotes.
std::string name_in_r(const Row& row) {
  std::string name = row.at("mirrors");
  if (name.empty()) return row.at("name");
  const std::size_t at = name.find("::");
  if (at != std::string::npos) name = name.substr(at + 2);
  name.erase(std::remove(name.begin(), name.end(), '`'), name.end());
  return name;
}

FunctionRow function_of(const Row& row, bool of_rules) {
  FunctionRow made;
  made.name = row.at("name");
  made.stem = row.at("stem");
  made.formals = row.at("formals");
  made.call = row.at("call");
  made.cost = row.at("cost");
  made.warn = row.at("warn");
  made.mirrors = row.at("mirrors");
  made.columns = split_commas(row.at("columns"));
  made.flags = split_commas(row.at("flags"));
  made.params = split_commas(row.at("params"));
  made.r_name = name_in_r(row);
  made.of_rules = of_rules;
  return made;
}

struct Functions {
  std::map<std::string, FunctionRow> rows;
  std::map<std::string, std::string> by_r_name;

  Functions() {
    std::vector<FunctionRow> table;
    for (const Row& row : rows_of(kFunctionText))
      if (row.at("kernel") != "r_check_stack_kernel" && row.at("kernel") != "r_check_user_interrupt_kernel")
        table.push_back(function_of(row, false));
    // Of the forms of one function R's name stands for the first; a function's own name goes before R's names of
    // others.
    for (const bool mirrored : {true, false})
      for (const FunctionRow& row : table)
        if (row.mirrors.empty() != mirrored) by_r_name.emplace(row.name, row.name);
    for (const bool mirrored : {true, false})
      for (const FunctionRow& row : table)
        if (row.mirrors.empty() != mirrored) by_r_name.emplace(row.r_name, row.name);
    by_r_name.erase("^");
    for (FunctionRow& row : table) rows.emplace(row.name, std::move(row));
    for (const Row& row : rows_of(kRuleFunctionText)) rows.emplace(row.at("name"), function_of(row, true));
  }
};

const Functions& functions() {
  static const Functions known;
  return known;
}

std::map<std::string, std::string> rules_of(const char* text) {
  std::map<std::string, std::string> made;
  for (const Row& row : rows_of(text))
    made[row.at("name") + ' ' + row.at("argument") + ' ' + row.at("form")] = row.at("derivative");
  return made;
}

// "x: 1 / x; y: -x" by argument.
void add_rules(std::map<std::string, std::string>& rules, const Row& row) {
  for (const std::string& part : split_at(row.at("derivative"), ';')) {
    const std::size_t colon = part.find(':');
    if (colon == std::string::npos) continue;
    const std::size_t from = part.find_first_not_of(' ');
    rules[row.at("name") + ' ' + part.substr(from, colon - from) + " value"] =
        part.substr(part.find_first_not_of(' ', colon + 1));
  }
}

}  // namespace

std::vector<std::string> split_commas(const std::string& text) {
  std::vector<std::string> parts;
  if (text.empty()) return parts;
  for (const std::string& part : split_at(text, ',')) {
    const std::size_t from = part.find_first_not_of(' ');
    parts.push_back(from == std::string::npos ? "" : part.substr(from));
  }
  return parts;
}

const FunctionRow* function_row(const std::string& name) {
  const auto found = functions().rows.find(name);
  return found == functions().rows.end() ? nullptr : &found->second;
}

const FunctionRow* function_of_r(const std::string& r_name) {
  const auto found = functions().by_r_name.find(r_name);
  return found == functions().by_r_name.end() ? nullptr : function_row(found->second);
}

std::string call_in_r(const FunctionRow& row) {
  const std::string& name = row.name;
  const std::string mean = "_mu";
  if (name.size() > mean.size() && name.compare(name.size() - mean.size(), mean.size(), mean) == 0) {
    const FunctionRow* const other = function_row(name.substr(0, name.size() - mean.size()));
    if (other != nullptr) return other->r_name + "(mu = )";
  }
  const bool with_ncp = std::find(row.columns.begin(), row.columns.end(), "ncp") != row.columns.end();
  const FunctionRow* const central = with_ncp ? function_row(name.substr(0, 1) + name.substr(2)) : nullptr;
  return central == nullptr ? row.r_name + "()" : central->r_name + "(ncp = )";
}

const FunctionRow* rule_function_row(const std::string& name) {
  const FunctionRow* const row = function_row(name);
  return row != nullptr && row->of_rules ? row : nullptr;
}

const std::vector<Row>& language_rows() {
  static const std::vector<Row> rows = rows_of(kLanguageText);
  return rows;
}

const Row* language_row(const std::string& name) {
  for (const Row& row : language_rows())
    if (row.at("name") == name) return &row;
  return nullptr;
}

const std::string* derivative_rule(const std::string& name, const std::string& argument, const std::string& form) {
  static const std::map<std::string, std::string> rules = [] {
    std::map<std::string, std::string> made = rules_of(kDerivativeText);
    for (const Row& row : language_rows()) add_rules(made, row);
    return made;
  }();
  const auto found = rules.find(name + ' ' + argument + ' ' + form);
  return found == rules.end() ? nullptr : &found->second;
}

std::vector<std::string> ruled_arguments(const std::string& name) {
  std::vector<std::string> found;
  for (const Row& row : rows_of(kDerivativeText)) {
    const std::string& argument = row.at("argument");
    if (row.at("name") == name && std::find(found.begin(), found.end(), argument) == found.end())
      found.push_back(argument);
  }
  return found;
}

const std::string* rule_to_differentiate(const std::string& name, const std::string& argument,
                                         const std::string& form) {
  static const std::map<std::string, std::string> rules = rules_of(kSecondDerivativeText);
  const auto found = rules.find(name + ' ' + argument + ' ' + form);
  return found == rules.end() ? derivative_rule(name, argument, form) : &found->second;
}

namespace {

const std::map<std::string, std::string>& chained_rules() {
  static const std::map<std::string, std::string> rules = [] {
    std::map<std::string, std::string> made;
    for (const Row& row : rows_of(kChainedDerivativeText)) {
      const std::string key = row.at("name") + ' ' + row.at("argument") + ' ' + row.at("inside");
      made[key] = "";  // there is one
      made[key + ' ' + row.at("form")] = row.at("derivative");
    }
    return made;
  }();
  return rules;
}

}  // namespace

const std::string* chained_rule(const std::string& name, const std::string& argument, const std::string& inside,
                                const std::string& form) {
  const auto found = chained_rules().find(name + ' ' + argument + ' ' + inside + ' ' + form);
  return found == chained_rules().end() ? nullptr : &found->second;
}

bool has_chained_rule(const std::string& name, const std::string& argument, const std::string& inside) {
  return chained_rules().count(name + ' ' + argument + ' ' + inside) != 0;
}

const std::string& support_of(const std::string& density) {
  static const std::map<std::string, std::string> supports = [] {
    std::map<std::string, std::string> made;
    for (const Row& row : rows_of(kSupportText)) made[row.at("name")] = row.at("support");
    return made;
  }();
  return supports.at(density);
}

const std::vector<Row>& fixed_rows() {
  static const std::vector<Row> rows = rows_of(kFixedText);
  return rows;
}

std::string single_form(const std::string& name) {
  static const std::map<std::string, std::string> forms = [] {
    std::map<std::string, std::string> made;
    for (const Row& row : rows_of(kSingleText)) made[row.at("name")] = row.at("form");
    return made;
  }();
  const auto found = forms.find(name);
  return found == forms.end() ? "" : found->second;
}

const std::vector<Row>& reduction_table() {
  static const std::vector<Row> rows = rows_of(kReductionText);
  return rows;
}

}  // namespace openclPort::expression
