// types -- the types of a C text, as far as its translation asks: what is a double, and what integers become one.
//
// Plain data in an arena; types are compared by what they are, not by address.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace openclPort::pair {

enum class TypeKind {
  none,  // void
  integer,
  single,  // float
  number,  // double, and nmath_pair, which it becomes
  pointer,
  array,
  record,  // struct or union
  function,
  other  // vectors, events, images: passed on, never looked into
};

struct Type {
  TypeKind kind = TypeKind::none;
  int bytes = 4;             // of an integer
  bool is_signed = true;     // an integer
  bool truth = false;        // bool: what is not 0 becomes 1
  const Type* of = nullptr;  // pointer, array: its target; function: its result
  long length = -1;          // of an array; -1 where it is not written
  struct Member {
    std::string_view name;
    const Type* type;
  };
  std::vector<Member> members;          // of a record
  std::vector<const Type*> parameters;  // of a function
  bool any_parameters = false;          // a function declared with () or ...
};

inline bool is_number(const Type* t) { return t->kind == TypeKind::number; }
inline bool is_integer(const Type* t) { return t->kind == TypeKind::integer; }
inline bool is_arithmetic(const Type* t) {
  return t->kind == TypeKind::number || t->kind == TypeKind::single || t->kind == TypeKind::integer;
}

// Types by name, and those made of others.
class Types {
 public:
  Types();

  const Type* none() const { return &none_; }
  const Type* number() const { return &number_; }
  const Type* single() const { return &single_; }
  const Type* other() const { return &other_; }
  const Type* truth() const { return &truth_; }
  const Type* integer(int bytes, bool is_signed) const;
  const Type* pointer_to(const Type* type);
  const Type* array_of(const Type* type, long length);
  Type* make(TypeKind kind);

  // A type of one word that C or OpenCL C has: uint, size_t, float4; nullptr for other words.
  const Type* of_word(std::string_view word) const;

  // What the operands of an operator become.
  const Type* common(const Type* a, const Type* b) const;
  const Type* promoted(const Type* a) const;
  static const Type* decayed(const Type* type, Types& types);

 private:
  Type none_, number_, single_, other_, truth_;
  Type integers_[4][2];  // of 1, 2, 4, 8 bytes; unsigned, signed
  std::deque<Type> made_;
  std::unordered_map<const Type*, const Type*> pointers_;
  std::unordered_map<std::string_view, const Type*> words_;
};

// A double, or a struct or array with one.
bool holds_number(const Type* type);

// 'int', 'unsigned long', 'double', for messages
std::string type_name(const Type* type);

}  // namespace openclPort::pair
