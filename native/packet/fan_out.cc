// See fan_out.h.
#include "fan_out.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <arpa/inet.h>
#include <sys/socket.h>

#include "../process/helpers.h"

namespace nvrd::fan_out {
namespace {

// A helper is woken for so much that is to be sent: some 0.5 ms of a fast processor. Below it, waking costs more than it saves.
constexpr size_t kHelperBytes = 1 << 20;
// A thread keeps a copy up to this length for the next frame.
constexpr size_t kKeptCopyBytes = 1 << 20;

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
  size_t length;
  const int32_t* starts;
  const uint32_t* timestamps;
  size_t count;
};

// Into `bytes`, which are the packets or a copy of them.
void Stamp(const Packets& packets, uint8_t* bytes, const Receiver& receiver) {
  uint32_t sequence = receiver.sequence;
  for (size_t at = 0; at < packets.count; ++at) {
    uint8_t* packet = bytes + packets.starts[at];
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

// A thread's own packets, to be stamped while other threads stamp theirs.
class Copy {
 public:
  ~Copy() { std::free(bytes_); }

  // Null without memory.
  uint8_t* Of(const Packets& packets) {
    if (capacity_ < packets.length) {
      std::free(bytes_);
      bytes_ = static_cast<uint8_t*>(std::malloc(packets.length));
      capacity_ = bytes_ == nullptr ? 0 : packets.length;
    }
    if (bytes_ != nullptr) std::memcpy(bytes_, packets.bytes, packets.length);
    return bytes_;
  }

  void Shrink() {
    if (capacity_ <= kKeptCopyBytes) return;
    std::free(bytes_);
    bytes_ = nullptr;
    capacity_ = 0;
  }

 private:
  uint8_t* bytes_ = nullptr;
  size_t capacity_ = 0;
};

int32_t SendTo(const Packets& packets, uint8_t* bytes, const Receiver& receiver) {
  Stamp(packets, bytes, receiver);
  ssize_t done = 0;
  do {
    done = ::send(static_cast<int>(receiver.fd), bytes, packets.length, MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (done < 0 && errno == EINTR);
  return done > 0 ? static_cast<int32_t>(done) : 0;
}

// The receivers of a frame, of whom each thread takes the next one.
class SharedSending final : public helpers::Parts {
 public:
  SharedSending(const Packets& packets, const Receiver* receivers, size_t count, int32_t* took)
      : packets_(packets), receivers_(receivers), count_(count), took_(took) {}

  void Work() override {
    static thread_local Copy copy;
    if (next_.load() >= count_) return;
    uint8_t* const bytes = copy.Of(packets_);
    if (bytes == nullptr) return;
    for (size_t at = next_.fetch_add(1); at < count_; at = next_.fetch_add(1))
      took_[at] = SendTo(packets_, bytes, receivers_[at]);
    copy.Shrink();
  }

  // What no thread had the memory for.
  void Finish() {
    for (size_t at = next_.load(); at < count_; ++at) took_[at] = SendTo(packets_, packets_.bytes, receivers_[at]);
  }

 private:
  const Packets& packets_;
  const Receiver* const receivers_;
  const size_t count_;
  int32_t* const took_;
  std::atomic<size_t> next_{0};
};

void SendAll(const Packets& packets, const Receiver* receivers, size_t count, int32_t* took) {
  const size_t helpers = std::min(helpers::Most(), packets.length * count / kHelperBytes);
  if (helpers == 0) {
    for (size_t at = 0; at < count; ++at) took[at] = SendTo(packets, packets.bytes, receivers[at]);
    return;
  }
  SharedSending sending(packets, receivers, count, took);
  helpers::Share(sending, helpers);
  sending.Finish();
}

// sendToEach(packets: Uint8Array, starts: Int32Array, timestamps: Uint32Array, packetCount, receivers: Uint32Array,
// receiverCount, taken: Int32Array): stamps the packets for each receiver and sends them on its socket without waiting. Much is sent
// by several threads, and done when it returns. `taken` gets how many bytes each kernel took: 0 for none. False, and nothing sent, for
// arguments that do not fit.
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
  const Packets packets{static_cast<uint8_t*>(bytes.data), bytes.length, static_cast<const int32_t*>(starts.data),
                        static_cast<const uint32_t*>(timestamps.data), packet_count};
  SendAll(packets, static_cast<const Receiver*>(receivers.data), receiver_count, static_cast<int32_t*>(taken.data));
  return Napi::Boolean::New(env, true);
}

}  // namespace

void Register(Napi::Env env, Napi::Object exports) {
  exports.Set("sendToEach", Napi::Function::New<SendToEach>(env, "sendToEach"));
}

}  // namespace nvrd::fan_out
