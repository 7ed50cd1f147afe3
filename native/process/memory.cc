// See memory.h.
#include "memory.h"

#include <atomic>
#include <climits>
#include <cstdint>
#include <cstdlib>

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "threads.h"

namespace nvrd::memory {
namespace {

// More than the size of a piece from which on free() looks at the end of the arena (64 KiB), less than what has pages of its own.
constexpr int kEndBytesKept = 128 * 1024;

std::atomic<bool> is_trimming_ends{false};

// unsharedView(bytes: Uint8Array over a SharedArrayBuffer): an ArrayBuffer over the same memory; undefined for anything
// else. V8 copies bytes of shared memory one by one; through this view it uses memmove. The view keeps the shared
// buffer alive.
Napi::Value UnsharedView(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  if (!info[0].IsTypedArray()) return env.Undefined();
  void* data = nullptr;
  size_t length = 0;
  napi_typedarray_type type{};
  if (napi_get_typedarray_info(env, info[0], &type, &length, &data, nullptr, nullptr) != napi_ok ||
      type != napi_uint8_array || data == nullptr || length == 0) {
    return env.Undefined();
  }
  auto* keeper = new Napi::ObjectReference(Napi::Persistent(info[0].As<Napi::Object>()));
  napi_value view = nullptr;
  const auto release = [](napi_env, void*, void* hint) { delete static_cast<Napi::ObjectReference*>(hint); };
  if (napi_create_external_arraybuffer(env, data, length, release, keeper, &view) != napi_ok) {
    delete keeper;
    return env.Undefined();
  }
  return Napi::Value(env, view);
}

// returnPages(bytes: Uint8Array): returns the whole pages of this memory to the kernel; the result is their size in
// bytes, 0 if there are none or the kernel refuses. The memory stays valid: it reads as zeros, and gets new pages when
// written.
Napi::Value ReturnPages(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  void* data = nullptr;
  size_t length = 0;
  napi_typedarray_type type{};
  if (!info[0].IsTypedArray() ||
      napi_get_typedarray_info(env, info[0], &type, &length, &data, nullptr, nullptr) != napi_ok ||
      type != napi_uint8_array || data == nullptr) {
    return Napi::Number::New(env, 0);
  }
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<uintptr_t>(data);
  const uintptr_t start = (address + page - 1) / page * page;
  const uintptr_t end = (address + length) / page * page;
  if (start >= end || madvise(reinterpret_cast<void*>(start), end - start, MADV_DONTNEED) != 0) {
    return Napi::Number::New(env, 0);
  }
  return Napi::Number::New(env, static_cast<double>(end - start));
}

// freeMemory(bytes: Uint8Array over all of an ArrayBuffer): takes the memory away from it, so that it is free at once, and the array has
// no bytes any more. False if it is not all of an ArrayBuffer, or V8 does not allow it.
Napi::Value FreeMemory(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Napi::Value no = Napi::Boolean::New(env, false);
  napi_typedarray_type type{};
  size_t length = 0;
  size_t offset = 0;
  napi_value buffer = nullptr;
  if (!info[0].IsTypedArray() ||
      napi_get_typedarray_info(env, info[0], &type, &length, nullptr, &buffer, &offset) != napi_ok ||
      type != napi_uint8_array || offset != 0) {
    return no;
  }
  size_t size = 0;
  bool is_unshared = false;
  // Shared memory is no ArrayBuffer: other threads may have it.
  if (napi_is_arraybuffer(env, buffer, &is_unshared) != napi_ok || !is_unshared ||
      napi_get_arraybuffer_info(env, buffer, nullptr, &size) != napi_ok || size != length) {
    return no;
  }
  return Napi::Boolean::New(env, napi_detach_arraybuffer(env, buffer) == napi_ok);
}

// freeHeapBytes(): the bytes that malloc holds and nobody has, of all threads and libraries; some of their pages may have
// been given back.
Napi::Value FreeHeapBytes(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(mallinfo2().fordblks));
}

// usedHeapBytes(): the bytes that somebody has of malloc, those with pages of their own included.
Napi::Value UsedHeapBytes(const Napi::CallbackInfo& info) {
  const struct mallinfo2 sizes = mallinfo2();
  return Napi::Number::New(info.Env(), static_cast<double>(sizes.uordblks + sizes.hblkhd));
}

// What malloc leaves free at the end of an arena (MALLOC_TRIM_THRESHOLD_), in bytes; 0 if that is not set. Then it finds
// a threshold of its own, and would stop to do so once one is set.
int TrimThreshold() {
  const char* text = std::getenv("MALLOC_TRIM_THRESHOLD_");
  const long long bytes = text == nullptr ? 0 : std::strtoll(text, nullptr, 10);
  return bytes > 0 && bytes <= INT_MAX ? static_cast<int>(bytes) : 0;
}

// Has free() look at the end of the arena that this thread gets. The piece goes back to where it was, at once.
void* TrimEnd(void*) {
  void* volatile piece = std::malloc(kEndBytesKept);
  std::free(piece);
  return nullptr;
}

// New threads get their arenas in turn, so two of them come to both. `threshold` is what is set again in the end.
void TrimBothEnds(int threshold) {
  TrimEnd(nullptr);
  pthread_t other{};
  if (pthread_create(&other, nullptr, TrimEnd, nullptr) == 0) pthread_join(other, nullptr);
  mallopt(M_TRIM_THRESHOLD, threshold);
  is_trimming_ends = false;
}

// malloc_trim leaves what is free at the end of any arena but the main one. There, free() gives it back where more than the threshold
// lies, so that is low for a moment. A thread of its own does it: nobody waits until it gets a processor.
void StartTrimmingEnds() {
  const int threshold = TrimThreshold();
  if (threshold == 0 || is_trimming_ends.exchange(true)) return;
  mallopt(M_TRIM_THRESHOLD, kEndBytesKept);
  if (threads::Start("nvrd-trim", [threshold] { TrimBothEnds(threshold); })) return;
  mallopt(M_TRIM_THRESHOLD, threshold);
  is_trimming_ends = false;
}

// trimHeap(): gives the whole pages of those bytes back to the kernel, of all arenas. What is free at the end of an arena follows a moment
// later, of two arenas at the most, and only where MALLOC_TRIM_THRESHOLD_ is set.
void TrimHeap(const Napi::CallbackInfo&) {
  malloc_trim(0);
  StartTrimmingEnds();
}

// Of V8's public interface (v8-isolate.h), in the lines of Node that nvrd runs on: functions of class v8::Isolate, under the names that
// every compiler for Linux gives them. They are looked up, so that an addon for a Node without them loads all the same.
using CurrentIsolate = void* (*)();
using NotifyMemoryPressure = void (*)(void* isolate, int level);
constexpr const char* kCurrentIsolate = "_ZN2v87Isolate10GetCurrentEv";
constexpr const char* kNotifyMemoryPressure = "_ZN2v87Isolate26MemoryPressureNotificationENS_19MemoryPressureLevelE";
// v8::MemoryPressureLevel.
constexpr int kNoPressure = 0;
constexpr int kModeratePressure = 1;

// collectGarbage(): has V8 collect all garbage of this thread in steps, between what else the thread does, and give the memory back, that
// of the young generation too. False where this Node has no such function.
Napi::Value CollectGarbage(const Napi::CallbackInfo& info) {
  const auto current = reinterpret_cast<CurrentIsolate>(dlsym(RTLD_DEFAULT, kCurrentIsolate));
  const auto notify = reinterpret_cast<NotifyMemoryPressure>(dlsym(RTLD_DEFAULT, kNotifyMemoryPressure));
  if (current == nullptr || notify == nullptr) return Napi::Boolean::New(info.Env(), false);
  void* isolate = current();
  notify(isolate, kModeratePressure);
  // What has begun goes on; V8 is to be as generous as before after it.
  notify(isolate, kNoPressure);
  return Napi::Boolean::New(info.Env(), true);
}

}  // namespace

void Register(Napi::Env env, Napi::Object exports) {
  exports.Set("unsharedView", Napi::Function::New<UnsharedView>(env, "unsharedView"));
  exports.Set("freeHeapBytes", Napi::Function::New<FreeHeapBytes>(env, "freeHeapBytes"));
  exports.Set("usedHeapBytes", Napi::Function::New<UsedHeapBytes>(env, "usedHeapBytes"));
  exports.Set("trimHeap", Napi::Function::New<TrimHeap>(env, "trimHeap"));
  exports.Set("collectGarbage", Napi::Function::New<CollectGarbage>(env, "collectGarbage"));
  exports.Set("freeMemory", Napi::Function::New<FreeMemory>(env, "freeMemory"));
  exports.Set("returnPages", Napi::Function::New<ReturnPages>(env, "returnPages"));
}

}  // namespace nvrd::memory
