import { describe, expect, it } from "vitest";
import type { Timeline, TimelineChannel } from "../../../src/contract/answer/index.js";
import { EVENT_TYPES, type EventTypeName } from "../../../src/event/index.js";
import { GATE_ID, STORE_ID, YARD_ID } from "../../support/api/api-fakes.js";
import { archivedFrames } from "../../support/api/api-frames.js";
import { apiByClock } from "../../support/api/api-harness.js";
import { SIMULATED_START_US } from "../../support/base/simulated-clock.js";

const SECOND_US = 1_000_000;
const MINUTE_US = 60 * SECOND_US;
const HOUR_US = 60 * MINUTE_US;
const DAY_US = 24 * HOUR_US;
const NOON_US = SIMULATED_START_US - 12 * HOUR_US;
const FRAMES_A_SECOND = 25;

const { api } = apiByClock();

function record(channelId: string, fromUs: number, seconds: number): void {
  api.archive.record({ channelId, streamType: "Main" }, archivedFrames(seconds * FRAMES_A_SECOND, fromUs));
}

function raise(name: EventTypeName, timeUs: number, more: Record<string, unknown> = {}): void {
  api.events.raise({ typeId: EVENT_TYPES[name].id, channelId: YARD_ID, timeUs, ...more });
}

function path(query: Record<string, string | number> = {}): string {
  const all = {
    channels: YARD_ID,
    from: NOON_US / 1000,
    to: (NOON_US + HOUR_US) / 1000,
    steps: 60,
    ...query,
  };
  return `/api/timeline?${new URLSearchParams(Object.entries(all).map(([name, value]) => [name, String(value)] as [string, string]))}`;
}

async function ask(query: Record<string, string | number> = {}): Promise<Timeline> {
  const response = await api.get(path(query));
  expect(response.status).toBe(200);
  return (await response.json()) as Timeline;
}

async function yard(query: Record<string, string | number> = {}): Promise<TimelineChannel> {
  const [channel] = (await ask(query)).Channels;
  if (channel === undefined) throw new Error("no channel is answered");
  return channel;
}

