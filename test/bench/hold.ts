import { request } from "node:http";
import { fileURLToPath } from "node:url";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { freePorts } from "../support/service/background-process.js";
import { CAMERA_CLIP, PacedSource } from "../support/service/paced-source.js";
import { pause, ROOT_PASSWORD, Service } from "../support/service/service.js";
import type { Bench, BenchOptions, Figure } from "./figure.js";
import { COMMAND_LINE, doorRequests } from "./hold-doors.js";
import { type Description, type WorstRequest, worstRequests } from "./hold-requests.js";

const CAMERAS = 4;
const PROBE = fileURLToPath(new URL("../../../test/bench/programs/hold-probe.cjs", import.meta.url));
const STRANGER_MS_MAX = 20;
const USER_MS_MAX = 50;
/** A hold counts when it comes again: what else runs on the machine holds once. */
const TRIES = 8;
/** Answers that go on are left. */
const ANSWER_MS_MAX = 2000;
const STREAMED_MS = 150;
/** Holds this short need no second look. */
const SHORT_MS = 10;

/** Routes that end the service, or change by what it is asked: an administrator may. */
const LEFT_OUT = new Set([
  "POST /api/system/restart",
  "POST /api/update",
  "POST /api/update/restart",
  "POST /api/setup",
  "POST /api/session/password",
  "DELETE /configure/users/{id}",
]);
/** Answers that go on as long as somebody reads them. */
const STREAMS = /^\/(video|mobile|event|sound|live|talk|hls|export)|\/api\/(live|events\/live|update)/;

interface Person {
  readonly name: "stranger" | "user" | "administrator";
  readonly login: { readonly name: string; readonly password: string } | undefined;
  readonly localAddress: string;
  readonly msMax: number;
}

const GUARD = { name: "Hold guard", password: "Hold-password-1" };
const PERSONS: readonly Person[] = [
  { name: "stranger", login: undefined, localAddress: "127.0.0.9", msMax: STRANGER_MS_MAX },
  { name: "user", login: GUARD, localAddress: "127.0.0.10", msMax: USER_MS_MAX },
  {
    ...{ name: "administrator", login: { name: "root", password: ROOT_PASSWORD } },
    ...{ localAddress: "127.0.0.11", msMax: USER_MS_MAX },
  },
];

interface Hold {
  readonly ms: number;
  readonly what: string;
  readonly route: string;
}

/** One way to hold the recorder. */
interface Attempt {
  readonly what: string;
  /** Resolves when it is answered, refused or left. */
  make(): Promise<void>;
}

/** How long each route holds the main thread, by the worst that is sent to it; and whether recording lost something. */
export const holdBench: Bench = {
  name: "hold",
  about:
    "the longest hold of the main thread by the worst requests to every route, RTSP, WebSockets and the control socket",
  async *run(options) {
    const directory = new TemporaryDirectory("bench-hold");
    const source = await PacedSource.start(CAMERAS, CAMERA_CLIP);
    const [probePort = 0, rtspPort = 0] = await freePorts(2);
    const service = await Service.start({
      ...{ dataDir: directory.join("data"), rtspPort },
      env: { NODE_OPTIONS: `--require ${PROBE}`, NVRD_HOLD_PORT: `${probePort}` },
    });
    try {
      const cameras = Array.from({ length: CAMERAS }, (_, at) => ({
        name: `Camera ${at}`,
        url: source.url(at),
      }));
      await service.recorded(await service.addCameras(cameras), 5_000_000, 120_000);
      await addGuard(service);
      const bench = new HoldBench(service, { probePort, rtspPort });
      yield* bench.run(source, options);
    } finally {
      await service.stop();
      await source.stop();
      directory.remove();
    }
  },
};

class HoldBench {
  readonly #service: Service;
  readonly #probePort: number;
  readonly #rtspPort: number;
  /** Answers to one person, by status; 0: none came. */
  #statuses = new Map<number, number>();

  constructor(service: Service, ports: { readonly probePort: number; readonly rtspPort: number }) {
    this.#service = service;
    this.#probePort = ports.probePort;
    this.#rtspPort = ports.rtspPort;
  }

