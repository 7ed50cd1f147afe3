import type { Socket as DatagramSocket } from "node:dgram";
import type {
  ClientSocket,
  Dialer,
  Endpoint,
  SocketEvents,
} from "../../../src/rtsp/client/socket/client-socket.js";
import { cameraAnswers, type ScriptedAnswer } from "./scripted-rtsp-server.js";

/** Bytes of an answer, in the pieces the network delivers them in. */
export type Slicer = (bytes: Buffer, method: string) => readonly Buffer[];

/**
 * A camera without a network: a Dialer whose connections answer by script, in the pieces that `slice` cuts. What it
 * is written and how often it is dialled is counted; nothing takes time.
 */
export class FakeCamera implements Dialer {
  dials = 0;
  open = 0;
  readonly #answers: Readonly<Record<string, ScriptedAnswer>>;
  readonly #slice: Slicer;
  readonly #greeting: Buffer;
  readonly #read: (() => Buffer) | undefined;

  constructor(options: {
    readonly answers?: Readonly<Record<string, ScriptedAnswer>>;
    readonly slice?: Slicer;
    /** Sent as soon as the connection stands. */
    readonly greeting?: Buffer;
    /** What has come when its socket is read on a tick; without it the event loop has to read. */
    readonly read?: () => Buffer;
  }) {
    this.#answers = options.answers ?? cameraAnswers();
    this.#slice = options.slice ?? ((bytes) => [bytes]);
    this.#greeting = options.greeting ?? Buffer.alloc(0);
    this.#read = options.read;
  }

  dial(_endpoint: Endpoint, events: SocketEvents): ClientSocket {
    this.dials += 1;
    this.open += 1;
    let isOpen = true;
    const close = (): void => {
      if (isOpen) this.open -= 1;
      isOpen = false;
    };
    const deliver = (bytes: Buffer): void => {
      for (let at = 0; at < bytes.length && isOpen; ) {
        const target = events.target();
        const taken = bytes.copy(target, 0, at, Math.min(bytes.length, at + target.length));
        events.received(taken, taken === target.length);
        at += taken;
      }
    };
    queueMicrotask(() => {
      if (!isOpen) return;
      events.connected();
      deliver(this.#greeting);
    });
    return {
      remoteAddress: "192.0.2.1",
      localAddress: "192.0.2.2",
      unsentBytes: 0,
      setReading: () => undefined,
      canReadNow: this.#read !== undefined,
      readNow: () => {
        if (this.#read !== undefined) deliver(this.#read());
        return this.#read !== undefined;
      },
      end: close,
      destroy: close,
      write: (bytes) => {
        const request = bytes.toString("latin1");
        const [method = "", uri = ""] = request.split(" ");
        const fields = { method, uri, headers: new Map<string, string>(), connection: this.dials - 1 };
        const answer = this.#answers[method]?.(fields, undefined as never);
        if (answer === undefined) return;
        const sequence = /CSeq: (\d+)/.exec(request)?.[1] ?? "";
        const text = Buffer.from(answer).toString("latin1").replace("$CSEQ", sequence);
        const pieces = this.#slice(Buffer.from(text, "latin1"), method);
        queueMicrotask(() => {
          for (const piece of pieces) deliver(piece);
        });
      },
    };
  }

  datagramSocket(): DatagramSocket {
    throw new Error("this camera has no UDP");
  }
}
