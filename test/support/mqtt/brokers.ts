import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { Aedes } from "aedes";
import { PATIENCE_MS } from "../base/patience.js";
import { TemporaryDirectory } from "../base/temporary-directory.js";
import { authorityFiles } from "../http/authority.js";
import { BackgroundProcess, freePorts } from "../service/background-process.js";

/** A broker that a test starts, stops and starts again on the same port; it keeps nothing over that. */
export interface Broker {
  readonly url: string;
  readonly directory: TemporaryDirectory;
  /** The path of a file of its own: its certificates and keys. */
  file(name: string): string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface BrokerOptions {
  /** TLS with a client certificate of its own authority. */
  readonly tls?: true;
  /** Only this login is accepted. */
  readonly login?: { readonly name: string; readonly password: string };
}

export interface MosquittoOptions extends BrokerOptions {
  /** Where it listens; default: 127.0.0.1. */
  readonly address?: string;
}

/** Debian's mosquitto in a process of its own. */
export class Mosquitto implements Broker {
  readonly directory = new TemporaryDirectory("nvrd-mosquitto");
  readonly port: number;
  readonly #options: MosquittoOptions;
  #process: BackgroundProcess | undefined;

  private constructor(port: number, options: MosquittoOptions) {
    this.port = port;
    this.#options = options;
  }

