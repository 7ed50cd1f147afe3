// Fuzz target: takes a run of fragments from a hostile stream, with any numbers in the run itself.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "../packet/fragment_run.h"

using namespace nvrd::fragments;

namespace {

constexpr size_t kRunBytes = kFields * sizeof(uint32_t);

void Hold(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

bool IsSame(const uint8_t* before, const uint8_t* after, size_t from, size_t to) {
  return from >= to || std::memcmp(before + from, after + from, to - from) == 0;
}

}  // namespace

// The run's numbers, then the memory.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < kRunBytes) return 0;
  uint32_t run[kFields];
  std::memcpy(run, data, kRunBytes);
  const std::vector<uint32_t> asked(run, run + kFields);
  const uint8_t* before = data + kRunBytes;
  const size_t length = size - kRunBytes;
  // Of that very size, so that the sanitizer sees each byte beyond it.
  const std::unique_ptr<uint8_t[]> memory(new uint8_t[length]);
  std::memcpy(memory.get(), before, length);
  uint32_t prints[kPrintsMax];
  Take(memory.get(), length, run, prints);

  const size_t packets = run[kPackets];
  const size_t begun = (run[kLast] & kBegun) != 0 ? kStartCodeBytes + asked[kHeaderBytes] - 1 : 0;
  const size_t moved = size_t{run[kPayloadBytes]} - packets * asked[kHeaderBytes] + begun;
  Hold(packets <= asked[kPacketsMax], "no more packets are taken than wanted");
  Hold(packets > 0 || (run[kPayloadBytes] == 0 && run[kLast] == 0), "nothing is reported without packets");
  Hold(run[kPosition] == asked[kPosition] + packets * 16 + run[kPayloadBytes], "the position is behind what was taken");
  Hold(packets == 0 || run[kPosition] <= asked[kReadEnd], "nothing is taken that was not read");
  Hold(run[kWrite] == asked[kWrite] + moved && moved <= asked[kUnitBytesMax], "the unit grows by what was moved");
  Hold(run[kUnitBytesMax] == asked[kUnitBytesMax] - moved, "the unit may grow by less then");
  if (packets == 0) {
    Hold(IsSame(before, memory.get(), 0, length), "nothing is written where nothing is taken");
    return 0;
  }
  Hold((begun != 0) == (asked[kBegins] != 0), "a picture is begun where one may begin, and nowhere else");
  Hold((begun != 0) == (run[kTimestamp] != asked[kTimestamp]), "a picture that is begun has a time of its own");
  Hold(run[kSequence] == ((asked[kSequence] + packets) & 0xFFFF), "the sequence goes on");
  Hold(IsSame(before, memory.get(), 0, asked[kWrite]), "what was written before stays");
  Hold(IsSame(before, memory.get(), run[kWrite], length), "what is not written stays");
  return 0;
}
