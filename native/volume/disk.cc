// See disk.h. Every function takes (fd, offset, length) and returns "" or the name of the errno; none
// throws, and none keeps state, so that any thread of the process may call them.
#include "disk.h"

#include <cerrno>
#include <cmath>
#include <cstdint>

#include <fcntl.h>

#include "volume_disk.h"

namespace nvrd::disk {
namespace {

struct Range {
  int fd;
  off_t offset;
  off_t length;
};

// Larger numbers are not exact in JavaScript, and larger than any file.
constexpr double kLargestExact = 9007199254740991.0;

bool ReadWhole(const Napi::Value& value, double largest, double* out) {
  if (!value.IsNumber()) return false;
  const double number = value.As<Napi::Number>().DoubleValue();
  if (!(number >= 0 && number <= largest) || number != std::floor(number)) return false;
  *out = number;
  return true;
}

bool ReadRange(const Napi::CallbackInfo& info, Range* range) {
  double fd = 0;
  double offset = 0;
  double length = 0;
  if (!ReadWhole(info[0], INT32_MAX, &fd) || !ReadWhole(info[1], kLargestExact, &offset) ||
      !ReadWhole(info[2], kLargestExact, &length)) {
    return false;
  }
  *range = {static_cast<int>(fd), static_cast<off_t>(offset), static_cast<off_t>(length)};
  return true;
}

Napi::Value Answer(const Napi::CallbackInfo& info, int error) {
  return Napi::String::New(info.Env(), volume_disk::ErrnoName(error));
}

using Call = int (*)(const Range&);

template <Call call>
Napi::Value OnRange(const Napi::CallbackInfo& info) {
  Range range{};
  if (!ReadRange(info, &range)) return Answer(info, EINVAL);
  int error = 0;
  do {
    error = call(range);
  } while (error == EINTR);
  return Answer(info, error);
}

int Errno(int result) { return result == 0 ? 0 : errno; }

int Allocate(const Range& r) { return Errno(::fallocate(r.fd, FALLOC_FL_KEEP_SIZE, r.offset, r.length)); }

int PunchHole(const Range& r) {
  return Errno(::fallocate(r.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, r.offset, r.length));
}

int DontNeed(const Range& r) { return ::posix_fadvise(r.fd, r.offset, r.length, POSIX_FADV_DONTNEED); }

int WillNeed(const Range& r) { return ::posix_fadvise(r.fd, r.offset, r.length, POSIX_FADV_WILLNEED); }

int StartWriteback(const Range& r) {
  return Errno(::sync_file_range(r.fd, r.offset, r.length, SYNC_FILE_RANGE_WRITE));
}

}  // namespace

void Register(Napi::Env env, Napi::Object exports) {
  exports.Set("fallocate", Napi::Function::New<OnRange<Allocate>>(env, "fallocate"));
  exports.Set("punchHole", Napi::Function::New<OnRange<PunchHole>>(env, "punchHole"));
  exports.Set("dontNeed", Napi::Function::New<OnRange<DontNeed>>(env, "dontNeed"));
  exports.Set("willNeed", Napi::Function::New<OnRange<WillNeed>>(env, "willNeed"));
  exports.Set("startWriteback", Napi::Function::New<OnRange<StartWriteback>>(env, "startWriteback"));
}

}  // namespace nvrd::disk
