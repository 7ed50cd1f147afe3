// A run of fragments of one NAL unit within the bytes of an interleaved stream. Without N-API, so that it can be fuzzed.
#pragma once
#include <cstddef>
#include <cstdint>

namespace nvrd::fragments {

// What the next packet must look like to be taken, and how far the taking came: an array of 32-bit numbers that
// src/rtsp/rtp/fragment-run.ts has under the same names. Positions count from the start of the memory.
enum Field : size_t {
  // In and out: the first byte that is not taken. In: the byte after the last that was read.
  kPosition,
  kReadEnd,
  kChannel,
  kPayloadType,
  kSsrc,
  // In and out: of the unit, or of the one that ended where another may begin.
  kTimestamp,
  // In and out: the sequence number of the next packet.
  kSequence,
  // The payload's first byte under the mask is the value; the fragmentation header is the last of `kHeaderBytes`.
  kStructureMask,
  kStructure,
  kHeaderBytes,
  // In and out: where the next byte of the unit goes, at or before the payload that it is moved from.
  kWrite,
  kUnitBytesMax,
  kPacketsMax,
  // Not 0: no unit is in progress, and the first packet must begin a picture of another time with a slice of a type from kTypeFirst
  // to kTypeLast.
  kBegins,
  kTypeFirst,
  kTypeLast,
  // Out: packets taken, the bytes of their RTP payloads, kEnd and kMarker of the last of them, and kBegun.
  kPackets,
  kPayloadBytes,
  kLast,
  kFields,
};

constexpr uint32_t kEnd = 1;
constexpr uint32_t kMarker = 2;
// The first of them began a picture.
constexpr uint32_t kBegun = 4;

// A start code of Annex B.
constexpr size_t kStartCodeBytes = 4;

// Most packets of a run.
constexpr size_t kPrintsMax = 64;

// Takes packets at kPosition as long as each is whole and continues the unit, and moves their bytes down to kWrite. With kBegins the
// first begins a picture instead: its start code and its unit's header are written before its bytes. Stops at the
// first that is anything else, after a last fragment, after a marker, and after kPacketsMax or kPrintsMax. `prints` gets a number of
// each packet that equal ones have in common, as src/rtsp/rtp/packet-print.ts makes them. Reads and writes nothing outside
// `memory[0 .. length)`, whatever it and `run` hold.
void Take(uint8_t* memory, size_t length, uint32_t* run, uint32_t* prints);

}  // namespace nvrd::fragments
