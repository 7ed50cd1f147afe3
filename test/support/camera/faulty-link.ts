import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** What becomes of an RTP packet: passed on, left out, or changed in place first. */
export type PacketFate = "pass" | "lose";

/** `payload`: behind the 12 bytes of the RTP header; it may be written to. `index` counts the link's packets. */
export type PacketFault = (payload: Buffer, index: number) => PacketFate;

/** The way to an RTSP camera over TCP, on which packets of its first track get lost or broken, and connections cut. */
export class FaultyLink {
  /** Undefined: nothing happens to them. */
  fault: PacketFault | undefined;
  /** New connections are ended at once: the cable is out. */
  isOut = false;
  /** Bytes of a replay (ONVIF Profile G) that pass on one connection; what follows stays at the camera. */
  replayBytesMax = Number.POSITIVE_INFINITY;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #packets = 0;
  #connections = 0;

  private constructor(cameraPort: number) {
    this.#server = createServer((client) => {
      if (this.isOut) {
        client.destroy();
        return;
      }
      this.#connections += 1;
      const camera = connect(cameraPort, "127.0.0.1");
      client.pipe(camera);
      let isReplay = false;
      client.on("data", (bytes: Buffer) => {
        isReplay ||= bytes.includes("onvif-replay");
      });
      let rest: Buffer = Buffer.alloc(0);
      let passed = 0;
      camera.on("data", (bytes: Buffer) => {
        rest = this.#passOn(Buffer.concat([rest, bytes]), client);
        passed += bytes.length;
        if (isReplay && passed > this.replayBytesMax) camera.pause();
      });
      camera.on("end", () => client.end());
      for (const socket of [client, camera]) {
        this.#sockets.add(socket);
        socket.on("close", () => {
          this.#sockets.delete(socket);
          client.destroy();
          camera.destroy();
        });
        // What is cut ends in "close".
        socket.on("error", () => socket.destroy());
      }
    });
  }

  static async start(cameraPort: number): Promise<FaultyLink> {
    const link = new FaultyLink(cameraPort);
    await new Promise<void>((resolve) => link.#server.listen(0, "127.0.0.1", resolve));
    return link;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections there have been. */
  get connections(): number {
    return this.#connections;
  }

  /** Ends the connections there are; the next ones are taken. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Interleaved packets (RFC 2326, 10.12) as the fault says, replies as they are; answers what is not whole yet. */
  #passOn(bytes: Buffer, client: Socket): Buffer {
    let at = 0;
    for (;;) {
      const isPacket = bytes[at] === 0x24;
      const length = isPacket ? packetLength(bytes, at) : replyLength(bytes, at);
      if (length === undefined || at + length > bytes.length) break;
      const piece = bytes.subarray(at, at + length);
      const isFirstTrack = isPacket && piece[1] === 0;
      if (!isFirstTrack || this.#fateOf(piece.subarray(16)) === "pass") client.write(piece);
      at += length;
    }
    return Buffer.from(bytes.subarray(at));
  }

  #fateOf(payload: Buffer): PacketFate {
    return this.fault?.(payload, this.#packets++) ?? "pass";
  }
}

function packetLength(bytes: Buffer, at: number): number | undefined {
  return at + 4 <= bytes.length ? 4 + bytes.readUInt16BE(at + 2) : undefined;
}

function replyLength(bytes: Buffer, at: number): number | undefined {
  const end = bytes.indexOf("\r\n\r\n", at);
  if (end < 0) return undefined;
  const body = /^content-length:\s*(\d+)/im.exec(bytes.toString("latin1", at, end));
  return end + 4 - at + Number(body?.[1] ?? 0);
}
