import { type Log, NvrdError } from "../../base/index.js";
import { codecName } from "../../live/index.js";
import { sentCodec } from "../depacketize/sent-codec.js";
import type { TrackReceiver } from "../depacketize/track-receiver.js";
import type { FragmentRun } from "../rtp/fragment-run.js";
import type { MediaTrack } from "../rtp/types.js";
import type { PacketReceiver } from "./rtsp-connection.js";
import { staticEncodingOf } from "./sdp/sdp-encodings.js";

/** Most changes of the payload type within a session: each begins the track anew. */
export const PAYLOAD_CHANGES_MAX = 16;
/** True if one of them takes it; false if others refuse it, as they have their own; undefined where there is none. */
type ToOthers = (buffer: Buffer, start: number, end: number) => boolean | undefined;
/** Parameters of an fmtp that pictures are decoded with. */
const PARAMETERS = /^(?:sprop-|config$)/;
/** RTCP packet types (RFC 5761, 4): in place of payload types, on whatever channel they come. */
const RTCP_FIRST = 192;
const RTCP_LAST = 223;

/**
 * Passes packets to the receiver of the payload type that the camera sends: one that its description offers for this media, or,
 * as long as nothing else came, one that the description knows nothing of.
 */
export class PayloadSwitch implements PacketReceiver {
  readonly #track: MediaTrack;
  readonly #log: Log;
  readonly #open: (track: MediaTrack) => TrackReceiver;
  readonly #toOthers: ToOthers;
  #receiver: TrackReceiver;
  #payloadType: number;
  /** A packet came that this track can take. */
  #isSettled = false;
  /** One came on the channel that was agreed to. */
  #receivedHere = false;
  #changes = 0;
  /** Pictures came of the codec that the receiver is of. */
  #isCodecCertain: boolean;

  /**
   * `open`: creates the receiver of a payload type; may throw NvrdError if it cannot be used. `toOthers`: offers a packet of another
   * media to the session's other tracks.
   */
  constructor(
    track: MediaTrack,
    log: Log,
    open: (track: MediaTrack) => TrackReceiver,
    toOthers: ToOthers = () => undefined,
  ) {
    this.#track = track;
    this.#log = log;
    this.#open = open;
    this.#toOthers = toOthers;
    this.#receiver = open(track);
    this.#payloadType = track.payloadType;
    this.#isCodecCertain = track.kind === "audio";
  }

  get receiver(): TrackReceiver {
    return this.#receiver;
  }

