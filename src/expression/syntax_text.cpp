// syntax_text -- the text of an expression, in R's form.
#include "expression/syntax.h"

#include <climits>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "expression/syntax_names.h"

namespace openclPort::expression {

namespace {

constexpr std::size_t kLineBytes = 500;  // R breaks longer lines where it can

// R's text of a double: up to 15 digits, in the shorter one of the two notations.
std::string double_shown(double value) {
  if (std::isnan(value)) return is_na_real(value) ? "NA_real_" : "NaN";
  if (std::isinf(value)) return value > 0 ? "Inf" : "-Inf";
  char text[400];
  std::snprintf(text, sizeof text, "%.14e", value);
  // The digits that count and the exponent, whatever the locale's decimal point is.
  const char* const mark = std::strchr(text, 'e');
  const int exponent = std::atoi(mark + 1);
  int digits = 0, seen = 0;
  for (const char* at = text; at < mark; ++at) {
    if (*at < '0' || *at > '9') continue;
    ++seen;
    if (*at != '0') digits = seen;
  }
  if (digits == 0) digits = 1;
  const int after = digits - exponent - 1 > 0 ? digits - exponent - 1 : 0;
  const int plain_width = (exponent > 0 ? exponent + 1 : 1) + (after > 0 ? after + 1 : 0);
  const int other_width = digits + (digits > 1 ? 1 : 0) + (std::abs(exponent) >= 100 ? 5 : 4);
  if (plain_width <= other_width)
    std::snprintf(text, sizeof text, "%.*f", after, value);
  else
    std::snprintf(text, sizeof text, "%.*e", digits - 1, value);
  std::string shown;
  for (const char* at = text; *at != '\0'; ++at) {
    if (std::strchr("0123456789e+-", *at) != nullptr)
      shown += *at;
    else if (shown.back() != '.')
      shown += '.';
  }
  return shown;
}

std::string constant_shown(const Constant& value) {
  if (value.type == Type::real) return double_shown(value.real);
  if (value.type == Type::logical) return value.whole == INT_MIN ? "NA" : value.whole != 0 ? "TRUE" : "FALSE";
  return value.whole == INT_MIN ? "NA_integer_" : std::to_string(value.whole) + 'L';
}

std::string escaped(const std::string& text, char quote) {
  std::string shown(1, quote);
  for (const char c : text) {
    if (c == quote || c == '\\') shown += '\\';
    if (c == '\n' || c == '\t' || c == '\r') {
      shown += '\\';
      shown += c == '\n' ? 'n' : c == '\t' ? 't' : 'r';
    } else {
      shown += c;
    }
  }
  return shown + quote;
}

std::string name_shown(const std::string& name) { return is_plain_name(name) ? name : escaped(name, '`'); }

std::string head_shown(const std::string& name) {
  const std::size_t at = name.find("::");
  if (at == std::string::npos || at == 0) return name_shown(name);
  const std::size_t after = name.find_first_not_of(':', at);
  if (after == std::string::npos) return name_shown(name);
  return name_shown(name.substr(0, at)) + name.substr(at, after - at) + name_shown(name.substr(after));
}

std::string function_shown(const Function& of) {
  std::string names;
  for (const std::string& name : of.formals) names += (names.empty() ? "" : ", ") + name_shown(name);
  return "function(" + names + ") ...";
}

// How a call is written: with spaces around the operator, without, or as a call.
enum class Form { spaced, tight, call };

Form form_of_operator(const std::string& name) {
  for (const char* const one :
       {"+", "-", "*", "==", "!=", "<", ">", "<=", ">=", "&", "|", "&&", "||", "<-", "=", "%*%"})
    if (name == one) return Form::spaced;
  for (const char* const one : {"/", "^", "%%", "%/%"})
    if (name == one) return Form::tight;
  return Form::call;
}

bool is_call_of(const SyntaxPtr& syntax, const char* name) {
  return syntax != nullptr && syntax->kind == Syntax::Kind::call && syntax->name == name;
}

// Whether it is a name that a part of the body was replaced by, `d$y`.
bool stands_for_code(const SyntaxPtr& syntax) {
  return syntax != nullptr && syntax->kind == Syntax::Kind::symbol && !is_plain_name(syntax->name);
}

// Writes parts in their order. What is still to be written is a stack: expressions may be deep.
class Deparser {
 public:
  std::string text_of(const Syntax& syntax) {
    open(syntax);
    while (!steps_.empty()) {
      const Step step = std::move(steps_.back());
      steps_.pop_back();
      take(step);
    }
    return shown_;
  }

