import { beforeEach, describe, expect, it } from "vitest";
import type { ArchiveNotice } from "../../src/archive/index.js";
import { EMPTY_GUID } from "../../src/base/index.js";
import { EVENT_TYPE_LIST } from "../../src/event/index.js";
import { LOSS_REPORTED_US, LOSS_RULES } from "../../src/live/index.js";
import { auditEvent, noticeEvent } from "../../src/service/report/event-mapping.js";
import { EventSources } from "../../src/service/report/event-sources.js";
import { CONFIRM_MS, FLAP_CONFIRM_MS, FLAPS_MAX } from "../../src/service/report/steady-state.js";
import type { Camera } from "../../src/site/index.js";
import { camera, GATE_ID, MemorySiteStore, MemoryStreams } from "../support/api/api-fakes.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { MemoryEventLog } from "../support/event/memory-event-log.js";

const SECOND_US = 1_000_000;

let clock: SimulatedClock;
let site: MemorySiteStore;
let streams: MemoryStreams;
let events: MemoryEventLog;
let sources: EventSources;
let noted: number[];

beforeEach(() => {
  clock = new SimulatedClock();
  site = new MemorySiteStore();
  streams = new MemoryStreams(site);
  events = new MemoryEventLog(clock);
  noted = [];
  sources = new EventSources({
    events,
    site,
    streams,
    clock,
    noteReported: (revision) => noted.push(revision),
  });
  sources.start();
  clock.advance(10 * SECOND_US);
  events.raised.length = 0;
});

const raised = (): string[] =>
  events.raised.map((event) => `${event.description} | ${event.channelName} | ${event.comment}`);
const lose = (reason = "no route to host"): void => streams.live(GATE_ID).setState({ state: "lost", reason });
const find = (): void => streams.live(GATE_ID).setState({ state: "active" });

describe("a camera", () => {
  it("that is lost and comes back is reported with the reason, each once", () => {
    find();
    lose();
    clock.advance(60 * SECOND_US);
    streams.live(GATE_ID).setState({ state: "connecting" });
    lose();
    clock.advance(60 * SECOND_US);
    streams.live(GATE_ID).setState({ state: "connecting" });
    find();
    clock.advance(60 * SECOND_US);
    expect(raised()).toEqual([
      "Connection to camera lost | Gate | Main: no route to host",
      "Connection to camera restored | Gate | Main: connected",
    ]);
    expect(events.raised[0]?.channelId).toBe(GATE_ID);
  });

  it("that is away for a moment is not reported", () => {
    lose();
    clock.advance((CONFIRM_MS - 1) * 1000);
    find();
    clock.advance(60 * SECOND_US);
    expect(raised()).toEqual([]);
  });

  it("that flaps for a day makes few events, the last of which is true", () => {
    for (let minute = 0; minute < 24 * 60; minute++) {
      lose();
      clock.advance(30 * SECOND_US);
      find();
      clock.advance(30 * SECOND_US);
    }
    // Until it is known to flap each turn is reported; from then on it is lost.
    expect(events.raised).toHaveLength(2 * FLAPS_MAX - 1);
    clock.advance(FLAP_CONFIRM_MS * 1000);
    expect(raised().at(-1)).toMatch(/^Connection to camera restored .* times meanwhile\)$/);
  });

  it("that sends what cannot be recorded is reported within 10 s, and when all of it can be again", () => {
    const stream = streams.live(GATE_ID);
    stream.setState({ state: "waiting", keyIntervalUs: 60 * SECOND_US });
    clock.advance(10 * SECOND_US);
    find();
    clock.advance(60 * SECOND_US);
    stream.losses.count("too-large");
    stream.losses.look(clock.monotonicUs());
    clock.advance(10 * SECOND_US);
    stream.losses.look(clock.monotonicUs() + LOSS_REPORTED_US);
    clock.advance(10 * SECOND_US);
    expect(raised().map((line) => line.slice(0, 115))).toEqual([
      "The camera's stream is incomplete or faulty | Gate | Main: waiting for a key frame, the camera sends one each 60 s:",
      "All that the camera sends can be recorded again | Gate | Main: complete",
      "The camera's stream is incomplete or faulty | Gate | Main: Pictures of the camera were dropped: they are larger tha",
      "All that the camera sends can be recorded again | Gate | Main: complete",
    ]);
  });

  it("that waits for a key frame because of what cannot be recorded is reported with that", () => {
    const stream = streams.live(GATE_ID);
    stream.losses.count("unknown-structure");
    stream.losses.look(clock.monotonicUs());
    stream.setState({ state: "waiting", keyIntervalUs: undefined });
    clock.advance(10 * SECOND_US);
    expect(raised()).toEqual([
      `The camera's stream is incomplete or faulty | Gate | Main: ${LOSS_RULES["unknown-structure"].en[0]}`,
    ]);
  });

  it("that is lost while it waits for a key frame is reported as lost alone", () => {
    streams.live(GATE_ID).setState({ state: "waiting", keyIntervalUs: undefined });
    clock.advance(SECOND_US);
    lose();
    clock.advance(60 * SECOND_US);
    expect(raised()).toEqual(["Connection to camera lost | Gate | Main: no route to host"]);
  });

  it("that nobody watches any more is neither lost nor back", () => {
    lose();
    clock.advance(SECOND_US);
    streams.live(GATE_ID).setState({ state: "idle" });
    clock.advance(60 * SECOND_US);
    expect(raised()).toEqual([]);
  });

  it("that is added later is watched, and one that is switched off no longer", async () => {
    lose();
    const gate = (disabled: boolean): Promise<unknown> =>
      site.change((now) => ({
        ...now,
        cameras: now.cameras.map((camera) => (camera.id === GATE_ID ? { ...camera, disabled } : camera)),
      }));
    await gate(true);
    clock.advance(60 * SECOND_US);
    expect(raised()).toEqual([
      "Configuration changed |  | revision 8: camera Gate (disabled) changed",
      "Recording mode changed | Gate | from AlwaysOn to off",
    ]);
    await gate(false);
    events.raised.length = 0;
    streams.live(GATE_ID).setState({ state: "lost", reason: "wrong password" });
    clock.advance(60 * SECOND_US);
    expect(raised()).toEqual(["Connection to camera lost | Gate | Main: wrong password"]);
  });
});

