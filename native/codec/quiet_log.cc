// See quiet_log.h.
#include "quiet_log.h"

#include <cstdarg>

extern "C" {
#include <libavutil/log.h>
}

namespace nvrd::codec {
namespace {

thread_local uint64_t errors = 0;

void Count(void*, int level, const char*, va_list) {
  if (level <= AV_LOG_ERROR) ++errors;
}

}  // namespace

void QuietLog::Install() { av_log_set_callback(Count); }

uint64_t QuietLog::Errors() { return errors; }

}  // namespace nvrd::codec
