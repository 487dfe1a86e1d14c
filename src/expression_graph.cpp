// expression_graph -- graphs for R.
#include "expression_graph.h"

#include "base/nmath_error.h"
#include "expression/recursion.h"
#include "expression/writer.h"

using openclPort::expression::Assertion;
using openclPort::expression::Constant;
using openclPort::expression::Graph;
using openclPort::expression::Guard;
using openclPort::expression::Input;
using openclPort::expression::Named;
using openclPort::expression::Node;
using openclPort::expression::Op;
using openclPort::expression::Recursion;
using openclPort::expression::Recycled;
using openclPort::expression::Single;
using openclPort::expression::Site;
using openclPort::expression::Type;
using openclPort::expression::UserWarning;

using Local = Recursion::Local;
using Carried = Recursion::Carried;
using Write = Recursion::Write;

namespace {

SEXP two_for_r(SEXP first, SEXP second) {  // of which `first` is protected
  SEXP const list = PROTECT(Rf_allocVector(VECSXP, 2));
  SET_VECTOR_ELT(list, 0, first);
  SET_VECTOR_ELT(list, 1, second);
  UNPROTECT(1);
  return list;
}

SEXP pair_for_r(SEXP first, int second) {
  PROTECT(first);
  SEXP const number = PROTECT(Rf_ScalarInteger(second));
  SEXP const list = two_for_r(first, number);
  UNPROTECT(2);
  return list;
}

SEXP node_value_for_r(const Node& node) {
  switch (node.op) {
    case Op::constant:
      return constant_for_r(node.constant);
    case Op::input:
      return Rf_ScalarInteger(node.first);
    case Op::draw:
      return pair_for_r(r::value(node.name), node.first);
    case Op::elementary:
    case Op::library:
    case Op::bare:
    case Op::row_reduce:
      return r::value(node.name);
    case Op::c_text: {
      SEXP const text = PROTECT(r::value(node.name));
      SEXP const names = PROTECT(r::value(node.names));
      SEXP const list = two_for_r(text, names);
      UNPROTECT(2);
      return list;
    }
    case Op::column:
      return r::List(3).add("input", node.first).add("column", node.second).add("vector", node.flag).done();
    case Op::product:
      return pair_for_r(Rf_ScalarInteger(node.first), node.second);
    case Op::pmin:
    case Op::pmax:
      return Rf_ScalarLogical(node.flag);
    case Op::concat:
      return r::value(node.names);
    case Op::reduce:
      return r::List(3).add("op", node.name).add("na_rm", node.flag).add("number", node.second).done();
    case Op::slice:
    case Op::spread:
      return r::List(4)
          .add("first", node.first)
          .add("step", node.second)
          .add("from_end", node.flag)
          .add("len", node.op == Op::spread ? std::stod(node.name) : node.length)
          .done();
    case Op::crossprod:
      return pair_for_r(Rf_ScalarInteger(node.first), node.second);
    case Op::part_sums:
    case Op::patch:
    case Op::recursion_part:
      return Rf_ScalarInteger(node.first);
    default:
      return R_NilValue;
  }
}

// What `item(k)` makes, each.
template <typename Item>
SEXP list_for_r(std::size_t size, const Item& item) {
  SEXP const list = PROTECT(Rf_allocVector(VECSXP, static_cast<R_xlen_t>(size)));
  for (std::size_t k = 0; k < size; ++k) SET_VECTOR_ELT(list, static_cast<R_xlen_t>(k), item(k));
  UNPROTECT(1);
  return list;
}

template <typename Typed>
const char* type_of(const Typed& typed) {
  return type_for_r(typed.type);
}

SEXP guards_for_r(const std::vector<Guard>& guards) {
  return list_for_r(guards.size(), [&](std::size_t k) {
    return r::List(2).add("test", guards[k].test).add("way", guards[k].way).done();
  });
}

// A list for each of some records, with its guards; `tell` adds the others of its `size` elements.
template <typename Guarded, typename Tell>
SEXP guarded_for_r(const std::vector<Guarded>& records, int size, const Tell& tell) {
  return list_for_r(records.size(), [&](std::size_t k) {
    r::List list(size);
    tell(list, records[k]);
    return list.add("guards", guards_for_r(records[k].guards)).done();
  });
}

SEXP locals_for_r(const Recursion& made) {
  const auto kind = [](const Local& one) { return static_cast<int>(one.kind); };
  r::List list(6);
  list.add("kind", r::column(made.locals, kind)).add("number", r::column(made.locals, &Local::number));
  list.add("place", r::column(made.locals, &Local::place)).add("skip", r::column(made.locals, &Local::skip));
  list.add("length", r::column(made.locals, &Local::length));
  return list.add("type", r::column(made.body.inputs, type_of<Input>)).done();
}

SEXP carried_for_r(const std::vector<Carried>& carried) {
  r::List list(3);
  list.add("start", r::column(carried, &Carried::start)).add("next_node", r::column(carried, &Carried::next));
  return list.add("type", r::column(carried, type_of<Carried>)).done();
}

SEXP vector_for_r(const Recursion::Vector& vector) {
  using Patch = std::pair<double, int>;
  r::List list(4);
  list.add("length", vector.length).add("start", vector.start);
  list.add("places", r::column(vector.patches, &Patch::first));
  return list.add("arguments", r::column(vector.patches, &Patch::second)).done();
}

SEXP writes_for_r(const std::vector<Write>& writes) {
  r::List list(4);
  list.add("vector", r::column(writes, &Write::vector)).add("place", r::column(writes, &Write::place));
  return list.add("value", r::column(writes, &Write::value)).add("adds", r::column(writes, &Write::adds)).done();
}

// A loop over data as R computes it: see rounds_in_r().
SEXP recursion_for_r(const Graph& graph, const Node& node) {
  const Recursion& made = *graph.recursions[static_cast<std::size_t>(node.first) - 1];
  const auto vector = [&](std::size_t k) { return vector_for_r(made.vectors[k]); };
  r::List list(8);
  list.add("nodes", nodes_for_r(made.body)).add("locals", locals_for_r(made));
  list.add("carried", carried_for_r(made.carried)).add("vectors", list_for_r(made.vectors.size(), vector));
  list.add("writes", writes_for_r(made.writes));
  list.add("rounds", std::vector<double>{made.rounds, made.from, made.step}).add("backwards", made.backwards);
  return list.add("codes", made.codes).done();
}

// An input that is computed follows its definition.
std::vector<int> args_for_r(const Graph& graph, const Node& node) {
  if (node.op == Op::input && graph.input(node.first).definition != 0) return {graph.input(node.first).definition};
  if (node.op == Op::product && graph.input(node.second).definition != 0) return {graph.input(node.second).definition};
  return node.args;
}

}  // namespace

