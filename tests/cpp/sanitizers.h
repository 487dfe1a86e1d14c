// sanitizers -- whether a test runs under one, and how much of its work it does there. A sanitizer finds what is wrong
// in each kind of step, and takes tens of times as long for it: tests of numbers take a part of them there, and all of
// them without it.
#pragma once

#include <cstddef>

#if defined(__has_feature)
#define NMATH_HAS_FEATURE(name) __has_feature(name)
#else
#define NMATH_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || NMATH_HAS_FEATURE(address_sanitizer)
#define UNDER_ADDRESS_SANITIZER 1
constexpr bool kAddressSanitizer = true;
#else
constexpr bool kAddressSanitizer = false;
#endif

#if defined(__SANITIZE_THREAD__) || NMATH_HAS_FEATURE(thread_sanitizer)
constexpr bool kThreadSanitizer = true;
#else
constexpr bool kThreadSanitizer = false;
#endif

constexpr bool kSanitizer = kAddressSanitizer || kThreadSanitizer;

// One of so many numbers, or programs, is tested.
constexpr int kSampled = kSanitizer ? 16 : 1;
