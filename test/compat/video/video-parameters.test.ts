import { afterAll, beforeAll, expect, it } from "vitest";
import { GATE_ID, STORE_ID, YARD_ID } from "../../support/api/api-fakes.js";
import { archivedFrames } from "../../support/api/api-frames.js";
import { type ApiHarness, startApi } from "../../support/api/api-harness.js";

let api: ApiHarness;

beforeAll(async () => {
  api = await startApi();
  api.archive.record({ channelId: YARD_ID, streamType: "Main" }, archivedFrames(2));
});

afterAll(() => api.stop());

const START = "starttime=21.11.2026+09:00:00";
const GATE = `channelid=${GATE_ID}`;

it.each([
  ["no channel", "", 400, "exactly one of"],
  ["two channel parameters", `${GATE}&channel=Gate`, 400, "2 were given"],
  ["a channelid that is no GUID", "channelid=12", 400, "not a GUID"],
  ["an unknown channelid", "channelid=22222222-0000-4000-8000-00000000000f", 404, "no channel"],
  ["an unknown name", "channel=Roof", 404, "Roof"],
  ["a channelnum beyond the last", "channelnum=3", 404, "there are 3"],
  ["a channelnum that is no number", "channelnum=-1", 400, "channelnum"],
  ["a channel that is switched off", `channelid=${STORE_ID}`, 404, "switched off"],
  ["a stream type the channel lacks", `${GATE}&streamtype=ThirdAlternative`, 404, "ThirdAlternative"],
  ["an unknown stream type", `${GATE}&streamtype=Fifth`, 400, "ThirdAlternative"],
  ["an unknown mode", `${GATE}&mode=later`, 400, "realtime, archive"],
  ["an unknown sound", `${GATE}&sound=loud`, 400, "on, off"],
  ["archive without starttime", `${GATE}&mode=archive`, 400, "needs starttime"],
  ["starttime without archive", `${GATE}&${START}`, 400, "starttime needs mode=archive"],
  ["speed without archive", `${GATE}&speed=2`, 400, "speed needs mode=archive"],
  ["speed 0", `${GATE}&mode=archive&${START}&speed=0`, 400, "0.1 to 20"],
  ["speed 0.09", `${GATE}&mode=archive&${START}&speed=0.09`, 400, "0.1 to 20"],
  ["speed 20.1", `${GATE}&mode=archive&${START}&speed=20.1`, 400, "0.1 to 20"],
  ["speed that is no number", `${GATE}&mode=archive&${START}&speed=fast`, 400, "0.1 to 20"],
  ["a starttime with T", `${GATE}&mode=archive&starttime=21.11.2026T09:00:00`, 400, "dd.MM.yyyy"],
  ["a day that does not exist", `${GATE}&mode=archive&starttime=31.02.2026+09:00:00`, 400, "starttime"],
  ["one parameter with two values", `${GATE}&sound=on&sound=off`, 400, "twice"],
  ["a broken percent escape", `${GATE}&sound=%zz`, 400, "percent escape"],
])("/video refuses %s", async (_what, query, status, text) => {
  const response = await api.get(`/video?${query}`);
  const body = await response.text();
  expect([response.status, body]).toEqual([status, expect.stringContaining(text)]);
  expect(body).toMatch(/^Error code: \d+\r\nMessage: .+\r\n$/);
});

const YARD_NAME = encodeURIComponent('Двор <north> & "south"');

it.each([
  ["channelid in upper case", `CHANNELID=${YARD_ID.toUpperCase()}`],
  ["channelid in braces", `channelId={${YARD_ID}}`],
  ["the channel's name", `channel=${YARD_NAME}`],
  ["the channel's name in another case", `channel=${encodeURIComponent('ДВОР <North> & "South"')}`],
  ["the channel's number", "channelnum=1"],
])("/video takes %s", async (_what, channel) => {
  const response = await fetch(
    api.url(`/video?login=root&password=5ebe2294ecd0e0f08eab7690d2a6ee69&${channel}&mode=archive&${START}`),
    { method: "HEAD" },
  );
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("multipart/x-mixed-replace; boundary=myboundary");
});

it.each(["sound=TRUE", "sound=On", "sound=0", "sound=False", "speed=1", "speed=1.0&sound=1"])(
  "/video takes %s live",
  async (parameters) => {
    const credentials = "login=root&password=5ebe2294ecd0e0f08eab7690d2a6ee69";
    const url = api.url(`/video?${credentials}&${GATE}&${parameters}`);
    expect((await fetch(url, { method: "HEAD" })).status).toBe(200);
  },
);

it.each([
  "01.01.0001+00:00:00",
  "01.01.1900+00:00:00",
  "21.11.2026%2009:00:00",
  "21.11.2026+9:0:0",
  "21.11.2026%2009%3A00%3A00.123",
  "21/11/2026+09:00:00",
  "21-11-2026+09:00:00",
  "2026.11.21+09:00:00",
])("/video takes the starttime %s", async (text) => {
  const login = "login=root&password=5EBE2294ECD0E0F08EAB7690D2A6EE69";
  const url = api.url(
    `//Video/?&${login}&is_ajax=true&amp;password=x&channelid=${YARD_ID}&MODE=Archive&startTime=${text}`,
  );
  expect((await fetch(url, { method: "HEAD" })).status).toBe(200);
});