 private:
  struct Step {
    enum class Kind { part, text, line, room, settle, indent, curly, list };
    Kind kind = Kind::text;
    const Syntax* part = nullptr;
    std::string text;
    std::size_t broken = 0;  // of `room` and `settle`: which of `broken_`
    int by = 0;              // of `indent`, `curly` and `list`
  };

  void take(const Step& step) {
    switch (step.kind) {
      case Step::Kind::part:
        return open(*step.part);
      case Step::Kind::text:
        return write(step.text);
      case Step::Kind::line:
        return end_line();
      case Step::Kind::room:
        if (line_ <= kLineBytes) return;
        if (!broken_[step.broken]) ++indent_;
        broken_[step.broken] = true;
        return end_line();
      case Step::Kind::settle:
        if (broken_[step.broken]) --indent_;
        broken_[step.broken] = false;
        return;
      case Step::Kind::indent:
        indent_ += step.by;
        return;
      case Step::Kind::curly:
        curly_ += step.by;
        return;
      case Step::Kind::list:
        lists_ += step.by;
        return;
    }
  }

  void write(const std::string& text) {
    if (starts_) {
      starts_ = false;
      for (int k = 1; k <= indent_; ++k) write(k <= 4 ? "    " : "  ");
    }
    shown_ += text;
    line_ += text.size();
  }

  // Lines are joined by a space.
  void end_line() {
    shown_ += ' ';
    line_ = 0;
    starts_ = true;
  }

  // The steps of a part, of which the last one is pushed first.
  void open(const Syntax& part) {
    std::vector<Step> steps;
    if (part.kind == Syntax::Kind::constant) {
      steps.push_back(text(constant_shown(part.constant)));
    } else if (part.kind == Syntax::Kind::text) {
      steps.push_back(text(part.shown.empty() ? escaped(part.name, '"') : part.shown));
    } else if (part.kind == Syntax::Kind::symbol) {
      steps.push_back(text(name_shown(part.name)));
    } else if (part.kind == Syntax::Kind::function && part.function != nullptr) {
      steps.push_back(text(function_shown(*part.function)));
    } else if (part.kind == Syntax::Kind::call && !part.shown.empty()) {
      steps.push_back(text(part.shown));
    } else if (part.kind == Syntax::Kind::call) {
      open_call(part, steps);
    }
    for (std::size_t k = steps.size(); k > 0; --k) steps_.push_back(std::move(steps[k - 1]));
  }

  void open_call(const Syntax& call, std::vector<Step>& steps) {
    const std::size_t count = call.args.size();
    const Form form = form_of_operator(call.name);
    if (form != Form::call && count == 2) {
      const bool spaced = form == Form::spaced, breaks = spaced && call.name != "<-" && call.name != "=";
      const std::size_t broken = new_break();
      steps.push_back(of(call.args[0]));
      steps.push_back(text(spaced ? ' ' + call.name + ' ' : call.name));
      if (breaks) steps.push_back(at_break(Step::Kind::room, broken));
      steps.push_back(of(call.args[1]));
      if (breaks) steps.push_back(at_break(Step::Kind::settle, broken));
    } else if (count == 1 && (call.name == "!" || (form == Form::spaced && call.name != "<-" && call.name != "="))) {
      steps.push_back(text(call.name));
      steps.push_back(of(call.args[0]));
    } else if (call.name == "(" && count == 1 && stands_for_code(call.args[0])) {
      steps.push_back(of(call.args[0]));  // what the package has put about it, so that cbind() takes no name
    } else if (call.name == "(" && count == 1) {
      steps.push_back(text("("));
      steps.push_back(of(call.args[0]));
      steps.push_back(text(")"));
    } else if (call.name == ":" && count == 2) {
      steps.push_back(of(call.args[0]));
      steps.push_back(text(":"));
      steps.push_back(of(call.args[1]));
    } else if (call.name == "[" && count > 1) {
      steps.push_back(of(call.args[0]));
      for (std::size_t k = 1; k < count; ++k) {
        steps.push_back(text(k == 1 ? "[" : ", "));
        steps.push_back(of(call.args[k]));
      }
      steps.push_back(text("]"));
    } else if (call.name == "{") {
      open_curly(call, steps);
    } else if (call.name == "if" && (count == 2 || count == 3)) {
      open_if(call, steps);
    } else if (open_loop(call, steps)) {
      return;
    } else {
      open_plain_call(call, steps);
    }
  }

