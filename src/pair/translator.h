// translator -- reads the words of a program and writes its translation: a parser of the C that STYLE.md asks for.
//
// Declarations and statements are written as they are read; an expression when it has been read, and its types are
// known. Serves one program; the words and what they are views into must outlive it.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pair/expression.h"
#include "pair/types.h"
#include "pair/unused.h"
#include "pair/words.h"

namespace openclPort::pair {

// What a name means where it is used.
struct Symbol {
  const Type* type;
  bool is_type;
};

class Scopes {
 public:
  const Symbol* find(std::string_view name) const;
  void add(const Word& word, Symbol symbol);
  void open() { begins_.push_back(added_.size()); }
  void close();
  std::size_t depth() const { return begins_.size(); }

 private:
  std::unordered_map<std::string_view, std::vector<Symbol>> symbols_;
  std::vector<std::string_view> added_;
  std::vector<std::size_t> begins_;
};

// What the translation is for. In single precision (`single`) a number next to a float is one, and a function of
// doubles that is given floats gives a float: by its form of floats, single_NAME, where there is one. `in_c`: C calls
// functions of floats by other names.
struct Dialect {
  bool single = false, in_c = false;
};

class Translator {
 public:
  Translator(std::vector<Word> words, Dialect dialect) : words_(std::move(words)), dialect_(dialect), writer_(types_) {}
  std::string run();

 private:
  // What a declaration begins with, and one of the things that it declares.
  struct Specifiers {
    const Type* type = nullptr;
    std::string written;
    bool is_kernel = false;
    bool is_typedef = false, lasts = false;  // static, or constant memory: its value is known when it is compiled
  };
  struct Declarator {
    Word name;
    const Type* type = nullptr;
    std::string written;
    std::vector<std::pair<Word, const Type*>> parameters;  // of a function
    std::string first_statements;                          // of a kernel: its doubles, of their bits
  };
  // What stands around a declared name, from the name outwards.
  struct Wrap {
    TypeKind kind;
    long length = -1;
    std::vector<const Type*> parameters;
    bool any = false;
  };

  // ---- words ----
  const Word& here(std::size_t ahead = 0) const {
    static const Word kEnd;
    return at_ + ahead < words_.size() ? words_[at_ + ahead] : kEnd;
  }
  Word take() { return at_ < words_.size() ? words_[at_++] : Word(); }
  bool took(std::string_view sign) {
    if (!here().is(sign)) return false;
    ++at_;
    return true;
  }
  void expect(std::string_view sign);
  // Counts how deep parts lie in others, of which each takes a piece of the stack.
  struct Nested {
    explicit Nested(Translator& translator) : of(translator) {
      if (++of.depth_ > 1000) fail(of.here(), "more than 1000 parts lie in one another");
    }
    ~Nested() { --of.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    Translator& of;
  };
  [[noreturn]] void unexpected() const;
  std::string balanced();  // from a '(' to its ')', as it is
  void line_up(const Word& word);

  // ---- expressions.cpp, calls.cpp ----
  Node* node(NodeKind kind, const Word& word, const Type* type);
  Node* expression();
  Node* assignment();
  Node* choice();
  Node* binary(int level);
  Node* unary();
  Node* postfix();
  Node* primary();
  Node* literal(const Word& word);
  Node* name(const Word& word);
  Node* size_of(const Word& word);
  Node* cast();
  Node* parenthesis();
  Node* cast_of(const Word& word, const Type* type, std::string written, Node* value);
  Node* call(Node* function, const Word& word);
  Node* call_of(const Word& word, const char* name, std::vector<Node*> arguments);
  Node* builtin_call(Node* function);
  Node* call_of_floats(Node* call, const Type* type);
  Node* as_float(Node* value, const Node* next_to);
  Node* conversion_call(Node* function);
  Node* member(Node* of, const Word& op);
  void fold_unary(Node* node) const;
  void fold_binary(Node* node) const;
  const Type* type_of_binary(const Node* node);
  long constant_length(const Node* node) const;

  // ---- declarations.cpp ----
  bool begins_type(std::size_t ahead = 0) const;
  Specifiers specifiers();
  bool qualifier(Specifiers& found);
  const Type* record(std::string& written);
  const Type* enumeration(std::string& written);
  Declarator declarator(const Type* base);
  void declarator_part(Declarator& found, std::vector<Wrap>& wraps);
  Wrap parameters(Declarator& found, bool keep);
  const Type* type_name_here(std::string& written);
  void declaration(bool at_file_scope);
  void function_body(const Declarator& function);
  std::string attributes();

  // ---- initializers.cpp ----
  void initializer(const Type* type, bool lasts);
  void braced(const Type* type, bool lasts);
  void fill(const Type* type, bool lasts);
  void subobject(const Type* type, bool lasts);
  void scalar(const Type* type, const Node* value, bool lasts);
  Node* next_value();

  // ---- statements.cpp ----
  void block();
  void statement();
  void write_parenthesized_condition(bool of_switch = false);
  void for_statement();
  void return_statement();

  std::vector<Word> words_;
  const Dialect dialect_;
  std::size_t at_ = 0;
  int depth_ = 0;
  Types types_;
  ExpressionWriter writer_;
  Scopes scopes_;
  std::map<std::string_view, Type*> tags_;
  std::deque<Node> nodes_;
  std::deque<std::string> names_;  // that nodes have views of
  const Type* result_ = nullptr;   // of the function that is read
  bool of_kernel_ = false;
  std::string first_statements_;  // of the next block
  Node* pending_ = nullptr;       // a value that was read to see whether it is a struct
  std::string out_;
  std::vector<FunctionText> functions_;
  int line_ = 0;  // of the output
  const std::string* file_ = nullptr;
};

}  // namespace openclPort::pair
