// recursion_text -- the kernel of a loop over data: one work-item, round after round.
#include "expression/recursion.h"

#include <algorithm>

#include "expression/lines.h"
#include "expression/node_text.h"
#include "expression/prepare.h"
#include "expression/series.h"
#include "expression/translator.h"
#include "expression/writer.h"

namespace openclPort::expression {

namespace {

using Kind = Recursion::Local::Kind;

// A length or a number of a round, which for a series may be so many more or fewer than its rows.
std::string number_text(Writer& w, double number) {
  const SeriesInputs& series = w.request.whole->series;
  if (!w.request.recursion->of_series || !is_of_rows(*w.request.whole, number))
    return filled("len_%1", {length_number(w, number)});
  return filled("(n + (%1))", {whole_text(number - series.fake)});
}

// Where element `at` of vectors as long as all series lies, for this one.
std::string row_text(Writer& w, const std::string& at) {
  if (!w.request.recursion->of_series) return at;
  return w.request.whole->series.order == 0 ? "base + " + at : "order[base + " + at + "] - 1";
}

// Declares the place, from 0, that node `id` says; below 0: none.
void write_place(Writer& w, const std::string& name, int id, const std::string& length) {
  const bool real = w.graph.type(id) == Type::real;
  const std::string number = value_at(w, id, w.scalar);
  emit(w, w.scalar,
       filled("const nmath_i64 %1 = expr_place_of_%2(%3, %4);", {name, real ? "double" : "int", number, length}));
}

std::string element_text(Writer& w, const Recursion::Local& local, int input, bool own) {
  const std::string place = filled("at_%1", {input});
  write_place(w, place, local.place, number_text(w, local.length));
  const std::string guards = guards_text(w, local.guards);
  if (!w.request.recursion->backwards)
    emit(w, w.scalar, filled("if (%1%2 %3) needs_general = 1;", {guards, place, local.strict ? "< 0" : "== -2"}));
  const Type wanted = w.graph.input(input).type;
  const Type type = own ? Type::real : w.request.argument_types[static_cast<std::size_t>(local.number) - 1];
  const std::string column =
      own ? filled("o%1", {local.number}) : filled("c%1", {use_column(w, local.number, Role::whole)});
  const Recursion& loop = *w.request.recursion;
  const bool rows = own || loop.is_taken(local.number, Recursion::Taken::rows);
  std::string at = rows ? row_text(w, place) : place;
  double skip = local.skip;
  if (loop.of_series && rows) skip *= w.request.whole->series.rows / w.request.whole->series.fake;
  if (skip > 0) at += filled(" + len_%1", {length_number(w, skip)});
  std::string element = filled("%1[%2]", {column, at});
  // What the round before wrote is at hand, and the memory need not be waited for.
  if (own) element = filled("(%1 == was_%2 ? last_%2 : %3)", {place, local.number, element});
  if (type == Type::real && wanted != Type::real) element = filled("expr_int_of_double(%1)", {element});
  if (type != Type::real && wanted == Type::real) element = filled("expr_as_double(%1)", {element});
  return filled("%1 < 0 ? %2 : %3", {place, wanted == Type::real ? "NMATH_NA_REAL" : "NMATH_NA_INT", element});
}

const char* type_text(Type type) { return c_type(type); }

// A value that is handed on, which keeps the NaN that it is.
std::string kept_text(Writer& w, int id, const std::string& name) {
  const std::string value = value_at(w, id, w.scalar);
  if (w.graph.type(id) != Type::real) {
    emit(w, w.scalar, filled("const int %1 = %2;", {name, value}));
    return name;
  }
  const std::string na = na_text(w, id, w.scalar);
  emit(w, w.scalar, filled("double %1 = %2;", {name, value}));
  emit(w, w.scalar, filled("if (isnan(%1)) %1 = (%2) ? NMATH_NA_REAL : NAN;", {name, na}));
  return name;
}

// An argument that is a number, or one for each series.
std::string argument_text(Writer& w, int number) {
  if (w.request.recursion->is_taken(number, Recursion::Taken::number))
    return filled("c%1[item]", {use_column(w, number, Role::whole)});
  return filled("s%1", {number_in(w.scalars, number)});
}

}  // namespace

std::string guards_text(Writer& w, const std::vector<Guard>& guards) {
  std::string text;
  for (const Guard& guard : guards) text += value_at(w, guard.test, w.scalar) + (guard.way ? " == 1 && " : " == 0 && ");
  return text;
}

std::string local_text(const NodeUse& use) {
  Writer& w = use.w;
  const int input = use.node.first;
  const Recursion::Local& local = w.request.recursion->locals[static_cast<std::size_t>(input) - 1];
  switch (local.kind) {
    case Kind::counter:
      return "(int)(from + r * step)";
    case Kind::round:
      return "(int)(r + 1)";
    case Kind::carried:
      return filled("a%1", {local.number});
    case Kind::scalar:
      return argument_text(w, local.number);
    case Kind::element:
      return element_text(w, local, input, false);
    case Kind::own:
      break;
  }
  return element_text(w, local, input, true);
}

RecursionText recursion_text(const Graph& graph, int node, const TextRequest& given) {
  const Node of = graph.at(node);
  const Recursion& made = *graph.recursions[static_cast<std::size_t>(of.first) - 1];
  TextRequest request = given;
  request.general = true;
  request.fold = nullptr;
  request.recursion = &made;
  request.whole = &graph;
  for (const int arg : of.args) request.argument_types.push_back(graph.type(arg));
  request.outputs.clear();
  for (const Recursion::Carried& carried : made.carried) request.outputs.push_back(carried.next);
  for (const Recursion::Write& write : made.writes) request.outputs.push_back(write.value);
  Writer w(made.body, request);
  w.n = 1;

  Lines before, after;
  for (std::size_t k = 0; k < made.carried.size(); ++k) {
    const Recursion::Carried& carried = made.carried[k];
    const char* const none = carried.type == Type::real ? "0.0" : "0";
    before.push_back(filled("%1 a%2 = %3;", {type_text(carried.type), k + 1,
                                             carried.start == 0 ? none : argument_text(w, carried.start).c_str()}));
  }
  for (std::size_t k = 0; k < made.vectors.size(); ++k) {
    const Recursion::Vector& vector = made.vectors[k];
    if (vector.start != 0) {
      const bool whole = vector.start > 0 && graph.length(of.args[static_cast<std::size_t>(vector.start) - 1]) != 1 &&
                         !made.is_taken(vector.start, Recursion::Taken::number);
      std::string element = "0.0";
      if (whole)
        element = filled("c%1[%2]", {use_column(w, vector.start, Role::whole), row_text(w, "i")});
      else if (vector.start > 0)
        element = argument_text(w, vector.start);
      before.push_back(filled("for (nmath_i64 i = 0; i < %1; ++i) o%2[%3] = %4;",
                              {number_text(w, vector.length), k + 1, row_text(w, "i"), element}));
    }
    for (const auto& patch : vector.patches)
      before.push_back(filled("o%1[%2] = %3;", {k + 1, row_text(w, "(" + number_text(w, patch.first) + " - 1)"),
                                                argument_text(w, patch.second)}));
    if (made.of_series)  // R has no such element
      for (const auto& patch : vector.patches)
        if (!made.backwards)
          before.push_back(filled("if (%1 < 1 || %1 > n) needs_general = 1;", {number_text(w, patch.first)}));
  }
  const auto is_read = [&made](int vector) {
    return std::any_of(made.locals.begin(), made.locals.end(), [vector](const Recursion::Local& local) {
      return local.kind == Kind::own && local.number == vector;
    });
  };
  for (std::size_t k = 1; k <= made.vectors.size(); ++k)
    if (is_read(static_cast<int>(k))) before.push_back(filled("double last_%1 = 0.0; nmath_i64 was_%1 = -1;", {k}));
  for (const int id : made.holds)
    emit(w, w.scalar, filled("if (%1 != 1) needs_general = 1;", {value_at(w, id, w.scalar)}));
  for (std::size_t k = 0; k < made.carried.size(); ++k) {
    const std::string next = kept_text(w, made.carried[k].next, filled("next_%1", {k + 1}));
    after.push_back(filled("a%1 = %2;", {k + 1, next}));
  }
  for (std::size_t k = 0; k < made.writes.size(); ++k) {
    const Recursion::Write& write = made.writes[k];
    const std::string place = filled("to_%1", {k + 1});
    const double length = made.vectors[static_cast<std::size_t>(write.vector) - 1].length;
    write_place(w, place, write.place, number_text(w, length));
    if (!made.backwards) emit(w, w.scalar, filled("if (%1 < 0) needs_general = 1;", {place}));
    const std::string value = kept_text(w, write.value, filled("put_%1", {k + 1}));
    const std::string element = filled("o%1[%2]", {write.vector, row_text(w, place)});
    std::string left = write.adds ? filled("%1 + %2", {element, value}) : value;
    if (is_read(write.vector)) left = filled("last_%1 = %2", {write.vector, left});
    after.push_back(filled(
        "if (%1 >= 0) { %2 = %3; %4 }",
        {place, element, left, is_read(write.vector) ? filled("was_%1 = %2;", {write.vector, place}) : std::string()}));
  }

  RecursionText text;
  Lines arguments;
  for (std::size_t k = 0; k < w.columns.size(); ++k) {
    const int number = w.columns[k].input;
    text.columns.push_back(number);
    const Type type = request.argument_types[static_cast<std::size_t>(number) - 1];
    arguments.push_back(filled("__global const %1* c%2", {type_text(type), k + 1}));
  }
  arguments.push_back("__global double* numbers");
  for (std::size_t k = 0; k < made.vectors.size(); ++k) arguments.push_back(filled("__global double* o%1", {k + 1}));
  const bool series = made.of_series;
  if (series) {
    arguments.push_back("__global const int* starts");
    arguments.push_back("__global const int* counts");
    if (graph.series.order != 0) arguments.push_back("__global const int* order");
  }
  for (const char* const name : {"first", series ? "more" : "rounds", series ? "given" : "from", "step"})
    arguments.push_back(std::string("const nmath_i64 ") + name);
  for (std::size_t k = 0; k < w.scalars.size(); ++k) {
    const Type type = request.argument_types[static_cast<std::size_t>(w.scalars[k]) - 1];
    arguments.push_back(filled("const %1 s%2", {type_text(type), k + 1}));
  }
  for (std::size_t k = 0; k < w.lengths.size(); ++k) arguments.push_back(filled("const nmath_i64 len_%1", {k + 1}));
  text.scalars = w.scalars;
  text.lengths = w.lengths;

  Lines body;
  if (series) {  // rounds and the first number are given as so many more than there are rows, or as they are
    const auto given_text = [&](double number, const char* name) {
      return std::string(is_of_rows(graph, number) ? "n + " : "") + name;
    };
    body = {"    const nmath_i64 items = first, item = get_global_id(0);",
            "    if (item >= items) return;",
            "    const nmath_i64 base = starts[item] - 1, n = counts[item];",
            "    const nmath_i64 rounds = " + given_text(made.rounds, "more") + ";",
            "    const nmath_i64 from = " + given_text(made.from, "given") + ";",
            "    int needs_general = rounds < 1;"};
  } else {
    body = {"    if (get_global_id(0) != 0) return;", "    int needs_general = 0;"};
  }
  add_lines(body, before, "    ");
  body.push_back("    for (nmath_i64 i = 0; i < rounds EXPR_UNTIL_STOPPED(i); ++i) {");
  body.push_back(made.backwards ? "        const nmath_i64 r = rounds - 1 - i;" : "        const nmath_i64 r = i;");
  add_lines(body, w.scalar_lines, "        ");
  add_lines(body, after, "        ");
  body.push_back("    }");
  const char* const place = series ? "%1 * items + item" : "%1";
  body.push_back(filled("    numbers[" + std::string(place) + "] = needs_general;", {0}));
  for (std::size_t k = 0; k < made.carried.size(); ++k) {
    const char* const value = made.carried[k].type == Type::real ? "a%1" : "expr_as_double(a%1)";
    body.push_back(filled("    numbers[" + std::string(place) + "] = ", {k + 1}) + filled(value, {k + 1}) + ";");
  }
  const ProgramText program = program_text(w, kRecursionKernel, arguments, body);
  text.text = program.text;
  text.cost = program.cost;
  return text;
}

}  // namespace openclPort::expression
