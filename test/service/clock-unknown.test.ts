import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readClockStatus } from "../../src/base/index.js";
import { EVENT_TYPES } from "../../src/event/index.js";
import { notHere } from "../support/base/not-here.js";
import { TemporaryDirectory } from "../support/base/temporary-directory.js";
import { eventsOf, type FoundEvent, newEvents } from "../support/event/service-events.js";
import { gapsAreReported } from "../support/service/gap-reasons.js";
import { PacedSource, SMALL_CLIP } from "../support/service/paced-source.js";
import { isoToUs, pause, Service } from "../support/service/service.js";

const HOUR_US = 3_600_000_000;
const DAY_US = 24 * HOUR_US;
const LIBRARIES = "/usr/lib";
const WAIT_MS = 30_000;

/** libfaketime of the Debian package faketime: gives a process a wall clock of its own, which a file moves. */
function fakeTimeLibrary(): string {
  const found = readdirSync(LIBRARIES)
    .map((name) => join(LIBRARIES, name, "faketime", "libfaketimeMT.so.1"))
    .find((path) => existsSync(path));
  if (found === undefined) throw new Error("libfaketime is missing: apt-get install faketime");
  return found;
}

/** The service asks this machine's kernel, which no library can answer for. */
const status = readClockStatus();
const isKnownHere = status.synchronized;

let directory: TemporaryDirectory;
let source: PacedSource;
let service: Service;
let clockFile = "";

/** Of all kinds; a body without ids asks for none. */
function allEvents(of: Service): Promise<readonly FoundEvent[]> {
  const eventIds = Object.values(EVENT_TYPES).map(({ id }) => id);
  return of.json<FoundEvent[]>("/archive_events", { method: "POST", body: { eventIds, limit: 1000 } });
}

/** A machine whose wall clock `file` moves, and that does not know whether it is right. */
function machineWithClock(file: string): Readonly<Record<string, string>> {
  return {
    LD_PRELOAD: fakeTimeLibrary(),
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    NVRD_CLOCK_TRUST: "network",
  };
}

