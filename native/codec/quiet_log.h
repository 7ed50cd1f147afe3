// libav's messages. They would go to the service's log, one a damaged macroblock; here they are counted instead.
#pragma once
#include <cstdint>

namespace nvrd::codec {

class QuietLog {
 public:
  // Takes the process's av_log over. May be called more than once.
  static void Install();
  // Messages of level AV_LOG_ERROR and worse that this thread's libav calls have made so far. Concealed errors have no
  // other trace in some decoders.
  static uint64_t Errors();
};

}  // namespace nvrd::codec
