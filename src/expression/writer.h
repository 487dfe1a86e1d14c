// writer -- writes OpenCL C for a typed graph; its state is shared by all parts of the writer.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "expression/adjoint.h"
#include "expression/graph.h"

namespace openclPort::expression {

// A reduction by its name in inst/spec/reductions.tsv.
struct Reduction {
  std::string name;
  static const Reduction none, sum, mean;
  bool operator==(const Reduction& other) const { return name == other.name; }
  bool operator!=(const Reduction& other) const { return name != other.name; }
};

struct TextRequest {
  std::vector<int> outputs;  // nodes
  Reduction reduce;
  bool na_rm = false;
  int slopes = 0;             // of the outputs, how many at the end are gradients
  bool wide = false;          // elements need 64 bits
  bool general = false;       // for parameters beyond what constant-parameter kernels know, and missing values
  std::string grouping;       // "", or of reductions by groups "by" (columns come in the groups' order) or "by order"
  std::vector<Term> terms;    // of a reduction
  std::vector<int> each;      // and nodes of doubles whose elements it writes as it goes
  bool joins_groups = false;  // by groups, with a kernel that joins what the blocks of each group gave
  bool as_gpu = false;        // every operation makes its NaN canonical
  std::string arithmetic;     // what texts begin with: inst/cl/expression/arithmetic.cl, its lines joined by line feeds
  // The value of a node that is made of constants alone, as R computes it; false where that is no one number. Set by
  // the caller.
  std::function<bool(const Graph&, int id, Constant& value)> fold;
  const Recursion* recursion = nullptr;  // whose body the graph is
  const Graph* whole = nullptr;          // which has the loop
  std::vector<Type> argument_types;      // its arguments'
  std::vector<int> over;                 // inputs that have other numbers at each of many points: see points.h
};

enum class Role { full, whole, matrix };

// An argument of the kernel: `number` from 1, 0 where there is only one of its kind.
struct TextItem {
  std::string
      kind;  // column, output, out_offset, flags, first, len, block, local, room, order, starts, scalar,
             // length, offset, stride, seed; of points: points, numbers, first_point, last_point, all_blocks, place
  int number = 0;
};

struct TextColumn {
  int input = 0;
  Role role = Role::full;
};

// A bit of the flags: a site of the graph, a way of a test, or "needs_general".
struct Mark {
  int site = 0;  // number of the site in graph.sites, from 1; 0: none
  int node = 0;  // of a test
  bool way = false;
  bool needs_general = false;
  bool operator==(const Mark& o) const {
    return site == o.site && node == o.node && way == o.way && needs_general == o.needs_general;
  }
};

struct OutputPart {
  std::string type;   // "double", "integer", "logical", "long"
  int width = 0;      // of a term's sums: the number of the length that says how many; 0: one number
  bool each = false;  // of a reduction: a number for each element
  int bundle = 0;     // of a term's sums: the number of its bundle (products.h), from 1
};

struct KernelText {
  std::string text;
  std::vector<TextItem> items;
  std::vector<TextColumn> columns;
  std::vector<int> scalars;  // inputs of length one, by value
  std::vector<Type> scalar_types;
  std::vector<double> lengths;  // lengths that the kernel is given, and where slices begin
  std::vector<int> seeds;       // numbers of sites of draws
  std::vector<OutputPart> outputs;
  int joins = 0;  // of a reduction
  bool joins_groups = false;
  int words = 0;                // of flags
  std::vector<Mark> marks;      // in the order of their bits
  std::vector<int> flag_rules;  // see flag_rules.h
  std::vector<std::string> stems;
  std::string cost;  // cheap, moderate, heavy, slow
  int least = 1;
  bool local_forms = false;
  int tables = 0;                           // of counts, in local memory
  std::vector<int> over;                    // inputs that a point's numbers are, in their order
  int points_alone = 1, points_shared = 1;  // that a group has together: see point_tiles.h
  std::vector<int> point_fours;             // see point_slices.h
  int point_row_numbers = 0;
  std::vector<int> matrix_fours;  // see point_matrix.h
  int matrix_numbers = 0;
  bool slices = false, wide = false;  // at one point: may_have_slices() and may_be_wide() of term_slices.h
  int wide_numbers = 0;               // see point_wide.h
  double n = 1;
  bool uses_index = false;
  int general_bit = 0;      // from 1; 0: none
  std::vector<Type> types;  // of the outputs
};

KernelText kernel_text(const Graph& graph, const TextRequest& request);

// ---- shared by the parts of the writer
// ----------------------------------------------------------------------------------

using Lines = std::vector<std::string>;

constexpr std::size_t kBitsOfFlags = 31;  // of a word

// The C name of an element's number, and the length that it runs over.
struct Index {
  std::string name;
  double length = 1;
  bool scalar() const { return name == "0"; }
};

// What a kernel knows of a product X %*% b where it is read.
struct ProductAt {
  int matrix = 0, coefficients = 0;  // numbers of columns
  Type matrix_type = Type::real, coefficient_type = Type::real;
  bool full = false;
  std::string at;
  int rows = 0;     // number of the length; 0 where `full`
  int columns = 0;  // number of the length
  int node = 0;     // of a tile
};

struct WrittenTerm {
  Term term;
  ProductAt product;
  bool skips = false;  // rows without a part are left out
};

struct Branch {    // of a choice, computed only where it is taken; see find_branches()
  int select = 0;  // node; 0: none
  int way = 0;     // 1 or 2
  int parent = 0;  // number of a branch, from 1
};

struct Writer {
  Writer(const Graph& graph, const TextRequest& request);
  const Graph& graph;
  const TextRequest& request;
  bool reduces = false, assume_no_nan = false;
  double n = 1;
  std::vector<Type> types;
  Lines scalar_lines, loop_lines;
  std::map<std::string, std::string> known;  // texts by "id index", and names that are declared
  std::vector<TextColumn> columns;
  std::vector<int> scalars;
  std::vector<int> forms;  // nodes whose functions are precomputed, in the order of their names
  std::vector<double> lengths;
  std::vector<int> seeds;
  std::vector<std::string> functions;      // of the library
  bool called = false;                     // whether the loop calls one
  std::vector<std::string> files;          // others that the text needs
  std::vector<std::string> stems;          // of constant-parameter kernels
  std::vector<int> fixed, sure, reported;  // nodes
  std::vector<std::string> memory;         // of constant-parameter kernels
  int least = 0;
  Lines own_text;
  std::vector<Mark> marks;
  std::vector<ProductAt> tiles;
  std::vector<WrittenTerm> terms;
  std::map<int, Constant> folded;
  std::set<int> opaque;
  std::vector<int> branch_of;  // by node number; empty: none
  std::vector<Branch> branches;
  std::vector<std::string> results;  // C texts of the outputs' values
  std::string value_missing;
  int first_term = 0;          // outputs of the kernel before the terms'
  std::map<int, int> counted;  // nodes that have a table, and the column that each is a function of: see counts.h
  Lines count_lines;           // which fill the tables
  // Of tiles of points: see point_tiles.h.
  bool tiling = false, varying = true;  // varying: what is emitted differs from point to point
  std::vector<char> node_varies;        // by node
  Lines point_lines, row_lines;
  int tables = 0;
  Index root, scalar;
};

// value.cpp: the C expression of a node's value where its user is at `at`; computed once for every index.
std::string value_at(Writer& w, int id, const Index& at);
Index index_for(Writer& w, const Index& at, double length);
int length_number(Writer& w, double length);
int use_column(Writer& w, int input, Role role);
void place_columns(Writer& w, Lines& lines);  // in place of the marks that lines have where they read columns
void emit(Writer& w, const Index& at, const std::string& line);
const char* c_type(Type type);        // "double" or "int", in memory
const char* c_value_type(Type type);  // the same as a value: "nmath_value" or "int" (OPENCL.cl)
std::vector<int> nodes_below(const Writer& w, const std::vector<int>& ids);
// The arguments of a node that are read at its own index.
std::vector<int> element_args(const Node& node);
bool in_branch(const Writer& w, int id);
// missing.cpp: C condition under which the NaN of a node is NA.
std::string na_text(Writer& w, int id, const Index& at);
std::string mark_text(Writer& w, const Mark& mark);
std::string canonical_text(const Node& node, const std::string& text);
// Whether only R knows what a site of this rule warns of, by the function's own rule.
bool r_reports(const std::string& rule);
// product_text.cpp
ProductAt product_at(Writer& w, const Node& node, const Index& at);
void write_product(Writer& w, int id, const Node& node, const Index& at, const std::string& name);  // declares it
std::string product_na(Writer& w, const Node& node, const Index& at);
bool is_plain_row(const Writer& w, const ProductAt& product);
std::string element_line(const Writer& w);
std::string row_place(const Writer& w);
Lines tile_declarations(const Writer& w);
Lines tile_products(Writer& w);
Lines tiled_elements(Writer& w, const Lines& body, const Lines& stores);
// reduce.cpp
Lines reduction_loop(Writer& w, bool uses_index);
Lines join_kernel(Writer& w);
Lines group_join_kernel(Writer& w);
bool uses_element(const Writer& w);
std::string tile_loop(const Writer& w, const char* height);
Lines shared_rows(Writer& w, const Lines& inside);
// Joins what a group has of sums of doubles and writes it.
Lines reduction_end(const Writer& w);
// kernel.cpp
void finish_outputs(Writer& w, const std::vector<std::string>& values);
void finish_scores(Writer& w);
void finish_each(Writer& w);
KernelText assemble_text(Writer& w);
// A program of one kernel, whose arguments and body are given.
struct ProgramText {
  std::string text, cost;
};
ProgramText program_text(const Writer& w, const std::string& kernel, const Lines& arguments, const Lines& body);
std::vector<OutputPart> output_parts(const Writer& w);

}  // namespace openclPort::expression
