// Sends datagrams to Unix sockets, which Node cannot do: systemd's notify socket and the journal's.
#pragma once
#include <napi.h>

namespace nvrd::datagram {

// Adds sendDatagram to `exports`.
void Register(Napi::Env env, Napi::Object exports);

}  // namespace nvrd::datagram
