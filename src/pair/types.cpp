// types -- the types of a C text, as far as its translation asks.
#include "pair/types.h"

namespace openclPort::pair {

namespace {

int index_of_bytes(int bytes) { return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3; }

// double2, float16, uint4: a scalar type's name and the length of a vector
bool is_vector_word(std::string_view word) {
  static const char* const kScalars[] = {"char", "uchar", "short", "ushort", "int", "uint",
                                         "long", "ulong", "float", "double", "half"};
  static const char* const kLengths[] = {"2", "3", "4", "8", "16"};
  for (const char* scalar : kScalars) {
    const std::string_view view(scalar);
    if (word.size() <= view.size() || word.substr(0, view.size()) != view) continue;
    for (const char* length : kLengths)
      if (word.substr(view.size()) == length) return true;
  }
  return false;
}

}  // namespace

Types::Types() {
  number_.kind = TypeKind::number;
  single_.kind = TypeKind::single;
  other_.kind = TypeKind::other;
  truth_.kind = TypeKind::integer;
  truth_.bytes = 1;
  truth_.truth = true;
  for (int k = 0; k < 4; ++k)
    for (int is_signed = 0; is_signed < 2; ++is_signed) {
      integers_[k][is_signed].kind = TypeKind::integer;
      integers_[k][is_signed].bytes = 1 << k;
      integers_[k][is_signed].is_signed = is_signed != 0;
    }
  const auto name = [&](const char* word, const Type* type) { words_[word] = type; };
  name("void", &none_);
  name("double", &number_);
  name("float", &single_);
  name("uchar", integer(1, false));
  name("ushort", integer(2, false));
  name("uint", integer(4, false));
  name("ulong", integer(8, false));
  name("size_t", integer(8, false));
  name("ptrdiff_t", integer(8, true));
  name("intptr_t", integer(8, true));
  name("uintptr_t", integer(8, false));
  name("bool", &truth_);
  name("_Bool", &truth_);
  name("int8_t", integer(1, true));
  name("int16_t", integer(2, true));
  name("int32_t", integer(4, true));
  name("int64_t", integer(8, true));
  name("uint8_t", integer(1, false));
  name("uint16_t", integer(2, false));
  name("uint32_t", integer(4, false));
  name("uint64_t", integer(8, false));
  for (const char* word : {"event_t", "sampler_t", "image2d_t", "image3d_t", "half", "cl_mem_fence_flags"})
    name(word, &other_);
}

const Type* Types::integer(int bytes, bool is_signed) const {
  return &integers_[index_of_bytes(bytes)][is_signed ? 1 : 0];
}

Type* Types::make(TypeKind kind) {
  made_.emplace_back();
  made_.back().kind = kind;
  return &made_.back();
}

const Type* Types::pointer_to(const Type* type) {
  const Type*& known = pointers_[type];
  if (known == nullptr) {
    Type* made = make(TypeKind::pointer);
    made->of = type;
    known = made;
  }
  return known;
}

const Type* Types::array_of(const Type* type, long length) {
  Type* made = make(TypeKind::array);
  made->of = type;
  made->length = length;
  return made;
}

const Type* Types::of_word(std::string_view word) const {
  const auto found = words_.find(word);
  if (found != words_.end()) return found->second;
  return is_vector_word(word) ? &other_ : nullptr;
}

const Type* Types::promoted(const Type* a) const { return is_integer(a) && a->bytes < 4 ? integer(4, true) : a; }

const Type* Types::common(const Type* a, const Type* b) const {
  if (!is_arithmetic(a) || !is_arithmetic(b)) return is_arithmetic(a) ? b : a;
  if (is_number(a) || is_number(b)) return number();
  if (a->kind == TypeKind::single || b->kind == TypeKind::single) return single();
  a = promoted(a);
  b = promoted(b);
  if (a->bytes != b->bytes) return a->bytes > b->bytes ? a : b;
  return a->is_signed ? b : a;
}

const Type* Types::decayed(const Type* type, Types& types) {
  return type->kind == TypeKind::array ? types.pointer_to(type->of) : type;
}

bool holds_number(const Type* type) {
  if (type->kind == TypeKind::array) return holds_number(type->of);
  for (const Type::Member& member : type->members)
    if (member.type != type && holds_number(member.type)) return true;
  return is_number(type);
}

std::string type_name(const Type* type) {
  switch (type->kind) {
    case TypeKind::none:
      return "void";
    case TypeKind::integer: {
      static const char* const kNames[] = {"char", "short", "int", "long"};
      return std::string(type->is_signed ? "" : "unsigned ") + kNames[index_of_bytes(type->bytes)];
    }
    case TypeKind::single:
      return "float";
    case TypeKind::number:
      return "double";
    case TypeKind::pointer:
      return type_name(type->of) + " *";
    case TypeKind::array:
      return type_name(type->of) + " []";
    case TypeKind::record:
      return "struct";
    case TypeKind::function:
      return "function";
    default:
      return "vector";
  }
}

}  // namespace openclPort::pair
