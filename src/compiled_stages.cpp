// compiled_stages -- see compiled_stages.h
#include "compiled_stages.h"

#include "expression/recursion.h"
#include "expression/series.h"

namespace compiler = openclPort::expression;

LoopOfData loop_of_stage(const compiler::Graph& graph, const compiler::Stage& stage) {
  const compiler::Node& node = graph.at(stage.recursion);
  const compiler::Recursion& made = *graph.recursions[static_cast<std::size_t>(node.first) - 1];
  const compiler::SeriesInputs& series = graph.series;
  LoopOfData loop;
  loop.items = made.of_series ? series.count : 1.0;
  loop.carried = static_cast<int>(made.carried.size());
  for (const int number : stage.rounds.columns) loop.columns.push_back(node.args[static_cast<std::size_t>(number) - 1]);
  for (const int number : stage.rounds.scalars) loop.scalars.push_back(node.args[static_cast<std::size_t>(number) - 1]);
  loop.numbers = {made.of_series ? loop.items : 0.0, made.rounds, made.from, made.step};
  if (made.of_series)
    for (std::size_t k = 1; k < 3; ++k)
      if (compiler::is_of_rows(graph, loop.numbers[k])) loop.numbers[k] -= series.fake;
  loop.numbers.insert(loop.numbers.end(), stage.rounds.lengths.begin(), stage.rounds.lengths.end());
  loop.sizes = {(1.0 + loop.carried) * loop.items};
  for (const compiler::Recursion::Vector& vector : made.vectors)
    loop.sizes.push_back(made.of_series ? series.rows : vector.length);
  if (made.of_series) loop.series = {series.starts, series.counts};
  if (made.of_series && series.order != 0) loop.series.push_back(series.order);
  return loop;
}
