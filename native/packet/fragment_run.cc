// See fragment_run.h.
#include "fragment_run.h"

#include <algorithm>
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
constexpr uint8_t kH264Type = 0x1F;
constexpr uint8_t kH264Rest = 0xE0;
constexpr uint8_t kH265Type = 0x3F;
constexpr uint8_t kH265Rest = 0x81;
// first_mb_in_slice is 0 (ITU-T H.264, 7.3.3); first_slice_segment_in_pic_flag (ITU-T H.265, 7.3.6.1).
constexpr uint8_t kFirstSlice = 0x80;

uint32_t ReadU16(const uint8_t* bytes) { return static_cast<uint32_t>(bytes[0]) << 8 | bytes[1]; }

uint32_t ReadU32(const uint8_t* bytes) { return ReadU16(bytes) << 16 | ReadU16(bytes + 2); }

// The length of the RTP packet at `frame`, of which `available` bytes follow; 0 unless it is whole and longer than `headers`.
size_t WholePacket(const uint8_t* frame, size_t available, size_t headers, const uint32_t* run) {
  if (available <= kFrameHeaderBytes + headers || frame[0] != kDollar || frame[1] != run[kChannel]) return 0;
  const size_t bytes = ReadU16(frame + 2);
  return bytes > headers && bytes <= available - kFrameHeaderBytes ? bytes : 0;
}

// Whether the packet is the next of the source, and a fragment.
bool Follows(const uint8_t* packet, const uint32_t* run) {
  return packet[0] == kPlainRtp && (packet[1] & ~kRtpMarker) == static_cast<int>(run[kPayloadType]) &&
         ReadU16(packet + 2) == run[kSequence] && ReadU32(packet + 8) == run[kSsrc] &&
         (packet[kRtpHeaderBytes] & run[kStructureMask]) == run[kStructure];
}

bool Continues(const uint8_t* packet, const uint32_t* run) {
  return ReadU32(packet + 4) == run[kTimestamp] &&
         (packet[kRtpHeaderBytes + run[kHeaderBytes] - 1] & kFragmentStart) == 0;
}

// H.264's fragmentation header is the second byte, H.265's the third.
bool IsH264(const uint32_t* run) { return run[kHeaderBytes] == 2; }

// nuh_layer_id 0 (ITU-T H.265, 7.3.1.2); a unit of another layer is no picture.
bool IsOfBaseLayer(const uint8_t* payload) { return (payload[0] & 1) == 0 && payload[1] >> 3 == 0; }

bool Begins(const uint8_t* packet, const uint32_t* run) {
  const uint8_t* payload = packet + kRtpHeaderBytes;
  const uint8_t header = payload[run[kHeaderBytes] - 1];
  const uint32_t type = header & (IsH264(run) ? kH264Type : kH265Type);
  return ReadU32(packet + 4) != run[kTimestamp] && (header & (kFragmentStart | kFragmentEnd)) == kFragmentStart &&
         type >= run[kTypeFirst] && type <= run[kTypeLast] && (payload[run[kHeaderBytes]] & kFirstSlice) != 0 &&
         (IsH264(run) || IsOfBaseLayer(payload));
}

uint32_t UnitHeaderBytes(const uint32_t* run) { return kStartCodeBytes + run[kHeaderBytes] - 1; }

// Writes start code and header of the unit that a packet's payload begins at kWrite; false where they would reach the payload.
bool WriteUnitHeader(uint8_t* memory, const uint8_t* payload, uint32_t* run) {
  uint8_t* out = memory + run[kWrite];
  if (payload - out < static_cast<ptrdiff_t>(UnitHeaderBytes(run))) return false;
  const uint8_t header = payload[run[kHeaderBytes] - 1];
  out[0] = out[1] = out[2] = 0;
  out[3] = 1;
  if (IsH264(run)) {
    out[4] = static_cast<uint8_t>((payload[0] & kH264Rest) | (header & kH264Type));
  } else {
    out[4] = static_cast<uint8_t>((payload[0] & kH265Rest) | (header & kH265Type) << 1);
    out[5] = payload[1];
  }
  run[kWrite] += UnitHeaderBytes(run);
  run[kUnitBytesMax] -= UnitHeaderBytes(run);
  return true;
}

