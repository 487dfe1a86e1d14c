// build -- nodes of a graph by R's rules for types and lengths. Each gives the number of a node.
#pragma once

#include <string>
#include <vector>

#include "expression/graph.h"
#include "expression/tables.h"

namespace openclPort::expression {

extern const char* const kNotAMultiple;  // R's text of lengths that do not fit

int constant_node(Graph& graph, const Constant& value);
int constant_node(Graph& graph, double value);
// A length, or a number of rows or columns: the graph holds for it alone, and the kernel's text does not have it.
int length_constant(Graph& graph, double length);
int as_type(Graph& graph, int id, Type type);
// Whole numbers, as sums of integers are, as integers, NA beyond them; gradients go through.
int as_whole(Graph& graph, int id);
int widened(Graph& graph, int id, Type type);  // the same, and whole numbers of what is logical
inline int as_double(Graph& graph, int id) { return as_type(graph, id, Type::real); }
Type wider(Type a, Type b);
int bare_node(Graph& graph, int id, const std::string& name = "");  // `name`: see Op::bare

// The length of a result of arithmetic; notes lengths that R compares where `call` is not 0.
double common_length(Graph& graph, const std::vector<int>& ids, int call = 0, const std::string& text = kNotAMultiple);
int add_site(Graph& graph, int id, int call, const std::string& rule, const std::string& reason = "NaNs produced");
// R stops with this text where the node is a NaN and none of its arguments is.
void add_stop(Graph& graph, int id, int call, const std::string& reason);

int arithmetic_node(Graph& graph, Op op, int a, int b, int call = 0);
int sign_node(Graph& graph, Op op, int a);  // negative or plus
int select_node(Graph& graph, int test, int yes, int no);
int count_node(Graph& graph, int id);  // how many elements a node has, no part of the text
int elementary_node(Graph& graph, const std::string& name, int x, int call = 0);
int library_node(Graph& graph, const FunctionRow& row, std::vector<int> args, int call = 0);
// The value of a reduction, which is computed before what uses it.
int reduce_node(Graph& graph, const std::string& op, bool na_rm, int x);
int cumsum_node(Graph& graph, int x, int call = 0);  // of a vector in memory
// An input that has the node's elements in memory.
int in_memory(Graph& graph, int id);
int input_as_node(Graph& graph, int number);
// An element of a vector in memory, by its place from 1, and a column of a matrix that is an input, by its own from 0.
int element_node(Graph& graph, int id, int place);
int column_node(Graph& graph, int input, double rows, double j);
// A node of doubles or of logicals as long as its longest argument.
int plain_node(Graph& graph, Op op, Type type, const std::vector<int>& args);

}  // namespace openclPort::expression
