// See fragment_run.h.
#include "fragment_run.h"

#include <cstring>

namespace nvrd::fragments {
namespace {

constexpr uint8_t kDollar = 0x24;
// `$`, the channel and the length (RFC 2326, 10.12).
constexpr size_t kFrameHeaderBytes = 4;
// RTP's header without CSRC and extension, and its first byte then: version 2, no padding (RFC 3550, 5.1).
constexpr size_t kRtpHeaderBytes = 12;
constexpr uint8_t kPlainRtp = 0x80;
constexpr uint8_t kRtpMarker = 0x80;
// Bits of a fragmentation header (RFC 6184, 5.8; RFC 7798, 4.4.3).
constexpr uint8_t kFragmentStart = 0x80;
constexpr uint8_t kFragmentEnd = 0x40;

uint32_t ReadU16(const uint8_t* bytes) { return static_cast<uint32_t>(bytes[0]) << 8 | bytes[1]; }

uint32_t ReadU32(const uint8_t* bytes) { return ReadU16(bytes) << 16 | ReadU16(bytes + 2); }

// The length of the RTP packet at `frame`, of which `available` bytes follow; 0 unless it is whole and longer than `headers`.
size_t WholePacket(const uint8_t* frame, size_t available, size_t headers, const uint32_t* run) {
  if (available <= kFrameHeaderBytes + headers || frame[0] != kDollar || frame[1] != run[kChannel]) return 0;
  const size_t bytes = ReadU16(frame + 2);
  return bytes > headers && bytes <= available - kFrameHeaderBytes ? bytes : 0;
}

bool Continues(const uint8_t* packet, const uint32_t* run) {
  const uint8_t* payload = packet + kRtpHeaderBytes;
  return packet[0] == kPlainRtp && (packet[1] & ~kRtpMarker) == static_cast<int>(run[kPayloadType]) &&
         ReadU16(packet + 2) == run[kSequence] && ReadU32(packet + 4) == run[kTimestamp] &&
         ReadU32(packet + 8) == run[kSsrc] && (payload[0] & run[kStructureMask]) == run[kStructure] &&
         (payload[run[kHeaderBytes] - 1] & kFragmentStart) == 0;
}

bool IsUsable(const uint32_t* run, size_t length) {
  return run[kReadEnd] <= length && run[kPosition] <= run[kReadEnd] && run[kWrite] <= run[kPosition] &&
         run[kHeaderBytes] >= 1 && run[kHeaderBytes] <= 3;
}

}  // namespace

void Take(uint8_t* memory, size_t length, uint32_t* run) {
  run[kPackets] = run[kPayloadBytes] = run[kLast] = 0;
  if (!IsUsable(run, length)) return;
  const size_t headers = kRtpHeaderBytes + run[kHeaderBytes];
  while (run[kPackets] < run[kPacketsMax] && run[kLast] == 0) {
    const uint8_t* frame = memory + run[kPosition];
    const uint8_t* packet = frame + kFrameHeaderBytes;
    const size_t bytes = WholePacket(frame, run[kReadEnd] - run[kPosition], headers, run);
    if (bytes == 0 || !Continues(packet, run) || bytes - headers > run[kUnitBytesMax]) return;
    const bool is_end = (packet[headers - 1] & kFragmentEnd) != 0;
    run[kLast] = (is_end ? kEnd : 0) | ((packet[1] & kRtpMarker) != 0 ? kMarker : 0);
    // The headers lie between, so that nothing is written over what is not read yet.
    std::memmove(memory + run[kWrite], packet + headers, bytes - headers);
    run[kWrite] += static_cast<uint32_t>(bytes - headers);
    run[kUnitBytesMax] -= static_cast<uint32_t>(bytes - headers);
    run[kPosition] += static_cast<uint32_t>(kFrameHeaderBytes + bytes);
    run[kSequence] = (run[kSequence] + 1) & 0xFFFF;
    run[kPackets] += 1;
    run[kPayloadBytes] += static_cast<uint32_t>(bytes - kRtpHeaderBytes);
  }
}

}  // namespace nvrd::fragments
