import type { Socket as DatagramSocket } from "node:dgram";
import { EventEmitter } from "node:events";
import type {
  ClientSocket,
  Dialer,
  Endpoint,
  SocketEvents,
} from "../../../../src/rtsp/client/socket/client-socket.js";
import type { ZooCamera } from "./zoo-camera.js";
import type { CameraSession, Wire } from "./zoo-session.js";

const CAMERA_ADDRESS = "192.0.2.1";
const FIRST_CAMERA_PORT = 40_000;
const FIRST_CLIENT_PORT = 50_000;

/** The network between a recorder and one camera, without sockets: bytes wait until they are read. */
export class MemoryNetwork implements Dialer {
  readonly #camera: ZooCamera;
  readonly #connections = new Set<MemoryConnection>();
  readonly #ports = new Map<number, MemoryDatagrams>();
  #nextPort = FIRST_CLIENT_PORT;

  constructor(camera: ZooCamera) {
    this.#camera = camera;
  }

  dial(_endpoint: Endpoint, events: SocketEvents): ClientSocket {
    const connection: MemoryConnection = new MemoryConnection(events, {
      closed: () => this.#connections.delete(connection),
      datagram: (port, from, bytes) => this.#ports.get(port)?.take(bytes, CAMERA_ADDRESS, from),
    });
    connection.session = this.#camera.connected(connection.wire);
    this.#connections.add(connection);
    return connection;
  }

  datagramSocket(): DatagramSocket {
    const socket: MemoryDatagrams = new MemoryDatagrams({
      bound: (port) => {
        const taken = port === 0 ? this.#nextPort++ : port;
        this.#ports.set(taken, socket);
        return taken;
      },
      closed: (port) => this.#ports.delete(port),
      sent: (port) => {
        // To an odd port of the camera: a report.
        if (port % 2 === 1)
          for (const session of this.#camera.sessions) if (session.isOpen) session.reported();
      },
    });
    return socket as unknown as DatagramSocket;
  }

  /** Whoever reads gets what came. */
  pump(): void {
    for (const connection of this.#connections) connection.pump();
  }
}

interface DatagramOwner {
  bound(port: number): number;
  closed(port: number): void;
  sent(port: number): void;
}

/** A datagram socket as far as the client uses it. */
class MemoryDatagrams extends EventEmitter {
  readonly #owner: DatagramOwner;
  #port = 0;

  constructor(owner: DatagramOwner) {
    super();
    this.#owner = owner;
  }

  bind(port: number, done: () => void): void {
    this.#port = this.#owner.bound(port);
    queueMicrotask(done);
  }

  address(): { port: number } {
    return { port: this.#port };
  }

  setRecvBufferSize(): void {
    // As large as it needs to be.
  }

  send(_bytes: Buffer, port: number, _address: string, done: (error: Error | null) => void): void {
    this.#owner.sent(port);
    done(null);
  }

  close(): void {
    this.#owner.closed(this.#port);
  }

  take(bytes: Buffer, address: string, port: number): void {
    this.emit("message", Buffer.from(bytes), { address, port });
  }
}

class MemoryConnection implements ClientSocket {
  readonly remoteAddress = CAMERA_ADDRESS;
  readonly localAddress = "192.0.2.2";
  readonly unsentBytes = 0;
  readonly canReadNow = true;
  readonly wire: Wire;
  session: CameraSession | undefined;
  readonly #events: SocketEvents;
  readonly #closed: () => void;
  #inbox: Buffer[] = [];
  #isReading = true;
  #isConnected = false;
  #isOpen = true;
  #hungUp = false;

  constructor(
    events: SocketEvents,
    network: { closed(): void; datagram(port: number, from: number, bytes: Buffer): void },
  ) {
    this.#events = events;
    this.#closed = network.closed;
    this.wire = {
      write: (bytes) => void this.#inbox.push(bytes),
      datagram: (port, from, bytes) => network.datagram(port, from, bytes),
      hangUp: () => {
        this.#hungUp = true;
      },
      ports: (track) => [FIRST_CAMERA_PORT + 2 * track, FIRST_CAMERA_PORT + 2 * track + 1],
    };
  }

  write(bytes: Buffer): void {
    if (this.#isOpen) this.session?.receive(bytes);
  }

  setReading(on: boolean): void {
    this.#isReading = on;
  }

  readNow(): boolean {
    this.#read();
    return true;
  }

  pump(): void {
    if (!this.#isOpen) return;
    if (!this.#isConnected) {
      this.#isConnected = true;
      this.#events.connected();
      return;
    }
    if (this.#isReading) this.#read();
    if (this.#hungUp && this.#inbox.length === 0 && this.#isOpen) {
      this.destroy();
      this.#events.closed(undefined);
    }
  }

  end(): void {
    this.destroy();
  }

  destroy(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.session?.closed();
    this.#closed();
  }

  #read(): void {
    let bytes = Buffer.concat(this.#inbox);
    this.#inbox = [];
    while (bytes.length > 0 && this.#isOpen) {
      const target = this.#events.target();
      const length = Math.min(target.length, bytes.length);
      bytes.copy(target, 0, 0, length);
      bytes = bytes.subarray(length);
      if (!this.#events.received(length, length === target.length)) break;
    }
    if (bytes.length > 0) this.#inbox.unshift(bytes);
  }
}
