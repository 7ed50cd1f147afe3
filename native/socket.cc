// See socket.h.
#include "socket.h"

#include <cerrno>

#include <sys/socket.h>

namespace nvrd::socket {
namespace {

// receive(fd, target: Uint8Array): reads into `target` without waiting and returns the number of bytes; 0 at the end of
// the stream; -1 if there is nothing now; -2 for any other error, which the event loop will also see.
constexpr int kNothing = -1;
constexpr int kFailed = -2;

Napi::Value Receive(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  int32_t fd = -1;
  void* data = nullptr;
  size_t length = 0;
  napi_typedarray_type type{};
  if (napi_get_value_int32(env, info[0], &fd) != napi_ok ||
      napi_get_typedarray_info(env, info[1], &type, &length, &data, nullptr, nullptr) != napi_ok ||
      type != napi_uint8_array || fd < 0 || length == 0) {
    return Napi::Number::New(env, kFailed);
  }
  ssize_t received = 0;
  do {
    received = ::recv(fd, data, length, MSG_DONTWAIT);
  } while (received < 0 && errno == EINTR);
  if (received >= 0) return Napi::Number::New(env, static_cast<double>(received));
  return Napi::Number::New(env, errno == EAGAIN || errno == EWOULDBLOCK ? kNothing : kFailed);
}

}  // namespace

void Register(Napi::Env env, Napi::Object exports) {
  exports.Set("receive", Napi::Function::New<Receive>(env, "receive"));
}

}  // namespace nvrd::socket