describe("the answer of /api/timeline", () => {
  it("says the zone, the time, the steps and the clock", async () => {
    expect(await ask()).toMatchObject({
      Zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      From: NOON_US / 1000,
      To: (NOON_US + HOUR_US) / 1000,
      Now: SIMULATED_START_US / 1000,
      StepMs: 60_000,
    });
  });

  it("takes ISO times too, and divides the time into 2000 steps by default", async () => {
    const answer = await ask({ from: "2023-12-31T12:00:00Z", to: "2023-12-31T13:00:00Z", steps: "" });
    expect([answer.From, answer.To, answer.StepMs]).toEqual([
      NOON_US / 1000,
      (NOON_US + HOUR_US) / 1000,
      1800,
    ]);
  });

  it("has each channel once, in the order of the request", async () => {
    const { Channels } = await ask({ channels: `${YARD_ID},${GATE_ID},${YARD_ID.toUpperCase()}` });
    expect(Channels.map(({ Id }) => Id)).toEqual([YARD_ID, GATE_ID]);
  });

  it("cuts runs to the time that was asked for", async () => {
    record(YARD_ID, NOON_US - 10 * MINUTE_US, 20 * 60);
    const { Runs } = await yard();
    expect(Runs).toEqual([{ From: NOON_US / 1000, To: (NOON_US + 10 * MINUTE_US) / 1000 }]);
  });

  it("joins runs over what is shorter than a step, and says how much is recorded", async () => {
    record(YARD_ID, NOON_US, 60);
    record(YARD_ID, NOON_US + 90 * SECOND_US, 60);
    record(YARD_ID, NOON_US + 10 * MINUTE_US, 60);
    const { Runs, Gaps } = await yard();
    const at = (seconds: number) => NOON_US / 1000 + seconds * 1000;
    expect(Runs).toEqual([
      { From: at(0), To: at(150), Recorded: 120_000 },
      { From: at(600), To: at(660) },
    ]);
    expect(Gaps.map(({ From, To }) => [From, To])).toEqual([
      [at(150), at(600)],
      [at(660), at(3600)],
    ]);
  });

  it("has nothing beyond now", async () => {
    const { Runs, Gaps } = await yard({
      from: SIMULATED_START_US / 1000 - 60_000,
      to: SIMULATED_START_US / 1000 + 60_000,
    });
    expect([Runs, Gaps.map(({ To }) => To)]).toEqual([[], [SIMULATED_START_US / 1000]]);
  });

  it("counts motion and groups of events by steps", async () => {
    raise("motionDetected", NOON_US + MINUTE_US);
    raise("motionStarted", NOON_US + MINUTE_US);
    raise("motionDetected", NOON_US + 90 * SECOND_US);
    raise("plateRecognized", NOON_US + 59 * MINUTE_US);
    raise("cameraLost", NOON_US + 2 * MINUTE_US, { comment: "Main: no route" });
    raise("cameraLost", NOON_US + HOUR_US, { comment: "Main: no route" });
    const { Motion, Events } = await yard();
    expect(Motion).toEqual({ Total: 2, Steps: [1], Counts: [2] });
    expect(Events).toEqual([
      { Group: "analytics", Total: 1, Steps: [59], Counts: [1] },
      { Group: "camera", Total: 1, Steps: [2], Counts: [1] },
    ]);
  });

  it("counts an event that was raised since the last answer", async () => {
    await yard();
    raise("motionDetected", NOON_US + MINUTE_US);
    expect((await yard()).Motion.Total).toBe(1);
  });

  it("has protected times that overlap, with their reasons", async () => {
    const body = { FromTime: "2023-12-31T11:50:00Z", ToTime: "2023-12-31T12:10:00Z", Comment: "report 12" };
    const protectedTime = await fetch(api.url(`/api/channels/${YARD_ID}/protected`), {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from("root:secret").toString("base64")}` },
      body: JSON.stringify(body),
    });
    const { Id } = (await protectedTime.json()) as { Id: string };
    expect((await yard()).Protected).toEqual([
      { Id, From: NOON_US / 1000 - 600_000, To: NOON_US / 1000 + 600_000, Comment: "report 12" },
    ]);
    expect((await yard({ from: NOON_US / 1000 + 900_000 })).Protected).toEqual([]);
  });
});

describe("the rights of /api/timeline", () => {
  const asGuard = async (channels: string): Promise<number> =>
    (await fetch(api.url(`${path({ channels })}&login=guard`))).status;

  it("needs the archive of each channel", async () => {
    expect([await asGuard(YARD_ID), await asGuard(`${YARD_ID},${GATE_ID}`), await asGuard(STORE_ID)]).toEqual(
      [200, 403, 404],
    );
  });

  it("does not show protected times, events, or the acts of others without the rights to them", async () => {
    raise("recordingSwitchedOn", NOON_US, {
      initiator: { type: 1, id: api.site.current.users[0]?.id, name: "root" },
    });
    raise("cameraLost", NOON_US, { comment: "Main: no route" });
    raise("motionDetected", NOON_US);
    const groups = async (rights: object): Promise<readonly [string[], number]> => {
      await api.site.change((site) => ({
        ...site,
        groups: site.groups.map((group) =>
          group.name === "Guards" ? { ...group, rights: { ...group.rights, ...rights } } : group,
        ),
      }));
      const response = await fetch(api.url(`${path()}&login=guard`));
      const [channel] = ((await response.json()) as Timeline).Channels;
      return [channel?.Events.map(({ Group }) => Group) ?? [], channel?.Motion.Total ?? 0];
    };
    expect(await groups({})).toEqual([["camera", "user"], 1]);
    expect(await groups({ CanAccessToAllUsersInUnifiedLog: false })).toEqual([["camera"], 1]);
    expect(await groups({ CanAccessUnifiedLog: false })).toEqual([[], 1]);
  });
});

describe("what /api/timeline refuses", () => {
  it.each([
    ["no channel", { channels: "" }, 400],
    ["something else than a channel", { channels: "Gate" }, 400],
    ["an unknown channel", { channels: "22222222-0000-4000-8000-0000000000ff" }, 404],
    ["65 channels", { channels: Array(65).fill(YARD_ID).join(",") }, 400],
    ["no beginning", { from: "" }, 400],
    ["something else than a time", { from: "yesterday" }, 400],
    ["an end before the beginning", { to: NOON_US / 1000 }, 400],
    ["more than a year", { to: (NOON_US + 367 * DAY_US) / 1000 }, 400],
    ["no steps", { steps: 0 }, 400],
    ["too many steps", { steps: 4001 }, 400],
    ["a part of a step", { steps: "1.5" }, 400],
    ["a time beyond all times", { to: "999999999999999" }, 400],
  ])("%s", async (_what, query, status) => {
    expect((await api.get(path(query))).status).toBe(status);
  });
});