it("notes which revision it found, and which it has told", async () => {
  const found = site.current.revision;
  await site.change((now) => ({ ...now, server: { ...now.server, name: "Depot" } }));
  expect(noted).toEqual([found, found + 1]);
});

it("leaves no timer behind and tells nothing after it has stopped", async () => {
  lose();
  sources.stop();
  expect(clock.timers).toBe(0);
  await site.change((now) => now);
  clock.advance(60 * SECOND_US);
  expect(raised()).toEqual([]);
});

const KEY = { channelId: GATE_ID, streamType: "Main" } as const;
const NOTICES: readonly [ArchiveNotice, string][] = [
  [{ kind: "volume-lost", directory: "/v1", reason: "EIO" }, "Archive disk lost||/v1: EIO"],
  [
    { kind: "volume-taken", directory: "/v1", volumeId: EMPTY_GUID },
    `Archive disk in use||/v1 (volume ${EMPTY_GUID})`,
  ],
  [
    { kind: "thinning-started", key: KEY },
    "only key frames are recorded|Gate|Main: only key frames are recorded",
  ],
  [{ kind: "thinning-ended", key: KEY, framesThinned: 7 }, "|Gate|Main: 7 frames were left out"],
  [{ kind: "dropping-started", key: KEY, reason: "slow" }, "|Gate|Main: slow"],
  [{ kind: "dropping-ended", key: KEY, framesDropped: 9 }, "|Gate|Main: 9 frames were lost"],
  [{ kind: "min-days-unmet", channelId: GATE_ID, keptDays: 2.25 }, "|Gate|recordings of 2.3 days are left"],
  [{ kind: "min-days-met", channelId: GATE_ID }, "|Gate|"],
  [
    { kind: "volume-full", directory: "/v1", missingBytes: 1_500_000, missingFiles: 0 },
    "||/v1: 2 MB are missing",
  ],
  [
    { kind: "volume-too-small", directory: "/v1", reserveBytes: 1e9, roomBytes: 29_400_000 },
    "||/v1: 1000 MB are to stay free, and 29 MB are there for that and for recordings",
  ],
  [{ kind: "volume-full-ended", directory: "/v1" }, "||/v1"],
  [{ kind: "protection-unknown", reason: "damaged" }, "||damaged"],
  [{ kind: "protection-known" }, "||"],
  [{ kind: "index-lost", reason: "torn" }, "||torn"],
  [{ kind: "index-rebuilt", segments: 5 }, "||5 segments were read"],
  [{ kind: "index-failing", reason: "ENOSPC" }, "||ENOSPC"],
  [{ kind: "index-works" }, "||"],
  [
    { kind: "clock-set", shiftUs: 1_500_000, segmentsRedated: 3 },
    "||moved by +1.500 s; the times of 3 segments and 0 events were corrected",
  ],
  [{ kind: "clock-stepped", shiftUs: -250_000 }, "||by -0.250 s"],
];

