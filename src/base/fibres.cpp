// fibres -- functions that run by turns on one thread: by contexts and jumps (POSIX), or the system's own (Windows).
//
// A fibre is started once, by a context, and then goes from body to body: turns are taken by _setjmp and _longjmp,
// which save registers only, where swapcontext would call the system each time. (A checked longjmp takes a jump between
// stacks for an error, hence no fortification.)
#undef _FORTIFY_SOURCE
#if defined(__APPLE__) && !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700
#define _DARWIN_C_SOURCE 1
#endif

#include "base/fibres.h"

#include <cstdint>
#include <new>
#include <vector>

#if defined(_WIN32)
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#define NMATH_FIBRES 1
#elif defined(__GLIBC__) || defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__)
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#define NMATH_FIBRES 1
#else
#define NMATH_FIBRES 0
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NMATH_ADDRESS_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define NMATH_ADDRESS_SANITIZER 1
#endif
#ifdef NMATH_ADDRESS_SANITIZER
extern "C" {
void __sanitizer_start_switch_fiber(void** fake, const void* bottom, std::size_t bytes);
void __sanitizer_finish_switch_fiber(void* fake, const void** bottom, std::size_t* bytes);
}
#endif

namespace openclPort {

bool Fibres::supported() { return NMATH_FIBRES != 0; }

#if NMATH_FIBRES

#ifdef _WIN32

struct Fibres::State {
  struct Fibre {
    State* owner = nullptr;
    void* handle = nullptr;
    std::size_t number = 0;
    bool working = false;
  };
  std::vector<Fibre> fibres;
  const std::function<void(std::size_t)>* body = nullptr;
  Fibre* present = nullptr;
  void* scheduler = nullptr;
  bool converted = false;

  State(std::size_t most, std::size_t stack_bytes) : fibres(most) {
    converted = !IsThreadAFiber();
    scheduler = converted ? ConvertThreadToFiber(nullptr) : GetCurrentFiber();
    if (scheduler == nullptr) throw std::bad_alloc();
    for (std::size_t i = 0; i < most; ++i) {
      fibres[i].owner = this;
      fibres[i].number = i;
      fibres[i].handle = CreateFiberEx(16 << 10, stack_bytes, 0, &State::enter, &fibres[i]);
      if (fibres[i].handle == nullptr) {
        release();
        throw std::bad_alloc();
      }
    }
  }
  ~State() { release(); }
  void release() {
    for (Fibre& fibre : fibres)
      if (fibre.handle != nullptr) DeleteFiber(fibre.handle);
    fibres.clear();
    if (converted) ConvertFiberToThread();
    converted = false;
  }
  static void CALLBACK enter(void* data) {
    Fibre& fibre = *static_cast<Fibre*>(data);
    for (;;) {
      (*fibre.owner->body)(fibre.number);
      fibre.working = false;
      fibre.owner->leave();
    }
  }
  void resume(Fibre& fibre) { SwitchToFiber(fibre.handle); }
  void leave() { SwitchToFiber(scheduler); }
};

#else

struct Fibres::State {
  struct Fibre {
    State* owner = nullptr;
    char* stack = nullptr;
    jmp_buf here;
    std::size_t number = 0;
    bool started = false, working = false;
#ifdef NMATH_ADDRESS_SANITIZER
    ucontext_t context;
    void* fake = nullptr;
#endif
  };
  std::vector<Fibre> fibres;
  const std::function<void(std::size_t)>* body = nullptr;
  Fibre* present = nullptr;
  jmp_buf scheduler;
#ifdef NMATH_ADDRESS_SANITIZER
  const void* thread_stack = nullptr;
  std::size_t thread_bytes = 0;
#endif
  static constexpr std::size_t kGuardBytes = 64 << 10;  // no frame that nobody asked room for steps over it
#ifdef MAP_NORESERVE
  static constexpr int kMapping = MAP_PRIVATE | MAP_ANON | MAP_NORESERVE;  // most of a stack is never touched
#else
  static constexpr int kMapping = MAP_PRIVATE | MAP_ANON;
#endif
  char* memory = nullptr;
  std::size_t stack_bytes = 0, guard = 0;

