// See failure.h.
#include "failure.h"

extern "C" {
#include <libavutil/error.h>
}

namespace nvrd::codec {

const char* NameOf(FailureKind kind) {
  switch (kind) {
    case FailureKind::kNone: return "none";
    case FailureKind::kCorrupt: return "corrupt";
    case FailureKind::kTooLarge: return "too-large";
    case FailureKind::kTimeout: return "timeout";
    case FailureKind::kUnsupported: return "unsupported";
    case FailureKind::kClosed: return "closed";
    case FailureKind::kMemory: return "memory";
    case FailureKind::kBusy: return "busy";
    case FailureKind::kInternal: return "internal";
  }
  return "internal";
}

Failure FromAverror(int error, const char* what) {
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(error, text, sizeof(text));
  FailureKind kind = FailureKind::kCorrupt;
  if (error == AVERROR(ENOMEM)) kind = FailureKind::kMemory;
  if (error == AVERROR(ENOSYS) || error == AVERROR_PATCHWELCOME) kind = FailureKind::kUnsupported;
  return Failure::Of(kind, std::string(what) + ": " + text);
}

}  // namespace nvrd::codec