describe("the archive's notices", () => {
  it.each(NOTICES)("%j become events", (notice, expected) => {
    const event = events.raise(noticeEvent(notice, site.current));
    expect(`${event.description}|${event.channelName}|${event.comment}`.endsWith(expected)).toBe(true);
  });

  it("name the files that a full volume has no inodes for, and what helps", () => {
    const full = { kind: "volume-full", directory: "/v1", missingBytes: 0, missingFiles: 3 } as const;
    expect(noticeEvent(full, site.current).comment).toBe(
      "/v1: room for 3 files is missing, its inodes are used up: delete files of other programs, or format it with more inodes",
    );
  });

  it("each have a type of their own", () => {
    const types = NOTICES.map(([notice]) => noticeEvent(notice, site.current).typeId);
    expect(new Set(types).size).toBe(NOTICES.length);
    for (const id of types) expect(EVENT_TYPE_LIST.map((type) => type.id)).toContain(id);
  });
});

it("logins, failures and lock-outs become events of the user they name", () => {
  const facts = { userName: "guard", address: "192.0.2.7", way: "internal" } as const;
  const userId = "66666666-0000-4000-8000-000000000002";
  events.raise(auditEvent({ ...facts, kind: "login", userId }));
  events.raise(auditEvent({ ...facts, kind: "loginFailed", unreported: 3, way: "directory" }));
  events.raise(auditEvent({ ...facts, kind: "lockedOut", waitMs: 1500, unreported: 0 }));
  expect(events.raised.map((event) => [event.description, event.comment, event.initiator.id])).toEqual([
    ["User logged in", "guard from 192.0.2.7", userId],
    [
      "Login failed: wrong user or password",
      "guard from 192.0.2.7 (directory user); 3 more were not reported",
      EMPTY_GUID,
    ],
    ["Logins blocked after too many failures", "guard from 192.0.2.7: for 2 s", EMPTY_GUID],
  ]);
  expect(events.raised.map((event) => [event.initiator.type, event.initiator.name])).toEqual(
    Array(3).fill([1, "guard"]),
  );
});

describe("a channel's recording mode", () => {
  const change = (edit: (camera: Camera) => Camera): Promise<unknown> =>
    site.change((current) => ({
      ...current,
      cameras: current.cameras.map((camera) => (camera.id === GATE_ID ? edit(camera) : camera)),
    }));
  const modes = (): string[] => raised().filter((text) => text.startsWith("Recording mode changed"));

  it("that changes is reported with both modes; switched off is one", async () => {
    await change((camera) => ({ ...camera, archive: { ...camera.archive, archivingMode: "MDandManual" } }));
    await change((camera) => ({ ...camera, disabled: true }));
    await change((camera) => ({ ...camera, archive: { ...camera.archive, archivingMode: "BySchedule" } }));
    await change((camera) => ({ ...camera, disabled: false }));
    expect(modes()).toEqual([
      "Recording mode changed | Gate | from AlwaysOn to MDandManual",
      "Recording mode changed | Gate | from MDandManual to off",
      "Recording mode changed | Gate | from off to BySchedule",
    ]);
  });

  it("of a channel that is added is reported", async () => {
    await site.change((current) => ({
      ...current,
      cameras: [...current.cameras, camera("22222222-0000-4000-8000-0000000000aa", "Barn")],
    }));
    expect(modes()).toEqual(["Recording mode changed | Barn | from no channel to AlwaysOn"]);
  });

  it("is not notified of other changes", async () => {
    await change((one) => ({ ...one, description: "pole 5" }));
    expect(modes()).toEqual([]);
  });
});
