// See memory.h.
#include "memory.h"

namespace nvrd::memory {
namespace {

// unsharedView(bytes: Uint8Array over a SharedArrayBuffer): ArrayBuffer of the same memory, undefined for anything
// else. V8 moves and copies bytes of shared memory one by one; through this view it uses memmove. The view keeps the
// shared buffer alive.
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

}  // namespace

void Register(Napi::Env env, Napi::Object exports) {
  exports.Set("unsharedView", Napi::Function::New<UnsharedView>(env, "unsharedView"));
}

}  // namespace nvrd::memory