  // Pages that nothing may touch lie below each stack.
  State(std::size_t most, std::size_t least_bytes) : fibres(most) {
    const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const auto whole_pages = [&](std::size_t bytes) { return (bytes + page - 1) / page * page; };
    stack_bytes = whole_pages(least_bytes);
    guard = whole_pages(kGuardBytes);
    if (stack_bytes < least_bytes || most > SIZE_MAX / (stack_bytes + guard)) throw std::bad_alloc();
    void* const all = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, kMapping, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    memory = static_cast<char*>(all);
    for (std::size_t i = 0; i < most; ++i) {
      fibres[i].owner = this;
      fibres[i].number = i;
      char* const below = memory + i * (stack_bytes + guard);
      if (mprotect(below, guard, PROT_NONE) != 0) {
        munmap(memory, bytes());
        throw std::bad_alloc();
      }
      fibres[i].stack = below + guard;
    }
  }
  ~State() { munmap(memory, bytes()); }
  std::size_t bytes() const { return fibres.size() * (stack_bytes + guard); }

  static void enter(unsigned high, unsigned low) {
    Fibre& fibre = *reinterpret_cast<Fibre*>(static_cast<std::uintptr_t>(static_cast<std::uint64_t>(high) << 32 | low));
    fibre.owner->entered(fibre);
    for (;;) {
      (*fibre.owner->body)(fibre.number);
      fibre.working = false;
      fibre.owner->leave();
    }
  }

  // makecontext() takes ints only.
  void prepare(Fibre& fibre, ucontext_t& context) {
    if (getcontext(&context) != 0) throw std::bad_alloc();
    context.uc_stack.ss_sp = fibre.stack;
    context.uc_stack.ss_size = stack_bytes;
    context.uc_link = nullptr;
    const std::uint64_t address = reinterpret_cast<std::uintptr_t>(&fibre);
    makecontext(&context, reinterpret_cast<void (*)()>(&State::enter), 2, static_cast<unsigned>(address >> 32),
                static_cast<unsigned>(address));
    fibre.started = true;
  }

#ifdef NMATH_ADDRESS_SANITIZER  // which understands changes of contexts, but no jumps between stacks
  ucontext_t scheduler_context;

  void resume(Fibre& fibre) {
    void* fake = nullptr;
    if (!fibre.started) prepare(fibre, fibre.context);
    __sanitizer_start_switch_fiber(&fake, fibre.stack, stack_bytes);
    swapcontext(&scheduler_context, &fibre.context);
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
  }

  void leave() {
    Fibre& fibre = *present;
    __sanitizer_start_switch_fiber(&fibre.fake, thread_stack, thread_bytes);
    swapcontext(&fibre.context, &scheduler_context);
    entered(*present);
  }

  void entered(Fibre& fibre) { __sanitizer_finish_switch_fiber(fibre.fake, &thread_stack, &thread_bytes); }
#else
  void resume(Fibre& fibre) {
    if (_setjmp(scheduler) != 0) return;
    if (fibre.started) _longjmp(fibre.here, 1);
    ucontext_t context;
    prepare(fibre, context);
    setcontext(&context);
  }

  void leave() {
    if (_setjmp(present->here) == 0) _longjmp(scheduler, 1);
  }

  void entered(Fibre&) {}
#endif
};

#endif

Fibres::Fibres(std::size_t most, std::size_t stack_bytes) : state_(std::make_unique<State>(most, stack_bytes)) {}
Fibres::~Fibres() = default;

void Fibres::run(std::size_t count, const std::function<void(std::size_t)>& body) {
  state_->body = &body;
  for (std::size_t i = 0; i < count; ++i) state_->fibres[i].working = true;
  for (std::size_t working = count; working > 0;) {
    working = 0;
    for (std::size_t i = 0; i < count; ++i) {
      State::Fibre& fibre = state_->fibres[i];
      if (!fibre.working) continue;
      state_->present = &fibre;
      state_->resume(fibre);
      working += fibre.working;
    }
  }
}

void Fibres::wait() { state_->leave(); }

#else

struct Fibres::State {};
Fibres::Fibres(std::size_t, std::size_t) { throw std::bad_alloc(); }
Fibres::~Fibres() = default;
void Fibres::run(std::size_t, const std::function<void(std::size_t)>&) {}
void Fibres::wait() {}

#endif

}  // namespace openclPort