  async *run(source: PacedSource, { quick, only = "" }: BenchOptions): AsyncGenerator<Figure> {
    const description = await this.#service.json<Description>("/openapi.json");
    for (const person of PERSONS) {
      const before = await source.report();
      this.#statuses = new Map();
      const holds: Hold[] = [];
      let requests = 0;
      for (const [route, all] of [...this.#doors(person), ...this.#routes(person, description)]) {
        if (!route.includes(only)) continue;
        const tried = quick ? all.filter((_, at) => at % 4 === 0) : all;
        requests += tried.length;
        const longest = await this.#longest(route, tried);
        if (longest !== undefined) holds.push(longest);
      }
      const after = await source.report();
      yield* figures(person, { holds, requests, dropped: after.droppedFrames - before.droppedFrames });
      for (const [status, count] of [...this.#statuses].sort(([a], [b]) => a - b))
        yield {
          name: `${person.name}: answers ${status === 0 ? "left or cut" : status}`,
          value: count,
          unit: "",
        };
    }
  }

  /** What is no route: RTSP, WebSockets, the command line's socket. */
  #doors(person: Person): ReadonlyMap<string, readonly Attempt[]> {
    const doors = new Map<string, Attempt[]>();
    const caller = { service: this.#service, rtspPort: this.#rtspPort, ...person };
    for (const request of doorRequests(person.name)) {
      const attempts = doors.get(request.door) ?? [];
      doors.set(request.door, attempts);
      attempts.push({ what: request.what, make: () => request.send(caller) });
    }
    return doors;
  }

  *#routes(person: Person, description: Description): Generator<readonly [string, readonly Attempt[]]> {
    for (const [path, operations] of Object.entries(description.paths))
      for (const [method, operation] of Object.entries(operations)) {
        const route = `${method.toUpperCase()} ${path}`;
        if (!["get", "post", "put", "delete"].includes(method)) continue;
        if (person.name === "administrator" && LEFT_OUT.has(route)) continue;
        const worst = worstRequests(description, { path, method, operation });
        yield [route, worst.map((one) => ({ what: one.what, make: () => this.#ask(person, one, route) }))];
      }
  }

  async #longest(route: string, attempts: readonly Attempt[]): Promise<Hold | undefined> {
    let longest: Hold | undefined;
    for (const attempt of attempts) {
      let ms = Number.POSITIVE_INFINITY;
      for (let tries = 0; tries < TRIES && ms > SHORT_MS; tries += 1)
        ms = Math.min(ms, await this.#hold(attempt));
      if (longest === undefined || ms > longest.ms) longest = { ms, what: attempt.what, route };
    }
    return longest;
  }

  /** The longest hold during the attempt, in ms. */
  async #hold(attempt: Attempt): Promise<number> {
    await this.#probe();
    await attempt.make();
    return await this.#probe();
  }

  async #ask(person: Person, worst: WorstRequest, route: string): Promise<void> {
    const status = await ask(this.#service, { person, worst, route });
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
  }

  async #probe(): Promise<number> {
    const answered = fetch(`http://127.0.0.1:${this.#probePort}/`);
    const response = await answered.catch(() => {
      throw this.#service.process.failure("the recorder's probe does not answer");
    });
    return Number(await response.text()) / 1000;
  }
}

function* figures(
  { name, msMax }: Person,
  { holds, requests, dropped }: { holds: readonly Hold[]; requests: number; dropped: number },
): Generator<Figure> {
  const wanted = { atMost: msMax };
  const sorted = [...holds].sort((a, b) => b.ms - a.ms);
  // Who sends to the command line's socket has the machine.
  const wantedBy = ({ route }: Hold) => (route === COMMAND_LINE ? {} : { wanted });
  const what = ({ route, what: how }: Hold): string => `${name}, ${route}: ${how}`;
  for (const hold of sorted)
    yield {
      name: what(hold),
      value: hold.ms,
      unit: "ms",
      ...wantedBy(hold),
      peer: "the longest hold of the route",
    };
  const worst = sorted.find(({ route }) => route !== COMMAND_LINE);
  if (worst === undefined) return;
  const peer = `${requests} requests to ${holds.length} routes`;
  yield { name: `${name}: the longest hold of all`, value: worst.ms, unit: "ms", wanted, peer };
  yield {
    name: `${name}: frames that the cameras dropped`,
    value: dropped,
    unit: "",
    wanted: { atMost: 0 },
    peer,
  };
}

interface Asking {
  readonly person: Person;
  readonly worst: WorstRequest;
  readonly route: string;
}

/** Resolves with the status when it is answered, refused or left. */
async function ask(service: Service, { person, worst, route }: Asking): Promise<number> {
  const { login, localAddress } = person;
  const basic = login && `Basic ${Buffer.from(`${login.name}:${login.password}`).toString("base64")}`;
  const headers = { ...(basic === undefined ? {} : { Authorization: basic }), ...worst.headers };
  const isStream = STREAMS.test(route.split(" ")[1] ?? "");
  let status = 0;
  await new Promise<void>((resolve) => {
    const sent = request({
      ...{ host: service.address, port: service.httpPort, localAddress, agent: false },
      ...{ method: worst.method, path: worst.path.replaceAll(/[^\x21-\x7e]/g, "%20"), headers },
    });
    const leave = (): void => {
      sent.destroy();
      resolve();
    };
    const timer = setTimeout(leave, isStream ? STREAMED_MS : ANSWER_MS_MAX);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    sent.on("error", end);
    sent.on("close", end);
    sent.on("response", (response) => {
      status = response.statusCode ?? 0;
      response.on("error", end);
      response.on("end", end);
      response.resume();
    });
    sent.end(worst.body);
  });
  await pause(2);
  return status;
}

/** A user with the rights of a guard. */
async function addGuard(service: Service): Promise<void> {
  const post = (path: string, object: Readonly<Record<string, unknown>>) =>
    service.json<{ CreatedObjectsIds: string[] }>(path, { method: "POST", body: [object] });
  const rights = { CanPTZ: true, CanReceiveMainStream: true, CanReceiveSound: true };
  const { CreatedObjectsIds } = await post("/configure/groups", {
    ...{ Name: "Hold guards", Rights: rights },
    ChannelsAccessOptions: { AllRealtimeAllowed: true, AllArchiveAllowed: true },
  });
  await post("/configure/users", {
    ...{ Name: GUARD.name, Password: GUARD.password, GroupId: CreatedObjectsIds[0] },
  });
}
