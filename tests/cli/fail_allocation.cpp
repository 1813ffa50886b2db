// SPDX-License-Identifier: Apache-2.0
// Preloaded into the program by memory_test.py: the n-th allocation of main fails, or all from there on.
// FAIL_ALLOCATION=N, or N+; without it the number of allocations goes to stderr in the end.
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

std::atomic<bool> counting{false};
std::atomic<long> count{0};
long failing = -1;
bool onwards = false;
int (*real_main)(int, char**, char**) = nullptr;

bool fails() {
  if (!counting.load(std::memory_order_relaxed)) return false;
  const long n = count.fetch_add(1, std::memory_order_relaxed);
  if (failing < 0 || (onwards ? n < failing : n != failing)) return false;
  errno = ENOMEM;
  return true;
}

int counted_main(int argc, char** argv, char** environment) {
  const char* wanted = std::getenv("FAIL_ALLOCATION");
  if (wanted) {
    failing = std::atol(wanted);
    onwards = std::strchr(wanted, '+') != nullptr;
  }
  counting = true;
  const int code = real_main(argc, argv, environment);
  counting = false;
  if (!wanted) {
    char text[64];
    const int size = std::snprintf(text, sizeof text, "allocations %ld\n", count.load());
    (void)!write(STDERR_FILENO, text, static_cast<std::size_t>(size));
  }
  return code;
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) {
  return fails() ? nullptr : __libc_malloc(size);
}

void* calloc(std::size_t n, std::size_t size) {
  return fails() ? nullptr : __libc_calloc(n, size);
}

void* realloc(void* old, std::size_t size) {
  return fails() ? nullptr : __libc_realloc(old, size);
}

void* memalign(std::size_t alignment, std::size_t size) {
  return fails() ? nullptr : __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return fails() ? nullptr : __libc_memalign(alignment, size);
}

int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  if (fails()) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out ? 0 : ENOMEM;
}

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*loader)(), void* stack) {
  using Start = int (*)(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(), void*);
  real_main = main;
  const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(counted_main, argc, argv, init, fini, loader, stack);
}
}
