// See threads.h.
#include "threads.h"

#include <csignal>
#include <memory>
#include <utility>

#include <dlfcn.h>
#include <pthread.h>

namespace nvrd::threads {
namespace {

// What the addon's threads call is shallow.
constexpr size_t kStackBytes = 256 * 1024;

void* Run(void* body) {
  const std::unique_ptr<std::function<void()>> owned(static_cast<std::function<void()>*>(body));
  (*owned)();
  return nullptr;
}

// Node unloads an addon with the last of its threads that uses it, and ours may go on.
bool StayLoaded() {
  Dl_info self{};
  return dladdr(reinterpret_cast<void*>(&Run), &self) != 0 &&
         dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE) != nullptr;
}

bool StartDetached(const char* name, void* body) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_t thread;
  const bool started = pthread_create(&thread, &attributes, &Run, body) == 0;
  if (started) pthread_setname_np(thread, name);
  pthread_attr_destroy(&attributes);
  return started;
}

}  // namespace

bool Start(const char* name, std::function<void()> body) {
  if (!StayLoaded()) return false;
  auto owned = std::make_unique<std::function<void()>>(std::move(body));
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool started = StartDetached(name, owned.get());
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (started) owned.release();
  return started;
}

}  // namespace nvrd::threads
