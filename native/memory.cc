// See memory.h.
#include "memory.h"

#include <cstdint>

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace nvrd::memory {
namespace {

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

// trimHeap(): gives the whole pages of those bytes back to the kernel.
void TrimHeap(const Napi::CallbackInfo&) { malloc_trim(0); }

}  // namespace

void Register(Napi::Env env, Napi::Object exports) {
  exports.Set("unsharedView", Napi::Function::New<UnsharedView>(env, "unsharedView"));
  exports.Set("freeHeapBytes", Napi::Function::New<FreeHeapBytes>(env, "freeHeapBytes"));
  exports.Set("usedHeapBytes", Napi::Function::New<UsedHeapBytes>(env, "usedHeapBytes"));
  exports.Set("trimHeap", Napi::Function::New<TrimHeap>(env, "trimHeap"));
  exports.Set("returnPages", Napi::Function::New<ReturnPages>(env, "returnPages"));
}

}  // namespace nvrd::memory
