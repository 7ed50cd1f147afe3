import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newGuid, type StreamKey } from "../../../src/base/index.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { archivedFrames, NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi } from "../../support/api/api-harness.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { recordedPictures } from "../../support/hls/hls-frames.js";
import { OutletHarness, recordedSlices } from "../../support/rtsp/rtsp-outlet.js";

/** A recorder that has just started: what it has recorded since, it knows, and of the rest not yet whether there is any. */
const GATE: StreamKey = { channelId: GATE_ID, streamType: "Main" };
const EARLIER = "21.11.2026%2008:00:00";
const OF_GATE = `channelid=${GATE_ID}`;
const ASKED = [
  `/video?${OF_GATE}&mode=archive&starttime=${EARLIER}`,
  `/mobile?${OF_GATE}&mode=archive&starttime=${EARLIER}`,
  `/site?${OF_GATE}&mode=archive&starttime=${EARLIER}`,
  `/hls?${OF_GATE}&mode=archive&starttime=${EARLIER}`,
  `/exportarchive?${OF_GATE}&fromtime=${EARLIER}&totime=21.11.2026%2010:00:00`,
  `/archivefragments?${OF_GATE}&fromtime=${EARLIER}&totime=21.11.2026%2008:30:00`,
  `/command?type=findarchive&${OF_GATE}&searchtime=${EARLIER}`,
];
/** Times that begin before the start and end after it. */
const PARTLY_KNOWN = [
  `/archivefragments?${OF_GATE}&fromtime=${EARLIER}&totime=21.11.2026%2010:00:00`,
  `/exportarchive?${OF_GATE}&fromtime=${EARLIER}&totime=21.11.2026%2010:00:00`,
  `/api/strip?channel=${GATE_ID}&from=${EARLIER}&to=21.11.2026%2010:00:00`,
];

let api: ApiHarness;
let clock: SimulatedClock;

beforeEach(async () => {
  clock = new SimulatedClock(NINE_US + 60_000_000);
  api = await startApi({ clock });
  api.archive.fault = "the index of recordings is being opened";
  api.archive.knownFromUs = NINE_US;
});

afterEach(() => api.stop());

describe("while the index is being opened", () => {
  it.each(ASKED)("%s is 503 and says when to ask again", async (path) => {
    for (const method of ["GET", "HEAD"]) {
      const answer = await fetch(`${api.url(path)}&${ROOT_QUERY}`, { method });
      expect([method, answer.status, answer.headers.get("retry-after")]).toEqual([method, 503, "2"]);
      if (method === "GET") expect(await answer.text()).toContain("index of recordings is being opened");
    }
  });

  it.each(ASKED)("%s is 503 though something was recorded since the start", async (path) => {
    api.archive.record(GATE, archivedFrames(50, NINE_US));
    const answer = await fetch(`${api.url(path)}&${ROOT_QUERY}`);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "2"]);
  });

  it.each(PARTLY_KNOWN)("%s does not pass what was recorded since the start for all", async (path) => {
    api.archive.record(GATE, recordedPictures(100));
    const answer = await fetch(`${api.url(path)}&${ROOT_QUERY}`);
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "2"]);
  });

  it("whether a removed channel has recordings to delete is not known", async () => {
    const path = `/configure/channels/${newGuid()}?archive=delete`;
    const answer = await fetch(`${api.url(path)}&${ROOT_QUERY}`, { method: "DELETE" });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "2"]);
  });

  it("what was recorded since the start is there", async () => {
    api.archive.record(GATE, recordedPictures(100));
    const at = "21.11.2026%2009:00:01";
    const span = `fromtime=${at}&totime=21.11.2026%2009:00:03`;
    for (const path of [`/exportarchive?${OF_GATE}&${span}`, `/archivefragments?${OF_GATE}&${span}`])
      expect([path, (await api.get(path)).status]).toEqual([path, 200]);
    const video = await fetch(`${api.url(`/video?${OF_GATE}&mode=archive&starttime=${at}`)}&${ROOT_QUERY}`, {
      method: "HEAD",
    });
    expect(video.status).toBe(200);
    const found = await api.get(`/command?type=findarchive&${OF_GATE}&searchtime=${at}`);
    expect(await found.text()).toContain("<HasArchive>true</HasArchive>");
  });

  it("the RTSP server answers 503 for a recording, and plays what it has recorded since", async () => {
    const outlet = new OutletHarness(api, clock);
    await outlet.start();
    const ask = async (query: string) =>
      (await outlet.connect()).request("DESCRIBE", outlet.url(`&mode=archive${query}`));
    for (const query of ["", `&starttime=${EARLIER}`]) {
      const refused = await ask(query);
      expect([query, refused.status, refused.headers.get("retry-after")]).toEqual([query, 503, "2"]);
    }
    api.archive.record(GATE, recordedSlices(100));
    expect((await ask("&starttime=21.11.2026%2009:00:01")).status).toBe(200);
    expect((await ask("")).status).toBe(503);
    await outlet.stop();
  });
});

it("404 again, once it is known that nothing is recorded", async () => {
  api.archive.fault = undefined;
  for (const path of ASKED.slice(0, 5)) expect([path, (await api.get(path)).status]).toEqual([path, 404]);
  for (const path of ASKED.slice(5)) expect([path, (await api.get(path)).status]).toEqual([path, 200]);
});
