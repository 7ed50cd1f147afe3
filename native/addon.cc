// The addon's entry point: each file registers its functions here.
#include <napi.h>

#include "clock.h"
#include "datagram.h"
#include "disk.h"
#include "fan_out.h"
#include "file_lock.h"
#include "fragments.h"
#include "http_library.h"
#include "memory.h"
#include "process.h"
#include "records.h"
#include "segment_syncer.h"
#include "segment_writer.h"
#include "socket.h"

static Napi::Object Init(Napi::Env env, Napi::Object exports) {
  nvrd::clock::Register(env, exports);
  nvrd::datagram::Register(env, exports);
  nvrd::disk::Register(env, exports);
  nvrd::fan_out::Register(env, exports);
  nvrd::file_lock::Register(env, exports);
  nvrd::fragments::Register(env, exports);
  nvrd::http_library::Register(env, exports);
  nvrd::memory::Register(env, exports);
  nvrd::process::Register(env, exports);
  nvrd::records::Register(env, exports);
  nvrd::segment_syncer::Register(env, exports);
  nvrd::segment_writer::Register(env, exports);
  nvrd::socket::Register(env, exports);
  return exports;
}

NODE_API_MODULE(nvrd, Init)
