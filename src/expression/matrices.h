// matrices -- values that are matrices: which nodes are, and their columns. A product of a matrix with several columns
// of coefficients is made of a product for each; what is computed with it element by element is computed column by
// column where columns are what is asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "expression/graph.h"

namespace openclPort::expression {

struct Sides {
  double rows = 0, columns = 0;
  bool matrix = false;
};

Sides sides_of(const Graph& graph, int id);
inline bool same_sides(const Sides& a, const Sides& b) {
  return a.matrix == b.matrix && (!a.matrix || (a.rows == b.rows && a.columns == b.columns));
}
// The node of a vector, which R has as a matrix, column by column. `names`: matrices that have its row names and its
// column names, 0: none.
int with_sides(Graph& graph, int id, double rows, double columns, int row_names = 0, int column_names = 0);
// The same where the names come of what the matrix is not as long as, of names_word().
int with_named_sides(Graph& graph, int id, double rows, double columns, const std::string& names);
// For R, which knows names: `side`, "rows" or "columns", has those that node `id` has of its rows, `of` = 1, or its
// columns, 2; a vector has its own, but not as columns; 0: a vector alone has names. `places`: of these names those
// with such numbers, from 1. places_word() takes those that the values of node `places` say.
std::string names_word(const char* side, int id, int of, const std::vector<double>& places = {});
std::string places_word(const char* side, int id, int of, int places);
std::string names_of_product(const Graph& graph, int left, int right);  // of left %*% right
// A vector that has the names of words whose side is "names". Its node's name begins with kNamesOf.
constexpr const char* kNamesOf = "names_of";
int with_names(Graph& graph, int id, const std::string& words);
// Column number `j`, from 0, of a matrix: of length one where all its elements are the same number.
int column_of(Graph& graph, int id, double j);
int whole_column(Graph& graph, int id, double j, double rows);  // of `rows` elements
// Elements of a vector or matrix, from `first` on, one behind the other.
int slice_of(Graph& graph, int id, double first, double count);
int filled_node(Graph& graph, int id, double length);  // a number, so many times
// A matrix of these columns, of length `rows` or one.
int matrix_of_columns(Graph& graph, const std::vector<int>& columns, double rows, int row_names = 0,
                      int column_names = 0, const std::string& names = "");
void check_columns(double columns);  // an error where they are more than the columns of such a matrix
// The given matrix that a node has its row names from; 0: none.
int names_source(const Graph& graph, int id);
// The c() that a vector is the value of; 0: none. `named`: becomes true where the vector may have names of others.
int put_together(const Graph& graph, int id, bool* named = nullptr, bool* unnamed = nullptr);
bool counts_up(const Graph& graph, int id);  // whether a node is 1, 2, 3, ... to its end
struct Run {
  double from = 0, step = 0;
};
std::optional<Run> run_of(const Graph& graph, int id);  // of integers
// Whether columns of it are computed apart: it is made of products with several columns, or of cbind().
bool has_own_columns(const Graph& graph, int id);
// A vector with the names of the rows or columns of a given matrix, 0: without names.
int named_by(Graph& graph, int id, int source, const std::string& how);
// The sum or another reduction of all elements; of a matrix whose columns are computed apart, of their sums.
int reduced_matrix(Graph& graph, const std::string& op, bool na_rm, int x);
// Rounds, columns and elements that are written out. What there are more of is counted by the launch: one program
// serves all.
constexpr double kMostWrittenOut = 8;
int each_of(Graph& graph, int vector, double times);  // each element so many times
// The sums of the columns of a matrix of so many columns.
int column_sums(Graph& graph, int id, double columns);
// The reduction of each row of a matrix, of doubles.
int row_reduction(Graph& graph, const std::string& op, int id, double rows);

}  // namespace openclPort::expression
