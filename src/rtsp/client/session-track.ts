import { randomBytes } from "node:crypto";
import type { Clock, Log } from "../../base/index.js";
import type { Frame, SlabPool } from "../../live/index.js";
import { FrameBuilder } from "../depacketize/frame-builder.js";
import { readRtcp, writeReceiverReport } from "../depacketize/rtcp.js";
import type { SlabWindow } from "../depacketize/slab-window.js";
import { createTrackReceiver, type TrackReceiver } from "../depacketize/track-receiver.js";
import type { StreamTimes } from "../depacketize/track-times.js";
import type { MediaTrack } from "../depacketize/types.js";
import type { UnitLosses } from "../depacketize/unit-losses.js";
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
  publish(frame: Frame): void;
  /** The track's source sent BYE. */
  onGoodbye(): void;
}

/** One track that is set up: its transport, its receiver, and its RTCP in both directions. */
export class SessionTrack {
  readonly transport: TrackTransport;
  readonly receiver: TrackReceiver;
  readonly #builder: FrameBuilder;
  readonly #ssrc = randomBytes(4).readUInt32BE(0);

  /** Throws NvrdError when the track's parameters or the transport's answer cannot be used. */
  constructor(options: SessionTrackOptions) {
    const { track, transport, answer, clock, log, streamClock } = options;
    this.transport = transport;
    this.#builder = new FrameBuilder(options.memory, (failure) => options.losses.count(failure));
    const receiver = createTrackReceiver({
      track,
      ssrc: answer?.ssrc,
      payloadTypes: options.payloadTypes,
      keepsOrder: transport.kind === "tcp",
      builder: this.#builder,
      streamClock,
      clock,
      log,
      publish: (frame) => options.publish(frame),
    });
    this.receiver = receiver;
    // Reports of another SSRC are ignored: they may be from an earlier session.
    const isOurs = (ssrc: number): boolean => ssrc === receiver.statistics.ssrc;
    const sink = {
      onSenderReport: (report: { ssrc: number; ntpUs: number; rtpTimestamp: number }) => {
        if (isOurs(report.ssrc)) receiver.senderReport(report.ntpUs, report.rtpTimestamp);
      },
      onGoodbye: (ssrc: number) => {
        if (!isOurs(ssrc)) return;
        receiver.flush();
        options.onGoodbye();
      },
    };
    transport.accept(answer, {
      rtp: receiver,
      rtcp: {
        receive: (buffer, start, end) => {
          if (!readRtcp(buffer, start, end, sink))
            log.trace({ byteLength: end - start }, "packet is not RTCP");
        },
      },
    });
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
