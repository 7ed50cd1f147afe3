// Why a piece of work failed. The cores (decoder, scaler, encoders) use this instead of N-API, so that fuzz targets can
// link them.
#pragma once
#include <string>
#include <utility>

namespace nvrd::codec {

// CodecError.kind in src/picture/codec/codec-error.ts; kBusy becomes NvrdError NOT_AVAILABLE there.
enum class FailureKind {
  kNone,
  kCorrupt,      // the bitstream cannot be decoded
  kTooLarge,     // beyond a limit of limits.h
  kTimeout,      // not done by its deadline
  kUnsupported,  // this libavcodec cannot do it
  kClosed,       // its object was closed, or the process ends
  kMemory,       // no memory, or the limit on decoders' memory is reached
  kBusy,         // the queue is full
  kInternal,     // a library refused valid input
};

const char* NameOf(FailureKind kind);

struct Failure {
  FailureKind kind = FailureKind::kNone;
  std::string message;

  explicit operator bool() const { return kind != FailureKind::kNone; }
  static Failure None() { return {}; }
  static Failure Of(FailureKind kind, std::string message) { return {kind, std::move(message)}; }
};

// `what` with the library's text for `error` (an AVERROR), of the matching kind.
Failure FromAverror(int error, const char* what);

}  // namespace nvrd::codec
