import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { PacedSource } from "../support/service/paced-source.js";
import { pause, type Service } from "../support/service/service.js";
import { type Bench, type BenchOptions, type Figure, percentile } from "./figure.js";
import { withRecordedCameras } from "./recorded-cameras.js";

const CAMERAS = 8;
const ASK_EVERY_MS = 10;
const LATENCY_P99_MS_MAX = 50;
const ATTACKER = fileURLToPath(new URL("./attackers.js", import.meta.url));

interface Attack {
  readonly name: string;
  readonly arguments: readonly string[];
  /** What makes the recorder go to the attacker, which is at `port`; called again and again. */
  readonly lure?: (service: Service, port: number) => Promise<unknown>;
  /** The same, done once. */
  readonly bait?: (service: Service, port: number) => Promise<unknown>;
}

const MEGABYTE_A_SECOND = "1000000";
const ATTACKS: readonly Attack[] = [
  { name: "0.33 MB/s of XML bombs to port 3702", arguments: ["udp", "330000", "1"] },
  { name: "1 MB/s of XML bombs to port 3702", arguments: ["udp", MEGABYTE_A_SECOND, "1"] },
  { name: "1 MB/s of XML bombs from 200 addresses", arguments: ["udp", MEGABYTE_A_SECOND, "200"] },
  {
    name: "a device that answers with XML bombs of 1 MB",
    arguments: ["onvif"],
    lure: (service, port) =>
      service.json("/configure/discovery/add", {
        method: "POST",
        body: { Devices: [{ Address: `127.0.0.1:${port}` }], Login: "a", Password: "b" },
        timeoutMs: 60_000,
      }),
  },
  {
    name: "a camera of 300 000 packets a second",
    arguments: ["rtsp", "300000"],
    bait: (service, port) => service.addCameras([{ name: "Flood", url: `rtsp://127.0.0.1:${port}/live` }]),
  },
];

/** How soon `/command?type=gettime` is answered, and what recording loses, while others attack. */
export const attacksBench: Bench = {
  name: "attacks",
  about: "answers and recording of 8 cameras under floods of XML and of packets",
  async *run(options) {
    yield* withRecordedCameras(
      { name: "attacks", cameras: CAMERAS, recordedUs: 5_000_000 },
      async function* ({ service, source }) {
        yield* measure(service, source, options);
      },
    );
  },
};

async function* measure(
  service: Service,
  source: PacedSource,
  options: BenchOptions,
): AsyncGenerator<Figure> {
  const seconds = options.quick ? 8 : 20;
  yield* figures("no attack", await underAttack(service, source, { seconds }));
  for (const attack of ATTACKS) {
    const attacker = fork(ATTACKER, attack.arguments, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
    try {
      const port = await portOf(attacker);
      await attack.bait?.(service, port);
      const lure = attack.lure === undefined ? undefined : () => attack.lure?.(service, port);
      yield* figures(attack.name, await underAttack(service, source, { seconds, lure }));
    } finally {
      attacker.kill();
    }
  }
}

interface Outcome {
  readonly latenciesMs: readonly number[];
  readonly dropped: number;
}

function* figures(name: string, { latenciesMs, dropped }: Outcome): Generator<Figure> {
  const peer = "same run; /command?type=gettime";
  yield { name: `${name}: p50`, value: percentile(latenciesMs, 0.5), unit: "ms", peer };
  const wanted = { atMost: LATENCY_P99_MS_MAX };
  yield { name: `${name}: p99`, value: percentile(latenciesMs, 0.99), unit: "ms", wanted, peer };
  yield { name: `${name}: frames the source dropped`, value: dropped, unit: "", wanted: { atMost: 0 } };
}

async function underAttack(
  service: Service,
  source: PacedSource,
  { seconds, lure }: { readonly seconds: number; readonly lure?: (() => unknown) | undefined },
): Promise<Outcome> {
  let isOver = false;
  const luring = (async () => {
    while (!isOver && lure !== undefined) await lure();
  })();
  await pause(1000);
  const before = await source.report();
  const latenciesMs: number[] = [];
  const asked: Promise<void>[] = [];
  const endMs = performance.now() + seconds * 1000;
  while (performance.now() < endMs) {
    const startMs = performance.now();
    asked.push(
      service.get("/command?type=gettime").then(() => {
        latenciesMs.push(performance.now() - startMs);
      }),
    );
    await pause(ASK_EVERY_MS);
  }
  await Promise.all(asked);
  isOver = true;
  const after = await source.report();
  await luring;
  return { latenciesMs, dropped: after.droppedFrames - before.droppedFrames };
}

async function portOf(attacker: ChildProcess): Promise<number> {
  if (attacker.stdout === null) throw new Error("the attacker has no output");
  const [line] = (await once(createInterface(attacker.stdout), "line")) as [string];
  return Number(line);
}
