// expression_graph -- graphs for R.
#include "expression_graph.h"

#include "base/nmath_error.h"
#include "expression/recursion.h"
#include "expression/writer.h"

using openclPort::expression::Constant;
using openclPort::expression::Graph;
using openclPort::expression::Guard;
using openclPort::expression::Node;
using openclPort::expression::Op;
using openclPort::expression::Recursion;
using openclPort::expression::Type;

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

SEXP guards_for_r(const std::vector<Guard>& guards) {
  SEXP const list = PROTECT(Rf_allocVector(VECSXP, static_cast<R_xlen_t>(guards.size())));
  for (std::size_t k = 0; k < guards.size(); ++k)
    SET_VECTOR_ELT(list, static_cast<R_xlen_t>(k),
                   r::List(2).add("test", guards[k].test).add("way", guards[k].way).done());
  UNPROTECT(1);
  return list;
}

// What `item(k)` makes, each.
template <typename Item>
SEXP list_for_r(std::size_t size, const Item& item) {
  SEXP const list = PROTECT(Rf_allocVector(VECSXP, static_cast<R_xlen_t>(size)));
  for (std::size_t k = 0; k < size; ++k) SET_VECTOR_ELT(list, static_cast<R_xlen_t>(k), item(k));
  UNPROTECT(1);
  return list;
}

// A loop over data as R computes it: see rounds_in_r().
SEXP recursion_for_r(const Graph& graph, const Node& node) {
  const Recursion& made = *graph.recursions[static_cast<std::size_t>(node.first) - 1];
  std::vector<int> kind, number, place, start, next, vector, to, value;
  std::vector<double> skip, length, lengths;
  std::vector<std::string> types, local_types;
  std::vector<int> adds;
  for (std::size_t k = 0; k < made.locals.size(); ++k) {
    const Recursion::Local& local = made.locals[k];
    kind.push_back(static_cast<int>(local.kind));
    number.push_back(local.number);
    place.push_back(local.place);
    skip.push_back(local.skip);
    length.push_back(local.length);
    local_types.emplace_back(type_for_r(made.body.inputs[k].type));
  }
  for (const Recursion::Carried& carried : made.carried) {
    start.push_back(carried.start);
    next.push_back(carried.next);
    types.emplace_back(type_for_r(carried.type));
  }
  for (const Recursion::Write& write : made.writes) {
    vector.push_back(write.vector);
    to.push_back(write.place);
    value.push_back(write.value);
    adds.push_back(write.adds);
  }
  SEXP const nodes = PROTECT(nodes_for_r(made.body));
  SEXP const locals = PROTECT(r::List(6)
                                  .add("kind", kind)
                                  .add("number", number)
                                  .add("place", place)
                                  .add("skip", skip)
                                  .add("length", length)
                                  .add("type", local_types)
                                  .done());
  SEXP const carried = PROTECT(r::List(3).add("start", start).add("next_node", next).add("type", types).done());
  SEXP const writes =
      PROTECT(r::List(4).add("vector", vector).add("place", to).add("value", value).add("adds", adds).done());
  SEXP const vectors = PROTECT(list_for_r(made.vectors.size(), [&](std::size_t k) {
    std::vector<double> places;
    std::vector<int> arguments;
    for (const auto& patch : made.vectors[k].patches) {
      places.push_back(patch.first);
      arguments.push_back(patch.second);
    }
    return r::List(4)
        .add("length", made.vectors[k].length)
        .add("start", made.vectors[k].start)
        .add("places", places)
        .add("arguments", arguments)
        .done();
  }));
  SEXP const list = r::List(8)
                        .add("nodes", nodes)
                        .add("locals", locals)
                        .add("carried", carried)
                        .add("vectors", vectors)
                        .add("writes", writes)
                        .add("rounds", std::vector<double>{made.rounds, made.from, made.step})
                        .add("backwards", made.backwards)
                        .add("codes", made.codes)
                        .done();
  UNPROTECT(5);
  return list;
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
    SEXP const value = PROTECT(node.op == Op::recursion ? recursion_for_r(graph, node) : node_value_for_r(node));
    SEXP const made = r::List(5)
                          .add("op", openclPort::expression::op_name(node.op))
                          .add("type", type_for_r(node.type))
                          .add("len", node.length)
                          .add("args", args_for_r(graph, node))
                          .add("value", value)
                          .done();
    UNPROTECT(1);
    return made;
  });
}

