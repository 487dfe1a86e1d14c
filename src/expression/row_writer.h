// row_writer -- functions of each element of a vector, and of each round of a loop: what is translated for one of them
// as nodes of all of them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "expression/translator.h"

namespace openclPort::expression {

// Of a matrix of so many rows, the place of each element, of `count` of them: its column and its row, from 0.
struct Place {
  int column = 0, row = 0;
};
Place place_in_columns(Graph& graph, double count, double rows);
int whole_node(Graph& graph, int value);  // an integer
// Of a matrix that lies column by column, its elements row by row.
int transposed(Graph& graph, int matrix, double rows, double columns);

// Values that are numbers for each element become vectors with a place for each, vectors become matrices with a row for
// each: the elements of a row are as many places apart as there are elements.
class RowWriter {
 public:
  // `element`: the input that stands for the element; `vector`: all of them, in memory.
  RowWriter(Translator& t, int element, int vector, const std::string& what)
      : graph_(t.graph), element_(element), vector_(vector), rows_(t.graph.length(vector)), what_(what) {}

  int rows(int id);
  // Sums of groups and products are written as columns, by who calls `columns`.
  void set_columns(std::function<int(int)> columns) { columns_ = std::move(columns); }

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  void move_sites(int id, int made);
  int in_each_row(int id, double length);
  int argument(int id, double length);
  int elementwise(const Node& node);
  int reduced(const Node& node);
  std::vector<int> own_columns(int x) const;
  int reduced_columns(const Node& node);
  int gathered(const Node& node);
  bool is_number(int id) const;
  int whole_matrix(const Node& node) const;
  int concatenated(const Node& node);
  int turned(int id);
  int new_rows(int id);
  int filled(double value, double length);

  Graph& graph_;
  const int element_, vector_;
  const double rows_;
  const std::string what_;
  std::map<int, int> known_;
  std::function<int(int)> columns_;
};

// The same with a column for each element: the elements of a column follow each other. So what is as long as the data,
// and the same for all of them, is read again and again as it lies.
class ColumnWriter {
 public:
  ColumnWriter(Translator& t, int element, int vector, const std::string& what)
      : graph_(t.graph),
        numbers_(t, element, vector, what),
        element_(element),
        count_(t.graph.length(vector)),
        what_(what) {
    numbers_.set_columns([this](int id) { return columns(id); });
  }
  ColumnWriter(const ColumnWriter&) = delete;
  ColumnWriter& operator=(const ColumnWriter&) = delete;

  int numbers(int id);  // of length one: a vector
  int columns(int id);  // longer: a matrix, as a vector
  int last(int id);     // what the last element has
  // Of what is the same for all elements: sites of the graph, from number `from` on, in a branch that some elements
  // take.
  void ask_of_branches(std::size_t from);
  double count() const { return count_; }

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  void move_sites(int id, int made);
  int in_each_column(int numbers, double length);
  int argument(int id, double length);
  int elementwise(const Node& node);
  int by_rows(int id);
  int codes_of_rounds(int codes, double length, double most);
  int gathered(const Node& node);
  int segments(const Node& node);
  int row_of_rounds(int matrix, double rows, double row);
  int product(const Node& node);
  int new_columns(int id);
  bool is_of_element(int id) const;

  Graph& graph_;
  RowWriter numbers_;
  const int element_;
  const double count_;
  const std::string what_;
  std::map<int, int> known_;
};

// `names` of a node that is a column of a matrix, the round's.
constexpr const char* kColumnOfRound = "column of the round";

// An input of the graph that nothing gives, which stands for what differs from round to round of loop number `loop`.
int local_input(Graph& graph, int loop, const std::string& name, Type type, double length);

}  // namespace openclPort::expression
