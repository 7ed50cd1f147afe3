// Own process: a whole recorder, whose detector of objects is killed and stopped.
import { readdirSync, readFileSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { forAllTests } from "../../support/base/for-tests.js";
import { notHere } from "../../support/base/not-here.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { Service } from "../../support/service/service.js";
import { noWeights } from "../../support/sight/no-weights.js";

interface Health {
  readonly Objects: {
    readonly IsReady: boolean;
    readonly Looks: number;
    readonly Restarts: number;
    readonly Problem: string | null;
  };
  readonly Cameras: {
    readonly List: readonly {
      readonly Id: string;
      readonly Streams: readonly { readonly FramesDropped: number; readonly FramesThinned: number }[];
    }[];
  };
}

const directory = forAllTests(() => new TemporaryDirectory("detector-faults"));
let service: Service | undefined;

afterEach(async () => {
  await service?.stop();
});

async function until(what: string, running: Service, holds: (health: Health) => boolean): Promise<Health> {
  const deadline = performance.now() + 2 * PATIENCE_MS;
  for (;;) {
    const health = await running.json<Health>("/api/health");
    if (holds(health)) return health;
    if (performance.now() > deadline)
      throw running.process.failure(`${what}: ${JSON.stringify(health.Objects)}`);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

/** The process of the detector, among the recorder's children. */
function detectorOf(pid: number): number {
  for (const entry of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const [, fields = ""] = readFileSync(`/proc/${entry}/stat`, "latin1").split(") ");
      const isChild = Number(fields.split(" ")[1]) === pid;
      if (isChild && readFileSync(`/proc/${entry}/cmdline`, "latin1").includes("detector-child"))
        return Number(entry);
    } catch {
      // It has ended meanwhile, and is not the one.
    }
  }
  throw new Error("the detector's process is not there");
}

it.skipIf(noWeights !== undefined)(
  `a detector that is killed, and one that hangs, cost the recording nothing${notHere(noWeights)}`,
  async () => {
    service = await Service.start({ dataDir: directory.join("data"), command: "demo" });
    const running = service;
    const { Channels } = await running.json<{ Channels: { Id: string; Name: string }[] }>(
      "/configex?responsetype=json",
    );
    const { Id: id = "" } = Channels.find(({ Name }) => Name === "Street H.264") ?? {};
    const camera = await running.json<{ ConnectionSettings: { ModelId: string } }>(
      `/configure/channels/${id}`,
    );
    const AnalyzeSettings = { MotionDetectorEnabled: true, ObjectDetectionSettings: { Mode: "On" } };
    const ConnectionSettings = { ModelId: camera.ConnectionSettings.ModelId };
    await running.json(`/configure/channels/${id}`, {
      method: "PUT",
      body: { AnalyzeSettings, ConnectionSettings },
    });
    const first = await until("it looks", running, ({ Objects }) => Objects.Looks > 0);
    expect(first.Objects.Restarts).toBe(0);

    process.kill(detectorOf(running.process.pid), "SIGKILL");
    const again = await until(
      "it looks again after it was killed",
      running,
      ({ Objects }) => Objects.Restarts === 1 && Objects.Looks > first.Objects.Looks + 1,
    );
    process.kill(detectorOf(running.process.pid), "SIGSTOP");
    const last = await until(
      "it looks again after it hung",
      running,
      ({ Objects }) => Objects.Restarts === 2 && Objects.Looks > again.Objects.Looks + 1,
    );

    const streams = last.Cameras.List.flatMap(({ Streams }) => Streams);
    expect(streams.length).toBeGreaterThan(0);
    for (const { FramesDropped, FramesThinned } of streams)
      expect([FramesDropped, FramesThinned]).toEqual([0, 0]);
    const fragments = await running.fragments(id);
    expect(fragments.length).toBeGreaterThan(0);
    // One recording from the start on: nothing is missing in it.
    for (const [index, { fromUs }] of fragments.entries())
      if (index > 0) expect(fromUs - (fragments[index - 1]?.toUs ?? 0)).toBeLessThan(1_000_000);
  },
);
