// buffer -- memory that a device works on: its own, or memory of the caller.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

namespace openclPort {

enum class ElementType { bytes, i32, i64, f64 };
enum class Access { read, write, both };  // what the device does with it

constexpr std::size_t element_bytes(ElementType type) {
  return type == ElementType::bytes ? 1 : type == ElementType::i32 ? 4 : 8;
}

// Move-only; gives its memory back when it goes. What is borrowed the caller keeps alive.
class Buffer {
 public:
  // What the device keeps of it.
  class Memory {
   public:
    virtual ~Memory() = default;
  };

  Buffer() = default;
  // `host`: where this process can read and write it; null for memory of a device of its own.
  Buffer(std::unique_ptr<Memory> memory, ElementType type, std::size_t elements, void* host, bool borrowed)
      : memory_(std::move(memory)), type_(type), elements_(elements), host_(host), borrowed_(borrowed) {}

  ElementType type() const noexcept { return type_; }
  std::size_t elements() const noexcept { return elements_; }
  std::size_t bytes() const noexcept { return elements_ * element_bytes(type_); }
  bool borrowed() const noexcept { return borrowed_; }
  void* host() const noexcept { return host_; }
  Memory* memory() const noexcept { return memory_.get(); }
  explicit operator bool() const noexcept { return memory_ != nullptr || host_ != nullptr; }

 private:
  std::unique_ptr<Memory> memory_;
  ElementType type_ = ElementType::bytes;
  std::size_t elements_ = 0;
  void* host_ = nullptr;
  bool borrowed_ = false;
};

}  // namespace openclPort
