import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NvrdError } from "../../src/base/index.js";
import { RECHECK_PERIOD_MS } from "../../src/route/endpoint/open-streams.js";
import type { GroupRight, Site, UserGroup } from "../../src/site/index.js";
import { changeGuards, GATE_ID, rights } from "../support/api/api-fakes.js";
import { archivedFrames, liveFrame } from "../support/api/api-frames.js";
import { type ApiHarness, startApi, until } from "../support/api/api-harness.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { RawClient } from "../support/http/raw-http.js";

let api: ApiHarness;
let clock: SimulatedClock;
let client: RawClient | undefined;

const EVERYTHING: Partial<UserGroup> = {
  rights: rights(),
  realtimeChannels: [GATE_ID],
  archiveChannels: [GATE_ID],
};

beforeEach(async () => {
  clock = new SimulatedClock(Date.UTC(2026, 10, 21, 12) * 1000);
  api = await startApi({ clock });
  api.archive.record({ channelId: GATE_ID, streamType: "Main" }, archivedFrames(50));
  await changeGroup(EVERYTHING);
});

afterEach(async () => {
  client?.socket.destroy();
  await api.stop();
});

const changeSite = (change: (site: Site) => Partial<Site>) =>
  api.site.change((site) => ({ ...site, ...change(site) }));

const changeGroup = (change: Partial<UserGroup>) => changeGuards(api.site, change);

const without = (right: GroupRight): Partial<UserGroup> => ({
  ...EVERYTHING,
  rights: rights({ [right]: right === "IsAllForbidden" }),
});

const changeGuard = (secret: string) =>
  changeSite((site) => ({
    users: site.users.map((user) => (user.name === "guard" ? { ...user, secret } : user)),
  }));

const LIVE = `/video?channelid=${GATE_ID}`;
const LIVE_SOUND = `${LIVE}&sound=on&streamtype=alternative`;
const ARCHIVE = `/video?mode=archive&starttime=21.11.2026+09:00:00&channelid=${GATE_ID}`;
const EVENTS = `/event?channelid=${GATE_ID}`;

/** Opens a stream as the guard; resolves when its answer has begun. */
async function watch(path: string): Promise<RawClient> {
  const watching = new RawClient(api.port);
  client = watching;
  watching.get(`${path}&login=guard`);
  if (path.startsWith(LIVE)) {
    const stream = api.streams.live(GATE_ID, path === LIVE ? "Main" : "Alternative");
    await until("it subscribes", () => stream.subscribers === 1);
    stream.publish(liveFrame(0, { key: true }));
  }
  await until("the answer begins", () => watching.text.includes(" 200 OK"));
  return watching;
}

const ended = (watching: RawClient): boolean => watching.closed || watching.text.endsWith("0\r\n\r\n");

/** Lets the recheck fall due and everything that follows from it run. */
async function settle(us = 200_000): Promise<void> {
  await clock.advanceSlowly(us, 50_000);
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setTimeout(resolve, 1));
}

describe("an open stream", () => {
  it.each<[string, string, () => Promise<unknown>]>([
    [LIVE, "live of the channel", () => changeGroup({ ...EVERYTHING, realtimeChannels: [] })],
    [LIVE, "the channel", () => changeGroup({ ...EVERYTHING, realtimeChannels: [], archiveChannels: [] })],
    [LIVE, "CanReceiveMainStream", () => changeGroup(without("CanReceiveMainStream"))],
    [LIVE, "everything (IsAllForbidden)", () => changeGroup(without("IsAllForbidden"))],
    [LIVE, "the password", () => changeGuard("0123456789abcdef0123456789abcdef")],
    [
      LIVE,
      "the user",
      () => changeSite((site) => ({ users: site.users.filter(({ name }) => name !== "guard") })),
    ],
    [LIVE_SOUND, "CanReceiveSound", () => changeGroup(without("CanReceiveSound"))],
    [ARCHIVE, "the channel's archive", () => changeGroup({ ...EVERYTHING, archiveChannels: [] })],
    [ARCHIVE, "CanReceiveMainStream", () => changeGroup(without("CanReceiveMainStream"))],
    [ARCHIVE, "everything (IsAllForbidden)", () => changeGroup(without("IsAllForbidden"))],
    [EVENTS, "the channel", () => changeGroup({ ...EVERYTHING, realtimeChannels: [], archiveChannels: [] })],
    [EVENTS, "everything (IsAllForbidden)", () => changeGroup(without("IsAllForbidden"))],
    [
      EVENTS,
      "the user",
      () => changeSite((site) => ({ users: site.users.filter(({ name }) => name !== "guard") })),
    ],
  ])("%s ends when %s is taken away", async (path, _what, takeAway) => {
    const watching = await watch(path);
    await settle();
    expect(ended(watching)).toBe(false);
    await takeAway();
    await clock.advanceSlowly(200_000);
    await until("the stream ends", () => ended(watching));
  });

  it.each<[string, GroupRight]>([
    [LIVE, "CanReceiveSound"],
    [LIVE, "CanPTZ"],
    [LIVE_SOUND, "CanReceiveMainStream"],
    [EVENTS, "CanReceiveMainStream"],
  ])("%s goes on when %s, which it does not need, is taken away", async (path, right) => {
    const watching = await watch(path);
    await changeGroup(without(right));
    await settle();
    expect(ended(watching)).toBe(false);
  });

  it("ends within a minute when credentials hold no longer without a change of the configuration", async () => {
    const watching = await watch(EVENTS);
    await settle(RECHECK_PERIOD_MS * 1000);
    expect(ended(watching)).toBe(false);
    api.access.recall = () => undefined;
    api.access.verify = () => Promise.reject(new NvrdError("UNAUTHORIZED", "no longer in the group"));
    await clock.advanceSlowly(RECHECK_PERIOD_MS * 1000, 1_000_000);
    await until("the stream ends", () => ended(watching));
  });

  it("goes on while somebody else at its address guesses at the password", async () => {
    const watching = await watch(EVENTS);
    api.access.recall = () => undefined;
    api.access.verify = () => Promise.reject(new NvrdError("TOO_MANY_REQUESTS", "wait"));
    await settle(2 * RECHECK_PERIOD_MS * 1000);
    expect(ended(watching)).toBe(false);
  });

  it("leaves no timer behind", async () => {
    const before = clock.timers;
    const watching = await watch(LIVE);
    watching.socket.destroy();
    await until("it is gone", () => api.streams.live(GATE_ID).subscribers === 0);
    expect(clock.timers).toBe(before);
  });
});
