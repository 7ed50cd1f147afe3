import type { Log } from "../../base/index.js";
import { SrtpSession } from "../depacketize/srtp-session.js";
import type { MediaTrack } from "../depacketize/types.js";
import type { PacketReceiver, RtspConnection } from "./rtsp-connection.js";
import { RtspFailure } from "./rtsp-failure.js";
import type { TransportHeader } from "./session-headers.js";
import type { TrackSinks, TrackTransport, TransportKind } from "./track-transport.js";

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
  if (options.isSecure) return new SrtpTransport(inner, options.track.srtpKeys, options.log);
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
  #isTold = false;

  constructor(inner: TrackTransport, keys: NonNullable<MediaTrack["srtpKeys"]>, log: Log) {
    this.kind = inner.kind;
    this.request = inner.request.replace(/^RTP\/AVP/, "RTP/SAVP");
    this.#inner = inner;
    this.#session = new SrtpSession(keys, { rejectsRepeated: inner.kind === "udp" });
    this.#log = log;
  }

  get trouble(): string | undefined {
    const { forged, malformed } = this.#session.counts;
    return forged + malformed === 0 ? undefined : "its packets do not fit the keys that it names (SRTP)";
  }

  accept(answer: TransportHeader | undefined, sinks: TrackSinks): void {
    this.#inner.accept(answer, {
      rtp: this.#opening(sinks.rtp, (buffer, start, end) => this.#session.openRtp(buffer, start, end)),
      rtcp: this.#opening(sinks.rtcp, (buffer, start, end) => this.#session.openRtcp(buffer, start, end)),
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

  #opening(
    sink: PacketReceiver,
    open: (buffer: Buffer, start: number, end: number) => number | undefined,
  ): PacketReceiver {
    return {
      receive: (buffer, start, end) => {
        const opened = open(buffer, start, end);
        if (opened !== undefined) sink.receive(buffer, start, opened);
        else if (this.trouble !== undefined) this.#tell();
      },
    };
  }

  #tell(): void {
    if (this.#isTold) return;
    this.#isTold = true;
    this.#log.warn("packets of the camera do not fit its SRTP keys: they are dropped");
  }
}
