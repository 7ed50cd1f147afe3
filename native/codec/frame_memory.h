// Memory of decoded pictures: counted for each decoder and for all, refused beyond a bound before it is allocated.
#pragma once
#include <atomic>
#include <cstddef>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/buffer.h>
}

#include "failure.h"

namespace nvrd::codec {

// One decoder's pictures. Their buffers go back to a free list, as libavcodec's own do. Must outlive the frames.
class FrameMemory {
 public:
  FrameMemory() = default;
  ~FrameMemory();
  FrameMemory(const FrameMemory&) = delete;
  FrameMemory& operator=(const FrameMemory&) = delete;

  // The bound on all decoders' pictures together, bytes.
  static void SetAllBytesMax(size_t bytes);
  static size_t AllBytes();
  // How often a picture got no memory for that bound.
  static size_t Refusals();

  // The size alone: `width` and `height` in pixels within the bounds of limits.h?
  static bool SizeAllowed(int width, int height);

  // Fills `frame` (AVCodecContext.get_buffer2) or returns an AVERROR and sets the reason in `refused`.
  int Give(AVCodecContext* context, AVFrame* frame, Failure* refused);

 private:
  static AVBufferRef* Allocate(void* memory, size_t size);
  static void Release(void* memory, uint8_t* data);

  AVBufferPool* pool_ = nullptr;
  size_t picture_bytes_ = 0;
  size_t bytes_ = 0;
};

}  // namespace nvrd::codec
