// Memory of decoded pictures: counted per decoder and in total, and refused beyond a limit before it is allocated.
#pragma once
#include <atomic>
#include <cstddef>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/buffer.h>
}

#include "../failure.h"

namespace nvrd::codec {

// One decoder's pictures. Their buffers return to a free list, as in libavcodec. Must outlive the frames.
class FrameMemory {
 public:
  FrameMemory() = default;
  ~FrameMemory();
  FrameMemory(const FrameMemory&) = delete;
  FrameMemory& operator=(const FrameMemory&) = delete;

  // Sets the limit on all decoders' pictures, bytes.
  static void SetAllBytesMax(size_t bytes);
  static size_t AllBytes();
  // How often that limit left a picture without memory.
  static size_t Refusals();

  // Whether `width` and `height`, in pixels, are within limits.h.
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
