import { randomBytes } from "node:crypto";
import type { Clock, Log } from "../../base/index.js";
import type { Frame, SlabPool, StampDoubt } from "../../live/index.js";
import { EntryPolicy } from "../depacketize/entry-policy.js";
import { FrameBuilder } from "../depacketize/frame-builder.js";
import { createTrackReceiver, type TrackReceiver } from "../depacketize/track-receiver.js";
import type { UnitLosses } from "../depacketize/unit-losses.js";
import type { FragmentRun } from "../rtp/fragment-run.js";
import { readRtcp, writeKeyRequest, writeReceiverReport } from "../rtp/rtcp.js";
import type { SlabWindow } from "../rtp/slab-window.js";
import type { StreamTimes } from "../rtp/track-times.js";
import type { MediaTrack } from "../rtp/types.js";
import { isRtcp, PayloadSwitch } from "./payload-switch.js";
import type { PacketReceiver } from "./rtsp-connection.js";
import type { TransportHeader } from "./session-headers.js";
import type { TrackTransport } from "./track-transport.js";

export interface SessionTrackOptions {
  readonly track: MediaTrack;
  /** Of all tracks of the session. */
  readonly payloadTypes?: ReadonlySet<number>;
  readonly transport: TrackTransport;
  /** The Transport header of the response to SETUP. */
  readonly answer: TransportHeader | undefined;
  /** Where access units are built: in the window in which they arrive, or in separate slabs. */
  readonly memory: SlabWindow | SlabPool;
  readonly clock: Clock;
  readonly log: Log;
  readonly streamClock: StreamTimes;
  readonly losses: UnitLosses;
  /** How far apart the camera's key frames are, where that is known. */
  readonly keyIntervalUs?: number | undefined;
  publish(frame: Frame, stamp: StampDoubt | undefined): void;
  /** Offers a packet of another media to the session's other tracks (`PayloadSwitch`). */
  toOthers?(buffer: Buffer, start: number, end: number): boolean | undefined;
  /** The track's source sent BYE; `receiver` may hold an access unit yet. */
  onGoodbye(receiver: TrackReceiver): void;
}

/** One track that is set up: its transport, its receiver, and its RTCP in both directions. */
export class SessionTrack {
  readonly transport: TrackTransport;
  readonly #payloads: PayloadSwitch;
  readonly #builder: FrameBuilder;
  readonly #ssrc = randomBytes(4).readUInt32BE(0);
  #reports = 0;
  #keyRequests = 0;

  /** Throws NvrdError when the track's parameters or the transport's answer cannot be used. */
  constructor(options: SessionTrackOptions) {
    const { track, transport, answer, clock, log, streamClock } = options;
    this.transport = transport;
    this.#builder = new FrameBuilder(options.memory, (failure) => options.losses.count(failure));
    const onUnclean = (isUnclean: boolean): void => {
      if (isUnclean) options.losses.name("no-clean-key-frame");
      else options.losses.losses.unname("no-clean-key-frame");
    };
    this.#payloads = new PayloadSwitch(
      track,
      log,
      (sent) =>
        createTrackReceiver({
          onLoss: (id) => options.losses.count(id),
          entries: new EntryPolicy(onUnclean, options.keyIntervalUs),
          track: sent,
          ssrc: answer?.ssrc,
          payloadTypes: options.payloadTypes,
          keepsOrder: transport.kind === "tcp",
          builder: this.#builder,
          streamClock,
          clock,
          log,
          publish: (frame, stamp) => options.publish(frame, stamp),
        }),
      options.toOthers,
    );
    // Reports of another SSRC are ignored: they may be from an earlier session.
    const isOurs = (ssrc: number): boolean => ssrc === this.receiver.statistics.ssrc;
    const sink = {
      onSenderReport: (report: { ssrc: number; ntpUs: number; rtpTimestamp: number }) => {
        if (isOurs(report.ssrc)) this.receiver.senderReport(report.ntpUs, report.rtpTimestamp);
      },
      onGoodbye: (ssrc: number) => {
        if (isOurs(ssrc)) options.onGoodbye(this.receiver);
      },
    };
    const takeReport = (buffer: Buffer, start: number, end: number): void => {
      this.#reports += 1;
      if (!readRtcp(buffer, start, end, sink)) log.trace({ byteLength: end - start }, "packet is not RTCP");
    };
    // Some cameras swap the channels or ports of RTP and RTCP: a packet is what it looks like.
    const receiveBy =
      (payloads: PacketReceiver) =>
      (buffer: Buffer, start: number, end: number): void => {
        if (isRtcp(buffer, start)) takeReport(buffer, start, end);
        else payloads.receive(buffer, start, end);
      };
    const receive = receiveBy(this.#payloads);
    const { elsewhere } = this.#payloads;
    const rtp = {
      receive,
      receiveRun: (run: FragmentRun) => this.#payloads.receiveRun(run),
      elsewhere: { ...elsewhere, receive: receiveBy(elsewhere) },
      claims: (buffer: Buffer, start: number) => this.#payloads.claims(buffer, start),
    };
    transport.accept(answer, { rtp, rtcp: { receive } });
  }

  /** Of the payload type that the camera sends. */
  get receiver(): TrackReceiver {
    return this.#payloads.receiver;
  }

  /** Takes a packet of this track from another one's channel; false when it is none. */
  receiveStray(buffer: Buffer, start: number, end: number): boolean {
    return this.#payloads.receiveStray(buffer, start, end);
  }

  /** Packets of RTCP received. */
  get reports(): number {
    return this.#reports;
  }

  /** Asks the camera for a key frame, if it announces that it takes such requests. */
  askForKey(cname: string): void {
    const { keyRequest: kind } = this.receiver.track;
    const mediaSsrc = this.receiver.statistics.ssrc;
    if (kind === undefined || mediaSsrc === undefined) return;
    this.#keyRequests += 1;
    const fields = { kind, ssrc: this.#ssrc, mediaSsrc, number: this.#keyRequests };
    const block = this.receiver.receptionReport();
    const report = writeReceiverReport({ ssrc: this.#ssrc, block, cname, leaving: false });
    this.transport.sendRtcp(Buffer.concat([report, writeKeyRequest(fields)]));
  }

  /** Sends a receiver report; `leaving` adds BYE. */
  sendReport(cname: string, leaving: boolean): void {
    const block = this.receiver.receptionReport();
    this.transport.sendRtcp(writeReceiverReport({ ssrc: this.#ssrc, block, cname, leaving }));
  }

  close(): void {
    this.transport.close();
    this.receiver.close();
    this.#builder.close();
  }
}
