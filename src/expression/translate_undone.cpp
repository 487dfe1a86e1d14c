// translate_undone -- what a translation that was tried leaves is taken back; what loops over data ask of names.
#include "base/nmath_error.h"
#include "expression/match_call.h"
#include "expression/translator.h"

namespace openclPort::expression {

Undone::Undone(Translator& t, Scope& scope)
    : t_(t),
      scope_(scope),
      vars_(scope.vars),
      promises_(scope.promises),
      sites_(t.graph.sites),
      guards_(t.graph.guards),
      tests_(t.graph.tests),
      statements_(t.graph.statements),
      recycled_(t.graph.recycled.size()),
      singles_(t.graph.singles.size()),
      warnings_(t.graph.warnings.size()),
      assertions_(t.graph.assertions.size()),
      taken_(t.graph.taken.size()),
      decisions_(t.graph.decisions.size()),
      named_(t.graph.named.size()),
      draws_(t.graph.draws),
      exact_(t.graph.exact) {}

void Undone::restore() const {
  Graph& graph = t_.graph;
  scope_.vars = vars_;
  scope_.promises = promises_;
  graph.sites = sites_;
  graph.guards = guards_;
  graph.tests = tests_;
  graph.statements = statements_;
  graph.recycled.resize(recycled_);
  graph.singles.resize(singles_);
  graph.warnings.resize(warnings_);
  graph.assertions.resize(assertions_);
  graph.taken.resize(taken_);
  graph.decisions.resize(decisions_);
  graph.named.resize(named_);
  graph.draws = draws_;
  graph.exact = exact_;
}

void refuse_in_round(Translator& t, int id, const Syntax& expr) {
  if (t.rounds == nullptr || !t.graph.in_round(id)) return;
  throw LimitError(quoted_text(expr) + " differs from round to round of " + t.rounds->what +
                   ", and has to be known when the call is: lengths, counts, columns, flags and bounds of inner loops "
                   "do");
}

}  // namespace openclPort::expression
