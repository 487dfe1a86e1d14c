// declarations -- what a program declares: types, objects, functions.
#include <unordered_set>

#include "pair/translator.h"

namespace openclPort::pair {

namespace {

bool is_qualifier(std::string_view word) {
  static const auto* const kQualifiers = new std::unordered_set<std::string_view>{
      "inline",       "__inline",     "__inline__", "extern",       "const",        "__const",  "volatile",
      "__volatile__", "restrict",     "__restrict", "__restrict__", "register",     "__global", "global",
      "__local",      "local",        "__private",  "private",      "__kernel",     "kernel",   "__extension__",
      "__read_only",  "__write_only", "read_only",  "write_only",   "_Thread_local"};
  return kQualifiers->count(word) > 0;
}

bool is_integer_word(std::string_view word) {
  return word == "char" || word == "short" || word == "int" || word == "long" || word == "signed" || word == "unsigned";
}

bool is_constant_memory(std::string_view word) { return word == "__constant" || word == "constant"; }

void add_word(std::string& written, std::string_view word) {
  if (!written.empty() && written.back() != ' ' && written.back() != '\n') written += ' ';
  written += word;
}

}  // namespace

const Symbol* Scopes::find(std::string_view name) const {
  const auto found = symbols_.find(name);
  return found == symbols_.end() || found->second.empty() ? nullptr : &found->second.back();
}

void Scopes::add(const Word& word, Symbol symbol) {
  const std::string_view name = word.text;
  if (name == "nmath_pair" && !symbol.is_type) fail(word, "nmath_pair is the type that doubles become here");
  symbols_[name].push_back(symbol);
  added_.push_back(name);
}

void Scopes::close() {
  for (; added_.size() > begins_.back(); added_.pop_back()) symbols_[added_.back()].pop_back();
  begins_.pop_back();
}

bool Translator::begins_type(std::size_t ahead) const {
  const Word& word = here(ahead);
  if (!word.is_name()) return false;
  const Symbol* symbol = scopes_.find(word.text);
  if (symbol != nullptr) return symbol->is_type;
  return is_qualifier(word.text) || is_constant_memory(word.text) || is_integer_word(word.text) || word.is("struct") ||
         word.is("union") || word.is("enum") || word.is("typedef") || word.is("static") || word.is("__attribute__") ||
         types_.of_word(word.text) != nullptr;
}

// __attribute__((...)), one after the other
std::string Translator::attributes() {
  std::string written;
  while (here().is("__attribute__") || here().is("__attribute")) {
    const Word word = take();
    add_word(written, word.text);
    written += balanced();
    if (written.find("vector_size") != std::string::npos) fail(word, "vectors cannot be translated");
  }
  return written;
}

bool Translator::qualifier(Specifiers& found) {
  const Word& word = here();
  if (word.is("__attribute__") || word.is("__attribute")) {
    add_word(found.written, attributes());
    return true;
  }
  found.is_kernel = found.is_kernel || word.is("__kernel") || word.is("kernel");
  const bool constant = is_constant_memory(word.text), is_static = word.is("static");
  found.is_typedef = found.is_typedef || word.is("typedef");
  found.lasts = found.lasts || constant || is_static;
  if (!constant && !is_static && !word.is("typedef") && !is_qualifier(word.text)) return false;
  add_word(found.written, take().text);
  return true;
}

Translator::Specifiers Translator::specifiers() {
  const Nested nested(*this);
  Specifiers found;
  int longs = 0, bytes = 0;
  bool is_unsigned = false, integers = false;
  while (here().is_name()) {
    const Word& word = here();
    if (qualifier(found)) continue;
    if (is_integer_word(word.text)) {
      if (found.type != nullptr) unexpected();
      integers = true;
      is_unsigned = is_unsigned || word.is("unsigned");
      longs += word.is("long");
      bytes = word.is("char") ? 1 : word.is("short") ? 2 : bytes;
      add_word(found.written, take().text);
      continue;
    }
    if (integers && word.is("double")) fail(word, "a long double cannot be translated");
    if (found.type != nullptr || integers) break;
    if (word.is("struct") || word.is("union")) {
      found.type = record(found.written);
    } else if (word.is("enum")) {
      found.type = enumeration(found.written);
    } else {
      const Symbol* symbol = scopes_.find(word.text);
      found.type = symbol != nullptr ? (symbol->is_type ? symbol->type : nullptr) : types_.of_word(word.text);
      if (found.type == nullptr) break;
      if (found.type->kind == TypeKind::other && word.text.find("double") == 0)
        fail(word, "vectors of doubles cannot be translated");
      add_word(found.written, is_number(found.type) && word.is("double") ? std::string_view("nmath_pair") : word.text);
      take();
    }
  }
  if (integers) found.type = types_.integer(bytes != 0 ? bytes : longs > 0 ? 8 : 4, !is_unsigned);
  if (found.type == nullptr) unexpected();
  return found;
}

const Type* Translator::record(std::string& written) {
  const Word word = take();
  add_word(written, word.text);
  const std::string before = attributes();
  if (!before.empty()) add_word(written, before);
  Type* made = nullptr;
  if (here().is_name()) {
    const Word tag = take();
    add_word(written, tag.text);
    Type*& known = tags_[tag.text];
    if (known == nullptr) known = types_.make(TypeKind::record);
    made = known;
  } else {
    made = types_.make(TypeKind::record);
  }
  if (!took("{")) return made;
  written += " {";
  while (!took("}")) {
    const Specifiers member = specifiers();
    written += ' ' + member.written;
    for (bool first = true; !took(";"); first = false) {
      if (!first) expect(",");
      const Declarator one = declarator(member.type);
      made->members.push_back({one.name.text, one.type});
      written += (first ? " " : ", ") + one.written;
      if (here().is(":")) fail(here(), "bit fields cannot be translated");
    }
    written += ';';
  }
  written += " }";
  if (word.is("union") && holds_number(made)) fail(word, "a union with a double, whose bits are those of two floats");
  return made;
}

const Type* Translator::enumeration(std::string& written) {
  add_word(written, take().text);
  if (here().is_name()) add_word(written, take().text);
  if (!took("{")) return types_.integer(4, true);
  written += " {";
  for (bool first = true; !took("}"); first = false) {
    if (!first) expect(",");
    if (took("}")) break;
    const Word name = take();
    written += (first ? " " : ", ") + std::string(name.text);
    scopes_.add(name, {types_.integer(4, true), false});
    if (!took("=")) continue;
    written += " = ";
    writer_.write(choice(), written);
  }
  written += " }";
  return types_.integer(4, true);
}

Translator::Declarator Translator::declarator(const Type* base) {
  Declarator found;
  std::vector<Wrap> wraps;
  declarator_part(found, wraps);
  found.type = base;
  for (auto wrap = wraps.rbegin(); wrap != wraps.rend(); ++wrap) {
    if (wrap->kind == TypeKind::pointer) {
      found.type = types_.pointer_to(found.type);
    } else if (wrap->kind == TypeKind::array) {
      found.type = types_.array_of(found.type, wrap->length);
    } else {
      Type* function = types_.make(TypeKind::function);
      function->of = found.type;
      function->parameters = wrap->parameters;
      function->any_parameters = wrap->any;
      found.type = function;
    }
  }
  return found;
}

// Pointers bind less than what stands behind the name.
void Translator::declarator_part(Declarator& found, std::vector<Wrap>& wraps) {
  const Nested nested(*this);
  std::vector<Wrap> pointers;
  for (;;) {
    if (took("*")) {
      pointers.push_back({TypeKind::pointer, -1, {}, false});
      found.written += '*';
    } else if (here().is_name() && (is_qualifier(here().text) || is_constant_memory(here().text))) {
      add_word(found.written, take().text);
      found.written += ' ';
    } else if (here().is("__attribute__")) {
      add_word(found.written, attributes());
      found.written += ' ';
    } else {
      break;
    }
  }
  if (here().is_name()) {
    found.name = take();
    found.written += found.name.text;
  } else if (here().is("(") && !begins_type(1) && !here(1).is(")")) {
    take();
    found.written += '(';
    declarator_part(found, wraps);
    expect(")");
    found.written += ')';
  }
  const bool outermost = wraps.empty();
  for (;;) {
    if (took("[")) {
      Wrap array{TypeKind::array, -1, {}, false};
      found.written += '[';
      while (here().is("static") || here().is("restrict") || here().is("const")) add_word(found.written, take().text);
      if (!here().is("]")) {
        const Node* length = assignment();
        array.length = constant_length(length);
        writer_.write(length, found.written);
      }
      expect("]");
      found.written += ']';
      wraps.push_back(array);
    } else if (here().is("(")) {
      wraps.push_back(parameters(found, outermost));
    } else {
      break;
    }
  }
  wraps.insert(wraps.end(), pointers.begin(), pointers.end());
}

Translator::Wrap Translator::parameters(Declarator& found, bool keep) {
  Wrap function{TypeKind::function, -1, {}, false};
  expect("(");
  found.written += '(';
  if (here().is("void") && here(1).is(")")) {
    take();
    found.written += "void";
  } else if (here().is(")")) {
    function.any = true;
  }
  for (bool first = true; !took(")"); first = false) {
    if (!first) {
      expect(",");
      found.written += ", ";
    }
    if (took("...")) {
      function.any = true;
      found.written += "...";
      continue;
    }
    const Specifiers specified = specifiers();
    const Declarator one = declarator(specified.type);
    const Type* type = Types::decayed(one.type, types_);
    function.parameters.push_back(type);
    if (keep && found.parameters.size() + 1 == function.parameters.size()) found.parameters.push_back({one.name, type});
    const bool is_pointer = type->kind == TypeKind::pointer;
    if (keep && of_kernel_ && !is_number(type) && holds_number(is_pointer ? type->of : type) &&
        !(is_pointer && is_number(type->of)))
      fail(one.name, "an argument of a kernel that holds doubles in a struct");
    if (keep && of_kernel_ && is_number(type)) {  // a launch gives the bits of a double
      const std::string name(one.name.text);
      found.written += "const ulong nmath_bits_" + name;
      found.first_statements += " nmath_pair " + name + " = pair_of_bits(nmath_bits_" + name + ");";
      continue;
    }
    found.written += specified.written + (one.written.empty() || one.written[0] == '[' ? "" : " ") + one.written;
    const std::string behind = attributes();
    if (!behind.empty()) found.written += ' ' + behind;
  }
  found.written += ')';
  return function;
}

// In a cast or sizeof.
const Type* Translator::type_name_here(std::string& written) {
  const Specifiers specified = specifiers();
  const Declarator one = declarator(specified.type);
  written = specified.written + (one.written.empty() ? "" : " ") + one.written;
  return one.type;
}

void Translator::declaration(bool at_file_scope) {
  line_up(here());
  const std::size_t begin = out_.size();
  const Specifiers specified = specifiers();
  of_kernel_ = specified.is_kernel;
  out_ += specified.written;
  if (took(";")) {
    out_ += ';';
    return;
  }
  for (bool first = true;; first = false) {
    const Declarator one = declarator(specified.type);
    const Type* type = one.type;
    out_ += (first ? " " : ", ") + one.written;
    if (one.name.text.empty()) unexpected();
    // nmath_pair is what a double becomes: to the translation they are one type.
    if (specified.is_typedef && one.name.is("nmath_pair")) type = types_.number();
    scopes_.add(one.name, {type, specified.is_typedef});
    const std::string behind = attributes();
    if (!behind.empty()) out_ += ' ' + behind;
    if (type->kind == TypeKind::function && here().is("{")) {
      if (!at_file_scope) unexpected();
      function_body(one);
      if (first) functions_.push_back({one.name.text, begin, out_.size(), specified.is_kernel});
      return;
    }
    if (took("=")) {
      out_ += " = ";
      initializer(type, specified.lasts || at_file_scope);
    }
    if (took(";")) break;
    expect(",");
  }
  out_ += ';';
}

void Translator::function_body(const Declarator& function) {
  scopes_.open();
  for (const auto& parameter : function.parameters)
    if (!parameter.first.text.empty()) scopes_.add(parameter.first, {parameter.second, false});
  result_ = function.type->of;
  first_statements_ = function.first_statements;
  block();
  result_ = nullptr;
  scopes_.close();
}

}  // namespace openclPort::pair
