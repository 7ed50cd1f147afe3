// Decodes the picture of the last of some units. No N-API, so that a fuzz target can link it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "../deadline.h"
#include "../decode/decoder_core.h"
#include "../failure.h"

namespace nvrd::codec {

struct StillUnit {
  bool key = false;
  int64_t presentation_us = 0;
  size_t size = 0;
  // Writes its bytes to memory of `size`.
  std::function<void(uint8_t*)> fill;
};

// Calls `sink` once, with the picture of the last unit; if there is none, with the newest picture before it, marked as
// damaged. Sets `options.reorder_depth` itself.
Failure DecodeLast(DecoderOptions options, const std::vector<StillUnit>& units, const Deadline& deadline,
                   const DecoderCore::Sink& sink);

}  // namespace nvrd::codec