  static async create(options: MosquittoOptions = {}): Promise<Mosquitto> {
    const [port = 0] = await freePorts(1);
    const broker = new Mosquitto(port, options);
    if (options.tls === true)
      broker.directory.write(await authorityFiles({ server: {}, client: { role: "client" } }));
    broker.directory.write({ "mosquitto.conf": broker.#configuration() });
    const { login } = options;
    if (login !== undefined) {
      broker.directory.write({ passwords: `${login.name}:${login.password}\n` });
      execFileSync("mosquitto_passwd", ["-U", broker.file("passwords")]);
    }
    return broker;
  }

  get url(): string {
    return `${this.#options.tls === true ? "mqtts" : "mqtt"}://${this.#address}:${this.port}`;
  }

  get #address(): string {
    return this.#options.address ?? "127.0.0.1";
  }

  file(name: string): string {
    return this.directory.join(name);
  }

  async start(): Promise<void> {
    const flags = ["-c", this.file("mosquitto.conf")];
    this.#process = new BackgroundProcess("/usr/sbin/mosquitto", flags);
    const deadline = performance.now() + PATIENCE_MS;
    while (!(await accepts(this.port, this.#address))) {
      if (this.#process.exit !== undefined || performance.now() > deadline)
        throw this.#process.failure("mosquitto does not start");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async stop(): Promise<void> {
    await this.#process?.stop();
    this.#process = undefined;
  }

  #configuration(): string {
    const { tls, login } = this.#options;
    return [
      `listener ${this.port} ${this.#address}`,
      "user root",
      login === undefined ? "allow_anonymous true" : `password_file ${this.file("passwords")}`,
      ...(tls === true
        ? [
            `cafile ${this.file("ca.pem")}`,
            `certfile ${this.file("server.pem")}`,
            `keyfile ${this.file("server.key")}`,
            "require_certificate true",
          ]
        : []),
      "",
    ].join("\n");
  }
}

/** Aedes, a broker in JavaScript, in the test's own process. */
export class AedesBroker implements Broker {
  readonly directory = new TemporaryDirectory("nvrd-aedes");
  readonly port: number;
  readonly #options: BrokerOptions;
  #server: Server | undefined;
  #aedes: Aedes | undefined;

  private constructor(port: number, options: BrokerOptions) {
    this.port = port;
    this.#options = options;
  }

  static async create(options: BrokerOptions = {}): Promise<AedesBroker> {
    const [port = 0] = await freePorts(1);
    const broker = new AedesBroker(port, options);
    if (options.tls === true)
      broker.directory.write(await authorityFiles({ server: {}, client: { role: "client" } }));
    return broker;
  }

  get url(): string {
    return `${this.#options.tls === true ? "mqtts" : "mqtt"}://127.0.0.1:${this.port}`;
  }

  file(name: string): string {
    return this.directory.join(name);
  }

  async start(): Promise<void> {
    const { login } = this.#options;
    const aedes = await Aedes.createBroker({
      authenticate: (_client, name, password, done) => {
        const isKnown =
          login === undefined || (name === login.name && password?.toString() === login.password);
        done(isKnown ? null : Object.assign(new Error("refused"), { returnCode: 4 }), isKnown);
      },
    });
    this.#aedes = aedes;
    this.#server = this.#listener((socket) => aedes.handle(socket));
    this.#server.listen(this.port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  #listener(handle: (socket: Socket) => void): Server {
    if (this.#options.tls !== true) return createServer(handle);
    const [ca, cert, key] = ["ca.pem", "server.pem", "server.key"].map((name) =>
      readFileSync(this.file(name)),
    );
    const demands = { requestCert: true, rejectUnauthorized: true };
    return createTlsServer({ ca, cert, key, ...demands } as TlsOptions, handle);
  }

  async stop(): Promise<void> {
    const aedes = this.#aedes;
    const server = this.#server;
    if (aedes === undefined || server === undefined) return;
    this.#aedes = undefined;
    server.close();
    await new Promise<void>((resolve) => aedes.close(() => resolve()));
  }
}

/** What a script says to one connection. */
export interface ScriptedConnection {
  say(bytes: Uint8Array): boolean;
  end(): void;
  onDrain(run: () => void): void;
  /** SUBACK that grants the connection's first subscription, as soon as that is asked for. */
  readonly granted: Promise<Buffer>;
}

/** A server that says what the test wants to whoever connects. */
export class ScriptedBroker {
  readonly #server: Server;
  readonly received: Buffer[] = [];
  connections = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @param script Called with each connection; `say` sends bytes, `end` cuts it. */
  static async start(script: (connection: ScriptedConnection) => void): Promise<ScriptedBroker> {
    const server = createServer((socket) => {
      broker.connections += 1;
      socket.on("error", () => socket.destroy());
      socket.on("data", (bytes) => broker.received.push(bytes));
      const granted = firstGrant(socket);
      socket.once("data", () =>
        script({
          say: (bytes) => socket.write(bytes),
          end: () => socket.destroy(),
          onDrain: (run) => socket.on("drain", run),
          granted,
        }),
      );
    });
    const broker = new ScriptedBroker(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return broker;
  }

  get url(): string {
    return `mqtt://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
  }
}

/** SUBACK with QoS 1 for each topic of the first SUBSCRIBE of a client (MQTT 3.1.1, 3.8 and 3.9); its id is any. */
function firstGrant(socket: Socket): Promise<Buffer> {
  return new Promise((resolve) => {
    let held: Buffer = Buffer.alloc(0);
    const take = (bytes: Buffer): void => {
      held = Buffer.concat([held, bytes]);
      for (let packet = firstPacket(held); packet !== undefined; packet = firstPacket(held)) {
        held = held.subarray(packet.bytes);
        if (packet.kind !== SUBSCRIBE) continue;
        socket.off("data", take);
        const id = packet.body.subarray(0, 2);
        const codes = Array.from({ length: topicsIn(packet.body) }, () => 1);
        resolve(Buffer.from([0x90, id.length + codes.length, ...id, ...codes]));
        return;
      }
    };
    socket.on("data", take);
  });
}

const SUBSCRIBE = 0x82;

/** The packet that begins here; undefined: it is not whole. */
function firstPacket(bytes: Buffer): { kind: number; body: Buffer; bytes: number } | undefined {
  let length = 0;
  for (let at = 1; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    length += (byte & 0x7f) * 128 ** (at - 1);
    if (byte >= 0x80) continue;
    const end = at + 1 + length;
    if (bytes.length < end) return undefined;
    return { kind: bytes[0] ?? 0, body: bytes.subarray(at + 1, end), bytes: end };
  }
  return undefined;
}

function topicsIn(body: Buffer): number {
  let count = 0;
  // An id, then each topic with its length before and its QoS behind it.
  for (let at = 2; at + 2 <= body.length; at += 3 + body.readUInt16BE(at)) count += 1;
  return count;
}

/** CONNACK: accepted. */
export const ACCEPTED = Buffer.from([0x20, 0x02, 0x00, 0x00]);

function accepts(port: number, address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, address);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
