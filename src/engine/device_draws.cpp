// device_draws -- the second launch of each chunk of resident draws.
#include "engine/device_draws.h"

namespace openclPort {

namespace {

// As whole numbers, so that R's NA stays as it is; a pair of floats has its own NaN for it.
constexpr const char* kResidentDrawsProgram = R"(#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#ifdef NMATH_FLOAT_PAIRS
#define KEPT double
#define KEPT_OF_BITS(bits) as_double(bits)
#define KEPT_OF(x) (x)
#else
#define KEPT ulong
#define KEPT_OF_BITS(bits) (bits)
#define KEPT_OF(x) as_ulong(x)
#endif
__kernel void store_doubles(__global const double* from, __global KEPT* to, const long first, const ulong missing,
                           __global int* found, const int len)
{
    const int i = get_global_id(0);
    if (i >= len) return;
    const double x = from[i];
    to[first + i] = isnan(x) ? KEPT_OF_BITS(missing) : KEPT_OF(x);
    if (isnan(x)) atomic_or(found, 1);
}
__kernel void store_integers(__global const double* from, __global int* to, const long first, const ulong missing,
                            __global int* found, const int len)
{
    const int i = get_global_id(0);
    if (i >= len) return;
    const double x = from[i];
    const int fits = x > -2147483648.0 && x <= 2147483647.0;
    to[first + i] = fits ? (int)x : (-2147483647 - 1);
    if (!fits) atomic_or(found, isnan(x) ? 1 : 2);
}
)";

}  // namespace

SharedProgram resident_draws_program(const SharedDevice& device) {
  return device->program({"engine/resident_draws", [] { return kResidentDrawsProgram; }, ""}, nullptr);
}

DrawStore::DrawStore(SharedDevice device, const Buffer& out, std::size_t first, bool na)
    : device_(std::move(device)), out_(out), first_(first), na_(na), found_(device_->allocate(ElementType::i32, 1)) {
  const int none = 0;
  const std::unique_ptr<Queue> queue = device_->queue(false);
  queue->write(found_, 0, &none, sizeof none);
  queue->finish();
}

std::unique_ptr<Launch> DrawStore::launch() const {
  return resident_draws_program(device_)->launch(out_.type() == ElementType::f64 ? "store_doubles" : "store_integers");
}

void DrawStore::prepare(Launch& launch, const Chunk& chunk, const Buffer& draws) const {
  const std::uint64_t na = 0x7FF00000000007A2u, nan = 0x7FF8000000000000u;  // of base/columns.h
  launch.set_buffer(0, draws);
  launch.set_buffer(1, out_);
  launch.set(2, static_cast<std::int64_t>(chunk.first - first_));
  launch.set(3, na_ ? na : nan);
  launch.set_buffer(4, found_);
  launch.set(5, static_cast<std::int32_t>(chunk.count));
  launch.items(chunk.count);
}

DrawsFound DrawStore::found() const {
  int bits = 0;
  const std::unique_ptr<Queue> queue = device_->queue(false);
  queue->read(found_, 0, &bits, sizeof bits);
  queue->finish();
  return {(bits & 1) != 0, (bits & 2) != 0};
}

}  // namespace openclPort
