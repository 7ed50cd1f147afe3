// See file_lock.h.
#include "file_lock.h"

#include <cerrno>
#include <cstdint>

#include <sys/file.h>

namespace nvrd::file_lock {
namespace {

// lockFile(fd): 0 if the open file now has the exclusive lock, else the errno; EWOULDBLOCK if another process has it.
// It never waits.
Napi::Value LockFile(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  int32_t fd = -1;
  if (napi_get_value_int32(env, info[0], &fd) != napi_ok) return Napi::Number::New(env, EINVAL);
  int result = 0;
  do {
    result = ::flock(fd, LOCK_EX | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  return Napi::Number::New(env, result == 0 ? 0 : errno);
}

}  // namespace

void Register(Napi::Env env, Napi::Object exports) {
  exports.Set("lockFile", Napi::Function::New<LockFile>(env, "lockFile"));
}

}  // namespace nvrd::file_lock
