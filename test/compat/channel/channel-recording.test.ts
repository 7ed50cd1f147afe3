import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ArchiveAccess } from "../../../src/archive/index.js";
import { CLOCK_KNOWN, createLog } from "../../../src/base/index.js";
import type { RecordingStates } from "../../../src/compat/channel/recording-states.js";
import { RecordingService } from "../../../src/service/part/record/recording-service.js";
import {
  GATE_ID,
  MemorySiteStore,
  MemoryStreams,
  ROOT_MD5,
  STORE_ID,
  YARD_ID,
} from "../../support/api/api-fakes.js";
import { liveFrame } from "../../support/api/api-frames.js";
import { type ApiHarness, startApi } from "../../support/api/api-harness.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { temporaryDirectory } from "../../support/base/temporary-directory.js";
import { MemoryEventLog } from "../../support/event/memory-event-log.js";
import { NotingArchive } from "../../support/recording/recorder-harness.js";

const ROOT = `login=root&password=${ROOT_MD5}`;
const GUARD = "login=guard";

let api: ApiHarness;
let clock: SimulatedClock;
let site: MemorySiteStore;
let streams: MemoryStreams;
let events: MemoryEventLog;
let service: RecordingService;

beforeEach(async () => {
  clock = new SimulatedClock();
  site = new MemorySiteStore();
  streams = new MemoryStreams(site);
  events = new MemoryEventLog(clock);
  service = new RecordingService({
    site,
    streams,
    archive: new NotingArchive() as unknown as ArchiveAccess,
    events,
    clock,
    knowledge: CLOCK_KNOWN,
    dataDir: await temporaryDirectory(),
    log: createLog({ level: "silent" }),
  });
  service.start();
  api = await startApi({ clock, site, recording: service satisfies RecordingStates });
});

afterEach(async () => {
  await api.stop();
  await service.stop();
});

interface Answer {
  readonly status: number;
  readonly json: Record<string, unknown>;
}

async function send(method: string, channelId: string, body?: unknown, user = ROOT): Promise<Answer> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(api.url(`/api/channels/${channelId}/recording?${user}`), {
    method,
    ...(body === undefined ? {} : { body: text }),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

function setMode(id: string, archivingMode: "AlwaysOn" | "OnlyManual" | "MDandManual" | "BySchedule") {
  return site.change((now) => ({
    ...now,
    cameras: now.cameras.map((camera) =>
      camera.id === id ? { ...camera, archive: { ...camera.archive, archivingMode } } : camera,
    ),
  }));
}

describe("POST /api/channels/{id}/recording", () => {
  it("starts the recording, shows how it stands, and stops it", async () => {
    await setMode(GATE_ID, "OnlyManual");
    const stream = streams.live(GATE_ID);
    stream.setState({ state: "active" });
    stream.publish(liveFrame(0, { key: true }));
    const started = await send("POST", GATE_ID, { Recording: true });
    expect(started).toEqual({
      status: 200,
      json: {
        ChannelId: GATE_ID,
        Recording: true,
        IsRecordingOn: true,
        ArchivingMode: "OnlyManual",
        Reason: "started by root",
        SwitchedOn: true,
        SwitchedOnBy: "root",
        SwitchedOnTime: "2024-01-01T00:00:00.0000000Z",
        KeptOverRestart: true,
      },
    });
    const { KeptOverRestart, ...state } = started.json;
    expect(KeptOverRestart).toBe(true);
    expect(await send("GET", GATE_ID)).toEqual({ status: 200, json: state });
    const stopped = await send("POST", GATE_ID, { recording: false });
    expect(stopped.json).toMatchObject({
      Recording: false,
      IsRecordingOn: false,
      Reason: null,
      SwitchedOn: false,
    });
    expect([stopped.json.SwitchedOnBy, stopped.json.SwitchedOnTime]).toEqual([null, null]);
  });

  it("is an event with the user, once a switch", async () => {
    await setMode(GATE_ID, "OnlyManual");
    await send("POST", GATE_ID, { Recording: true });
    await send("POST", GATE_ID, { Recording: true });
    await send("POST", GATE_ID, { Recording: false });
    await send("POST", GATE_ID, { Recording: false });
    const user = { type: 1, name: "root" };
    expect(events.raised.map(({ description, initiator }) => [description, initiator])).toMatchObject([
      ["Recording switched on by a user", user],
      ["Recording switched off by a user", user],
    ]);
  });

  it("false with MDandManual leaves what motion records", async () => {
    await setMode(GATE_ID, "MDandManual");
    service.motion.report({
      channelId: GATE_ID,
      source: "camera",
      active: true,
      timeUs: clock.nowUs(),
      zone: "Door",
    });
    await send("POST", GATE_ID, { Recording: true });
    expect((await send("POST", GATE_ID, { Recording: false })).json).toMatchObject({
      Recording: true,
      Reason: "motion in Door",
      SwitchedOn: false,
    });
  });

  it("in a mode without a manual part, or of a disabled channel, is a conflict that says so", async () => {
    await setMode(STORE_ID, "OnlyManual");
    for (const [id, text] of [
      [GATE_ID, "AlwaysOn"],
      [STORE_ID, "the channel is disabled"],
    ] as const) {
      const { status, json } = await send("POST", id, { Recording: true });
      expect([status, JSON.stringify(json)]).toEqual([409, expect.stringContaining(text)]);
    }
  });

  it.each([
    ["no JSON", "{"],
    ["no member", {}],
    ["null", { Recording: null }],
    ["a text", { Recording: "true" }],
    ["a number", { Recording: 1 }],
    ["a list", []],
    ["rivals", { Recording: true, recording: false }],
  ])("with %s changes nothing and names the member", async (_name, body) => {
    await setMode(GATE_ID, "OnlyManual");
    const { status, json } = await send("POST", GATE_ID, body);
    expect(status).toBe(400);
    expect(JSON.stringify(json)).toMatch(/Recording|JSON|object/);
    expect(service.manualSwitch(GATE_ID)).toBeUndefined();
  });

  it("without the right is forbidden, and of a hidden channel not found", async () => {
    await setMode(YARD_ID, "OnlyManual");
    expect((await send("POST", YARD_ID, { Recording: true }, GUARD)).status).toBe(200);
    expect((await send("POST", STORE_ID, { Recording: true }, GUARD)).status).toBe(404);
    expect((await send("GET", "nonsense", undefined, GUARD)).status).toBe(404);
    await site.change((now) => ({
      ...now,
      groups: now.groups.map((group) =>
        group.seniorAdministrators ? group : { ...group, rights: { ...group.rights, CanManageRec: false } },
      ),
    }));
    expect((await send("POST", YARD_ID, { Recording: false }, GUARD)).status).toBe(403);
    expect((await send("GET", YARD_ID, undefined, GUARD)).status).toBe(403);
    expect(service.manualSwitch(YARD_ID)).toMatchObject({ userName: "guard" });
  });
});
