// library_text -- calls of the library's functions, of C texts and of random numbers.
#include <cstdlib>

#include "base/text.h"
#include "expression/counts.h"
#include "expression/node_text.h"
#include "expression/point_levels.h"
#include "expression/sign.h"
#include "expression/tables.h"

namespace openclPort::expression {

namespace {

std::string list_text(const std::vector<std::string>& parts) { return joined(parts, ", "); }

std::string flags_of_call(const NodeUse& use, std::size_t n_real) {
  std::vector<std::string> flags;
  for (std::size_t k = n_real; k < use.node.args.size(); ++k) {
    const Constant& value = use.w.graph.at(use.node.args[k]).constant;
    flags.push_back(is_missing(value) ? "NA" : as_real(value) != 0.0 ? "TRUE" : "FALSE");
  }
  return joined(flags, ",");
}

// Where the parameters are the same for all elements: the file of the library that computes what depends on them once,
// if inst/spec/fixed.tsv has one for the function and its flags; else nullptr. Such a file knows the ordinary range of
// parameters and x only; what lies outside is told by a flag, and the call is made again by a kernel of the "general"
// form.
const Row* fixed_row(const NodeUse& use) {
  const Writer& w = use.w;
  if (w.request.general || use.at.scalar() || use.node.length == 1) return nullptr;
  if (w.graph.length(use.arg_id(1)) == 1) return nullptr;
  for (std::size_t k = 1; k < use.node.args.size(); ++k)
    if (w.graph.length(use.node.args[k]) != 1) return nullptr;
  const std::string flags = flags_of_call(use, function_row(use.node.name)->columns.size());
  for (const Row& row : fixed_rows())
    if (row.at("name") == use.node.name && row.at("flags") == flags) return &row;
  return nullptr;
}

// What functions with "log" in the column `rows` take for x: it and its logarithm, of STEM_row(x), which is computed
// where x changes, whatever does so more often.
std::string row_arguments(const NodeUse& use, const std::string& stem) {
  const std::string x = use.arg(1), id = '_' + std::to_string(number_in(use.w.forms, use.id));
  const AtLevel level(use.w, varies(use.w, use.arg_id(1)));
  emit(use.w, use.at, "const log_row row" + id + " = " + stem + "_row(" + x + ");");
  std::string arguments;
  for (const char* const part : {"x", "hi", "lo"}) {
    emit(use.w, use.at, std::string("const double ") + part + id + " = row" + id + '.' + part + ';');
    arguments += (arguments.empty() ? "" : ", ") + (part + id);
  }
  return arguments;
}

// For the parameters that the column `standard` has, written in the expression, there is a function of x alone. A file
// that serves several settings of the flags gets the column `arguments`. What one computes is large where `memory` is
// not empty: "local" says that its functions take a pointer to that in a GPU's local memory, too.
std::string fixed_text(const NodeUse& use, const Row& row) {
  Writer& w = use.w;
  const int n_real = static_cast<int>(function_row(use.node.name)->columns.size());
  const std::string &stem = row.at("stem"), &arguments = row.at("arguments"), &standard = row.at("standard");
  add_once(w.stems, stem);
  w.fixed.push_back(use.id);
  w.least = std::max(w.least, std::atoi(row.at("least").c_str()));  // elements that repay what a GPU computes first
  std::vector<std::string> texts;
  for (int k = 2; k <= n_real; ++k) texts.push_back(use.arg(k));
  const std::string parameters = list_text(texts), flags = arguments.empty() ? "" : ", " + arguments;
  if (!standard.empty() && parameters == standard)
    return stem + "_standard(" + use.arg(1) + flags + ", &needs_general)";
  w.memory.push_back(row.at("memory"));
  const std::string form = 'f' + std::to_string(number_in(w.forms, use.id));
  // A table of counts (counts.cpp) may have made it already.
  if (w.known.emplace("form " + form, "").second)
    emit(w, w.scalar, "EXPR_FORM(" + stem + ", " + form + ", " + stem + "_of(" + parameters + ", &needs_general))");
  if (row.at("rows") == "log")
    return stem + "_on(" + row_arguments(use, stem) + ", " + form + flags + ", &needs_general)";
  return stem + "_at(" + use.arg(1) + ", " + form + flags + ", &needs_general)";
}

}  // namespace

// Functions of the library are called by a wrapper that the assembled text defines from the table.
std::string library_text(const NodeUse& use) {
  Writer& w = use.w;
  if (!use.at.scalar() && is_log1p_of_unit(w.graph, use.node)) {
    w.sure.push_back(use.id);
    return "log1p_unit(" + use.arg(1) + ')';  // of a file that exp_to_unit() has asked for
  }
  const Row* const fixed = fixed_row(use);
  if (fixed != nullptr) {
    const std::string text = fixed_text(use, *fixed), form = single_form(use.node.name);
    return form.empty() ? text : "EXPR_FIXED(" + text + ", " + form + '(' + list_text(use.args()) + "))";
  }
  if (const std::optional<std::string> weighted = weighted_text(use)) return *weighted;
  note_function(w, use.node.name, use.at);
  return "expr_" + use.node.name + '(' + list_text(use.args()) + ')';
}

// A C expression is a function of its own, whose text the loader searches for what it calls.
std::string c_text_call(const NodeUse& use) {
  std::vector<std::string> declared;
  for (const std::string& name : split_commas(use.node.names)) declared.push_back("nmath_value " + name);
  if (declared.empty()) declared.push_back("nmath_value ");
  use.w.own_text = {"NMATH_FN nmath_value expr_text(" + list_text(declared) + ')', "{ return " + use.node.name + "; }"};
  return "expr_text(" + list_text(use.args()) + ')';
}

std::string draw_text(const NodeUse& use) {
  Writer& w = use.w;
  const FunctionRow& row = *function_row(use.node.name);
  note_function(w, row.name, use.at);
  const std::string seed = std::to_string(number_in(w.seeds, use.node.first));
  const std::vector<std::string> args = use.args();
  const std::string made = "made_" + use.name;
  emit(w, use.at, "double " + made + ';');
  emit(w, use.at,
       "{ NMATH_RNG(seed_" + seed + ", (nmath_u64)" + use.at.name + "); " + made + " = " +
           substitute_words(row.call, row.params, args) + "; }");
  return use.node.type == Type::integer ? "expr_int_of_double(" + made + ')' : made;
}

std::string substitute_words(const std::string& text, const std::vector<std::string>& words,
                             const std::vector<std::string>& by) {
  std::string made;
  for (std::size_t from = 0, to; from < text.size(); from = to) {
    for (to = from; to < text.size() && is_word(text[to]);) ++to;
    if (to == from) {
      made += text[to++];
      continue;
    }
    const std::string word = text.substr(from, to - from);
    const std::size_t k = static_cast<std::size_t>(std::find(words.begin(), words.end(), word) - words.begin());
    made += k < words.size() && k < by.size() ? by[k] : word;
  }
  return made;
}

}  // namespace openclPort::expression
