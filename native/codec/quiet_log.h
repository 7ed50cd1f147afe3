// Counts libav's messages instead of logging them: there may be one per damaged macroblock.
#pragma once
#include <cstdint>

namespace nvrd::codec {

class QuietLog {
 public:
  // Replaces the process's av_log callback. May be called more than once.
  static void Install();
  // Messages of level AV_LOG_ERROR and worse that this thread's libav calls have made so far. Some decoders report
  // concealed errors in no other way.
  static uint64_t Errors();
};

}  // namespace nvrd::codec