  /** As long as nothing came on its own channel: cameras send on another one than they agreed to. */
  claims(buffer: Buffer, start: number): boolean {
    if (this.#isSettled || isRtcp(buffer, start)) return false;
    const payloadType = (buffer[start + 1] ?? 0) & 0x7f;
    const { track } = this.#receiver;
    return [track, ...(this.#track.alternatives ?? [])].some((one) => one.payloadType === payloadType);
  }

  receive(buffer: Buffer, start: number, end: number): void {
    const payloadType = (buffer[start + 1] ?? 0) & 0x7f;
    if (payloadType === this.#payloadType) {
      this.#isSettled = true;
      this.#receivedHere = true;
    } else {
      const isTaken = this.#isForeign(payloadType) ? this.#toOthers(buffer, start, end) : undefined;
      if (isTaken === true) return;
      this.#turnTo(payloadType, isTaken === false);
    }
    if (!this.#isCodecCertain) this.#doubtCodec(buffer, start, end);
    this.#receiver.receive(buffer, start, end);
  }

  /** Takes a packet from the channel of another track, as long as none came on its own; false when it is not of this track. */
  receiveStray(buffer: Buffer, start: number, end: number): boolean {
    const payloadType = (buffer[start + 1] ?? 0) & 0x7f;
    if (this.#receivedHere || (payloadType !== this.#payloadType && !this.claims(buffer, start)))
      return false;
    if (payloadType !== this.#payloadType) this.#turnTo(payloadType);
    this.#isSettled = true;
    this.#receiver.receive(buffer, start, end);
    return true;
  }

  receiveRun(run: FragmentRun): void {
    this.#receiver.receiveRun(run);
  }

  /** Takes its packets from a channel that was not agreed to: what comes there beside its own is of a session that is over. */
  readonly elsewhere: PacketReceiver = {
    receive: (buffer, start, end) => {
      if (this.#receivedHere) return;
      this.receive(buffer, start, end);
      this.#receivedHere = false;
    },
    receiveRun: (run) => {
      if (!this.#receivedHere) this.receiveRun(run);
    },
  };

  /** As long as there is no picture, a packet with the parameters of another codec shows that the description names a wrong one. */
  #doubtCodec(buffer: Buffer, start: number, end: number): void {
    const { track, frames } = this.#receiver;
    this.#isCodecCertain = frames > 0;
    const codec = this.#isCodecCertain ? undefined : sentCodec(track.codec, buffer, start, end);
    if (codec === undefined || this.#changes >= PAYLOAD_CHANGES_MAX) return;
    this.#changes += 1;
    const before = this.#receiver;
    this.#receiver = this.#open({ ...track, codec, fmtp: new Map() });
    before.close();
    const announced = codecName(track.codec);
    this.#log.info({ announced, codec: codecName(codec) }, "camera sends another codec than announced");
  }

  /** Announced for another media, and not for this one. */
  #isForeign(payloadType: number): boolean {
    const track = this.#track;
    if (track.foreignTypes?.has(payloadType) !== true) return false;
    return track.payloadType !== payloadType && !isOffered(track, payloadType);
  }

  /** `isRefused`: it is announced for another media, whose track has its packets from elsewhere. */
  #turnTo(payloadType: number, isRefused = false): void {
    const sent = this.#meant(payloadType, isRefused);
    if (sent === undefined) return;
    const { track, packets } = this.#receiver;
    const isAnnounced =
      track.payloadType === this.#track.payloadType || isOffered(this.#track, track.payloadType);
    if (isAnnounced && packets > 0 && isSameContent(track, sent)) {
      this.#receiver.turnTo(payloadType);
      this.#payloadType = payloadType;
      return;
    }
    if (this.#changes >= PAYLOAD_CHANGES_MAX) return;
    this.#changes += 1;
    const { payloadType: announced } = this.#receiver.track;
    const before = this.#receiver;
    try {
      this.#receiver = this.#open(sent);
    } catch (error) {
      if (!(error instanceof NvrdError)) throw error;
      this.#log.warn({ payloadType, error: error.message }, "the camera sends what cannot be received");
      return;
    }
    before.close();
    this.#payloadType = payloadType;
    this.#isSettled = true;
    this.#log.info(
      { payloadType, announced, codec: codecName(sent.codec) },
      "camera sends another payload type than announced",
    );
  }

  /** The track that packets of `payloadType` are of; undefined if they are not of this media. */
  #meant(payloadType: number, isRefused: boolean): MediaTrack | undefined {
    const track = this.#track;
    const offered = [track, ...(track.alternatives ?? [])].find((one) => one.payloadType === payloadType);
    if (offered !== undefined) return offered;
    const mayBeRtcp = payloadType >= (RTCP_FIRST & 0x7f) && payloadType <= (RTCP_LAST & 0x7f);
    if (this.#isSettled || mayBeRtcp) return undefined;
    if (isRefused) return { ...track, payloadType };
    if (track.foreignTypes?.has(payloadType) === true) return undefined;
    const fixed = staticEncodingOf(payloadType);
    if (fixed === undefined) return { ...track, payloadType };
    if (fixed.kind !== track.kind) return undefined;
    const { clockRate = track.clockRate, channels = 1, codec, payload } = fixed;
    return { ...track, codec, payload, payloadType, clockRate, channels };
  }
}

function isOffered({ alternatives = [] }: MediaTrack, payloadType: number): boolean {
  return alternatives.some((one) => one.payloadType === payloadType);
}

/** Whether pictures or sound of one go on with those of the other, which may say nothing of its parameters. */
function isSameContent(one: MediaTrack, other: MediaTrack): boolean {
  if (one.codec !== other.codec || one.payload !== other.payload) return false;
  if (one.clockRate !== other.clockRate || one.channels !== other.channels) return false;
  const names = [...other.fmtp.keys()].filter((name) => PARAMETERS.test(name) || other.kind === "audio");
  return names.every((name) => one.fmtp.get(name) === other.fmtp.get(name));
}

/** Whether a packet is one of RTCP, by its second byte. */
export function isRtcp(buffer: Buffer, start: number): boolean {
  const type = buffer[start + 1] ?? 0;
  return type >= RTCP_FIRST && type <= RTCP_LAST;
}