const char* type_for_r(Type type) {
  return type == Type::real ? "double" : type == Type::integer ? "integer" : "logical";
}

SEXP constant_for_r(const Constant& value) {
  if (value.type == Type::real) return Rf_ScalarReal(value.real);
  return value.type == Type::integer ? Rf_ScalarInteger(value.whole) : Rf_ScalarLogical(value.whole);
}

SEXP constants_for_r(const std::vector<Constant>& values) {
  const Type type = values.empty() ? Type::logical : values[0].type;
  const SEXPTYPE of_r = type == Type::real ? REALSXP : type == Type::integer ? INTSXP : LGLSXP;
  SEXP const vector = Rf_allocVector(of_r, static_cast<R_xlen_t>(values.size()));
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (type == Type::real)
      REAL(vector)[k] = values[k].real;
    else
      (type == Type::integer ? INTEGER(vector) : LOGICAL(vector))[k] = values[k].whole;
  }
  return vector;
}

SEXP nodes_for_r(const Graph& graph) {
  return list_for_r(static_cast<std::size_t>(graph.size()), [&](std::size_t k) {
    const Node& node = graph.at(static_cast<int>(k) + 1);
    return r::List(5)
        .add("op", openclPort::expression::op_name(node.op))
        .add("type", type_for_r(node.type))
        .add("len", node.length)
        .add("args", args_for_r(graph, node))
        .add("value", node.op == Op::recursion ? recursion_for_r(graph, node) : node_value_for_r(node))
        .done();
  });
}

SEXP sites_for_r(const Graph& graph, const CallOf& call) {
  return guarded_for_r(graph.sites, 8, [&call](r::List& list, const Site& site) {
    list.add("node", site.node).add("whole", site.whole == 0 ? site.node : site.whole).add("call", call(site.call));
    list.add("by_series", site.by_series).add("rule", site.rule).add("reason", site.reason);
    list.add("of_r", openclPort::expression::r_reports(site.rule));
  });
}

SEXP recycled_for_r(const Graph& graph, const CallOf& call) {
  return guarded_for_r(graph.recycled, 4, [&call](r::List& list, const Recycled& pair) {
    SEXP const lengths = Rf_allocVector(REALSXP, 2);
    REAL(lengths)[0] = pair.shorter;
    REAL(lengths)[1] = pair.longer;
    list.add("lengths", lengths).add("call", call(pair.call)).add("text", pair.text);
  });
}

SEXP singles_for_r(const Graph& graph, const CallOf& call) {
  return guarded_for_r(graph.singles, 4, [&call](r::List& list, const Single& single) {
    list.add("node", single.node).add("call", call(single.call)).add("one", single.one);
  });
}

// Calls of the functions that ask and warn: -1 shows none.
SEXP assertions_for_r(const Graph& graph, const CallOf& call) {
  return guarded_for_r(graph.assertions, 7, [&call](r::List& list, const Assertion& assertion) {
    list.add("node", assertion.node).add("call", call(assertion.call)).add("text", assertion.text);
    list.add("is_message", assertion.is_message).add("whole", assertion.whole).add("limit", assertion.limit);
  });
}

SEXP warnings_for_r(const Graph& graph, const CallOf& call) {
  return guarded_for_r(graph.warnings, 4, [&call](r::List& list, const UserWarning& warning) {
    list.add("text", warning.text).add("call", call(warning.call < 0 ? 0 : warning.call));
    list.add("is_shown", warning.call >= 0);
  });
}

SEXP decisions_for_r(const Graph& graph) {
  return list_for_r(graph.decisions.size(), [&](std::size_t k) {
    const auto& decision = graph.decisions[k];
    return r::List(2).add("node", decision.node).add("value", constants_for_r(decision.value)).done();
  });
}

SEXP named_for_r(const Graph& graph) {
  return r::List(4)
      .add("input", r::column(graph.named, &Named::input))
      .add("name", r::column(graph.named, &Named::name))
      .add("position", r::column(graph.named, &Named::position))
      .add("column", r::column(graph.named, &Named::column))
      .done();
}

std::vector<Constant> constants_of_r(SEXP x) {
  std::vector<Constant> values;
  for (R_xlen_t i = 0; i < Rf_xlength(x); ++i) {
    switch (TYPEOF(x)) {
      case REALSXP:
        values.push_back(openclPort::expression::real_constant(REAL(x)[i]));
        break;
      case INTSXP:
        values.push_back(openclPort::expression::whole_constant(Type::integer, INTEGER(x)[i]));
        break;
      case LGLSXP:
        values.push_back(openclPort::expression::whole_constant(Type::logical, LOGICAL(x)[i]));
        break;
      default:
        throw openclPort::NmathError("a part of an expression is not a vector of numbers");
    }
  }
  return values;
}
