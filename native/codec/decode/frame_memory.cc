// See frame_memory.h.
#include "frame_memory.h"

#include <cstdint>
#include <cstdlib>

extern "C" {
#include <libavutil/frame.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

#include "../limits.h"

namespace nvrd::codec {
namespace {

// Room before each plane for its alignment, and after it for SIMD code that reads and writes a little beyond the end
// (libavcodec's own pool leaves 16 + its stride alignment).
constexpr size_t kAlignment = 64;
constexpr size_t kPlaneSlack = 16 + kAlignment;
constexpr int kPlanes = 4;

std::atomic<size_t> all_bytes{0};
std::atomic<size_t> all_bytes_max{SIZE_MAX};
std::atomic<size_t> refusals{0};

// Precedes each picture's memory.
struct Header {
  void* block;
  size_t size;
};

struct Layout {
  int strides[kPlanes] = {};
  size_t sizes[kPlanes] = {};
  size_t total = 0;
};

// Same layout as in libavcodec/get_buffer.c: the width grows until all strides are aligned.
int LayOut(AVCodecContext* context, const AVFrame& frame, Layout* layout) {
  int width = frame.width;
  int height = frame.height;
  int alignments[AV_NUM_DATA_POINTERS] = {};
  avcodec_align_dimensions2(context, &width, &height, alignments);
  const auto format = static_cast<AVPixelFormat>(frame.format);
  bool aligned = false;
  while (!aligned) {
    const int error = av_image_fill_linesizes(layout->strides, format, width);
    if (error < 0) return error;
    width += width & ~(width - 1);
    aligned = true;
    for (int plane = 0; plane < kPlanes; ++plane) {
      if (alignments[plane] > 0 && layout->strides[plane] % alignments[plane] != 0) aligned = false;
    }
  }
  ptrdiff_t strides[kPlanes];
  for (int plane = 0; plane < kPlanes; ++plane) strides[plane] = layout->strides[plane];
  const int error = av_image_fill_plane_sizes(layout->sizes, format, height, strides);
  if (error < 0) return error;
  for (const size_t size : layout->sizes) {
    if (size > 0) layout->total += (size + kPlaneSlack + kAlignment - 1) / kAlignment * kAlignment;
  }
  return 0;
}

}  // namespace

FrameMemory::~FrameMemory() { av_buffer_pool_uninit(&pool_); }

void FrameMemory::SetAllBytesMax(size_t bytes) { all_bytes_max = bytes; }

size_t FrameMemory::AllBytes() { return all_bytes; }

size_t FrameMemory::Refusals() { return refusals; }

bool FrameMemory::SizeAllowed(int width, int height) {
  return width > 0 && height > 0 && width <= kSideMax && height <= kSideMax &&
         static_cast<int64_t>(width) * height <= kPixelsMax;
}

int FrameMemory::Give(AVCodecContext* context, AVFrame* frame, Failure* refused) {
  const auto format = static_cast<AVPixelFormat>(frame->format);
  const AVPixFmtDescriptor* description = av_pix_fmt_desc_get(format);
  if (description == nullptr || (description->flags & (AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_PAL)) != 0) {
    *refused = Failure::Of(FailureKind::kUnsupported, "a pixel format without planes");
    return AVERROR(ENOSYS);
  }
  Layout layout;
  const int error = LayOut(context, *frame, &layout);
  if (error < 0) return error;
  if (layout.total != picture_bytes_) {
    // Buffers of the old size are freed as soon as nothing refers to them.
    av_buffer_pool_uninit(&pool_);
    pool_ = av_buffer_pool_init2(layout.total, this, Allocate, nullptr);
    picture_bytes_ = pool_ != nullptr ? layout.total : 0;
    if (pool_ == nullptr) return AVERROR(ENOMEM);
  }
  frame->buf[0] = av_buffer_pool_get(pool_);
  if (frame->buf[0] == nullptr) {
    *refused = Failure::Of(FailureKind::kMemory, "the memory for decoded pictures is used up");
    return AVERROR(ENOMEM);
  }
  uint8_t* at = frame->buf[0]->data;
  for (int plane = 0; plane < kPlanes && layout.sizes[plane] > 0; ++plane) {
    frame->data[plane] = at;
    frame->linesize[plane] = layout.strides[plane];
    at += (layout.sizes[plane] + kPlaneSlack + kAlignment - 1) / kAlignment * kAlignment;
  }
  frame->extended_data = frame->data;
  return 0;
}

AVBufferRef* FrameMemory::Allocate(void* memory, size_t size) {
  auto* self = static_cast<FrameMemory*>(memory);
  if (self->bytes_ + size > kDecoderFrameBytesMax) return nullptr;
  if (all_bytes.fetch_add(size) + size > all_bytes_max) {
    all_bytes -= size;
    refusals += 1;
    return nullptr;
  }
  // calloc: unwritten parts of a broken picture must not show earlier contents of the memory. The kernel provides large
  // blocks already cleared.
  void* block = std::calloc(1, size + sizeof(Header) + kAlignment);
  AVBufferRef* buffer = nullptr;
  if (block != nullptr) {
    const uintptr_t start = reinterpret_cast<uintptr_t>(block) + sizeof(Header);
    auto* data = reinterpret_cast<uint8_t*>((start + kAlignment - 1) / kAlignment * kAlignment);
    *(reinterpret_cast<Header*>(data) - 1) = {block, size};
    buffer = av_buffer_create(data, size, Release, self, 0);
  }
  if (buffer == nullptr) {
    std::free(block);
    all_bytes -= size;
    return nullptr;
  }
  self->bytes_ += size;
  return buffer;
}

void FrameMemory::Release(void* memory, uint8_t* data) {
  const Header header = *(reinterpret_cast<Header*>(data) - 1);
  static_cast<FrameMemory*>(memory)->bytes_ -= header.size;
  all_bytes -= header.size;
  std::free(header.block);
}

}  // namespace nvrd::codec
