import { beforeEach, describe, expect, it } from "vitest";
import { GATE_ID, STORE_ID, YARD_ID } from "../../support/api/api-fakes.js";
import { archivedFrames, NINE_US } from "../../support/api/api-frames.js";
import { startApi } from "../../support/api/api-harness.js";
import { forEachTest } from "../../support/base/for-tests.js";

const HOUR_US = 3_600_000_000;
const KEY = { channelId: YARD_ID, streamType: "Main" } as const;

const api = forEachTest(() => startApi());

interface Fragments {
  Fragments: { Id: string; FromTime: string; ToTime: string }[];
}

async function ask(
  query: string,
  credentials = "login=guard",
): Promise<{ status: number; text: string; fragments: Fragments["Fragments"] }> {
  const response = await fetch(api.url(`/archivefragments?${credentials}&${query}`));
  const text = await response.text();
  const json = query.includes("responsetype=json") && response.status === 200;
  return { status: response.status, text, fragments: json ? (JSON.parse(text) as Fragments).Fragments : [] };
}

const between = (from: string, to: string): string =>
  `channelid=${YARD_ID}&fromtime=${from}&totime=${to}&responsetype=json`;

describe("the interval of /archivefragments", () => {
  /** Two fragments of 2 s: from 08:00:00 and from 09:00:00. */
  beforeEach(() => {
    api.archive.record(KEY, archivedFrames(50, NINE_US - HOUR_US));
    api.archive.record(KEY, archivedFrames(50));
  });

  it.each([
    ["the whole archive", "01.01.2000+00:00:00", "01.01.2222+23:59:59", 2],
    ["from the earliest time of a program to its latest", "01.01.0001+00:00:00", "31.12.9999+23:59:59", 2],
    ["what it touches with its end", "21.11.2026+08:30:00", "21.11.2026+09:00:00", 1],
    ["what begins before it, uncut", "21.11.2026+09:00:01", "21.11.2026+09:00:01.5", 1],
    ["a single moment in a fragment", "21.11.2026+09:00:01", "21.11.2026+09:00:01", 1],
    ["a single moment in a gap", "21.11.2026+08:30:00", "21.11.2026+08:30:00", 0],
    ["not what ends where it begins", "21.11.2026+08:00:02", "21.11.2026+08:30:00", 0],
    ["the future", "01.01.2221+00:00:00", "01.01.2222+23:59:59", 0],
  ])("finds %s", async (_what, from, to, count) => {
    const { status, fragments } = await ask(between(from, to));
    expect(status).toBe(200);
    expect(fragments).toHaveLength(count);
    for (const { FromTime, ToTime } of fragments) {
      expect(FromTime).toMatch(/^2026-11-21T0[89]:00:00\.0000000Z$/);
      expect(ToTime).toMatch(/^2026-11-21T0[89]:00:02\.0000000Z$/);
    }
  });

  it.each(["21-11-2026%209:00:01", "21/11/2026+09%3A00%3A01", "2026-11-21+09:00:01", "21.11.26+9:0:1"])(
    "may be written %s",
    async (time) => {
      expect((await ask(between(time, time))).fragments).toHaveLength(1);
    },
  );

  it.each([
    ["with a T", "21.11.2026T09:00:00"],
    ["in ISO 8601 of no hour", "2026-11-21T25:00:00Z"],
    ["as a number", "1795251600"],
    ["of no day", "31.11.2026+09:00:00"],
  ])("is refused %s, with what is accepted", async (_what, time) => {
    for (const query of [between(time, "01.01.2222+00:00:00"), between("01.01.2000+00:00:00", time)]) {
      const { status, text } = await ask(query);
      expect(status).toBe(400);
      expect(text).toContain("dd.MM.yyyy HH:mm:ss[.fff]");
    }
  });

  it.each(["channelid", "fromtime", "totime"])("is refused without %s", async (name) => {
    const query = between("21.11.2026+00:00:00", "22.11.2026+00:00:00").replace(
      new RegExp(`${name}=[^&]*&`),
      "",
    );
    const { status, text } = await ask(query);
    expect([status, text]).toEqual([400, expect.stringContaining(`parameter "${name}" is missing`)]);
  });

  it("is that of all streams, and of the one that is named, which was recorded before another one", async () => {
    const day = between("20.11.2026 00:00:00", "22.11.2026 00:00:00");
    const ofMain = (await ask(day)).fragments;
    expect((await ask(`${day}&streamtype=mainvideo`)).fragments).toEqual(ofMain);
    expect((await ask(`${day}&streamtype=Alternative`)).fragments).toEqual([]);
    const [camera] = api.site.current.cameras.filter(({ id }) => id === YARD_ID);
    if (camera === undefined) throw new Error("no such camera");
    const { Main, Alternative } = camera.connection.streams;
    const streams = {
      ...camera.connection.streams,
      Main: { ...Main, roles: [] },
      Alternative: { ...Alternative, enabled: true, roles: ["Archive" as const] },
    };
    const changed = { ...camera, connection: { ...camera.connection, streams } };
    await api.site.change((site) => ({
      ...site,
      cameras: site.cameras.map((one) => (one === camera ? changed : one)),
    }));
    expect((await ask(day)).fragments).toEqual(ofMain);
    expect((await ask(`${day}&streamtype=alternative`)).fragments).toEqual([]);
    expect((await ask(`${day}&streamtype=main`)).fragments).toEqual(ofMain);
    const found = `/command?type=findarchive&login=guard&channelid=${YARD_ID}&searchtime=21.11.2026 09:00:01`;
    const has = async (query: string) =>
      /"HasArchive":true/.test(await (await fetch(api.url(`${found}&responsetype=json${query}`))).text());
    const answers = [await has(""), await has("&streamtype=Main"), await has("&streamtype=Alternative")];
    expect(answers).toEqual([true, true, false]);
  });

  it("is refused in an unknown responsetype", async () => {
    const query = between("21.11.2026+00:00:00", "22.11.2026+00:00:00").replace("json", "csv");
    expect((await ask(query)).status).toBe(400);
  });

  it("is refused backwards", async () => {
    const { status, text } = await ask(between("21.11.2026+09:00:00", "21.11.2026+08:59:59"));
    expect([status, text]).toEqual([400, expect.stringContaining("fromtime is later than totime")]);
  });

  it("sees the end of the fragment being recorded grow, under the same id", async () => {
    const query = between("21.11.2026+08:59:00", "01.01.2222+00:00:00");
    const [before] = (await ask(query)).fragments;
    const [start, ...rest] = archivedFrames(75);
    if (start === undefined) throw new Error("no frames");
    const more = rest.slice(49);
    api.archive.record(KEY, more);
    const [after] = (await ask(query)).fragments;
    expect(after?.Id).toBe(before?.Id);
    expect(after?.FromTime).toBe(before?.FromTime);
    expect(after && before && after.ToTime > before.ToTime).toBe(true);
  });
});