// Of a print: words that are looked at, and what they are mixed by.
constexpr size_t kPrintWords = 4;
constexpr size_t kPrintWordBytes = 4;
constexpr uint32_t kPrintFactor = 0x9E3779B1;

uint32_t Mixed(uint32_t print, uint32_t word) {
  const uint32_t product = (print ^ word) * kPrintFactor;
  return product << 13 | product >> 19;
}

uint32_t Print(const uint8_t* packet, size_t bytes) {
  const size_t length = bytes - kRtpHeaderBytes;
  uint32_t print = Mixed(ReadU32(packet + 4), static_cast<uint32_t>(length) << 16 | ReadU16(packet));
  if (length < kPrintWords * kPrintWordBytes) {
    for (size_t at = kRtpHeaderBytes; at < bytes; at++) print = Mixed(print, packet[at]);
    return print;
  }
  // Beside the packet's own header and the next one's, which are read anyway: what lies between is not in the processor's cache.
  const uint8_t* first = packet + kRtpHeaderBytes;
  const uint8_t* last = packet + bytes - kPrintWordBytes;
  print = Mixed(Mixed(print, ReadU32(last)), ReadU32(last - kPrintWordBytes));
  return Mixed(Mixed(print, ReadU32(first)), ReadU32(first + kPrintWordBytes));
}

bool IsUsable(const uint32_t* run, size_t length) {
  return run[kReadEnd] <= length && run[kPosition] <= run[kReadEnd] && run[kWrite] <= run[kPosition] &&
         run[kHeaderBytes] >= 2 && run[kHeaderBytes] <= 3;
}

// Takes the packet at kPosition; false if it is none to be taken.
bool TakePacket(uint8_t* memory, uint32_t* run, uint32_t* prints) {
  const size_t headers = kRtpHeaderBytes + run[kHeaderBytes];
  const uint8_t* frame = memory + run[kPosition];
  const uint8_t* packet = frame + kFrameHeaderBytes;
  const size_t bytes = WholePacket(frame, run[kReadEnd] - run[kPosition], headers, run);
  if (bytes == 0 || !Follows(packet, run)) return false;
  const bool begins = run[kBegins] != 0 && run[kPackets] == 0;
  if (begins ? !Begins(packet, run) : !Continues(packet, run)) return false;
  if (bytes - headers + (begins ? UnitHeaderBytes(run) : 0) > run[kUnitBytesMax]) return false;
  // Before anything is written, which may be where the packet's own header was.
  const uint32_t timestamp = ReadU32(packet + 4);
  const bool is_end = (packet[headers - 1] & kFragmentEnd) != 0;
  const bool is_marked = (packet[1] & kRtpMarker) != 0;
  const uint32_t print = Print(packet, bytes);
  if (begins && !WriteUnitHeader(memory, packet + kRtpHeaderBytes, run)) return false;
  // The headers lie between, so that nothing is written over what is not read yet.
  std::memmove(memory + run[kWrite], packet + headers, bytes - headers);
  run[kTimestamp] = timestamp;
  run[kLast] = (run[kLast] & kBegun) | (begins ? kBegun : 0) | (is_end ? kEnd : 0) | (is_marked ? kMarker : 0);
  run[kWrite] += static_cast<uint32_t>(bytes - headers);
  run[kUnitBytesMax] -= static_cast<uint32_t>(bytes - headers);
  run[kPosition] += static_cast<uint32_t>(kFrameHeaderBytes + bytes);
  run[kSequence] = (run[kSequence] + 1) & 0xFFFF;
  prints[run[kPackets]] = print;
  run[kPackets] += 1;
  run[kPayloadBytes] += static_cast<uint32_t>(bytes - kRtpHeaderBytes);
  return true;
}

}  // namespace

void Take(uint8_t* memory, size_t length, uint32_t* run, uint32_t* prints) {
  run[kPackets] = run[kPayloadBytes] = run[kLast] = 0;
  if (!IsUsable(run, length)) return;
  const uint32_t packets_max = std::min(run[kPacketsMax], static_cast<uint32_t>(kPrintsMax));
  while (run[kPackets] < packets_max && (run[kLast] & (kEnd | kMarker)) == 0 && TakePacket(memory, run, prints)) {
  }
}

}  // namespace nvrd::fragments
