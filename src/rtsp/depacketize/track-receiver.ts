import { type Clock, type Log, NvrdError, US_PER_MS } from "../../base/index.js";
import type { LossId } from "../../contract/answer/index.js";
import {
  Codec,
  DecodeTimeline,
  Frame,
  type FrameFields,
  type MediaFormat,
  type StampDoubt,
  type StreamTime,
} from "../../live/index.js";
import type { FragmentRun } from "../rtp/fragment-run.js";
import { type ReceptionReport, RtpReceiver, type RtpStatistics } from "../rtp/rtp-receiver.js";
import { RtpTimeline } from "../rtp/rtp-timeline.js";
import { SenderReportClock } from "../rtp/sender-report-clock.js";
import type { StreamTimes, TrackTimes } from "../rtp/track-times.js";
import type { DepacketizedUnit, MediaTrack } from "../rtp/types.js";
import type { AudioSink, Depacketizer, UnitSink } from "./depacketizer.js";
import { EntryPolicy } from "./entry-policy.js";
import type { FrameBuilder } from "./frame-builder.js";
import { H264Depacketizer } from "./h264-depacketizer.js";
import { H265Depacketizer } from "./h265-depacketizer.js";
import { MjpegDepacketizer } from "./jpeg/mjpeg-depacketizer.js";
import { Mpeg4Depacketizer } from "./mpeg4-depacketizer.js";
import { soundDepacketizer } from "./sound/sound-depacketizer.js";

/**
 * A unit whose end only the next unit shows (the camera sets no marker, or the session has just begun) is published
 * after this long without a packet. At one frame a second it would otherwise be a second late.
 */
export const UNIT_SILENCE_MS = 300;
/** Ticks without a packet that count as silence: after one tick, packets may still be waiting in the kernel. */
const SILENT_TICKS_MIN = 2;

/** Longest time from the first packet of a timestamp to the tick after its last: of one that is older, new packets came. */
const TIMESTAMP_AGE_US_MAX = 1_000_000;

export interface TrackReceiverOptions {
  readonly track: MediaTrack;
  /** The SSRC in the response to SETUP, if any. */
  readonly ssrc?: number | undefined;
  /** Of all tracks of the session, which may share a channel. */
  readonly payloadTypes?: ReadonlySet<number> | undefined;
  /** The transport loses nothing and keeps the order, as TCP does. */
  readonly keepsOrder: boolean;
  /** Video: the builder of this track only. Audio does not use it. */
  readonly builder: FrameBuilder;
  /** The stream's clock; outlives the session. */
  readonly streamClock: StreamTimes;
  readonly clock: Clock;
  /** Something of the track was dropped: packets, units, pictures. Called while a packet is handled. */
  onLoss?(id: LossId): void;
  /** What the track may be begun with; its own where it is absent. */
  readonly entries?: EntryPolicy | undefined;
  /** Takes over each frame with its lease, in decode order, during `receive`, `onTick` or `flush`; `stamp`: see `TrackTimes`. */
  publish(frame: Frame, stamp: StampDoubt | undefined): void;
  readonly log: Log;
}

/** Counts of a track's packets since its creation. */
export interface TrackStatistics extends RtpStatistics {
  /** Frames passed to `publish`. */
  readonly frames: number;
  /** Of those, frames marked damaged. */
  readonly damagedFrames: number;
  /** Access units and audio packets dropped: before the first whole key frame, or not buildable. */
  readonly droppedUnits: number;
}

