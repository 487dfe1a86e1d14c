// row_writer -- functions of each element of a vector, and of each round of a loop: what is translated for one of them
// as nodes of all of them.
#ifndef NMATHOPENCL_EXPRESSION_ROW_WRITER_H
#define NMATHOPENCL_EXPRESSION_ROW_WRITER_H

#include <map>
#include <string>

#include "expression/translator.h"

namespace openclPort {
namespace expression {

// Values that are numbers for each element become vectors with a place for each, vectors become matrices with a row for
// each: the elements of a row are as many places apart as there are elements.
class RowWriter {
 public:
  // `element`: the input that stands for the element; `vector`: all of them, in memory.
  RowWriter(Translator& t, int element, int vector, const std::string& what)
      : graph_(t.graph), element_(element), vector_(vector), rows_(t.graph.length(vector)), what_(what) {}

  int rows(int id);

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  void move_sites(int id, int made);
  int in_each_row(int id, double length);
  int argument(int id, double length);
  int elementwise(const Node& node);
  int reduced(const Node& node);
  int gathered(const Node& node);
  bool is_number(int id) const;
  int whole_matrix(const Node& node) const;
  int concatenated(const Node& node);
  int new_rows(int id);
  int filled(double value, double length);

  Graph& graph_;
  const int element_, vector_;
  const double rows_;
  const std::string what_;
  std::map<int, int> known_;
};

// The same with a column for each element: the elements of a column follow each other. So what is as long as the data,
// and the same for all of them, is read again and again as it lies.
class ColumnWriter {
 public:
  ColumnWriter(Translator& t, int element, int vector, const std::string& what)
      : graph_(t.graph), numbers_(t, element, vector, what), count_(t.graph.length(vector)), what_(what) {}

  int numbers(int id);  // of length one: a vector
  int columns(int id);  // longer: a matrix, as a vector
  int last(int id);     // what the last element has
  double count() const { return count_; }

 private:
  [[noreturn]] void refuse(const std::string& why) const;
  void move_sites(int id, int made);
  int in_each_column(int numbers, double length);
  int argument(int id, double length);
  int elementwise(const Node& node);
  int by_rows(int id);
  int new_columns(int id);

  Graph& graph_;
  RowWriter numbers_;
  const double count_;
  const std::string what_;
  std::map<int, int> known_;
};

// `names` of a node that is a column of a matrix, the round's.
constexpr const char* kColumnOfRound = "column of the round";

// An input of the graph that nothing gives, which stands for what differs from round to round of loop number `loop`.
int local_input(Graph& graph, int loop, const std::string& name, Type type, double length);

}  // namespace expression
}  // namespace openclPort

#endif
