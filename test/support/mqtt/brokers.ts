import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { Aedes } from "aedes";
import { PATIENCE_MS } from "../base/patience.js";
import { TemporaryDirectory } from "../base/temporary-directory.js";
import { BackgroundProcess, freePorts } from "../service/background-process.js";

/** A broker that a test starts, stops and starts again on the same port; it keeps nothing over that. */
export interface Broker {
  readonly url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface MosquittoOptions {
  /** TLS with a client certificate of its own authority. */
  readonly tls?: true;
  /** Only this login is accepted. */
  readonly login?: { readonly name: string; readonly password: string };
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
    if (options.tls === true) makeCertificates(broker.directory);
    broker.directory.write({ "mosquitto.conf": broker.#configuration() });
    const { login } = options;
    if (login !== undefined) {
      broker.directory.write({ passwords: `${login.name}:${login.password}\n` });
      execFileSync("mosquitto_passwd", ["-U", broker.file("passwords")]);
    }
    return broker;
  }

  get url(): string {
    return `${this.#options.tls === true ? "mqtts" : "mqtt"}://127.0.0.1:${this.port}`;
  }

  file(name: string): string {
    return this.directory.join(name);
  }

  async start(): Promise<void> {
    const flags = ["-c", this.file("mosquitto.conf")];
    this.#process = new BackgroundProcess("/usr/sbin/mosquitto", flags);
    const deadline = performance.now() + PATIENCE_MS;
    while (!(await accepts(this.port))) {
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
      `listener ${this.port} 127.0.0.1`,
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
  readonly port: number;
  #server: Server | undefined;
  #aedes: Aedes | undefined;

  private constructor(port: number) {
    this.port = port;
  }

  static async create(): Promise<AedesBroker> {
    const [port = 0] = await freePorts(1);
    return new AedesBroker(port);
  }

  get url(): string {
    return `mqtt://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const aedes = await Aedes.createBroker();
    this.#aedes = aedes;
    this.#server = createServer((socket) => aedes.handle(socket));
    this.#server.listen(this.port, "127.0.0.1");
    await once(this.#server, "listening");
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

/** A server that says what the test wants to whoever connects. */
export class ScriptedBroker {
  readonly #server: Server;
  readonly received: Buffer[] = [];
  connections = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @param script Called with each connection; `say` sends bytes, `end` cuts it. */
  static async start(
    script: (broker: {
      say(bytes: Uint8Array): boolean;
      end(): void;
      onDrain(run: () => void): void;
    }) => void,
  ): Promise<ScriptedBroker> {
    const server = createServer((socket) => {
      broker.connections += 1;
      socket.on("error", () => socket.destroy());
      socket.on("data", (bytes) => broker.received.push(bytes));
      socket.once("data", () =>
        script({
          say: (bytes) => socket.write(bytes),
          end: () => socket.destroy(),
          onDrain: (run) => socket.on("drain", run),
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

/** CONNACK: accepted. */
export const ACCEPTED = Buffer.from([0x20, 0x02, 0x00, 0x00]);

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

/** An authority, certificates of it for the broker and a client, and an authority that is another one. */
function makeCertificates(directory: TemporaryDirectory): void {
  const openssl = (...args: string[]) =>
    execFileSync("openssl", args, { cwd: directory.path, stdio: "pipe" });
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  for (const name of ["ca", "other-ca"])
    openssl(
      "req",
      "-x509",
      ...key,
      "-keyout",
      `${name}.key`,
      "-out",
      `${name}.pem`,
      "-days",
      "2",
      "-subj",
      `/CN=${name}`,
    );
  directory.write({
    "server.ext": "subjectAltName=IP:127.0.0.1\n",
    "client.ext": "extendedKeyUsage=clientAuth\n",
  });
  for (const name of ["server", "client"]) {
    openssl("req", ...key, "-keyout", `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`);
    const signed = [
      "-CA",
      "ca.pem",
      "-CAkey",
      "ca.key",
      "-CAcreateserial",
      "-days",
      "2",
      "-extfile",
      `${name}.ext`,
    ];
    openssl("x509", "-req", "-in", `${name}.csr`, ...signed, "-out", `${name}.pem`);
  }
}
