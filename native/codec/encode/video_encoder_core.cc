// See video_encoder_core.h.
#include "video_encoder_core.h"

#include <climits>
#include <cstring>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavutil/opt.h>
}

namespace nvrd::codec {
namespace {

// NAL unit types (ITU-T H.264, table 7-1).
constexpr int kNalSps = 7;
constexpr int kNalPps = 8;

bool InBounds(const VideoEncoderSettings& settings) {
  return settings.width >= kEncoderSideMin && settings.width <= kEncoderSideMax &&
         settings.height >= kEncoderSideMin && settings.height <= kEncoderSideMax &&
         settings.frames_per_second >= kEncoderRateMin && settings.frames_per_second <= kEncoderRateMax &&
         settings.bits_per_second >= kEncoderBitsMin && settings.bits_per_second <= kEncoderBitsMax &&
         settings.gop_length >= 1 && settings.gop_length <= kEncoderGopMax;
}

// Offset of the next start code at or after `from`, `length` where there is none.
size_t NextStartCode(const uint8_t* data, size_t length, size_t from) {
  for (size_t at = from; at + 3 <= length; ++at) {
    if (data[at] == 0 && data[at + 1] == 0 && data[at + 2] == 1) return at;
  }
  return length;
}

// The SPS and PPS of an Annex B unit, each with a four-byte start code.
std::vector<uint8_t> ParameterSetsOf(const uint8_t* data, size_t length) {
  static constexpr uint8_t kStartCode[] = {0, 0, 0, 1};
  std::vector<uint8_t> sets;
  size_t start = NextStartCode(data, length, 0);
  while (start < length) {
    const size_t begin = start + 3;
    const size_t next = NextStartCode(data, length, begin);
    size_t end = next;
    while (end > begin && data[end - 1] == 0) end -= 1;
    const int type = begin < length ? data[begin] & 0x1f : 0;
    if (type == kNalSps || type == kNalPps) {
      sets.insert(sets.end(), kStartCode, kStartCode + sizeof(kStartCode));
      sets.insert(sets.end(), data + begin, data + end);
    }
    start = next;
  }
  return sets;
}

void CopyPlane(uint8_t* to, int to_stride, const uint8_t* from, int from_stride, int width, int height) {
  for (int row = 0; row < height; ++row) {
    std::memcpy(to + static_cast<ptrdiff_t>(row) * to_stride, from + static_cast<ptrdiff_t>(row) * from_stride,
                static_cast<size_t>(width));
  }
}

}  // namespace

size_t VideoEncoderCore::PictureBytes(int width, int height) {
  const auto luma = static_cast<size_t>(width) * static_cast<size_t>(height);
  return luma + 2 * (static_cast<size_t>(width + 1) / 2) * (static_cast<size_t>(height + 1) / 2);
}

std::unique_ptr<VideoEncoderCore> VideoEncoderCore::Open(const VideoEncoderSettings& settings, Failure* failure) {
  if (!InBounds(settings)) {
    *failure = Failure::Of(FailureKind::kTooLarge, "size, frame rate, bit rate or GOP length are out of bounds");
    return nullptr;
  }
  std::unique_ptr<VideoEncoderCore> core(new VideoEncoderCore(settings));
  core->frame_ = av_frame_alloc();
  core->packet_ = av_packet_alloc();
  if (core->frame_ == nullptr || core->packet_ == nullptr) {
    *failure = Failure::Of(FailureKind::kMemory, "no memory left");
    return nullptr;
  }
  *failure = core->OpenContext(false);
  if (*failure && failure->kind == FailureKind::kUnsupported) *failure = core->OpenContext(true);
  if (*failure) return nullptr;
  return core;
}

VideoEncoderCore::~VideoEncoderCore() {
  avcodec_free_context(&context_);
  av_frame_free(&frame_);
  av_packet_free(&packet_);
}

Failure VideoEncoderCore::OpenContext(bool semi_planar) {
  const AVCodec* codec = avcodec_find_encoder_by_name(settings_.name.c_str());
  if (codec == nullptr || codec->id != AV_CODEC_ID_H264) {
    return Failure::Of(FailureKind::kUnsupported, "libavcodec has no such H.264 encoder");
  }
  avcodec_free_context(&context_);
  context_ = avcodec_alloc_context3(codec);
  if (context_ == nullptr) return Failure::Of(FailureKind::kMemory, "no memory left");
  const AVRational rate = av_d2q(settings_.frames_per_second, 100000);
  context_->width = settings_.width & ~1;
  context_->height = settings_.height & ~1;
  context_->pix_fmt = semi_planar ? AV_PIX_FMT_NV12 : AV_PIX_FMT_YUV420P;
  context_->color_range = AVCOL_RANGE_MPEG;
  context_->framerate = rate;
  context_->time_base = av_inv_q(rate);
  context_->bit_rate = settings_.bits_per_second;
  context_->rc_max_rate = settings_.bits_per_second;
  // One second, so that the stream can be sent over a line of its bit rate.
  context_->rc_buffer_size = static_cast<int>(settings_.bits_per_second);
  context_->gop_size = settings_.gop_length;
  context_->max_b_frames = 0;
  // The pool's threads work in parallel already; threads of the encoder would only add latency.
  context_->thread_count = 1;
  // Options of x264; hardware encoders do not have them and ignore them.
  av_opt_set(context_->priv_data, "preset", "superfast", 0);
  av_opt_set(context_->priv_data, "tune", "zerolatency", 0);
  av_opt_set(context_->priv_data, "profile", "baseline", 0);
  av_opt_set(context_->priv_data, "forced-idr", "1", 0);
  av_opt_set(context_->priv_data, "sc_threshold", "0", 0);
  const int opened = avcodec_open2(context_, codec, nullptr);
  if (opened < 0) {
    return Failure::Of(FailureKind::kUnsupported, "the H.264 encoder " + settings_.name + " cannot be opened");
  }
  semi_planar_ = semi_planar;
  if (context_->extradata != nullptr && context_->extradata_size > 0) {
    parameter_sets_ = ParameterSetsOf(context_->extradata, static_cast<size_t>(context_->extradata_size));
  }
  return Failure::None();
}

Failure VideoEncoderCore::Encode(const uint8_t* picture, size_t length, int64_t time_us, bool force_key,
                                 std::vector<EncodedUnit>* units) {
  if (length != PictureBytes(settings_.width, settings_.height)) {
    return Failure::Of(FailureKind::kUnsupported, "the picture has not the encoder's size");
  }
  if (Failure failure = FillFrame(picture)) return failure;
  frame_->pts = frames_++;
  frame_->pict_type = force_key ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE;
  in_flight_.push_back({frame_->pts, time_us});
  const int sent = avcodec_send_frame(context_, frame_);
  av_frame_unref(frame_);
  if (sent < 0) return FromAverror(sent, "the H.264 encoder took no picture");
  if (Failure failure = Receive(units)) return failure;
  if (in_flight_.size() <= kEncoderFramesHeldMax) return Failure::None();
  return Failure::Of(FailureKind::kInternal, "the H.264 encoder gives nothing back");
}

Failure VideoEncoderCore::FillFrame(const uint8_t* picture) {
  const int width = context_->width;
  const int height = context_->height;
  frame_->format = context_->pix_fmt;
  frame_->width = width;
  frame_->height = height;
  frame_->color_range = AVCOL_RANGE_MPEG;
  if (av_frame_get_buffer(frame_, 0) < 0) return Failure::Of(FailureKind::kMemory, "no memory left");
  const int chroma_stride = (settings_.width + 1) / 2;
  const size_t chroma_bytes = static_cast<size_t>(chroma_stride) * static_cast<size_t>((settings_.height + 1) / 2);
  const uint8_t* u = picture + static_cast<size_t>(settings_.width) * static_cast<size_t>(settings_.height);
  const uint8_t* v = u + chroma_bytes;
  CopyPlane(frame_->data[0], frame_->linesize[0], picture, settings_.width, width, height);
  if (!semi_planar_) {
    CopyPlane(frame_->data[1], frame_->linesize[1], u, chroma_stride, width / 2, height / 2);
    CopyPlane(frame_->data[2], frame_->linesize[2], v, chroma_stride, width / 2, height / 2);
    return Failure::None();
  }
  for (int row = 0; row < height / 2; ++row) {
    uint8_t* line = frame_->data[1] + static_cast<ptrdiff_t>(row) * frame_->linesize[1];
    for (int column = 0; column < width / 2; ++column) {
      line[2 * column] = u[static_cast<ptrdiff_t>(row) * chroma_stride + column];
      line[2 * column + 1] = v[static_cast<ptrdiff_t>(row) * chroma_stride + column];
    }
  }
  return Failure::None();
}

Failure VideoEncoderCore::Receive(std::vector<EncodedUnit>* units) {
  while (true) {
    const int received = avcodec_receive_packet(context_, packet_);
    if (received == AVERROR(EAGAIN) || received == AVERROR_EOF) return Failure::None();
    if (received < 0) return FromAverror(received, "the H.264 encoder failed");
    AddUnit(units);
    av_packet_unref(packet_);
  }
}

// Without B-frames the output is in input order; a frame that the encoder dropped is skipped.
void VideoEncoderCore::AddUnit(std::vector<EncodedUnit>* units) {
  while (in_flight_.size() > 1 && packet_->pts != AV_NOPTS_VALUE && in_flight_.front().number < packet_->pts) {
    in_flight_.pop_front();
  }
  EncodedUnit unit;
  unit.key = (packet_->flags & AV_PKT_FLAG_KEY) != 0;
  if (!in_flight_.empty()) {
    unit.time_us = in_flight_.front().time_us;
    in_flight_.pop_front();
  }
  const auto length = static_cast<size_t>(packet_->size);
  if (unit.key) {
    std::vector<uint8_t> sets = ParameterSetsOf(packet_->data, length);
    if (sets.empty()) unit.data = parameter_sets_;
    else parameter_sets_ = std::move(sets);
  }
  unit.data.insert(unit.data.end(), packet_->data, packet_->data + length);
  units->push_back(std::move(unit));
}

}  // namespace nvrd::codec
