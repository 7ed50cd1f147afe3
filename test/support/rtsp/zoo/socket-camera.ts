import { createSocket, type Socket as DatagramSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { ZooCamera } from "./zoo-camera.js";

const LOOPBACK = "127.0.0.1";
/** RTP and RTCP of three tracks. */
const PORTS = 6;
const STEP_MS = 20;

/** A camera of the zoo on loopback. */
export class SocketCamera {
  readonly #camera: ZooCamera;
  readonly #server: Server;
  readonly #datagrams: DatagramSocket[] = [];
  readonly #sockets = new Set<Socket>();
  #timer: NodeJS.Timeout | undefined;

  constructor(camera: ZooCamera) {
    this.#camera = camera;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  get url(): string {
    return `rtsp://${LOOPBACK}:${(this.#server.address() as AddressInfo).port}${this.#camera.address}`;
  }

  async start(): Promise<this> {
    for (let at = 0; at < PORTS; at += 1) {
      const socket = createSocket("udp4");
      socket.bind(0, LOOPBACK);
      await once(socket, "listening");
      // Reports come to the second of each pair.
      if (at % 2 === 1) socket.on("message", () => this.#reported());
      this.#datagrams.push(socket);
    }
    this.#server.listen(0, LOOPBACK);
    await once(this.#server, "listening");
    this.#timer = setInterval(() => this.#camera.advance(), STEP_MS);
    return this;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    for (const socket of this.#sockets) socket.destroy();
    for (const socket of this.#datagrams) socket.close();
    this.#server.close();
    await once(this.#server, "close");
  }

  #reported(): void {
    for (const session of this.#camera.sessions) if (session.isOpen) session.reported();
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    const session = this.#camera.connected({
      write: (bytes) => void socket.write(bytes),
      datagram: (port, from, bytes) => this.#datagram(from)?.send(bytes, port, LOOPBACK),
      hangUp: () => void socket.end(),
      ports: (track) => [this.#port(2 * track), this.#port(2 * track + 1)],
    });
    socket.on("data", (bytes) => session.receive(bytes));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      this.#sockets.delete(socket);
      session.closed();
    });
  }

  #datagram(port: number): DatagramSocket | undefined {
    return this.#datagrams.find((socket) => socket.address().port === port);
  }

  #port(at: number): number {
    return this.#datagrams[at]?.address().port ?? 0;
  }
}
