import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { connect as connectHttp2, type OutgoingHttpHeaders } from "node:http2";
import path from "node:path";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { onTestFinished } from "vitest";
import { type Guid, SystemClock } from "../../../src/base/index.js";
import { Inbox } from "../../../src/box/update/index.js";
import { HUB_USER_HEADER } from "../../../src/contract/index.js";
import { HubMembership, type HubMembershipOptions } from "../../../src/fleet/box/membership.js";
import { type BoxRequest, Hub, headOf, Rollout } from "../../../src/fleet/index.js";
import type { HubUser } from "../../../src/fleet/link/identity.js";
import { linkingHere } from "../../../src/fleet/link/link-thread.js";
import { TemporaryDirectory } from "../base/temporary-directory.js";
import { until } from "../base/until.js";
import { silentLog } from "../site/site-samples.js";

/** A clock that is set by hand, beside one that goes. */
export class ShiftedClock extends SystemClock {
  shiftUs = 0;

  override nowUs(): number {
    return super.nowUs() + this.shiftUs;
  }

  override monotonicUs(): number {
    return super.monotonicUs() + this.shiftUs;
  }
}

export const ALICE: HubUser = {
  ...{ Id: "00000001-0000-4000-8000-0000000000aa", Name: "alice", Group: "Guards" },
  ...{ IsAdministrator: false, Rights: ["CanPTZ", "CanReceiveMainStream"], Realtime: true, Archive: true },
  Address: "192.0.2.7",
};
export const LOOK = { ceiling: "look", mayUpdate: false, kbpsMax: null, hours: [] } as const;

/** Who asks for the cameras of a recorder, whoever is logged in. */
const HUB_ITSELF = "hub";

/** What an API saw of a request. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly user: HubUser | undefined;
}

/** A box: its membership, and an API that says what it was asked. */
export class FleetBox {
  readonly id: Guid = randomUUID();
  readonly clock: ShiftedClock;
  readonly seen: SeenRequest[] = [];
  readonly membership: HubMembership;
  /** The bytes that `/long` has. */
  longBytes = 0;
  /** The API closes a connection at the second request that comes over it, unanswered, as it may any that was kept open. */
  cutsKept = false;
  readonly #used = new WeakSet<object>();
  #api: Server | undefined;

  constructor(dataDir: string, options: Partial<HubMembershipOptions> & { readonly clock: ShiftedClock }) {
    this.clock = options.clock;
    this.membership = new HubMembership({
      dataDir,
      boxId: () => this.id,
      about: () => ({ name: "Warehouse", version: "1.2.3", health: "recording" }),
      openDoor: async (directory) => await this.#openDoor(directory),
      startThread: linkingHere(this.clock, () => 0),
      onChange: () => undefined,
      log: silentLog,
      ...options,
    });
  }

  async #openDoor(directory: string) {
    const socket = path.join(directory, "api.sock");
    rmSync(socket, { force: true });
    const api = createServer((request, response) => {
      if (this.cutsKept && this.#used.has(request.socket)) {
        request.socket.destroy();
        return;
      }
      this.#used.add(request.socket);
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const named = request.headers[HUB_USER_HEADER];
        const user = JSON.parse(Buffer.from(String(named), "base64url").toString()) as HubUser;
        const { method = "", url = "", headers } = request;
        if (user.Name === HUB_ITSELF) {
          response.writeHead(404).end();
          return;
        }
        this.seen.push({ method, url, headers, body: Buffer.concat(chunks).toString(), user });
        response.writeHead(200, { "set-cookie": "a=b", etag: '"x"' });
        response.end(url === "/long" ? Buffer.alloc(this.longBytes) : `hello ${user.Name}`);
      });
    });
    this.#api = api;
    await new Promise<void>((resolve) => api.listen(socket, resolve));
    return {
      path: socket,
      stop: () =>
        new Promise<void>((resolve) => {
          api.close(() => resolve());
          api.closeAllConnections();
        }),
    };
  }

  async stop(): Promise<void> {
    await this.membership.stop();
    this.#api?.closeAllConnections();
  }
}