  void open_plain_call(const Syntax& call, std::vector<Step>& steps) {
    const std::size_t broken = new_break();
    const bool primitive = is_primitive(call.name);
    steps.push_back(text(head_shown(call.name) + '('));
    if (primitive) steps.push_back(by(Step::Kind::list, 1));
    for (std::size_t k = 0; k < call.args.size(); ++k) {
      if (k > 0) {
        steps.push_back(text(", "));
        steps.push_back(at_break(Step::Kind::room, broken));
      }
      if (k < call.names.size() && !call.names[k].empty()) steps.push_back(text(name_shown(call.names[k]) + " = "));
      steps.push_back(of(call.args[k]));
    }
    steps.push_back(at_break(Step::Kind::settle, broken));
    if (primitive) steps.push_back(by(Step::Kind::list, -1));
    steps.push_back(text(")"));
  }

  void open_curly(const Syntax& call, std::vector<Step>& steps) {
    steps.push_back(text("{"));
    steps.push_back(by(Step::Kind::curly, 1));
    steps.push_back(by(Step::Kind::indent, 1));
    steps.push_back(by(Step::Kind::line, 0));
    for (const SyntaxPtr& part : call.args) {
      steps.push_back(of(part));
      steps.push_back(by(Step::Kind::line, 0));
    }
    steps.push_back(by(Step::Kind::indent, -1));
    steps.push_back(text("}"));
    steps.push_back(by(Step::Kind::curly, -1));
  }

  void open_if(const Syntax& call, std::vector<Step>& steps) {
    const bool lines = curly_ > 0 && lists_ == 0, inner = lines && !is_call_of(call.args[1], "{"),
               other = call.args.size() == 3;
    steps.push_back(text("if ("));
    steps.push_back(of(call.args[0]));
    steps.push_back(text(") "));
    if (inner) {
      steps.push_back(by(Step::Kind::line, 0));
      steps.push_back(by(Step::Kind::indent, 1));
    }
    steps.push_back(of(call.args[1]));
    if (lines && other) steps.push_back(by(Step::Kind::line, 0));
    if (inner) steps.push_back(by(Step::Kind::indent, -1));
    if (!other) return;
    steps.push_back(text(lines ? "else " : " else "));
    steps.push_back(of(call.args[2]));
  }

  // for, while, repeat, next and break as R has them.
  bool open_loop(const Syntax& call, std::vector<Step>& steps) {
    const std::size_t count = call.args.size();
    if ((call.name == "next" || call.name == "break") && count == 0) return steps.push_back(text(call.name)), true;
    const bool goes_over = call.name == "for" && count == 3, asks = call.name == "while" && count == 2;
    if (!goes_over && !asks && !(call.name == "repeat" && count == 1)) return false;
    steps.push_back(text(call.name + (goes_over || asks ? " (" : " ")));
    if (goes_over) {
      steps.push_back(of(call.args[0]));
      steps.push_back(text(" in "));
    }
    if (goes_over || asks) {
      steps.push_back(of(call.args[count - 2]));
      steps.push_back(text(") "));
    }
    steps.push_back(of(call.args[count - 1]));
    return true;
  }

  static Step text(std::string shown) {
    Step step;
    step.text = std::move(shown);
    return step;
  }
  static Step of(const SyntaxPtr& part) {
    if (part == nullptr) return text("NULL");
    Step step;
    step.kind = Step::Kind::part;
    step.part = part.get();
    return step;
  }
  static Step at_break(Step::Kind kind, std::size_t broken) {
    Step step;
    step.kind = kind;
    step.broken = broken;
    return step;
  }
  static Step by(Step::Kind kind, int by) {
    Step step;
    step.kind = kind;
    step.by = by;
    return step;
  }
  std::size_t new_break() {
    broken_.push_back(false);
    return broken_.size() - 1;
  }

  std::vector<Step> steps_;
  std::vector<bool> broken_;
  std::string shown_;
  std::size_t line_ = 0;
  int indent_ = 0, curly_ = 0, lists_ = 0;
  bool starts_ = true;
};

}  // namespace

Syntax::~Syntax() {
  std::vector<SyntaxPtr> left = std::move(args);
  while (!left.empty()) {
    const SyntaxPtr part = std::move(left.back());
    left.pop_back();
    if (part == nullptr || part.use_count() > 1) continue;
    // Nobody else has it, and nothing is made const: its own destructor finds no arguments.
    std::vector<SyntaxPtr>& parts = const_cast<Syntax&>(*part).args;
    for (SyntaxPtr& one : parts) left.push_back(std::move(one));
    parts.clear();
  }
}

std::string syntax_text(const Syntax& syntax) {
  if (!syntax.shown.empty()) return syntax.shown;
  if (syntax.kind == Syntax::Kind::symbol) return syntax.name;  // alone without backquotes
  return Deparser().text_of(syntax);
}

}  // namespace openclPort::expression
