// See decoder_core.h.
#include "decoder_core.h"

#include <algorithm>

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/mem.h>
}

#include "../limits.h"
#include "../quiet_log.h"
#include "unit_check.h"

namespace nvrd::codec {
namespace {

AVCodecID IdOf(VideoCodec codec) {
  switch (codec) {
    case VideoCodec::kH264: return AV_CODEC_ID_H264;
    case VideoCodec::kH265: return AV_CODEC_ID_HEVC;
    case VideoCodec::kMpeg4: return AV_CODEC_ID_MPEG4;
    case VideoCodec::kMjpeg: return AV_CODEC_ID_MJPEG;
  }
  return AV_CODEC_ID_NONE;
}

AVDiscard DiscardOf(Skip skip) { return skip == Skip::kNonReference ? AVDISCARD_NONREF : AVDISCARD_DEFAULT; }

}  // namespace

const AVCodec* SoftwareDecoder(VideoCodec video) {
  const AVCodecID id = IdOf(video);
  void* position = nullptr;
  while (const AVCodec* codec = av_codec_iterate(&position)) {
    if (codec->id == id && av_codec_is_decoder(codec) != 0 &&
        (codec->capabilities & (AV_CODEC_CAP_HARDWARE | AV_CODEC_CAP_HYBRID | AV_CODEC_CAP_EXPERIMENTAL)) == 0) {
      return codec;
    }
  }
  return nullptr;
}

std::unique_ptr<DecoderCore> DecoderCore::Open(const DecoderOptions& options, Failure* failure) {
  std::unique_ptr<DecoderCore> core(new DecoderCore(options.codec));
  *failure = core->OpenContext(options, !options.initialization.empty());
  // Try without broken parameter sets: each key frame has its own.
  if (failure->kind == FailureKind::kCorrupt && !options.initialization.empty()) {
    *failure = core->OpenContext(options, false);
  }
  return *failure ? nullptr : std::move(core);
}

Failure DecoderCore::OpenContext(const DecoderOptions& options, bool with_initialization) {
  const AVCodec* codec =
      options.name.empty() ? SoftwareDecoder(codec_) : avcodec_find_decoder_by_name(options.name.c_str());
  if (codec == nullptr || codec->id != IdOf(codec_)) {
    return Failure::Of(FailureKind::kUnsupported, "this libavcodec has no decoder for it");
  }
  avcodec_free_context(&context_);
  context_ = avcodec_alloc_context3(codec);
  if (packet_ == nullptr) packet_ = av_packet_alloc();
  if (frame_ == nullptr) frame_ = av_frame_alloc();
  if (context_ == nullptr || packet_ == nullptr || frame_ == nullptr) {
    return Failure::Of(FailureKind::kMemory, "no memory for a decoder");
  }
  context_->opaque = this;
  context_->get_buffer2 = GetBuffer;
  context_->thread_count = 1;
  context_->pkt_timebase = {1, 1000000};
  // A damaged picture, marked as such, is better than none. Unaligned: crop exactly at the left.
  context_->flags |= AV_CODEC_FLAG_OUTPUT_CORRUPT | AV_CODEC_FLAG_UNALIGNED;
  // A second limit, for decoders that allocate tables before they request a picture's memory.
  context_->max_pixels = 2 * kPixelsMax;
  context_->has_b_frames = std::clamp(options.reorder_depth, 0, 16);
  if (with_initialization) {
    const Failure failure = CheckUnit(options.initialization.data(), options.initialization.size());
    if (failure) return failure;
    const size_t size = options.initialization.size();
    context_->extradata = static_cast<uint8_t*>(av_mallocz(size + AV_INPUT_BUFFER_PADDING_SIZE));
    if (context_->extradata == nullptr) return Failure::Of(FailureKind::kMemory, "no memory for a decoder");
    std::copy(options.initialization.begin(), options.initialization.end(), context_->extradata);
    context_->extradata_size = static_cast<int>(size);
  }
  const int error = avcodec_open2(context_, codec, nullptr);
  return error < 0 ? FromAverror(error, "the decoder does not open") : Failure::None();
}

DecoderCore::~DecoderCore() {
  av_frame_free(&frame_);
  av_packet_free(&packet_);
  avcodec_free_context(&context_);
}

int DecoderCore::GetBuffer(AVCodecContext* context, AVFrame* frame, int flags) {
  auto* self = static_cast<DecoderCore*>(context->opaque);
  if (!FrameMemory::SizeAllowed(frame->width, frame->height)) {
    self->refused_ = Failure::Of(FailureKind::kTooLarge, "a picture of " + std::to_string(frame->width) + "x" +
                                                             std::to_string(frame->height) + " is too large");
    return AVERROR(EINVAL);
  }
  if (self->deadline_ != nullptr) {
    const FailureKind reached = self->deadline_->Reached();
    if (reached != FailureKind::kNone) {
      self->refused_ = Deadline::FailureOf(reached);
      return AVERROR_EXIT;
    }
  }
  if ((context->codec->capabilities & AV_CODEC_CAP_DR1) == 0) return avcodec_default_get_buffer2(context, frame, flags);
  return self->memory_.Give(context, frame, &self->refused_);
}

Failure DecoderCore::CheckUnit(const uint8_t* data, size_t size) const {
  switch (codec_) {
    case VideoCodec::kH264: return CheckNalUnits(data, size, NalSyntax::kH264);
    case VideoCodec::kH265: return CheckNalUnits(data, size, NalSyntax::kH265);
    case VideoCodec::kMpeg4: return Failure::None();
    case VideoCodec::kMjpeg: return Failure::None();
  }
  return Failure::None();
}

Failure DecoderCore::Decode(const CodedUnitInfo& info, size_t size, const std::function<void(uint8_t*)>& fill, Skip skip,
                            const Deadline& deadline, const Sink& sink) {
  const FailureKind reached = deadline.Reached();
  if (reached != FailureKind::kNone) return Deadline::FailureOf(reached);
  const int64_t unit = next_unit_++;
  if (size == 0) return Failure::Of(FailureKind::kCorrupt, "a unit without bytes");
  if (size > kUnitBytesMax) return Failure::Of(FailureKind::kTooLarge, "a unit of " + std::to_string(size) + " bytes");
  const bool alone = skip == Skip::kNonKey;
  if (info.key) {
    if (alone || needs_key_) Reset();
    needs_key_ = false;
  } else if (alone || needs_key_) {
    needs_key_ = true;
    return Failure::None();
  }
  if (av_new_packet(packet_, static_cast<int>(size)) < 0) return Failure::Of(FailureKind::kMemory, "no memory for a unit");
  fill(packet_->data);
  const Failure refused = CheckUnit(packet_->data, size);
  if (refused) {
    av_packet_unref(packet_);
    tainted_ = true;
    return refused;
  }
  packet_->pts = unit;
  packet_->dts = unit;
  if (info.key) packet_->flags |= AV_PKT_FLAG_KEY;
  // If the parameter sets do not give the reorder depth, libavcodec learns it from the first picture that it outputs in
  // the wrong order, which it drops.
  if (info.reordered && context_->has_b_frames == 0) context_->has_b_frames = 1;
  context_->skip_frame = DiscardOf(skip);
  if (info.key) tainted_ = false;
  in_flight_[static_cast<size_t>(unit) % kInFlightMax] = {unit, info.presentation_us, tainted_};
  deadline_ = &deadline;
  pictures_in_call_ = 0;
  Failure failure = Send(packet_, sink);
  av_packet_unref(packet_);
  deadline_ = nullptr;
  if (alone && !failure) failure = Drain(deadline, sink);
  // If a picture came out although its unit had errors, the call succeeds.
  if (failure.kind == FailureKind::kCorrupt && pictures_in_call_ > 0) return Failure::None();
  return failure;
}

Failure DecoderCore::Drain(const Deadline& deadline, const Sink& sink) {
  deadline_ = &deadline;
  pictures_in_call_ = 0;
  Failure failure = Send(nullptr, sink);
  if (failure.kind == FailureKind::kCorrupt) failure = Failure::None();
  deadline_ = nullptr;
  Reset();
  return failure;
}

void DecoderCore::Reset() {
  avcodec_flush_buffers(context_);
  tainted_ = false;
  needs_key_ = true;
}

// Sends one packet (null: the end) and passes on the pictures that came out.
Failure DecoderCore::Send(const AVPacket* packet, const Sink& sink) {
  refused_ = Failure::None();
  const uint64_t errors = QuietLog::Errors();
  int error = avcodec_send_packet(context_, packet);
  if (error == AVERROR(EAGAIN)) {
    const Failure failure = Receive(sink);
    if (failure) return failure;
    error = avcodec_send_packet(context_, packet);
  }
  // Software decoders decode in avcodec_send_packet: errors are reported before the picture comes out.
  if (error < 0 || QuietLog::Errors() != errors) {
    tainted_ = true;
    if (packet != nullptr) in_flight_[static_cast<size_t>(packet->pts) % kInFlightMax].tainted = true;
  }
  if (refused_) return std::move(refused_);
  const Failure failure = Receive(sink);
  if (failure) return failure;
  if (error == AVERROR_EOF && packet == nullptr) return Failure::None();
  return error < 0 ? FromAverror(error, "the unit cannot be decoded") : Failure::None();
}

Failure DecoderCore::Receive(const Sink& sink) {
  for (;;) {
    const int error = avcodec_receive_frame(context_, frame_);
    if (refused_) return std::move(refused_);
    if (error == AVERROR(EAGAIN) || error == AVERROR_EOF) return Failure::None();
    if (error < 0) {
      tainted_ = true;
      return FromAverror(error, "the unit cannot be decoded");
    }
    if (++pictures_in_call_ > kPicturesPerCallMax) {
      return Failure::Of(FailureKind::kTooLarge, "more pictures than a decoder can hold back");
    }
    const int64_t unit = frame_->pts >= 0 && frame_->pts < next_unit_ ? frame_->pts : next_unit_ - 1;
    const InFlight& source = in_flight_[static_cast<size_t>(unit) % kInFlightMax];
    const bool known = source.unit == unit;
    const bool damaged = !known || source.tainted || frame_->decode_error_flags != 0 ||
                         (frame_->flags & AV_FRAME_FLAG_CORRUPT) != 0;
    // One late picture is better than none: the deadline applies to those after it.
    const FailureKind reached = pictures_in_call_ > 1 ? deadline_->Reached() : FailureKind::kNone;
    Failure failure = reached != FailureKind::kNone
                          ? Deadline::FailureOf(reached)
                          : sink({frame_, known ? source.presentation_us : 0, damaged, unit});
    av_frame_unref(frame_);
    if (failure) return failure;
  }
}

}  // namespace nvrd::codec
