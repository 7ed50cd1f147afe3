import type { Socket as DatagramSocket } from "node:dgram";
import type {
  ClientSocket,
  Dialer,
  Endpoint,
  SocketEvents,
} from "../../../src/rtsp/client/socket/client-socket.js";
import { describeReply, keyFrames, reply, VIDEO_SDP } from "./scripted-rtsp-server.js";

/** A camera without a network: plays `frames` key frames in each session and hangs up. */
export class FlappingCamera implements Dialer {
  readonly #frames: Buffer;
  sessions = 0;
  open = 0;

  constructor(frames: number) {
    this.#frames = keyFrames(1, frames);
  }

  dial(_endpoint: Endpoint, events: SocketEvents): ClientSocket {
    this.sessions += 1;
    this.open += 1;
    let isOpen = true;
    const close = (isReported: boolean): void => {
      if (!isOpen) return;
      isOpen = false;
      this.open -= 1;
      if (isReported) events.closed(undefined);
    };
    setImmediate(() => isOpen && events.connected());
    return {
      remoteAddress: "192.0.2.1",
      localAddress: "192.0.2.2",
      unsentBytes: 0,
      write: (bytes) => {
        const answer = this.#answer(bytes.toString("latin1"));
        if (answer === undefined) return;
        setImmediate(() => {
          if (isOpen) feed(events, answer.bytes);
          if (answer.last) setImmediate(() => close(true));
        });
      },
      setReading: () => undefined,
      canReadNow: false,
      readNow: () => false,
      end: () => close(false),
      destroy: () => close(false),
    };
  }

  datagramSocket(): DatagramSocket {
    throw new Error("this camera has no UDP");
  }

  #answer(request: string): { readonly bytes: Buffer; readonly last: boolean } | undefined {
    const [method = ""] = request.split(" ");
    const cseq = /CSeq: (\d+)/.exec(request)?.[1];
    if (cseq === undefined) return undefined;
    const last = method === "PLAY";
    const text =
      method === "DESCRIBE"
        ? describeReply(VIDEO_SDP)
        : reply(200, ["Session: 1", "Transport: RTP/AVP/TCP;interleaved=0-1"]);
    const head = Buffer.from(text.replace("$CSEQ", cseq), "latin1");
    return { bytes: last ? Buffer.concat([head, this.#frames]) : head, last };
  }
}

function feed(events: SocketEvents, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) {
    const target = events.target();
    const length = Math.min(target.length, bytes.length - at);
    bytes.copy(target, 0, at, at + length);
    at += length;
    events.received(length, length === target.length);
  }
}
