// See socket.h.
#include "socket.h"

#include <cerrno>

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace nvrd::socket {
namespace {

constexpr int kNothing = -1;
constexpr int kFailed = -2;

using Transfer = ssize_t (*)(int fd, void* data, size_t length);

// Runs `transfer` on (fd, bytes: Uint8Array) without waiting and returns the number of bytes; -1 if nothing can be done
// now; -2 for any other error, which the event loop will also see.
template <Transfer transfer>
Napi::Value OnSocket(const Napi::CallbackInfo& info) {
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
  ssize_t done = 0;
  do {
    done = transfer(fd, data, length);
  } while (done < 0 && errno == EINTR);
  if (done >= 0) return Napi::Number::New(env, static_cast<double>(done));
  return Napi::Number::New(env, errno == EAGAIN || errno == EWOULDBLOCK ? kNothing : kFailed);
}

// receive(fd, target): 0 is the end of the stream.
ssize_t Receive(int fd, void* data, size_t length) { return ::recv(fd, data, length, MSG_DONTWAIT); }

// send(fd, bytes): may take a part of them.
ssize_t Send(int fd, void* data, size_t length) {
  return ::send(fd, data, length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

// endConnection(fd): ends a connection in both directions, as if its peer had. Who has it open sees its end and closes it.
Napi::Value EndConnection(const Napi::CallbackInfo& info) {
  int32_t fd = -1;
  const bool is_number = napi_get_value_int32(info.Env(), info[0], &fd) == napi_ok;
  return Napi::Boolean::New(info.Env(), is_number && fd >= 0 && ::shutdown(fd, SHUT_RDWR) == 0);
}

// heldBytes(fd): what the kernel holds of a connection because its peer has not taken it yet; 0 where it does not say.
Napi::Value HeldBytes(const Napi::CallbackInfo& info) {
  int32_t fd = -1;
  int held = 0;
  const bool is_number = napi_get_value_int32(info.Env(), info[0], &fd) == napi_ok;
  const bool is_known = is_number && fd >= 0 && ::ioctl(fd, SIOCOUTQ, &held) == 0;
  return Napi::Number::New(info.Env(), is_known ? held : 0);
}

}  // namespace

void Register(Napi::Env env, Napi::Object exports) {
  exports.Set("receive", Napi::Function::New<OnSocket<Receive>>(env, "receive"));
  exports.Set("endConnection", Napi::Function::New<EndConnection>(env, "endConnection"));
  exports.Set("heldBytes", Napi::Function::New<HeldBytes>(env, "heldBytes"));
  exports.Set("send", Napi::Function::New<OnSocket<Send>>(env, "send"));
}

}  // namespace nvrd::socket