const known = isKnownHere ? "this machine knows its clock" : undefined;
describe.skipIf(known !== undefined)(
  `a service on a machine that knows nothing of its clock${notHere(known)}`,
  () => {
    beforeAll(async () => {
      directory = new TemporaryDirectory("clock-unknown");
      clockFile = directory.join("wall-clock");
      writeFileSync(clockFile, "-30d\n");
      source = await PacedSource.start(1, SMALL_CLIP);
      service = await Service.start({
        dataDir: directory.join("data"),
        settings: { segmentSeconds: 5 },
        env: machineWithClock(clockFile),
      });
    });
    afterAll(async () => {
      await service?.stop();
      await source?.stop();
      directory?.remove();
    });

    it("dates a whole service's recordings by the true time once the clock is set, their ids as they were", async () => {
      const [id = ""] = await service.addCameras([{ name: "Gate", url: source.url(0) }]);
      const startedUs = Date.now() * 1000;
      // Who asks is told that the schedule is not followed, and why.
      expect(await service.json("/api/clock")).toMatchObject({ IsKnown: false, KnownBy: null });
      const health = await service.json<{ Problems: { Code: string }[] }>("/api/health");
      expect(health.Problems.map(({ Code }) => Code)).toContain("clock-unknown");
      await service.recorded([id], 8_000_000);
      const [before] = await service.fragments(id);
      expect(before?.fromUs).toBeLessThan(startedUs - 29 * DAY_US);
      writeFileSync(clockFile, "+0\n");
      const deadline = performance.now() + WAIT_MS;
      let fragments = await service.fragments(id);
      while (fragments.some(({ fromUs }) => fromUs < startedUs - DAY_US) || fragments.length < 2) {
        if (performance.now() > deadline) throw service.process.failure("times not corrected");
        await pause(200);
        fragments = await service.fragments(id);
      }
      const [first, second] = fragments;
      expect(first?.id).toBe(before?.id);
      expect(Math.abs((first?.fromUs ?? 0) - (before?.fromUs ?? 0) - 30 * DAY_US)).toBeLessThan(1_000_000);
      expect(second?.fromUs).toBeGreaterThanOrEqual(first?.toUs ?? 0);
    });

    it("dates the events of that time with them, and says how many of both", async () => {
      const [set] = await newEvents(service, "clockSet");
      const figures = /the times of (\d+) segments and (\d+) events were corrected/.exec(
        set?.EventComment ?? "",
      );
      const [segments = 0, moved = 0] = (figures ?? []).slice(1).map(Number);
      expect(segments).toBeGreaterThan(0);
      const [started] = await eventsOf(service, "recordingStarted");
      const [first] = await service.fragments(started?.ChannelId ?? "");
      const startedUs = isoToUs(started?.Timestamp ?? "");
      expect(Math.abs(startedUs - (first?.fromUs ?? 0))).toBeLessThan(10_000_000);
      expect(moved).toBeGreaterThanOrEqual(3);
    });

    it("moves recordings and events back as well, those of an earlier run of the boot too, and counts each once", async () => {
      const file = directory.join("clock-back");
      writeFileSync(file, "+2d\n");
      const options = {
        dataDir: directory.join("back"),
        settings: { segmentSeconds: 5 },
        env: machineWithClock(file),
      };
      const beganUs = Date.now() * 1000;
      const earlier = await Service.start(options);
      const [id = ""] = await earlier.addCameras([{ name: "Gate", url: source.url(0) }]);
      await earlier.recorded([id], 6_000_000);
      await earlier.stop();
      const laterUs = Date.now() * 1000;
      const later = await Service.start(options);
      try {
        await later.recorded([id], 6_000_000, undefined, laterUs + 2 * DAY_US);
        const all = await allEvents(later);
        const ahead = all.filter(({ Timestamp }) => isoToUs(Timestamp) > beganUs + DAY_US).length;
        expect(ahead).toBeGreaterThan(4);
        writeFileSync(file, "+0\n");
        const [set] = await newEvents(later, "clockSet");
        const endedUs = Date.now() * 1000;
        const figures = /moved by -\d+\.\d{3} s; the times of (\d+) segments and (\d+) events/.exec(
          set?.EventComment ?? "",
        );
        const [segments = 0, moved = 0] = (figures ?? []).slice(1).map(Number);
        expect(segments).toBeGreaterThan(1);
        const after = await allEvents(later);
        const times = after.map(({ Timestamp }) => isoToUs(Timestamp));
        expect(times.filter((us) => us < beganUs - 10_000_000 || us > endedUs + 10_000_000)).toEqual([]);
        // What came between the two looks is moved as well.
        expect(moved).toBeGreaterThanOrEqual(ahead);
        expect(moved).toBeLessThan(after.length);
        // What was being written as the clock was set follows when its volume's thread has heard of it.
        const elsewhere = async () =>
          (await later.fragments(id)).filter(({ fromUs }) => fromUs < beganUs || fromUs > Date.now() * 1000);
        await expect.poll(elsewhere).toEqual([]);
      } finally {
        await later.stop();
      }
    });

    it("explains an hour that a trusted clock never showed", async () => {
      const file = directory.join("clock-stepped");
      writeFileSync(file, "+0\n");
      const env = { ...machineWithClock(file), NVRD_CLOCK_TRUST: "always" };
      const stepped = await Service.start({ dataDir: directory.join("stepped"), env });
      try {
        const fromUs = Date.now() * 1000;
        const [id = ""] = await stepped.addCameras([{ name: "Gate", url: source.url(0) }]);
        await stepped.recorded([id], 4_000_000);
        writeFileSync(file, "+1h\n");
        await stepped.recorded([id], 4_000_000, undefined, fromUs + HOUR_US);
        await gapsAreReported({ service: stepped, id, fromUs, toUs: fromUs + 2 * HOUR_US }, "clock-unknown");
      } finally {
        await stepped.stop();
      }
    });

    it("keeps its events when it starts with a clock that is years ahead", async () => {
      const file = directory.join("clock-ahead");
      writeFileSync(file, "+0\n");
      const options = { dataDir: directory.join("ahead"), env: machineWithClock(file) };
      await (await Service.start(options)).stop();
      // As after a boot, whose times go on from nothing but the wall clock and the recordings.
      rmSync(directory.join("ahead", "clock.json"));
      writeFileSync(file, "+3650d\n");
      await (await Service.start(options)).stop();
      const last = await Service.start(options);
      try {
        expect(await eventsOf(last, "serviceStopped")).toHaveLength(2);
      } finally {
        await last.stop();
      }
    });
  },
);
