// node_text -- writes the C text of one node.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "expression/writer.h"

namespace openclPort::expression {

// A node that is being written, at an index, under a name. To ask for an argument's text may write lines: the order in
// which arguments are asked for is the order of their lines.
struct NodeUse {
  Writer& w;
  const int id;
  const Node& node;
  const Index& at;
  const std::string& name;

  int arg_id(int k) const { return node.args[static_cast<std::size_t>(k) - 1]; }  // from 1
  std::string arg(int k) const { return value_at(w, arg_id(k), at); }
  std::vector<std::string> args() const {
    std::vector<std::string> texts;
    for (const int id_of : node.args) texts.push_back(value_at(w, id_of, at));
    return texts;
  }
};

template <class T>
bool holds(const std::vector<T>& list, const T& one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

template <class T>
void add_once(std::vector<T>& list, const T& one) {
  if (!holds(list, one)) list.push_back(one);
}

// The number of `one` in the list, from 1, which has it afterwards.
template <class T>
int number_in(std::vector<T>& list, const T& one) {
  const auto found = std::find(list.begin(), list.end(), one);
  const int number = static_cast<int>(found - list.begin()) + 1;
  if (found == list.end()) list.push_back(one);
  return number;
}

// Whether a NaN of the node makes the whole kernel one that is run again in its general form.
inline bool is_reported(const Writer& w, int id) {
  return w.assume_no_nan && !w.request.na_rm && holds(w.reported, id);
}

// What tells a part's name at one index from that at another.
std::string index_suffix(const Index& at, double length);
// A function of the library that the text calls.
void note_function(Writer& w, const std::string& name, const Index& at);

// operations.cpp
std::string input_text(const NodeUse& use);
std::string column_text(const NodeUse& use);
std::optional<std::string> arithmetic_text(const NodeUse& use);  // nothing: it declared itself
std::string comparison_text(const NodeUse& use);
std::string extreme_text(const NodeUse& use);
std::string log_base_text(const NodeUse& use);
std::string elementary_text(const NodeUse& use);
std::string slice_text(const NodeUse& use);
std::string gather_text(const NodeUse& use);
std::string each_text(const NodeUse& use);
void write_part_sums(const NodeUse& use);
void write_row_reduction(const NodeUse& use);
// Of the body of a loop: the tests under which R comes to something, joined by &&, with one behind; "": always.
std::string guards_text(Writer& w, const std::vector<Guard>& guards);
std::string local_text(const NodeUse& use);  // recursion_text.cpp: an input of the body of a loop over data
// library_text.cpp
std::string library_text(const NodeUse& use);
std::string c_text_call(const NodeUse& use);
std::string draw_text(const NodeUse& use);
// The text with some of its words replaced by others.
std::string substitute_words(const std::string& text, const std::vector<std::string>& words,
                             const std::vector<std::string>& by);
// missing.cpp
bool tells_missing(const TextRequest& request);
std::vector<int> reported_nodes(const Writer& w, const std::vector<int>& outputs);
bool asks_for_reported(const NodeUse& use);
// Whether node `id` is ifelse(test, NaN, other), where a NaN of it is told anyway: the kernel notes that the test is
// true, and the general one is run.
bool chooses_none(const Writer& w, int id);
void write_sites(const NodeUse& use);  // notes where the node made a missing value of what was none
void write_test(const NodeUse& use);   // notes which ways a test of ifelse() goes

}  // namespace openclPort::expression
