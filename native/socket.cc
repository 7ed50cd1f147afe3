// See socket.h.
#include "socket.h"

#include <cerrno>
#include <cstring>

#include <arpa/inet.h>
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

// As an RTP header lies in a connection of RTSP (RFC 2326, 10.12; RFC 3550, 5.1): bytes from the `$` on.
constexpr size_t kChannelAt = 1;
constexpr size_t kSequenceAt = 6;
constexpr size_t kTimestampAt = 8;
constexpr size_t kSsrcAt = 12;
constexpr size_t kHeaderBytes = 16;

// A receiver's numbers in `receivers`.
struct Receiver {
  uint32_t fd;
  uint32_t channel;
  uint32_t ssrc;
  uint32_t sequence;
  uint32_t timestamp_offset;
};
constexpr size_t kReceiverNumbers = sizeof(Receiver) / sizeof(uint32_t);

struct Array {
  void* data = nullptr;
  size_t length = 0;

  // Whether the value is an array of this type with at least `least` elements.
  bool Take(napi_env env, napi_value value, napi_typedarray_type wanted, size_t least) {
    napi_typedarray_type type{};
    return napi_get_typedarray_info(env, value, &type, &length, &data, nullptr, nullptr) == napi_ok &&
           type == wanted && length >= least;
  }
};

void PutBigEndian(uint8_t* at, uint32_t value) {
  const uint32_t bytes = htonl(value);
  std::memcpy(at, &bytes, sizeof bytes);
}

struct Packets {
  uint8_t* bytes;
  const int32_t* starts;
  const uint32_t* timestamps;
  size_t count;
};

void Stamp(const Packets& packets, const Receiver& receiver) {
  uint32_t sequence = receiver.sequence;
  for (size_t at = 0; at < packets.count; ++at) {
    uint8_t* packet = packets.bytes + packets.starts[at];
    packet[kChannelAt] = static_cast<uint8_t>(receiver.channel);
    packet[kSequenceAt] = static_cast<uint8_t>(sequence >> 8);
    packet[kSequenceAt + 1] = static_cast<uint8_t>(sequence);
    PutBigEndian(packet + kTimestampAt, packets.timestamps[at] + receiver.timestamp_offset);
    PutBigEndian(packet + kSsrcAt, receiver.ssrc);
    ++sequence;
  }
}

bool AreWithin(const int32_t* starts, size_t count, size_t length) {
  for (size_t at = 0; at < count; ++at) {
    if (starts[at] < 0 || static_cast<size_t>(starts[at]) + kHeaderBytes > length) return false;
  }
  return true;
}

// sendToEach(packets: Uint8Array, starts: Int32Array, timestamps: Uint32Array, packetCount, receivers: Uint32Array,
// receiverCount, taken: Int32Array): stamps the packets for each receiver and sends them on its socket without waiting.
// `taken` gets how many bytes each kernel took: 0 for none. False, and nothing sent, for arguments that do not fit.
Napi::Value SendToEach(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  uint32_t packet_count = 0;
  uint32_t receiver_count = 0;
  Array bytes, starts, timestamps, receivers, taken;
  if (napi_get_value_uint32(env, info[3], &packet_count) != napi_ok ||
      napi_get_value_uint32(env, info[5], &receiver_count) != napi_ok ||
      !bytes.Take(env, info[0], napi_uint8_array, 1) ||
      !starts.Take(env, info[1], napi_int32_array, packet_count) ||
      !timestamps.Take(env, info[2], napi_uint32_array, packet_count) ||
      !receivers.Take(env, info[4], napi_uint32_array, size_t{receiver_count} * kReceiverNumbers) ||
      !taken.Take(env, info[6], napi_int32_array, receiver_count) ||
      !AreWithin(static_cast<const int32_t*>(starts.data), packet_count, bytes.length)) {
    return Napi::Boolean::New(env, false);
  }
  const Packets packets{static_cast<uint8_t*>(bytes.data), static_cast<const int32_t*>(starts.data),
                        static_cast<const uint32_t*>(timestamps.data), packet_count};
  const Receiver* each = static_cast<const Receiver*>(receivers.data);
  int32_t* took = static_cast<int32_t*>(taken.data);
  for (size_t at = 0; at < receiver_count; ++at) {
    Stamp(packets, each[at]);
    ssize_t done = 0;
    do {
      done = Send(static_cast<int>(each[at].fd), bytes.data, bytes.length);
    } while (done < 0 && errno == EINTR);
    took[at] = done > 0 ? static_cast<int32_t>(done) : 0;
  }
  return Napi::Boolean::New(env, true);
}

}  // namespace

void Register(Napi::Env env, Napi::Object exports) {
  exports.Set("receive", Napi::Function::New<OnSocket<Receive>>(env, "receive"));
  exports.Set("send", Napi::Function::New<OnSocket<Send>>(env, "send"));
  exports.Set("sendToEach", Napi::Function::New<SendToEach>(env, "sendToEach"));
}

}  // namespace nvrd::socket
