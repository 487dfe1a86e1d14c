// point_travel -- see point_travel.h
#include "engine/point_travel.h"

#include <cstring>

namespace openclPort {

namespace {

constexpr std::size_t kAlignment = 64;  // of what travels

}  // namespace

void PointTravel::begin(std::size_t bytes, std::size_t parts) {
  arrivals_.clear();
  taken_ = 0;
  if (info_.host_memory) return;
  bytes += (parts + 1) * kAlignment;
  if (!staging_ || staging_.bytes() < bytes) staging_ = device_->stage(bytes, *queue_);
}

unsigned char* PointTravel::place(std::size_t bytes) {
  unsigned char* const at = static_cast<unsigned char*>(staging_.host()) + taken_;
  taken_ += ceiling_ratio(bytes, kAlignment) * kAlignment;
  return at;
}

void PointTravel::send(const Buffer& to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;  // no number is of a point; OpenCL refuses to copy nothing
  if (!info_.host_memory) {
    unsigned char* const at = place(bytes);
    std::memcpy(at, from, bytes);
    from = at;
  }
  queue_->write(to, 0, from, bytes);
}

void PointTravel::fetch(const Buffer& from, std::size_t first_element, void* to, std::size_t bytes) {
  if (!info_.host_memory) {
    arrivals_.push_back({place(bytes), to, bytes});
    to = arrivals_.back().staged;
  }
  queue_->read(from, first_element * element_bytes(from.type()), to, bytes);
}

void PointTravel::land() {
  for (const Arrival& one : arrivals_) std::memcpy(one.to, one.staged, one.bytes);
  arrivals_.clear();
}

std::vector<Buffer> PointTravel::columns(const FusedCall& call) {
  std::vector<Buffer> made(call.columns.size());
  for (std::size_t k = 0; k < made.size(); ++k) {
    const FusedColumn& given = call.columns[k];
    if (given.resident != nullptr) continue;
    const ElementType type = given.column.type == Column::Type::f64 ? ElementType::f64 : ElementType::i32;
    void* const data = const_cast<void*>(given.column.data);
    if (info_.host_memory) {
      made[k] = device_->borrow(type, data, given.column.length, Access::read);
      continue;
    }
    made[k] = device_->allocate(type, given.column.length);
    queue_->write(made[k], 0, data, made[k].bytes());
  }
  return made;
}

}  // namespace openclPort
