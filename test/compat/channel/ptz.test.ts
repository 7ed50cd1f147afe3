import { request } from "node:http";
import { expect, it } from "vitest";
import { NvrdError } from "../../../src/base/index.js";
import { NO_PTZ } from "../../../src/camera/index.js";
import { changeGuards, GATE_ID, type guardsGroup, rights } from "../../support/api/api-fakes.js";
import { ROOT_QUERY, startApi, until } from "../../support/api/api-harness.js";
import { forEachTest } from "../../support/base/for-tests.js";

const api = forEachTest(() => startApi());

const ask = (query: string): Promise<Response> => api.get(`/ptz?channelid=${GATE_ID}&${query}`);

it.each([
  ["command=startmove&panspeed=50&tiltspeed=-25", { kind: "move", pan: 0.5, tilt: -0.25, forMs: 5000 }],
  ["Command=StartMove&PanSpeed=12,5&StopTimeout=700", { kind: "move", pan: 0.125, tilt: 0, forMs: 700 }],
  ["command=startmove&panspeed=900&stoptimeout=999999", { kind: "move", pan: 1, tilt: 0, forMs: 30_000 }],
  ["command=startmove&panspeed=1&stoptimeout=0", { kind: "move", pan: 0.01, tilt: 0, forMs: 30_000 }],
  ["command=stop", { kind: "stop", axes: ["pan-tilt", "zoom"] }],
  ["command=zoom&zoomstep=-30", { kind: "zoom-step", step: -0.3 }],
  ["command=startzoom&speed=100&stoptimeout=1500", { kind: "zoom", speed: 1, forMs: 1500 }],
  ["command=gotopreset&index=7", { kind: "preset", index: 7 }],
  ["command=savepreset&name=Ramp", { kind: "save-preset", name: "Ramp" }],
  ["command=savepreset&name=Ramp&index=3", { kind: "save-preset", index: 3, name: "Ramp" }],
  ["command=removepreset&index=3", { kind: "remove-preset", index: 3 }],
  ["command=gotohome", { kind: "home" }],
  ["command=setautofocus", { kind: "autofocus" }],
  ["command=moveto&width=640&height=480&x=480&y=120", { kind: "center", x: 0.5, y: 0.5 }],
])("%s", async (query, command) => {
  const answer = await ask(query);
  expect(answer.status).toBe(200);
  expect(api.ptz.requests).toMatchObject([
    { channelId: GATE_ID, command, user: { name: "root", priority: "High" } },
  ]);
});

it.each([
  ["command=dance", /"dance" is unknown: use one of getcapabilities, startmove, stop/],
  ["panspeed=1", /"command" is missing/],
  ["command=startmove&panspeed=fast", /"panspeed" is "fast": use a number/],
  ["command=startzoom", /"speed" is missing/],
  ["command=gotopreset&index=-1", /"index" is "-1": use a whole number/],
  ["command=savepreset", /"name" is missing/],
  ["command=savepreset&name=%0A", /"name" is/],
  [`command=savepreset&name=${"a".repeat(65)}`, /"name" takes at most 64 characters/],
  ["command=moveto&width=0&height=480&x=0&y=0", /"width" is "0": use a number from 1 to 65535/],
  ["command=moveto&width=640&height=480&x=641&y=0", /"x" is 641: use 0 to 640/],
])("%s is refused in words", async (query, words) => {
  const answer = await ask(query);
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringMatching(words)]);
  expect(api.ptz.requests).toEqual([]);
});

it("what was done is answered in both formats, and to POST", async () => {
  const url = api.url(
    `/ptz?channelid=${GATE_ID}&command=startmove&panspeed=1&responsetype=JSON&${ROOT_QUERY}`,
  );
  const posted = await fetch(url, { method: "POST", body: "ignored" });
  expect(await posted.json()).toEqual({ ChannelId: GATE_ID, Command: "startmove", StopTimeout: 5000 });
  const xml = await (await ask("command=stop")).text();
  expect(xml).toContain("<Command>stop</Command>");
  expect(xml).not.toContain("StopTimeout");
});

it("what a camera can do is answered in both formats", async () => {
  const presets = [{ index: 3, name: "Yard & gate" }];
  const can = { panTilt: true, zoom: true, zoomStep: false, center: true, autofocus: false, home: true };
  api.ptz.can = { ...NO_PTZ, ...can, presets };
  expect(await (await ask("command=getcapabilities&responsetype=json")).json()).toEqual({
    ChannelId: GATE_ID,
    PanTilt: true,
    Zoom: true,
    ZoomStep: false,
    MoveTo: true,
    AutoFocus: false,
    Home: true,
    Presets: [{ Index: 3, Name: "Yard & gate" }],
  });
  const xml = await (await ask("command=GetCapabilities")).text();
  expect(xml).toMatch(/<Preset>\s*<Index>3<\/Index>\s*<Name>Yard &amp; gate<\/Name>/);
});

it("a camera that another user has is 409, with when to try again", async () => {
  const words = "chief (priority High) has moved this camera for 2 s";
  api.ptz.failure = new NvrdError("IN_USE", words, { retryAfterMs: 8000 });
  const answer = await ask("command=stop");
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([409, "8"]);
  expect(await answer.text()).toContain(words);
});

it("a client that hangs up before the answer is told to the camera", async () => {
  api.ptz.held = new Promise(() => undefined);
  const path = `/ptz?channelid=${GATE_ID}&command=startmove&panspeed=1&${ROOT_QUERY}`;
  const client = request({ host: "127.0.0.1", port: api.port, path });
  client.on("error", () => undefined);
  client.end();
  await until("the command", () => api.ptz.requests.length === 1);
  expect(api.ptz.requests[0]?.signal.aborted).toBe(false);
  client.destroy();
  await until("the end", () => api.ptz.requests[0]?.signal.aborted === true);
});

it.each(["savepreset&name=Ramp", "removepreset&index=1"])(
  "%s is for administrators alone",
  async (command) => {
    const asked = await fetch(api.url(`/ptz?channelid=${GATE_ID}&command=${command}&login=guard`));
    expect([asked.status, api.ptz.requests]).toEqual([403, []]);
  },
);

it("needs the right CanPTZ and a channel that is watched live", async () => {
  const as = (change: Parameters<typeof guardsGroup>[0]) => changeGuards(api.site, change);
  const status = async (): Promise<number> =>
    (await fetch(api.url(`/ptz?channelid=${GATE_ID}&command=stop&login=guard`))).status;
  expect(await status()).toBe(200);
  await as({ rights: rights({ CanPTZ: false }) });
  expect(await status()).toBe(403);
  await as({ realtimeChannels: [], archiveChannels: [GATE_ID] });
  expect(await status()).toBe(403);
  expect(api.ptz.requests).toHaveLength(1);
});