/** One track of a session, from RTP packets to frames. */
export interface TrackReceiver {
  readonly track: MediaTrack;
  readonly statistics: TrackStatistics;
  /** RTP packets accepted, as in `statistics`. */
  readonly packets: number;
  /** Frames passed to `publish`, as in `statistics`. */
  readonly frames: number;
  /** Packets missing, that cannot be parsed, and of other payload types, as in `statistics`. */
  readonly lost: number;
  readonly malformed: number;
  readonly wrongPayloadType: number;
  /** Takes one RTP packet `buffer[start .. end)`, RTP header first. Never throws because of the packet's contents. */
  receive(buffer: Buffer, start: number, end: number): void;
  /** Takes what follows in the interleaved stream as far as it only continues a slice, as `receive` of each packet would. */
  receiveRun(run: FragmentRun): void;
  /** From now on its packets are of this payload type, of the same content. */
  turnTo(payloadType: number): void;
  /** The times of an RTCP sender report: NTP time in Unix microseconds, and the corresponding RTP timestamp. */
  senderReport(ntpUs: number, rtpTimestamp: number): void;
  /** The numbers of the next reception report; undefined before the first packet. Each call begins a new interval. */
  receptionReport(): ReceptionReport | undefined;
  /** Checks whether packets have stopped; `nowUs`: monotonic time. Called once per tick. */
  onTick(nowUs: number): void;
  /** No packet comes for now, or none at all: publishes the current access unit, unless it is known to be unfinished. */
  finishSilent(): void;
  /** Publishes the current access unit as complete: the source ended in order (TEARDOWN, BYE). */
  flush(): void;
  /** Drops the access unit in progress. Does not close the builder. */
  close(): void;
}

/**
 * Creates the receiver of one track. Throws NvrdError NOT_SUPPORTED if its parameters are not supported (AAC without a
 * config, or interleaved).
 */
export function createTrackReceiver(options: TrackReceiverOptions): TrackReceiver {
  return new CodecTrackReceiver(options);
}

type PictureFields = { -readonly [Name in keyof Omit<FrameFields, "ranges">]: FrameFields[Name] };

class CodecTrackReceiver implements TrackReceiver, UnitSink, AudioSink {
  readonly track: MediaTrack;
  readonly #options: TrackReceiverOptions;
  readonly #rtp: RtpReceiver;
  readonly #depacketizer: Depacketizer;
  readonly #entries: EntryPolicy;
  readonly #trackClock: TrackTimes;
  readonly #rtpTimeline: RtpTimeline;
  readonly #decodeTimeline = new DecodeTimeline();
  readonly #reports: SenderReportClock;
  #reorderDepth = 0;
  /** A whole key frame has been published. */
  #started = false;
  /** Bytes were lost since the last whole key frame. */
  #gopDamaged = false;
  /** The key frame to which frames refer was lost or damaged. */
  #undecodable = false;
  #discontinuity = false;
  /** A sender report came before there was media time to relate it to. */
  #reportPending = false;
  /** Packets accepted when a frame of sound was last the first of its packet. */
  #headPackets = 0;
  #frames = 0;
  #damagedFrames = 0;
  #droppedUnits = 0;
  #tickPackets = 0;
  #silentTicks = 0;
  #silentSinceUs = 0;
  /** What is published now came before: nothing has followed it. */
  #isLate = false;
  /** Of the unit before. */
  #unitTimestamp = -1;
  #fields: PictureFields | undefined;

