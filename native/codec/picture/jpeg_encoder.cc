// See jpeg_encoder.h.
#include "jpeg_encoder.h"

#include <algorithm>

extern "C" {
#include <libavutil/mem.h>
#include <libavutil/opt.h>
}

namespace nvrd::codec {
namespace {

constexpr int kCoefficients = 64;
// The qscale at which libavcodec uses quantization tables unscaled (it uses table * qscale / 8).
constexpr int kPlainQscale = 8;

// ITU-T T.81, K.1: tables K.1 (luminance) and K.2 (chrominance), by rows.
constexpr uint8_t kLuminance[kCoefficients] = {
    16, 11, 10, 16, 24,  40,  51,  61,  12, 12, 14, 19, 26,  58,  60,  55,  14, 13, 16, 24, 40,  57,
    69, 56, 14, 17, 22,  29,  51,  87,  80, 62, 18, 22, 37,  56,  68,  109, 103, 77, 24, 35, 55, 64,
    81, 104, 113, 92, 49, 64, 78,  87,  103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99};
constexpr uint8_t kChrominance[kCoefficients] = {
    17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99,
    99, 99, 47, 66, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99};

// The table at `quality`, scaled as by the Independent JPEG Group's library; freed with the context.
uint16_t* TableFor(const uint8_t* base, int quality) {
  auto* table = static_cast<uint16_t*>(av_malloc(kCoefficients * sizeof(uint16_t)));
  if (table == nullptr) return nullptr;
  const int percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  for (int at = 0; at < kCoefficients; ++at) {
    table[at] = static_cast<uint16_t>(std::clamp((base[at] * percent + 50) / 100, 1, 255));
  }
  return table;
}

void Free(AVCodecContext** context) {
  // FFmpeg 5.1 does not free this table.
  if (*context != nullptr) av_freep(&(*context)->chroma_intra_matrix);
  avcodec_free_context(context);
}

}  // namespace

JpegEncoder::JpegEncoder(Size size, int quality)
    : size_(size), quality_(quality), frame_(av_frame_alloc()), packet_(av_packet_alloc()) {
  const AVCodec* codec = avcodec_find_encoder_by_name("mjpeg");
  if (codec == nullptr || frame_ == nullptr || packet_ == nullptr) return;
  context_ = avcodec_alloc_context3(codec);
  if (context_ == nullptr) return;
  context_->width = size.width;
  context_->height = size.height;
  context_->pix_fmt = AV_PIX_FMT_YUVJ420P;
  context_->color_range = AVCOL_RANGE_JPEG;
  context_->time_base = {1, 25};
  context_->thread_count = 1;
  // With a known sample aspect ratio libavcodec writes JFIF's APP0; bit-exact omits its own name.
  context_->sample_aspect_ratio = {1, 1};
  context_->flags |= AV_CODEC_FLAG_QSCALE | AV_CODEC_FLAG_BITEXACT;
  context_->global_quality = kPlainQscale * FF_QP2LAMBDA;
  context_->intra_matrix = TableFor(kLuminance, quality);
  context_->chroma_intra_matrix = TableFor(kChrominance, quality);
  // The tables of T.81 K.3: half the work of optimized tables, and some decoders support no others.
  av_opt_set(context_->priv_data, "huffman", "default", 0);
  if (context_->intra_matrix == nullptr || context_->chroma_intra_matrix == nullptr ||
      avcodec_open2(context_, codec, nullptr) < 0) {
    Free(&context_);
  }
}

JpegEncoder::~JpegEncoder() {
  Free(&context_);
  av_frame_free(&frame_);
  av_packet_free(&packet_);
}

bool JpegEncoder::IsFor(Size size, int quality) const {
  return size.width == size_.width && size.height == size_.height && quality == quality_;
}

Failure JpegEncoder::Encode(uint8_t* const data[4], const int strides[4], std::vector<uint8_t>* file) {
  if (context_ == nullptr) return Failure::Of(FailureKind::kUnsupported, "this libavcodec has no JPEG encoder");
  av_frame_unref(frame_);
  frame_->format = AV_PIX_FMT_YUVJ420P;
  frame_->color_range = AVCOL_RANGE_JPEG;
  frame_->width = size_.width;
  frame_->height = size_.height;
  frame_->quality = kPlainQscale * FF_QP2LAMBDA;
  frame_->pts = next_++;
  // Without a reference-counted buffer the encoder copies the planes, so the caller can reuse them afterwards.
  for (int plane = 0; plane < 3; ++plane) {
    frame_->data[plane] = data[plane];
    frame_->linesize[plane] = strides[plane];
  }
  int error = avcodec_send_frame(context_, frame_);
  if (error >= 0) error = avcodec_receive_packet(context_, packet_);
  if (error < 0) return Failure::Of(FailureKind::kInternal, FromAverror(error, "the JPEG encoder fails").message);
  file->assign(packet_->data, packet_->data + packet_->size);
  av_packet_unref(packet_);
  return Failure::None();
}

}  // namespace nvrd::codec
