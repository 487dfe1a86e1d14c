// recursion -- the body of a loop over data as a graph of its own, element by element.
#include "expression/recursion.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/nmath_error.h"
#include "expression/build.h"
#include "expression/matrices.h"
#include "expression/translator.h"

namespace openclPort::expression {

namespace {

constexpr double kMostElements = 64;  // of vectors inside a round

int number_of(const std::vector<int>& list, int one) {
  return static_cast<int>(std::find(list.begin(), list.end(), one) - list.begin()) + 1;
}

bool same_guards(const std::vector<Guard>& a, const std::vector<Guard>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

class BodyWriter {
 public:
  BodyWriter(Graph& graph, Recursion& made, const RoundsAsked& asked, std::vector<int>& args)
      : graph_(graph), made_(made), asked_(asked), args_(args) {}

  // The body's node for an element, from 0, of a node of the graph.
  int element(int id, double k) {
    const auto key = std::make_pair(id, k);
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    const int made = new_element(id, k);
    known_[key] = made;
    return made;
  }

  void add_sites() {
    for (std::size_t before = 0; before != known_.size();) {
      before = known_.size();
      for (const Site& site : std::vector<Site>(graph_.sites))
        for (const auto& clone : std::map<std::pair<int, double>, int>(known_))
          if (clone.first.first == site.node) guards_of(site, clone.first.second);
    }
    for (const Site& site : graph_.sites) {
      for (const auto& clone : known_) {
        if (clone.first.first != site.node) continue;
        Site own = site;
        own.node = clone.second;
        own.guards = guards_of(site, clone.first.second);
        made_.body.sites.push_back(own);
      }
    }
    // An element is read where one of its sites says so.
    for (std::size_t k = 0; k < made_.locals.size(); ++k) {
      bool first = true;
      for (const Site& site : made_.body.sites) {
        const Node& node = made_.body.at(site.node);
        if (node.op != Op::input || node.first != static_cast<int>(k) + 1 || !tells_of_places(site)) continue;
        std::vector<Guard>& guards = made_.locals[k].guards;
        if (first)
          guards = site.guards;
        else if (!same_guards(guards, site.guards))
          guards.clear();
        first = false;
      }
    }
    made_.body.sites.erase(std::remove_if(made_.body.sites.begin(), made_.body.sites.end(), tells_of_places),
                           made_.body.sites.end());
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw LimitError(asked_.what + ": " + why); }

  [[noreturn]] void refuse_long() const {
    refuse(
        "a vector of more than 64 elements that differs from round to round is used as a whole in it: take elements, "
        "as x[t - 1]");
  }

  std::vector<Guard> guards_of(const Site& site, double k) {
    std::vector<Guard> guards;
    for (const Guard& guard : site.guards) {
      if (!graph_.in_round(guard.test)) continue;
      guards.push_back({element(guard.test, part_of(guard.test, k)), guard.way});
    }
    return guards;
  }

  double part_of(int id, double k) const {
    const double length = graph_.length(id);
    return length > 0 ? k - length * static_cast<double>(static_cast<long long>(k / length)) : 0;
  }

  int argument(int id) {
    const int node = recursion_argument(graph_, id);
    const auto at = std::find(args_.begin(), args_.end(), node);
    if (at != args_.end()) return static_cast<int>(at - args_.begin()) + 1;
    args_.push_back(node);
    return static_cast<int>(args_.size());
  }

  // What comes from outside the loop.
  int outside(int id, double k) {
    while (graph_.at(id).op == Op::bare) id = graph_.at(id).args[0];
    const Node node = graph_.at(id);
    if (node.op == Op::constant) return constant_node(made_.body, node.constant);
    if (node.length == 0) refuse("a vector of length 0 is used in it");
    if (node.length > asked_.most)
      refuse("a vector of " + whole_text(node.length) +
             " elements is used as a whole in it. Take the element of the round, x[t], or compute with the vector "
             "before the loop");
    if (node.length > 1) {
      const int definition = node.op == Op::input ? graph_.input(node.first).definition : 0;
      if (definition != 0 && graph_.at(definition).op == Op::concat) {
        const std::vector<int> parts = graph_.at(definition).args;  // whose elements are there
        if (static_cast<double>(parts.size()) == node.length) return element(parts[static_cast<std::size_t>(k)], 0);
      }
      id = element_node(graph_, in_memory(graph_, id), static_cast<int>(k) + 1);
      graph_.exact = true;
    }
    Recursion::Local local;
    local.number = argument(id);
    return body_input(made_, graph_.type(id), local);
  }

  int input(int id, const Node& node, double k) {
    const Input input = graph_.input(node.first);
    if (input.definition != 0) return element(input.definition, k);
    Recursion::Local local;
    if (node.first == asked_.counter) {
      local.kind = Recursion::Local::Kind::counter;
    } else if (node.first == asked_.round) {
      local.kind = Recursion::Local::Kind::round;
    } else {
      local.kind = Recursion::Local::Kind::carried;
      local.number = number_of(asked_.carried, node.first);
      if (local.number > static_cast<int>(asked_.carried.size())) refuse_long();
    }
    return body_input(made_, graph_.type(id), local);
  }

  // x[codes]: of a vector from outside, of one that the loop writes, of one made in the round.
  int gathered(const Node& node, double k) {
    const int x = node.args[0], place = element(node.args[1], part_of(node.args[1], k));
    Recursion::Local local;
    local.place = place;
    local.length = graph_.length(x);
    local.skip = node.second;
    if (node.first > 0) {  // a row of a matrix
      local.length = node.first;
      local.strict = true;
    }
    if (!graph_.in_round(x)) {
      local.kind = Recursion::Local::Kind::element;
      if (graph_.length(x) == 1) {  // R's NA beyond the end
        const int one = element(x, 0), first = constant_node(made_.body, 1.0);
        const int there = plain_node(made_.body, Op::equal, Type::logical, {as_double(made_.body, place), first});
        return select_node(made_.body, there, one, constant_node(made_.body, na_real()));
      }
      local.number = argument(x);
      return body_input(made_, node.type, local);
    }
    const Node of = graph_.at(x);
    const int number = of.op == Op::input ? number_of(asked_.vectors, of.first) : 0;
    if (number >= 1 && number <= static_cast<int>(asked_.vectors.size())) {
      local.kind = Recursion::Local::Kind::own;
      local.number = number;
      return body_input(made_, node.type, local);
    }
    if (graph_.length(x) > kMostElements) refuse_long();
    int found = constant_node(made_.body, na_real());
    for (double j = graph_.length(x) - 1; j >= 0; --j) {
      const int whole = elementary_node(made_.body, "floor", as_double(made_.body, place));
      const int is_it = plain_node(made_.body, Op::equal, Type::logical, {whole, constant_node(made_.body, j + 1)});
      found = select_node(made_.body, is_it, element(x, j), found);
    }
    const int low = plain_node(made_.body, Op::greater_equal, Type::logical,
                               {as_double(made_.body, place), constant_node(made_.body, 1.0)});
    made_.holds.push_back(low);
    return found;
  }

  int combined(Op op, Type type, int a, int b) {
    if (op == Op::add || op == Op::multiply) return arithmetic_node(made_.body, op, a, b, kAnyCall);
    return plain_node(made_.body, op, type, {a, b});
  }

  // Integers that overflow in a sum of them: what R makes of it is R's to say, which evaluates the call then, so that
  // the call that is told of does not matter.
  static constexpr int kAnyCall = 1;

  // Of a vector of the round: one element after the other.
  int reduced(const Node& node) {
    const int x = node.args[0];
    const double length = graph_.length(x);
    if (length > kMostElements) refuse_long();
    const std::map<std::string, Op> ops = {{"sum", Op::add},  {"mean", Op::add}, {"prod", Op::multiply},
                                           {"min", Op::pmin}, {"max", Op::pmax}, {"any", Op::either},
                                           {"all", Op::both}};
    const auto op = ops.find(node.name);
    if (op == ops.end()) refuse(node.name + "() of a value that a round computes is not supported");
    if (node.flag)
      refuse(node.name +
             "() with na.rm of what a round has made is not supported: replace missing values before, x <- "
             "ifelse(is.na(x), 0, x), or choose in the round, if (is.na(x[t])) 0 else x[t]");
    int value = element(x, 0);
    if (node.name == "sum" && graph_.type(x) == Type::logical) value = as_type(made_.body, value, Type::integer);
    for (double k = 1; k < length; ++k) value = combined(op->second, node.type, value, element(x, k));
    if (node.name == "mean") value = arithmetic_node(made_.body, Op::divide, value, constant_node(made_.body, length));
    return value;
  }

  // Element k of sums of columns, and of a reduction of rows.
  int sum_of_column(const Node& node, double k) {
    const double columns = node.first, rows = graph_.length(node.args[0]) / columns;
    if (node.length != columns || rows > kMostElements) refuse_long();
    int sum = element(node.args[0], k * rows);
    for (double i = 1; i < rows; ++i) sum = combined(Op::add, node.type, sum, element(node.args[0], k * rows + i));
    return as_type(made_.body, sum, node.type);
  }
  int reduced_row(const Node& node, double k) {
    const std::map<std::string, Op> ops = {
        {"sum", Op::add}, {"prod", Op::multiply}, {"min", Op::pmin}, {"max", Op::pmax}};
    const auto op = ops.find(node.name);
    if (op == ops.end() || node.flag) refuse(node.name + "() of rows that a round computes is not supported");
    const double columns = graph_.length(node.args[0]) / node.length;
    if (columns > kMostElements) refuse_long();
    int value = element(node.args[0], k);
    for (double j = 1; j < columns; ++j)
      value = combined(op->second, node.type, value, element(node.args[0], k + j * node.length));
    return as_type(made_.body, value, node.type);
  }

  // R stops at a + b of matrices with other sides.
  void check_sides(const Node& node) const {
    const bool arithmetic =
        node.op == Op::add || node.op == Op::subtract || node.op == Op::multiply || node.op == Op::divide;
    if (!arithmetic || node.args.size() != 2) return;
    const Sides a = sides_of(graph_, node.args[0]), b = sides_of(graph_, node.args[1]);
    if (a.matrix && b.matrix && !same_sides(a, b)) throw NmathError(asked_.what + ": non-conformable arrays");
  }

  int new_element(int id, double k) {
    if (!graph_.in_round(id)) return outside(id, k);
    const Node node = graph_.at(id);
    switch (node.op) {
      case Op::input:
        return input(id, node, k);
      case Op::concat:
        for (const int part : node.args) {
          const double length = graph_.length(part);
          if (k < length) return element(part, k);
          k -= length;
        }
        break;
      case Op::materialize:
      case Op::bare:  // its shape and names
        return element(node.args[0], k);
      case Op::slice: {
        const double length = graph_.length(node.args[0]);
        const double at = node.first - 1 + (node.flag ? length : 0) + node.second * k;
        if (at >= length) return constant_node(made_.body, na_real());
        return element(node.args[0], at);
      }
      case Op::fill:
        return element(node.args[0], 0);
      case Op::patch:
        return k + 1 == node.first ? element(node.args[1], 0) : element(node.args[0], k);
      case Op::gather:
        return gathered(node, k);
      case Op::reduce:
        return reduced(node);
      case Op::part_sums:
        return sum_of_column(node, k);
      case Op::row_reduce:
        return reduced_row(node, k);
      case Op::each:
        return element(node.args[0], std::floor(k * graph_.length(node.args[0]) / node.length));
      case Op::count:
        return constant_node(made_.body, graph_.length(node.args[0]));
      case Op::draw:
        refuse("random numbers in it are not supported: draw them before, and take x[t]");
      case Op::cumsum: {
        int sum = element(node.args[0], 0);
        for (double j = 1; j <= k; ++j)
          sum = arithmetic_node(made_.body, Op::add, sum, element(node.args[0], j), kAnyCall);
        return sum;
      }
      case Op::product:
      case Op::crossprod:
      case Op::segments:
      case Op::spread:
      case Op::recursion:
      case Op::recursion_part:
        refuse(
            std::string("products with matrices that are arguments, sums of groups and loops over data inside it "
                        "are not supported: write the sum over the columns, X[t, 1] * b[1] + X[t, 2] * b[2], or "
                        "compute it before the loop"));
      default:
        break;
    }
    check_sides(node);
    Node made = node;
    made.length = 1;
    for (int& arg : made.args) arg = element(arg, part_of(arg, k));
    // Whole numbers and doubles of the body may be other ones than those of the graph.
    return made_.body.add(std::move(made));
  }

  Graph& graph_;
  Recursion& made_;
  const RoundsAsked& asked_;
  std::vector<int>& args_;
  std::map<std::pair<int, double>, int> known_;
};

}  // namespace

int recursion_node(Graph& graph, std::shared_ptr<Recursion> made, std::vector<int> args) {
  graph.recursions.push_back(std::move(made));
  Node node{Op::recursion, Type::real, 1, std::move(args)};
  node.first = static_cast<int>(graph.recursions.size());
  return graph.add(std::move(node));
}

int recursion_result(Graph& graph, int recursion, int number, Type type, double length) {
  Node node{Op::recursion_part, type, length, {recursion}};
  node.first = number;
  return graph.defined(graph.add(std::move(node)));
}

int recursion_argument(Graph& graph, int id) {
  const Op op = graph.at(id).op;
  if (op == Op::input || op == Op::constant) return id;
  return graph.length(id) == 1 ? graph.defined(id) : in_memory(graph, id);
}

int body_input(Recursion& made, Type type, const Recursion::Local& local) {
  for (std::size_t k = 0; k < made.locals.size(); ++k) {
    const Recursion::Local& known = made.locals[k];
    if (known.kind != local.kind || known.number != local.number || known.place != local.place ||
        known.skip != local.skip || made.body.inputs[k].type != type)
      continue;
    return input_as_node(made.body, static_cast<int>(k) + 1);
  }
  Input input;
  input.type = type;
  input.length = 1;
  made.body.inputs.push_back(input);
  made.locals.push_back(local);
  return input_as_node(made.body, static_cast<int>(made.locals.size()));
}

void write_body(Graph& graph, Recursion& made, const RoundsAsked& asked, std::vector<int>& args) {
  BodyWriter writer(graph, made, asked, args);
  for (std::size_t k = 0; k < asked.next.size(); ++k)
    made.carried[k].next =
        as_type(made.body, writer.element(asked.next[k], asked.next_element[k]), made.carried[k].type);
  for (const RoundsAsked::Write& write : asked.writes) {
    Recursion::Write own;
    own.vector = write.vector;
    own.place = writer.element(write.place, 0);
    own.value = as_double(made.body, writer.element(write.value, 0));
    made.writes.push_back(own);
  }
  for (const int id : asked.holds) made.holds.push_back(writer.element(id, 0));
  for (const int id : asked.codes) made.codes.push_back(writer.element(id, 0));
  writer.add_sites();
}

bool same_in_body(Graph& graph, const RoundsAsked& asked, const std::vector<std::pair<int, double>>& first,
                  const std::vector<std::pair<int, double>>& second) {
  Recursion trial;
  std::vector<int> args;
  BodyWriter writer(graph, trial, asked, args);
  return std::equal(first.begin(), first.end(), second.begin(), second.end(), [&](const auto& a, const auto& b) {
    return a == b || writer.element(a.first, a.second) == writer.element(b.first, b.second);
  });
}

}  // namespace openclPort::expression
