// Datagrams to sockets of the file system, which Node has no way to send: systemd's notify socket and the journal's.
#pragma once
#include <napi.h>

namespace nvrd::datagram {

// Adds sendDatagram to `exports`.
void Register(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::datagram
