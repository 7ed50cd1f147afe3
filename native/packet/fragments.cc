// See fragments.h.
#include "fragments.h"

#include "fragment_run.h"

namespace nvrd::fragments {
namespace {

// takeFragments(memory: Uint8Array, run: Uint32Array of kFields, then kPrintsMax): see Take. Answers nothing: `run` says how far it came.
void TakeFragments(const Napi::CallbackInfo& info) {
  void* memory = nullptr;
  void* run = nullptr;
  size_t length = 0;
  size_t fields = 0;
  napi_typedarray_type type{};
  napi_typedarray_type run_type{};
  if (napi_get_typedarray_info(info.Env(), info[0], &type, &length, &memory, nullptr, nullptr) != napi_ok ||
      napi_get_typedarray_info(info.Env(), info[1], &run_type, &fields, &run, nullptr, nullptr) != napi_ok ||
      type != napi_uint8_array || run_type != napi_uint32_array || fields < kFields + kPrintsMax) {
    return;
  }
  auto* numbers = static_cast<uint32_t*>(run);
  Take(static_cast<uint8_t*>(memory), length, numbers, numbers + kFields);
}

}  // namespace

void Register(Napi::Env env, Napi::Object exports) {
  exports.Set("takeFragments", Napi::Function::New<TakeFragments>(env, "takeFragments"));
}

}  // namespace nvrd::fragments
