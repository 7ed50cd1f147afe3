import type { Log } from "../../../base/index.js";
import { SrtpSession } from "../../rtp/srtp-session.js";
import type { MediaTrack } from "../../rtp/types.js";
import type { PacketReceiver, RtspConnection } from "../rtsp-connection.js";
import { RtspFailure } from "../rtsp-failure.js";
import type { TransportHeader } from "../session-headers.js";
import type { TrackSinks, TrackTransport, TransportKind } from "../track-transport.js";

/** In the second byte of RTP, beside the marker. */
const PAYLOAD_TYPE_MASK = 0x7f;

export interface ProtectionOptions {
  readonly track: MediaTrack;
  /** The connection over which the description came is encrypted. */
  readonly isSecure: boolean;
  readonly log: Log;
}

/**
 * `inner` itself for packets that are not protected, else with SRTP around it. Throws RtspFailure where the keys came unencrypted:
 * whoever can see the packets has seen the keys too.
 */
export function protectedTransport(inner: TrackTransport, options: ProtectionOptions): TrackTransport {
  if (options.track.srtpKeys === undefined) return inner;
  if (options.isSecure) return new SrtpTransport(inner, options.track, options.log);
  inner.close();
  const words =
    "the camera sends the keys of its encrypted pictures unencrypted, so that they protect nothing: use rtsps://, or switch SRTP off in the camera";
  throw new RtspFailure("tls", words);
}

/** What may carry `tracks`: UDP does not go through a tunnel, and packets that are not protected themselves stay within TLS. */
export function usableTransports(
  wanted: readonly TransportKind[],
  { isTunnel, isSecure }: Pick<RtspConnection, "isTunnel" | "isSecure">,
  tracks: readonly MediaTrack[],
): readonly TransportKind[] {
  const isPlain = tracks.some(({ srtpKeys }) => srtpKeys === undefined);
  return isTunnel || (isSecure && isPlain) ? ["tcp"] : wanted;
}

/** One track's packets with SRTP and SRTCP (RFC 3711), by the keys that the description names (RFC 4568). */
class SrtpTransport implements TrackTransport {
  readonly kind: TransportKind;
  readonly request: string;
  readonly #inner: TrackTransport;
  readonly #session: SrtpSession;
  readonly #log: Log;
  readonly #payloadType: number;
  /** Packets of pictures or sound that do not fit the keys. */
  #misfits = 0;

  constructor(inner: TrackTransport, { srtpKeys: keys = [], payloadType }: MediaTrack, log: Log) {
    this.kind = inner.kind;
    this.request = inner.request.replace(/^RTP\/AVP/, "RTP/SAVP");
    this.#inner = inner;
    this.#session = new SrtpSession(keys, { rejectsRepeated: inner.kind === "udp" });
    this.#payloadType = payloadType;
    this.#log = log;
  }

  get trouble(): string | undefined {
    return this.#misfits === 0 ? undefined : "its packets do not fit the keys that it names (SRTP)";
  }

  accept(answer: TransportHeader | undefined, { rtp, rtcp }: TrackSinks): void {
    this.#inner.accept(answer, {
      rtp: { receive: (buffer, start, end) => this.#receiveRtp(rtp, buffer, start, end) },
      rtcp: {
        receive: (buffer, start, end) => {
          const opened = this.#session.openRtcp(buffer, start, end);
          if (opened !== undefined) rtcp.receive(buffer, start, opened);
        },
      },
    });
  }

  sendRtcp(packet: Buffer): void {
    this.#inner.sendRtcp(this.#session.sealRtcp(packet));
  }

  sendRtp(packet: Buffer): void {
    this.#inner.sendRtp(this.#session.sealRtp(packet));
  }

  close(): void {
    this.#log.debug({ ...this.#session.counts }, "SRTP ends");
    this.#inner.close();
  }

  #receiveRtp(sink: PacketReceiver, buffer: Buffer, start: number, end: number): void {
    const isOwn = ((buffer[start + 1] ?? 0) & PAYLOAD_TYPE_MASK) === this.#payloadType;
    if (isOwn) {
      const { repeated } = this.#session.counts;
      const opened = this.#session.openRtp(buffer, start, end);
      if (opened !== undefined) sink.receive(buffer, start, opened);
      else if (this.#session.counts.repeated === repeated) this.#miss();
      return;
    }
    // Cameras that send all tracks on one channel: the packet may be another track's, which opens it in its place.
    const copy = Buffer.from(buffer.subarray(start, end));
    const opened = this.#session.openRtp(copy, 0, copy.length);
    if (opened !== undefined) sink.receive(copy, 0, opened);
  }

  #miss(): void {
    this.#misfits += 1;
    if (this.#misfits === 1)
      this.#log.warn("packets of the camera do not fit its SRTP keys: they are dropped");
  }
}