  constructor(options: TrackReceiverOptions) {
    const { track, clock } = options;
    this.track = track;
    this.#options = options;
    this.#entries = options.entries ?? new EntryPolicy();
    this.#depacketizer = createDepacketizer(options, this, this.#entries);
    this.#trackClock = options.streamClock.openTrack(track.kind);
    this.#rtpTimeline = new RtpTimeline(track.clockRate);
    this.#reports = new SenderReportClock(clock);
    this.#rtp = new RtpReceiver({
      payloadType: track.payloadType,
      ssrc: options.ssrc,
      payloadTypes: options.payloadTypes,
      keepsOrder: options.keepsOrder,
      clockRate: track.clockRate,
      clock,
      zerosBegin: track.codec === Codec.MJPEG,
      onPacket: (packet) => this.#depacketizer.receive(packet),
    });
  }

  get statistics(): TrackStatistics {
    return {
      ...this.#rtp.statistics,
      frames: this.#frames,
      damagedFrames: this.#damagedFrames,
      droppedUnits: this.#droppedUnits,
    };
  }

  get packets(): number {
    return this.#rtp.packets;
  }

  get frames(): number {
    return this.#frames;
  }

  get lost(): number {
    return this.#rtp.lost;
  }

  get malformed(): number {
    return this.#rtp.malformed;
  }

  get wrongPayloadType(): number {
    return this.#rtp.wrongPayloadType;
  }

  receive(buffer: Buffer, start: number, end: number): void {
    this.#rtp.receive(buffer, start, end);
  }

  turnTo(payloadType: number): void {
    this.#rtp.turnTo(payloadType);
  }

  receiveRun(run: FragmentRun): void {
    const depacketizer = this.#depacketizer;
    if (depacketizer.allowsRun?.(run) !== true || !this.#rtp.allowsRun(run)) return;
    if (run.take() === 0) return;
    this.#rtp.noteRun(run);
    depacketizer.noteRun?.(run);
  }

  senderReport(ntpUs: number, rtpTimestamp: number): void {
    this.#reports.received(ntpUs, rtpTimestamp);
    this.#reportPending = true;
    if (this.#frames > 0) this.#applySenderReport();
  }

  receptionReport(): ReceptionReport | undefined {
    return this.#rtp.receptionReport(this.#reports);
  }

  onTick(nowUs: number): void {
    this.#entries.onTick(nowUs);
    const { packets } = this.#rtp;
    if (packets !== this.#tickPackets) {
      this.#tickPackets = packets;
      this.#silentTicks = 0;
      this.#silentSinceUs = nowUs;
      return;
    }
    this.#silentTicks += 1;
    if (this.#silentTicks < SILENT_TICKS_MIN) return;
    if (nowUs - this.#silentSinceUs >= UNIT_SILENCE_MS * US_PER_MS) this.finishSilent();
  }

  finishSilent(): void {
    this.#options.builder.openKept();
    this.#isLate = true;
    this.#depacketizer.finishSilent();
    this.#isLate = false;
  }

  flush(): void {
    this.#options.builder.openKept();
    this.#isLate = true;
    this.#depacketizer.flush();
    this.#isLate = false;
  }

  close(): void {
    this.#depacketizer.reset();
    this.#options.streamClock.closeTrack(this.#trackClock);
  }

  onUnit(unit: DepacketizedUnit): void {
    const { builder } = this.#options;
    if (unit.damaged || builder.failure !== undefined) {
      this.#gopDamaged = true;
      this.#undecodable ||= unit.keyLost;
    } else if (unit.key) {
      this.#gopDamaged = false;
      this.#undecodable = false;
      this.#started = true;
    }
    if (!this.#started || builder.failure !== undefined) {
      this.#drop();
      builder.discard();
      return;
    }
    if (unit.reorderDepth !== this.#reorderDepth) {
      this.#reorderDepth = unit.reorderDepth;
      this.#decodeTimeline.setReorderDepth(unit.reorderDepth);
    }
    const { rtpTimestamp } = unit;
    const arrivedUs = this.#arrivedUs(rtpTimestamp);
    this.#unitTimestamp = rtpTimestamp;
    const rawUs = this.#rtpTimeline.mediaUs(rtpTimestamp);
    const presentationUs = this.#trackClock.media(rawUs, arrivedUs, unit.reorderDepth);
    const { decodeUs, presentationOffsetUs } = this.#decodeTimeline.next(presentationUs, unit.key);
    const time = this.#stamp(decodeUs, arrivedUs, rtpTimestamp, presentationUs);
    if (time === undefined) {
      builder.discard();
      return;
    }
    const frame = builder.finish(this.#fieldsOf(unit, time, presentationOffsetUs));
    if (frame === undefined) {
      this.#discontinuity ||= time.discontinuity;
      this.#drop();
    } else this.#publish(frame);
  }

  /** What the next frame is, but for its bytes. One object, as a new one for each picture would be garbage at once. */
  #fieldsOf(unit: DepacketizedUnit, time: StreamTime, presentationOffsetUs: number): PictureFields {
    this.#fields ??= fieldsIn(unit.format);
    const fields = this.#fields;
    fields.format = unit.format;
    fields.decodeTimeUs = time.timeUs;
    fields.presentationOffsetUs = Math.round(presentationOffsetUs);
    fields.key = unit.key && !this.#gopDamaged;
    fields.damaged = this.#gopDamaged || unit.isUnclean === true;
    fields.undecodable = this.#undecodable;
    fields.discontinuity = time.discontinuity;
    return fields;
  }

  onAudio(unit: DepacketizedUnit, bytes: Buffer): void {
    const rawUs = this.#rtpTimeline.mediaUs(unit.rtpTimestamp);
    const { packets, heldSinceUs } = this.#rtp;
    const mediaUs =
      packets === this.#headPackets
        ? this.#trackClock.mediaFollowing(rawUs)
        : this.#trackClock.media(rawUs, heldSinceUs, 0);
    this.#headPackets = packets;
    const time = this.#stamp(mediaUs, heldSinceUs, unit.rtpTimestamp, mediaUs);
    if (time === undefined) {
      this.#drop();
      return;
    }
    const frame = new Frame({
      format: unit.format,
      decodeTimeUs: time.timeUs,
      presentationOffsetUs: 0,
      key: true,
      damaged: false,
      undecodable: false,
      discontinuity: time.discontinuity,
      ranges: [{ slab: undefined, bytes }],
    });
    this.#publish(frame);
  }

  onBadPacket(): void {
    this.#drop();
    this.onLoss(this.track.kind === "audio" ? "sound-unreadable" : "unknown-structure");
  }

  onLoss(id: LossId): void {
    this.#options.onLoss?.(id);
  }

  /** Arrival of a unit that is published later than its last packet came; else undefined: now. */
  #arrivedUs(rtpTimestamp: number): number | undefined {
    if (!this.#isLate) return this.#rtp.arrivedBefore(rtpTimestamp) ?? this.#rtp.heldSinceUs;
    const { newestArrivedUs } = this.#rtp;
    // Timestamps that stand still do not show when their newest packet came.
    const isOld =
      rtpTimestamp === this.#unitTimestamp || this.#silentSinceUs - newestArrivedUs > TIMESTAMP_AGE_US_MAX;
    return isOld ? this.#silentSinceUs : newestArrivedUs;
  }

  /** Stream time of a frame. A discontinuity whose frame was dropped is set on the next. */
  #stamp(
    mediaUs: number,
    arrivedUs: number | undefined,
    rtpTimestamp: number,
    presentationUs: number,
  ): { timeUs: number; discontinuity: boolean } | undefined {
    const time = this.#trackClock.stamp(mediaUs, arrivedUs, rtpTimestamp, presentationUs);
    if (time === undefined) return undefined;
    if (this.#reportPending) this.#applySenderReport();
    if (!this.#discontinuity) return time;
    this.#discontinuity = false;
    return { timeUs: time.timeUs, discontinuity: true };
  }

  #publish(frame: Frame): void {
    this.#frames += 1;
    if (frame.damaged) this.#damagedFrames += 1;
    this.#options.publish(frame, this.#trackClock.stampDoubt);
  }

  #drop(): void {
    this.#droppedUnits += 1;
  }

  /** Relates the newest sender report to media time, once there is media time. */
  #applySenderReport(): void {
    const report = this.#reports.newest;
    if (report === undefined || !this.#rtpTimeline.isRunning) return;
    this.#reportPending = false;
    this.#trackClock.senderReport(report.ntpUs, this.#rtpTimeline.mediaUsNear(report.rtpTimestamp));
  }
}

function fieldsIn(format: MediaFormat): PictureFields {
  return {
    format,
    // NaN, so that V8 expects no small integer.
    decodeTimeUs: Number.NaN,
    presentationOffsetUs: 0,
    key: false,
    damaged: false,
    undecodable: false,
    discontinuity: false,
  };
}

function createDepacketizer(
  options: TrackReceiverOptions,
  sink: UnitSink & AudioSink,
  entries: EntryPolicy,
): Depacketizer {
  const { track, builder } = options;
  const { fmtp } = track;
  const sound = soundDepacketizer(track, sink);
  if (sound !== undefined) return sound;
  switch (track.codec) {
    case Codec.H264:
      return new H264Depacketizer({ fmtp, builder, sink, entries });
    case Codec.H265:
      return new H265Depacketizer({ fmtp, builder, sink, entries });
    case Codec.MPEG4:
      return new Mpeg4Depacketizer({ fmtp, builder, sink, entries });
    case Codec.MJPEG:
      return new MjpegDepacketizer({ size: track.size, builder, sink });
    default:
      throw new NvrdError(
        "NOT_SUPPORTED",
        `codec ${String(track.codec)} of payload type ${track.payloadType}`,
      );
  }
}
