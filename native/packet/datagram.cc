// See datagram.h.
#include "datagram.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

#include <sys/socket.h>
#include <sys/un.h>

namespace nvrd::datagram {
namespace {

// One socket for the process, created on first use, neither bound nor connected.
int Socket() {
  static const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  return fd;
}

// sendDatagram(address, data: Uint8Array): 0, or the errno. The address is a path, or `@` and an abstract name, as
// systemd writes it. It never waits: if the receiver is behind, the result is EAGAIN.
Napi::Value SendDatagram(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  void* data = nullptr;
  size_t length = 0;
  napi_typedarray_type type{};
  if (!info[0].IsString() ||
      napi_get_typedarray_info(env, info[1], &type, &length, &data, nullptr, nullptr) != napi_ok ||
      type != napi_uint8_array) {
    return Napi::Number::New(env, EINVAL);
  }
  const std::string name = info[0].As<Napi::String>().Utf8Value();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (name.empty() || name.size() >= sizeof(address.sun_path)) return Napi::Number::New(env, EINVAL);
  std::memcpy(address.sun_path, name.data(), name.size());
  const bool is_abstract = name[0] == '@';
  if (is_abstract) address.sun_path[0] = '\0';
  // A path ends with its zero, an abstract name with its last byte (unix(7)).
  const auto size =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size() + (is_abstract ? 0 : 1));
  if (Socket() < 0) return Napi::Number::New(env, EMFILE);
  ssize_t sent = 0;
  do {
    sent = ::sendto(Socket(), data, length, MSG_NOSIGNAL | MSG_DONTWAIT,
                    reinterpret_cast<const sockaddr*>(&address), size);
  } while (sent < 0 && errno == EINTR);
  return Napi::Number::New(env, sent < 0 ? errno : 0);
}

}  // namespace

void Register(Napi::Env env, Napi::Object exports) {
  exports.Set("sendDatagram", Napi::Function::New<SendDatagram>(env, "sendDatagram"));
}

}  // namespace nvrd::datagram
