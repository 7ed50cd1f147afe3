import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  AcmeCertificates,
  type AcmeNotice,
  type AcmeSettings,
  OpenChallenges,
} from "../../../src/acme/index.js";
import { type Clock, type ClockTimer, createLog, SystemClock } from "../../../src/base/index.js";
import { OwnCertificate } from "../../../src/http/index.js";
import { type Task, type TaskOwner, Tasks } from "../../../src/task/index.js";
import { TemporaryDirectory } from "../base/temporary-directory.js";
import { AcmeServer, type AcmeServerOptions } from "./acme-server.js";

export const OWNER: TaskOwner = {
  id: "33333333-0000-4000-8000-000000000001" as TaskOwner["id"],
  name: "root",
};

/** Does not wait for what takes a few seconds. */
export class HurriedClock extends SystemClock {
  override setTimeout(run: () => void, delayMs: number): ClockTimer {
    return super.setTimeout(run, delayMs <= 10_000 ? 1 : delayMs);
  }
}

export interface AcmeHarnessOptions extends Partial<AcmeServerOptions> {
  readonly clock?: Clock;
  readonly settings?: Partial<AcmeSettings>;
  readonly isClockKnown?: () => boolean;
}

/** A recorder's certificates with an authority, and the port that answers that authority's look. */
export class AcmeHarness {
  readonly directory = new TemporaryDirectory("acme");
  readonly challenges = new OpenChallenges();
  readonly notices: AcmeNotice[] = [];
  readonly logLines: string[] = [];
  readonly clock: Clock;
  readonly server: AcmeServer;
  readonly settings: AcmeSettings;
  readonly #http: ReturnType<typeof createServer>;
  /** Answers, and knows no token. */
  readonly #deaf = createServer((_, response) => void response.writeHead(404).end("not here"));
  readonly #options: AcmeHarnessOptions;
  /** The recorder's port for HTTP, as far as it knows; 0: none. */
  lookPort = 8080;
  certificate!: OwnCertificate;
  tasks!: Tasks;
  acme!: AcmeCertificates;
  /** What became of each piece of long work. */
  readonly ended: Task[] = [];

  private constructor(
    options: AcmeHarnessOptions,
    server: AcmeServer,
    http: ReturnType<typeof createServer>,
  ) {
    this.#options = options;
    this.clock = options.clock ?? new SystemClock();
    this.server = server;
    this.#http = http;
    this.settings = {
      ...{ directoryUrl: server.directoryUrl, names: ["nvr.example.org"], email: undefined },
      ...{ trust: server.trust, account: undefined },
      ...options.settings,
    };
  }

  static async start(options: AcmeHarnessOptions = {}): Promise<AcmeHarness> {
    const answers = { of: (_path: string): string | undefined => undefined };
    const http = createServer((request, response) => {
      const text = answers.of((request.url ?? "").split("/").at(-1) ?? "");
      response.writeHead(text === undefined ? 404 : 200).end(text ?? "");
    });
    http.listen(0, "127.0.0.1");
    await once(http, "listening");
    const { port } = http.address() as AddressInfo;
    const clock = options.clock ?? new SystemClock();
    const now = () => clock.nowUs() / 1000;
    const server = await AcmeServer.start({ httpPort: () => port, now, ...options });
    const harness = new AcmeHarness({ ...options, clock }, server, http);
    answers.of = (token) => harness.challenges.answer(token);
    harness.#deaf.listen(0, "127.0.0.1");
    await once(harness.#deaf, "listening");
    await harness.restart();
    return harness;
  }

  get httpPort(): number {
    return (this.#http.address() as AddressInfo).port;
  }

  /** Where another device answers. */
  get deafPort(): number {
    return (this.#deaf.address() as AddressInfo).port;
  }

  /** As the service starts anew, over the same data directory. */
  async restart(): Promise<void> {
    const { clock } = this;
    const log = createLog({
      level: "debug",
      destination: { write: (line) => void this.logLines.push(line) },
    });
    const dataDir = this.directory.path;
    this.certificate = new OwnCertificate({ dataDir, address: "127.0.0.1", clock, log });
    await this.certificate.ensure();
    const onNotice = ({ task, what }: { task: Task; what: string }) => {
      if (what === "ended") this.ended.push({ ...task });
    };
    this.tasks = new Tasks({ clock, log, onNotice });
    const { isClockKnown = () => true } = this.#options;
    this.acme = new AcmeCertificates({
      ...{
        dataDir,
        certificate: this.certificate,
        challenges: this.challenges,
        tasks: this.tasks,
        clock,
        log,
      },
      knowledge: {
        get isKnown() {
          return isClockKnown();
        },
      },
      httpPort: () => this.lookPort,
      random: () => 0.5,
      onNotice: (notice) => void this.notices.push(notice),
    });
  }

  /** Sets the authority and waits for the end of the first try. */
  async use(change: Partial<AcmeSettings> = {}): Promise<Task> {
    const before = this.ended.length;
    await this.acme.use({ ...this.settings, ...change }, OWNER);
    return await this.nextEnd(before);
  }

  async nextEnd(before: number): Promise<Task> {
    for (;;) {
      const task = this.ended[before];
      if (task !== undefined) return task;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  async stop(): Promise<void> {
    await this.acme.stop();
    await this.server.stop();
    for (const http of [this.#http, this.#deaf]) {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    }
    this.directory.remove();
  }
}
