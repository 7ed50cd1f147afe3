// The addon's entry point: each file registers its functions here.
#include <napi.h>

#include "process/clock.h"
#include "packet/datagram.h"
#include "volume/disk.h"
#include "packet/fan_out.h"
#include "volume/file_lock.h"
#include "packet/fragments.h"
#include "process/http_library.h"
#include "process/memory.h"
#include "process/process.h"
#include "volume/records.h"
#include "volume/segment_syncer.h"
#include "volume/segment_writer.h"
#include "packet/socket.h"

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
