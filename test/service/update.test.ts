import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLog, newGuid, SystemClock } from "../../src/base/index.js";
import {
  gateProblems,
  HealthGate,
  JournalFile,
  type RecorderBefore,
  type UpdateRecord,
} from "../../src/box/update/index.js";
import { lookAtService } from "../../src/command/update.js";
import { PATIENCE_MS } from "../support/base/patience.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { eventsOf } from "../support/event/service-events.js";
import { BackgroundProcess } from "../support/service/background-process.js";
import { CAMERA_CLIP, PacedSource } from "../support/service/paced-source.js";
import { PROGRAM, PROGRAM_NODE } from "../support/service/program.js";
import { Service } from "../support/service/service.js";

const TIMES = { deadlineMs: 8000, holdMs: 1000, pollMs: 200 };
const log = createLog({ level: "silent" });

let directory: TemporaryDirectory;
let dataDir: string;
let updateDir: string;
let service: Service | undefined;
let source: PacedSource | undefined;

beforeEach(() => {
  directory = new TemporaryDirectory("update");
  dataDir = directory.join("data");
  updateDir = directory.join("updates");
  mkdirSync(updateDir);
});

afterEach(async () => {
  await service?.stop();
  service = undefined;
  await source?.stop();
  source = undefined;
  directory.remove();
});

async function start(settings: Record<string, unknown> = {}): Promise<Service> {
  service = await Service.start({ dataDir, settings: { updateDir, ...settings } });
  return service;
}

const judge = (before: RecorderBefore, times = TIMES) =>
  new HealthGate({ probe: () => lookAtService(dataDir), clock: new SystemClock(), log, times }).judge(before);

function journalOf(phase: UpdateRecord["phase"], message = ""): UpdateRecord {
  return {
    ...{ id: newGuid(), phase, message, fromVersion: "1", toVersion: "2", fromSlot: "a", toSlot: "b" },
    ...{ percent: null, sinceUs: 0, attempts: 1, before: { channels: [], volumes: [] } },
  };
}

const journal = () => new JournalFile({ directory: updateDir, log });
const box = { slot: "b", compatible: "nvrd-test", version: "2" };

/** `nvrd update …`. */
async function update(...args: string[]): Promise<{ code: number | null; output: string }> {
  const flags = ["--data", dataDir, "--config", `${dataDir}-settings.json`];
  const child = new BackgroundProcess(PROGRAM_NODE, [PROGRAM, "update", ...args, ...flags]);
  const { code } = await child.exited;
  return { code, output: child.output };
}

describe("the health gate before a real service", () => {
  it("keeps one that records as before, and refuses one that lost a volume", {
    timeout: 4 * PATIENCE_MS,
  }, async () => {
    source = await PacedSource.start(1, CAMERA_CLIP);
    const running = await start();
    const channels = await running.addCameras([{ name: "Gate", url: source.url(0) }]);
    await running.recorded(channels, 1_000_000);
    const seen = await lookAtService(dataDir);
    expect(seen).toMatchObject({ apiAnswers: true, dataWritable: true });
    const volumes = seen.volumes.flatMap(({ id }) => (id === null ? [] : [id]));
    expect(volumes.length).toBe(1);
    expect(await judge({ channels, volumes })).toEqual({ good: true });
    expect(gateProblems(seen, { channels, volumes: [newGuid()] }, false)).toEqual([
      "volumes are not in use: 1",
    ]);
    await source.stop();
    source = undefined;
    const isSilent = async () => gateProblems(await lookAtService(dataDir), { channels, volumes }, false);
    await expect
      .poll(isSilent, { timeout: PATIENCE_MS, interval: 200 })
      .toEqual(["cameras do not record as before: Gate"]);
  });

  it("refuses one that does not run", { timeout: PATIENCE_MS }, async () => {
    mkdirSync(dataDir);
    expect(await judge({ channels: [], volumes: [] }, { ...TIMES, deadlineMs: 2000 })).toMatchObject({
      good: false,
      reason: expect.stringContaining("the service does not answer"),
    });
  });
});

describe("a service on a box with slots", () => {
  it("reports an update once, however often it is started", { timeout: 3 * PATIENCE_MS }, async () => {
    await journal().write({ box, update: journalOf("rolledBack", "no camera records") });
    const raised = async (): Promise<readonly string[]> => {
      const running = service ?? (await start());
      const found = [
        ...(await eventsOf(running, "updateInstalled")),
        ...(await eventsOf(running, "updateRolledBack")),
      ];
      return found.map(({ EventComment }) => EventComment);
    };
    const once = ["1 to 2", "1 to 2: no camera records"];
    await expect.poll(raised, { timeout: PATIENCE_MS }).toEqual(once);
    await service?.stop();
    service = undefined;
    await expect.poll(raised, { timeout: PATIENCE_MS }).toEqual(once);
  });

  it("puts the end of its run down to the update that the box restarts for", {
    timeout: 3 * PATIENCE_MS,
  }, async () => {
    await journal().write({ box, update: null });
    const running = await start();
    await journal().write({ box, update: journalOf("installed") });
    await running.stop();
    const again = await start();
    const health = JSON.parse((await again.get("/api/health")).body.toString("utf8"));
    expect(health.Restarts[1]).toMatchObject({ End: "updated", Detail: "1 to 2" });
  });

  it("shows on the command line how far an update is", { timeout: 2 * PATIENCE_MS }, async () => {
    await journal().write({ box, update: journalOf("kept") });
    await start();
    expect(await update("--status")).toEqual({ code: 0, output: "slot b: kept, 1 to 2\n" });
  });

  it("takes a bundle from the command line, and leaves nothing behind when it refuses it", {
    timeout: 2 * PATIENCE_MS,
  }, async () => {
    await journal().write({ box, update: null });
    await start();
    const bundle = directory.join("none.raucb");
    writeFileSync(bundle, "no bundle\n");
    const { code, output } = await update(bundle);
    expect(code).toBe(3);
    expect(output).toMatch(/the bundle is refused|rauc: spawn/);
    expect(readdirSync(join(dataDir, "update"))).toEqual([]);
  });

  it("starts on a damaged journal, and updates are not supported then", {
    timeout: 2 * PATIENCE_MS,
  }, async () => {
    writeFileSync(join(updateDir, "state.json"), '{"formatVersion":1,"box":');
    const running = await start();
    const answer = await running.get("/api/update");
    expect(JSON.parse(answer.body.toString("utf8"))).toMatchObject({ Supported: false, Phase: "none" });
  });
});

it("a service without slots says what to do instead", { timeout: 2 * PATIENCE_MS }, async () => {
  service = await Service.start({ dataDir });
  writeFileSync(`${dataDir}-settings.json`, "{}");
  const bundle = directory.join("some.raucb");
  writeFileSync(bundle, "bundle");
  const { code, output } = await update(bundle);
  expect(code).toBe(3);
  expect(output).toContain("no second slot");
});
