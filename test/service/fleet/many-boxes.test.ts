// Own process: it holds hundreds of connections.

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { HubBoxes } from "../../../src/contract/answer/index.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { until } from "../../support/base/until.js";
import { until as untilSo } from "../../support/event/service-events.js";
import { BoxCrowd, CHANNELS_OF_BOX } from "../../support/fleet/box-crowd.js";
import { freePorts } from "../../support/service/background-process.js";
import { Service } from "../../support/service/service.js";

/** Boxes of one hub, all behind one router. `npm run torture -- hub` has a thousand. */

const BOXES = Number(process.env.NVRD_TEST_HUB_BOXES ?? 40);
/** All are there again after the hub was. */
const BACK_MS_MAX = 30_000 + 60 * BOXES;
const TIMEOUT_MS = 120_000 + 10 * BACK_MS_MAX;

const directory = new TemporaryDirectory("nvrd-many-boxes");
const crowd = new BoxCrowd(directory);
let ports: readonly number[];
let hub: Service;

beforeAll(async () => {
  ports = await freePorts(2);
  hub = await startedHub();
  const empty = resources();
  const began = performance.now();
  for (let box = 0; box < BOXES; box += 1) {
    const { Code } = await hub.json<{ Code: string }>("/api/boxes/code", { method: "POST" });
    await crowd.join(Code);
  }
  console.info(`${BOXES} boxes have joined in ${seconds(began)} s`);
  crowd.start();
  await allThere();
  const full = resources();
  console.info(
    `the hub: ${mb(empty.bytes)} MB without boxes, ${mb(full.bytes)} MB with ${BOXES} boxes of ${CHANNELS_OF_BOX} cameras`,
  );
}, TIMEOUT_MS);

afterAll(async () => {
  await crowd.stop();
  await hub?.stop();
  directory.remove();
}, TIMEOUT_MS);

async function startedHub(): Promise<Service> {
  const [hubPort = 0, httpPort = 0] = ports;
  const settings = { hubPort, hubAddress: `127.0.0.1:${hubPort}` };
  const service = await Service.start({ dataDir: directory.join("hub"), httpPort, settings });
  await service.process.waitFor(/the hub is listening/);
  return service;
}

const seconds = (sinceMs: number): string => ((performance.now() - sinceMs) / 1000).toFixed(1);
const mb = (bytes: number): string => (bytes / 1e6).toFixed(0);

async function allThere(): Promise<void> {
  const isAll = (): boolean => crowd.connections === 2 * BOXES;
  await until("all boxes have both connections", isAll, {
    timeoutMs: BACK_MS_MAX,
    seen: () => [crowd.connections, crowd.refusals],
  });
  // The hub lists a connection a moment after its box has it.
  await untilSo(hub, "all boxes to be listed as connected", async () => {
    const { Boxes } = await hub.json<HubBoxes>("/api/boxes");
    return Boxes.length === BOXES && Boxes.every(({ IsConnected }) => IsConnected);
  });
}

/** Memory and processor seconds of the hub. */
function resources(): { readonly bytes: number; readonly cpuSeconds: number } {
  const of = (file: string): string => readFileSync(`/proc/${hub.process.pid}/${file}`, "utf8");
  const [user = 0, system = 0] = of("stat").split(") ")[1]?.split(" ").slice(11, 13).map(Number) ?? [];
  const bytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(of("status"))?.[1]) * 1024;
  return { bytes, cpuSeconds: (user + system) / 100 };
}

interface Configuration {
  readonly Channels: readonly { readonly Id: string }[];
}

/** The longest of some answers of the hub, ms, until `isOver`. */
async function longestAnswer(isOver: () => boolean): Promise<number> {
  let longest = 0;
  while (!isOver()) {
    const asked = performance.now();
    await hub.get("/api/session");
    longest = Math.max(longest, performance.now() - asked);
  }
  return longest;
}

it(
  "has all boxes of one router again soon after it was killed, and answers meanwhile",
  async () => {
    await hub.kill();
    await until("no box has a connection", () => crowd.connections === 0, { seen: () => crowd.connections });
    const refusedBefore = crowd.refusals;
    hub = await startedHub();
    const began = performance.now();
    const before = resources();
    let isOver = false;
    const [longest] = await Promise.all([
      longestAnswer(() => isOver),
      allThere().finally(() => {
        isOver = true;
      }),
    ]);
    const cpuSeconds = resources().cpuSeconds - before.cpuSeconds;
    console.info(
      `${2 * BOXES} connections in ${seconds(began)} s with ${crowd.refusals - refusedBefore} tries in vain; ${((1000 * cpuSeconds) / (2 * BOXES)).toFixed(1)} ms of a core each; the hub's own answers took ${longest.toFixed(0)} ms at most`,
    );
    expect(crowd.connections).toBe(2 * BOXES);
  },
  TIMEOUT_MS,
);

it(
  "tells the channels of all boxes, and of one of them",
  async () => {
    const known = async (): Promise<number> =>
      (await hub.json<Configuration>("/configex?responsetype=json")).Channels.length;
    await expect.poll(known, { timeout: BACK_MS_MAX, interval: 1000 }).toBe(BOXES * CHANNELS_OF_BOX);
    const before = resources();
    const asked = performance.now();
    const { body } = await hub.get("/configex?responsetype=json");
    const all = performance.now() - asked;
    const [first = ""] = crowd.ids;
    const askedOne = performance.now();
    const one = await hub.json<Configuration>(`/boxes/${first}/configex?responsetype=json`);
    console.info(
      `/configex of ${BOXES * CHANNELS_OF_BOX} channels: ${mb(body.length)} MB in ${all.toFixed(0)} ms; of one box ${(performance.now() - askedOne).toFixed(0)} ms; the hub has ${mb(before.bytes)} MB`,
    );
    expect(one.Channels).toHaveLength(CHANNELS_OF_BOX);
  },
  TIMEOUT_MS,
);