/** A hub at this machine, and boxes that may join it. */
export class FleetBench {
  readonly clock = new ShiftedClock();
  readonly boxes: FleetBox[] = [];
  readonly #directory = new TemporaryDirectory("nvrd-fleet");
  hub: Hub;
  rollout: Rollout;

  private constructor() {
    this.hub = this.newHub(0);
    this.rollout = this.newRollout();
  }

  /** What rolls updates out, as it is when the hub's program starts. */
  newRollout(): Rollout {
    return new Rollout({
      ...{ dataDir: this.path("hub"), hub: this.hub, askMs: 50, clock: this.clock, log: silentLog },
      inbox: new Inbox({ directory: this.path("hub/hub/bundle"), clock: this.clock }),
    });
  }

  static async start(): Promise<FleetBench> {
    const bench = new FleetBench();
    await bench.hub.start();
    return bench;
  }

  newHub(port: number, name = "hub"): Hub {
    return new Hub({
      ...{ dataDir: this.path(name), listen: "127.0.0.1", port, publicPort: undefined },
      ...{ host: () => "127.0.0.1", clock: this.clock, log: silentLog },
    });
  }

  newBox(options: Partial<HubMembershipOptions> = {}): FleetBox {
    const dataDir = this.path(`box${this.boxes.length}`);
    mkdirSync(dataDir, { recursive: true });
    const box = new FleetBox(dataDir, { ...options, clock: this.clock });
    this.boxes.push(box);
    return box;
  }

  /** A box that has joined and is connected. */
  async joined(options: Partial<HubMembershipOptions> = {}): Promise<FleetBox> {
    const box = this.newBox(options);
    await box.membership.join(this.hub.makeCode().code, LOOK);
    await this.connected(box);
    return box;
  }

  async connected(box: FleetBox): Promise<void> {
    await until("the box is connected", () => this.hub.box(box.id)?.silence === undefined, {
      seen: () => [this.hub.boxes(), box.membership.state],
    });
  }

  /** Somebody in the hub's place who has its certificate, and writes requests as he likes. */
  async takenHub() {
    const { port } = this.hub;
    await this.hub.stop();
    const server = createTlsServer({
      ...{ key: this.pem("hub-key"), cert: this.pem("hub"), ALPNProtocols: ["h2"] },
    });
    const come = new Promise<TLSSocket>((resolve) => server.once("secureConnection", resolve));
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    const socket = await come;
    const session = connectHttp2("https://box", { createConnection: () => socket });
    onTestFinished(() => {
      session.destroy();
      server.close();
    });
    return {
      text: async (headers: OutgoingHttpHeaders): Promise<string> => {
        const stream = session.request(headers, { endStream: true }).setEncoding("utf8");
        let text = "";
        for await (const chunk of stream as AsyncIterable<string>) text += chunk;
        return text;
      },
      ask: async (headers: OutgoingHttpHeaders): Promise<number> => {
        const stream = session.request(headers, { endStream: true });
        const { status } = await headOf(stream);
        stream.close();
        return status;
      },
    };
  }

  path(name: string): string {
    return this.#directory.join(name);
  }

  /** A key or certificate of the hub: `authority`, `authority-key`, `hub`, `hub-key`. */
  pem(name: string): string {
    return readFileSync(this.path(`hub/hub/${name}.pem`), "utf8");
  }

  /** A request to a box through the hub, and its answer. */
  async ask(
    box: FleetBox,
    request: Partial<BoxRequest> & { readonly body?: string } = {},
  ): Promise<{ readonly status: number; readonly headers: Record<string, string>; readonly body: string }> {
    const { body, ...more } = request;
    const stream = await this.hub.open(box.id, {
      ...{ user: ALICE, role: "commands", hasBody: body !== undefined, ...more },
      headers: { ":path": "/api/channels", ...more.headers },
    });
    if (body !== undefined) stream.end(body);
    const { status, headers } = await headOf(stream);
    const chunks: Buffer[] = [];
    for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
    return { status, headers: Object.fromEntries(headers), body: Buffer.concat(chunks).toString() };
  }

  async stop(): Promise<void> {
    for (const box of this.boxes) await box.stop();
    await this.rollout.stop();
    await this.hub.stop();
    this.#directory.remove();
  }
}
