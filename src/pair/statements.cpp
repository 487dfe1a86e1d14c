// statements -- written as they are read.
#include "pair/translator.h"

namespace openclPort::pair {

void Translator::expect(std::string_view sign) {
  if (took(sign)) return;
  if (here().kind == WordKind::end) unexpected();
  fail(here(), "'" + std::string(sign) + "' is missing before '" + std::string(here().text) + "'");
}

void Translator::unexpected() const {
  if (here().kind == WordKind::end) fail(at_ > 0 ? words_[at_ - 1] : here(), "the text ends early");
  fail(here(), "'" + std::string(here().text) + "' cannot be translated here");
}

std::string Translator::balanced() {
  std::string written;
  if (!here().is("(")) unexpected();
  int depth = 0;
  do {
    if (here().kind == WordKind::end) unexpected();
    const Word word = take();
    depth += word.is("(") ? 1 : word.is(")") ? -1 : 0;
    if (word.is("double")) fail(word, "'double' cannot be translated here");
    if (word.spaced && !written.empty() && written.back() != '(') written += ' ';
    written += word.text;
  } while (depth > 0);
  return written;
}

// The output goes on in the line of the word, so that a compiler's messages name the place in the user's text.
void Translator::line_up(const Word& word) {
  if (word.file == file_ && word.line >= line_ && word.line <= line_ + 6) {
    out_.append(static_cast<std::size_t>(word.line - line_), '\n');
  } else if (word.file == nullptr) {
    out_ += '\n';
  } else {
    out_ += "\n#line " + std::to_string(word.line) + " \"" + *word.file + "\"\n";
  }
  line_ = word.line;
  file_ = word.file;
}

std::string Translator::run() {
  out_.reserve(words_.size() * 12);
  while (here().kind != WordKind::end) {
    if (here().kind == WordKind::line) {
      line_up(here());
      out_ += "\n" + std::string(take().text) + "\n";
      line_ = -1000;
    } else if (took(";")) {
      continue;
    } else if (begins_type()) {
      declaration(true);
    } else {
      unexpected();
    }
  }
  out_ += '\n';
  return without_unused(out_, functions_);
}

// No directive stands between a function's parameters and its body.
void Translator::block() {
  expect("{");
  out_ += " {" + first_statements_;
  first_statements_.clear();
  scopes_.open();
  while (!here().is("}")) statement();
  scopes_.close();
  line_up(here());
  take();
  out_ += " }";
}

void Translator::write_parenthesized_condition(bool of_switch) {
  expect("(");
  out_ += " (";
  const Node* value = expression();
  if (of_switch && !is_integer(value->type)) fail(value->word, "switch of " + type_name(value->type));
  writer_.write_condition(value, out_);
  expect(")");
  out_ += ')';
}

void Translator::for_statement() {
  expect("(");
  out_ += " (";
  scopes_.open();
  if (begins_type()) {
    declaration(false);
  } else {
    if (!here().is(";")) writer_.write(expression(), out_, true);
    expect(";");
    out_ += ';';
  }
  out_ += ' ';
  if (!here().is(";")) writer_.write_condition(expression(), out_);
  expect(";");
  out_ += "; ";
  if (!here().is(")")) writer_.write(expression(), out_, true);
  expect(")");
  out_ += ')';
  statement();
  scopes_.close();
}

void Translator::return_statement() {
  if (!here().is(";")) {
    out_ += ' ';
    const Node* value = expression();
    if (result_ == nullptr) fail(value->word, "a value is returned by no function");
    writer_.write_as(result_, value, out_);
  }
  expect(";");
  out_ += ';';
}

void Translator::statement() {
  const Nested nested(*this);
  const Word& word = here();
  if (word.kind == WordKind::end) unexpected();
  if (word.is("{")) return block();
  line_up(word);
  out_ += ' ';
  if (word.kind == WordKind::line) {
    out_ += "\n" + std::string(take().text) + "\n";
    line_ = -1000;
    if (!here().is("}")) statement();
  } else if (word.is("_Pragma")) {  // of the statement that follows
    out_ += take().text;
    out_ += balanced();
    statement();
  } else if (word.is("__asm__") || word.is("asm")) {
    fail(word, "assembler cannot be translated");
  } else if (word.is(";")) {
    take();
    out_ += ';';
  } else if (word.is("if") || word.is("while") || word.is("switch")) {
    const bool is_if = word.is("if"), is_switch = word.is("switch");
    out_ += take().text;
    write_parenthesized_condition(is_switch);
    statement();
    if (is_if && here().is("else")) {
      line_up(here());
      take();
      out_ += " else";
      statement();
    }
  } else if (word.is("for")) {
    out_ += take().text;
    for_statement();
  } else if (word.is("do")) {
    out_ += take().text;
    statement();
    if (!here().is("while")) unexpected();
    take();
    out_ += " while";
    write_parenthesized_condition();
    expect(";");
    out_ += ';';
  } else if (word.is("return")) {
    out_ += take().text;
    return_statement();
  } else if (word.is("break") || word.is("continue") || word.is("goto") || word.is("default")) {
    while (!here().is(";") && !here().is(":")) {
      if (here().kind == WordKind::end) unexpected();
      out_ += std::string(take().text) + " ";
    }
    out_ += take().text;
  } else if (word.is("case")) {
    out_ += std::string(take().text) + " ";
    writer_.write(choice(), out_);
    expect(":");
    out_ += ':';
  } else if (word.is_name() && here(1).is(":")) {
    out_ += take().text;
    out_ += take().text;
  } else if (begins_type()) {
    declaration(false);
  } else {
    writer_.write(expression(), out_, true);
    expect(";");
    out_ += ';';
  }
}

}  // namespace openclPort::pair
