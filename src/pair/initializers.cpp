// initializers -- of doubles: two floats each, in braces; those of tables are computed here.
#include "pair/translator.h"

namespace openclPort::pair {

Node* Translator::next_value() {
  Node* value = pending_ != nullptr ? pending_ : assignment();
  pending_ = nullptr;
  return value;
}

void Translator::scalar(const Type* type, const Node* value, bool lasts) {
  if (is_number(type) && value->constant) {
    if (!lasts) check_range(value);  // a table's may be 0 or infinite
    out_ += "{" + pair_parts(value->value) + "}";
    return;
  }
  if (is_number(type) && lasts) fail(value->word, "an initializer that is no constant");
  writer_.write_as(type, value, out_);
}

void Translator::initializer(const Type* type, bool lasts) {
  if (here().is("{")) return braced(type, lasts);
  const Node* value = next_value();
  if (is_number(type)) return scalar(type, value, lasts);
  writer_.write_as(type->kind == TypeKind::array ? types_.none() : type, value, out_);
}

void Translator::braced(const Type* type, bool lasts) {
  const Nested nested(*this);
  expect("{");
  if (type->kind == TypeKind::array || type->kind == TypeKind::record) {
    out_ += '{';
    fill(type, lasts);
    took(",");
    out_ += '}';
  } else {
    scalar(type, next_value(), lasts);
  }
  expect("}");
}

// The elements of an array or the members of a struct, up to the '}' or as many as there are.
void Translator::fill(const Type* type, bool lasts) {
  const Nested nested(*this);
  const std::size_t most = type->kind == TypeKind::record ? type->members.size()
                           : type->length < 0             ? static_cast<std::size_t>(-1)
                                                          : static_cast<std::size_t>(type->length);
  for (std::size_t k = 0; k < most; ++k) {
    if (pending_ == nullptr && (here().is("}") || (here().is(",") && here(1).is("}")))) return;
    if (k > 0) {
      if (pending_ == nullptr) expect(",");
      if (here().is("}")) return;
      out_ += ", ";
    }
    if (here().line != line_ && pending_ == nullptr) line_up(here());
    if (here().is(".") || here().is("[")) fail(here(), "an initializer that names what it is for cannot be translated");
    subobject(type->kind == TypeKind::record ? type->members[k].type : type->of, lasts);
  }
}

void Translator::subobject(const Type* type, bool lasts) {
  const bool aggregate = type->kind == TypeKind::array || type->kind == TypeKind::record;
  if (pending_ == nullptr && here().is("{")) return braced(type, lasts);
  if (!aggregate) return scalar(type, next_value(), lasts);
  if (pending_ == nullptr) pending_ = assignment();
  if (pending_->type->kind == type->kind && type->kind == TypeKind::record) {
    writer_.write(next_value(), out_);
    return;
  }
  out_ += '{';  // braces that were left out
  fill(type, lasts);
  out_ += '}';
}

}  // namespace openclPort::pair
