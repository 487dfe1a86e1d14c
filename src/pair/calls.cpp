// calls -- calls of a program's own functions and of OpenCL's.
#include "pair/builtins.h"
#include "pair/translator.h"

namespace openclPort::pair {

namespace {

bool starts(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

}  // namespace

Node* Translator::call(Node* function, const Word& word) {
  expect("(");
  Node* made = node(NodeKind::call, word, nullptr);
  made->a = function;
  while (!took(")")) {
    if (!made->arguments.empty()) expect(",");
    made->arguments.push_back(assignment());
  }
  const Type* type = function->type;
  if (type != nullptr && type->kind == TypeKind::pointer) type = type->of;
  if (type == nullptr) return builtin_call(made);
  if (type->kind != TypeKind::function) fail(word, "a call of what is no function");
  if (!type->any_parameters && type->parameters.size() != made->arguments.size())
    fail(function->word, std::string(function->word.text) + "() takes " + std::to_string(type->parameters.size()) +
                             " arguments, not " + std::to_string(made->arguments.size()));
  made->type = type->of;
  return dialect_.single && is_number(type->of) ? call_of_floats(made, type) : made;
}

// A call whose numbers are all floats gives one.
Node* Translator::call_of_floats(Node* made, const Type* type) {
  bool floats = false;
  for (std::size_t k = 0; k < type->parameters.size() && k < made->arguments.size(); ++k) {
    const Node* argument = made->arguments[k];
    if (!is_number(type->parameters[k])) continue;
    floats = floats || argument->type->kind == TypeKind::single;
    if (is_number(argument->type) && !argument->constant) return made;
  }
  if (!floats) return made;
  const std::string own = "single_" + std::string(made->a->word.text);
  const Symbol* symbol = made->a->kind == NodeKind::name ? scopes_.find(own) : nullptr;
  if (symbol == nullptr || symbol->type->kind != TypeKind::function)
    return cast_of(made->word, types_.single(), "float", made);
  names_.push_back(own);
  Word name = made->a->word;
  name.text = names_.back();
  made->a = node(NodeKind::name, name, symbol->type);
  made->type = symbol->type->of;
  return made;
}

// A call of a function for pairs, by OpenCL's name.
Node* Translator::call_of(const Word& word, const char* called, std::vector<Node*> arguments) {
  Node* made = node(NodeKind::call, word, nullptr);
  Word name = word;
  name.text = called;
  name.kind = WordKind::name;
  made->a = node(NodeKind::name, name, nullptr);
  made->arguments = std::move(arguments);
  return builtin_call(made);
}

// convert_int_rte(x) and its like
Node* Translator::conversion_call(Node* made) {
  std::string_view name = made->a->word.text.substr(8);
  const char* first = nullptr;
  for (const auto& mode :
       {std::pair<const char*, const char*>{"_rte", "rint"}, {"_rtz", "trunc"}, {"_rtn", "floor"}, {"_rtp", "ceil"}})
    if (name.size() > 4 && name.substr(name.size() - 4) == mode.first) {
      first = mode.second;
      name = name.substr(0, name.size() - 4);
    }
  const Type* type = name == "int"    ? types_.integer(4, true)
                     : name == "long" ? types_.integer(8, true)
                                      : types_.of_word(name);
  if (type == nullptr || !is_arithmetic(type) || made->arguments.size() != 1) return nullptr;
  Node* value = made->arguments[0];
  if (!is_number(type) && !is_number(value->type)) return nullptr;
  if (first != nullptr) value = call_of(made->a->word, first, {value});
  return cast_of(made->word, type, std::string(name), value);
}

// The functions of floats that C has, too, by the name of that of doubles and an f.
static bool is_of_c(std::string_view name) {
  for (const char* other : {"cospi", "sinpi", "tanpi", "exp10", "sincos", "min", "max"})
    if (name == other) return false;
  return true;
}

Node* Translator::builtin_call(Node* made) {
  const std::string_view name = made->a->word.text;
  std::vector<Node*>& arguments = made->arguments;
  for (Node*& one : arguments)
    for (const Node* other : arguments) one = as_float(one, other);
  bool number = false, single = false;
  const Type* common = types_.integer(4, true);
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Type* type = arguments[k]->type;
    number = number || is_number(type);
    single = single || type->kind == TypeKind::single;
    const Type* pointer = Types::decayed(type, types_);
    if (name.substr(0, 3) == "mem" && pointer->kind == TypeKind::pointer && holds_number(pointer->of))
      fail(made->a->word, std::string(name) + "() of doubles: as_ulong() and as_double() give their bits");
    if (name.find("atom") == 0 && k == 0 && type->kind == TypeKind::pointer) type = type->of;
    if (is_arithmetic(type)) common = k == 0 ? type : types_.common(common, type);
  }
  if (starts(name, "convert_"))
    if (Node* cast = conversion_call(made)) return cast;
  const Builtin* builtin = number_builtin(name);
  // Of floats and integers a function is OpenCL's; in C it may be that of doubles, whose result is cut.
  const bool whole = !number && !single;
  const bool of_numbers =
      builtin != nullptr && (number || builtin->takes[0] == 'u' ||
                             (whole && builtin->gives == 'd' && name != "min" && name != "max" && name != "mad"));
  if (builtin != nullptr && of_numbers && !(builtin->takes[0] == 'd' && builtin->gives == 'u' && !number)) {
    if (std::string_view(builtin->takes).size() != arguments.size())
      fail(made->a->word,
           std::string(name) + "() takes " + std::to_string(std::string_view(builtin->takes).size()) + " arguments");
    made->written = builtin->pair_name;
    made->op = builtin->takes;
    made->type = builtin->gives == 'd'   ? types_.number()
                 : builtin->gives == 'u' ? types_.integer(8, name == "as_long")
                                         : types_.integer(4, true);
    return made;
  }
  if (number && name == "clamp" && arguments.size() == 3)
    return call_of(made->a->word, "fmin", {call_of(made->a->word, "fmax", {arguments[0], arguments[1]}), arguments[2]});
  if (number) fail(made->a->word, std::string(name) + "() of doubles cannot be translated");
  if (builtin != nullptr && dialect_.single && dialect_.in_c && single && builtin->gives == 'd') {
    if (!is_of_c(name)) {
      for (Node*& one : arguments)
        if (is_arithmetic(one->type)) one = cast_of(made->word, types_.number(), "double", one);
      return cast_of(made->word, types_.single(), "float", builtin_call(made));
    }
    names_.push_back(std::string(name) + 'f');
    made->a->word.text = names_.back();
  }
  if (builtin != nullptr) {
    made->type = builtin->gives == 'i'   ? types_.integer(4, true)
                 : builtin->gives == 'u' ? types_.integer(8, false)
                 : single                ? types_.single()
                                         : common;
    return made;
  }
  made->type = other_builtin(name, common, types_);
  if (made->type == nullptr) fail(made->a->word, "the function " + std::string(name) + "() is not known");
  return made;
}

}  // namespace openclPort::pair
