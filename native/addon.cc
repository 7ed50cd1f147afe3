// The addon's one entry point: each noun registers its functions here.
#include <napi.h>

#include "disk.h"
#include "memory.h"

static Napi::Object Init(Napi::Env env, Napi::Object exports) {
  nvrd::disk::Register(env, exports);
  nvrd::memory::Register(env, exports);
  return exports;
}

NODE_API_MODULE(nvrd, Init)