describe("the channel of /archivefragments", () => {
  const interval = "fromtime=01.01.2000+00:00:00&totime=01.01.2222+00:00:00";

  it("that is hidden answers as one that does not exist", async () => {
    const unknown = "22222222-0000-4000-8000-0000000000ff";
    const hidden = await ask(`channelid=${STORE_ID}&${interval}`);
    expect(hidden.status).toBe(404);
    expect(hidden.text.replace(STORE_ID, unknown)).toBe((await ask(`channelid=${unknown}&${interval}`)).text);
  });

  it("that may be watched live alone is forbidden", async () => {
    expect((await ask(`channelid=${GATE_ID}&${interval}`)).status).toBe(403);
  });

  it("matches in upper case", async () => {
    expect((await ask(`channelid=${YARD_ID.toUpperCase()}&${interval}`)).status).toBe(200);
  });
});

it("a list of thousands is whole, in either format", async () => {
  const count = 3000;
  for (let index = 0; index < count; index++)
    api.archive.record(KEY, archivedFrames(1, NINE_US - HOUR_US * (count - index)));
  const query = between("01.01.2000+00:00:00", "01.01.2222+00:00:00");
  const { fragments } = await ask(query);
  expect(fragments).toHaveLength(count);
  expect(fragments.toSorted((a, b) => (a.FromTime < b.FromTime ? -1 : 1))).toEqual(fragments);
  const xml = (await ask(query.replace("json", "xml"))).text;
  const times = [...xml.matchAll(/<FromTime>([^<]+)<\/FromTime>/g)].map((match) => match[1]);
  expect(times).toEqual(fragments.map((fragment) => fragment.FromTime));
  expect(xml.endsWith("\r\n  </Fragments>\r\n</ArchiveFragmentsList>")).toBe(true);
});