SEXP sites_for_r(const Graph& graph, const CallOf& call) {
  return list_for_r(graph.sites.size(), [&](std::size_t k) {
    const auto& site = graph.sites[k];
    SEXP const guards = PROTECT(guards_for_r(site.guards));
    SEXP const made = r::List(8)
                          .add("node", site.node)
                          .add("whole", site.whole == 0 ? site.node : site.whole)
                          .add("call", call(site.call))
                          .add("by_series", site.by_series)
                          .add("rule", site.rule)
                          .add("reason", site.reason)
                          .add("guards", guards)
                          .add("of_r", openclPort::expression::r_reports(site.rule))
                          .done();
    UNPROTECT(1);
    return made;
  });
}

SEXP recycled_for_r(const Graph& graph, const CallOf& call) {
  return list_for_r(graph.recycled.size(), [&](std::size_t k) {
    const auto& pair = graph.recycled[k];
    SEXP const guards = PROTECT(guards_for_r(pair.guards));
    SEXP const lengths = PROTECT(Rf_allocVector(REALSXP, 2));
    REAL(lengths)[0] = pair.shorter;
    REAL(lengths)[1] = pair.longer;
    SEXP const made = r::List(4)
                          .add("lengths", lengths)
                          .add("call", call(pair.call))
                          .add("text", pair.text)
                          .add("guards", guards)
                          .done();
    UNPROTECT(2);
    return made;
  });
}

SEXP singles_for_r(const Graph& graph, const CallOf& call) {
  return list_for_r(graph.singles.size(), [&](std::size_t k) {
    const auto& single = graph.singles[k];
    SEXP const guards = PROTECT(guards_for_r(single.guards));
    SEXP const made = r::List(4)
                          .add("node", single.node)
                          .add("call", call(single.call))
                          .add("one", single.one)
                          .add("guards", guards)
                          .done();
    UNPROTECT(1);
    return made;
  });
}

// Calls of the functions that ask and warn: -1 shows none.
SEXP assertions_for_r(const Graph& graph, const CallOf& call) {
  return list_for_r(graph.assertions.size(), [&](std::size_t k) {
    const auto& assertion = graph.assertions[k];
    SEXP const guards = PROTECT(guards_for_r(assertion.guards));
    SEXP const made = r::List(7)
                          .add("node", assertion.node)
                          .add("call", call(assertion.call))
                          .add("text", assertion.text)
                          .add("is_message", assertion.is_message)
                          .add("whole", assertion.whole)
                          .add("limit", assertion.limit)
                          .add("guards", guards)
                          .done();
    UNPROTECT(1);
    return made;
  });
}

SEXP warnings_for_r(const Graph& graph, const CallOf& call) {
  return list_for_r(graph.warnings.size(), [&](std::size_t k) {
    const auto& reported = graph.warnings[k];
    SEXP const guards = PROTECT(guards_for_r(reported.guards));
    SEXP const made = r::List(4)
                          .add("text", reported.text)
                          .add("call", call(reported.call < 0 ? 0 : reported.call))
                          .add("is_shown", reported.call >= 0)
                          .add("guards", guards)
                          .done();
    UNPROTECT(1);
    return made;
  });
}

SEXP decisions_for_r(const Graph& graph) {
  return list_for_r(graph.decisions.size(), [&](std::size_t k) {
    SEXP const value = PROTECT(constants_for_r(graph.decisions[k].value));
    SEXP const made = r::List(2).add("node", graph.decisions[k].node).add("value", value).done();
    UNPROTECT(1);
    return made;
  });
}

SEXP named_for_r(const Graph& graph) {
  std::vector<int> inputs, positions, columns;
  std::vector<std::string> names;
  for (const openclPort::expression::Named& one : graph.named) {
    inputs.push_back(one.input);
    positions.push_back(one.position);
    columns.push_back(one.column ? 1 : 0);
    names.push_back(one.name);
  }
  return r::List(4).add("input", inputs).add("name", names).add("position", positions).add("column", columns).done();
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
