import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changeGuards, GATE_ID } from "../../support/api/api-fakes.js";
import { NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY } from "../../support/api/api-harness.js";
import { LiveSocketClient } from "../../support/api/live-socket-client.js";
import { PAGE_HTML, pageFolder, SCRIPT_PATH } from "../../support/api/page-folder.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { until } from "../../support/base/until.js";
import type { FleetBench, FleetBox } from "../../support/fleet/fleet-bench.js";
import { RecorderAtHub } from "../../support/fleet/recorder-at-hub.js";
import { H264_FORMAT, pictures } from "../../support/hls/hls-frames.js";

let place: RecorderAtHub;
let bench: FleetBench;
let recorder: ApiHarness;
let hub: ApiHarness;
let box: FleetBox;
const clients: LiveSocketClient[] = [];

beforeEach(async () => {
  const clock = new SimulatedClock(NINE_US);
  const page = { folder: await pageFolder() };
  place = await RecorderAtHub.start({ recorder: { clock }, page, ceiling: "Operate" });
  ({ bench, recorder, hub, box } = place);
  recorder.streams.live(GATE_ID).setState({ state: "active" });
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await place.stop();
});

const below = (rest: string) => place.below(rest);

describe("a recorder through its hub", () => {
  it("answers as it does by itself", async () => {
    const through = await hub.get(below("/api/channels"));

    expect(through.status).toBe(200);
    expect(await through.json()).toEqual(await (await recorder.get("/api/channels")).json());
  });

  it("answers its own refusals, with their status", async () => {
    expect((await hub.get(below("/api/nothing"))).status).toBe(404);
    expect((await hub.get(below("/configure/users"))).status).toBe(403);
  });

  it("sends nothing that a browser takes for a page of the hub", async () => {
    const { headers } = await hub.get(below("/api/channels"));

    expect(headers.get("content-security-policy")).toContain("sandbox");
  });

  it("has the hub's own page below its path, for who is logged in", async () => {
    expect(await (await hub.get(below("/"))).text()).toBe(PAGE_HTML);
    expect((await hub.get(below(SCRIPT_PATH))).status).toBe(200);
    const stranger = await fetch(hub.url(below("/")), {
      ...{ redirect: "manual", headers: { accept: "text/html" } },
    });
    expect([stranger.status, stranger.headers.get("location")]).toEqual([302, "../../"]);
  });

  it.each([
    "/configure/discovery",
    "/api/away/buckets/00000001-0000-4000-8000-000000000001",
    "/api/support",
    "/ptz?command=left",
    "/command?type=generateexternalevent",
    "//command?type=generateexternalevent",
    "/%63ommand?type=setreleout",
    "/command?type=ofanewerversion",
    "/a/path/of/a/newer/version",
  ])("does nothing that changes or begins something for a page of another site: %s", async (path) => {
    const asked = (headers: Record<string, string>) => {
      const url = `${hub.url(below(path))}${path.includes("?") ? "&" : "?"}${ROOT_QUERY}`;
      return fetch(url, { headers, redirect: "manual" });
    };
    const { length } = box.seen;
    for (const headers of [{ "sec-fetch-site": "cross-site" }, { origin: "https://elsewhere.example" }]) {
      const answer = await asked(headers);
      expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining("another site")]);
    }
    expect(box.seen).toHaveLength(length);
    expect(await (await asked({})).text()).not.toContain("another site");
  });

  it("shows pictures and pages to who comes from another site, as the recorder itself does", async () => {
    for (const path of ["/api/channels", "/"]) {
      const url = `${hub.url(below(path))}?${ROOT_QUERY}`;
      const answer = await fetch(url, { headers: { "sec-fetch-site": "cross-site" } });
      expect([path, answer.status]).toEqual([path, 200]);
    }
  });

  it("is moved to the slash at the end of its path, which the page's addresses need", async () => {
    const answer = await fetch(`${hub.url(below(""))}?${ROOT_QUERY}`, { redirect: "manual" });

    expect([answer.status, answer.headers.get("location")]).toEqual([302, `${box.id}/`]);
  });

  it("is not there for a user who may not watch all cameras at the hub", async () => {
    await changeGuards(hub.site, { realtimeChannels: [], archiveChannels: [] });
    const guard = "login=guard";

    expect((await fetch(hub.url(`${below("/api/channels")}?${guard}`))).status).toBe(404);
    expect(await (await fetch(hub.url(`/api/boxes?${guard}`))).json()).toMatchObject({ Boxes: [] });
  });

  it("shows live pictures over the live socket", async () => {
    const client = await watching();

    for (const frame of pictures(30, { format: H264_FORMAT })) recorder.streams.live(GATE_ID).publish(frame);

    await until("all pictures come", () => client.pictures().length === 30, { seen: () => client.answers });
  });

  it("has its sockets closed once the recorder leaves the hub", async () => {
    const client = await watching();

    await bench.hub.remove(box.id);

    await until("it is closed", () => client.isClosed, { seen: () => client.answers });
  });

  it("is listed with its health, and is 503 while it is not connected", async () => {
    await box.membership.stop();
    await until("it is gone", () => bench.hub.box(box.id)?.silence === "ended");

    expect(await (await hub.get("/api/boxes")).json()).toMatchObject({
      Boxes: [{ Id: box.id, Name: "Warehouse", Health: "recording", IsConnected: false, Silence: "Ended" }],
      Problem: null,
    });
    expect((await hub.get(below("/api/channels"))).status).toBe(503);
  });
});

async function watching(): Promise<LiveSocketClient> {
  const client = new LiveSocketClient(hub.port, { path: below(`/api/live?${ROOT_QUERY}`) });
  clients.push(client);
  await client.greet();
  client.say({ type: "watch", id: 1, channel: GATE_ID, tile: { width: 1920, height: 1080 } });
  await until("the camera is read", () => recorder.streams.live(GATE_ID).atOnce === 1, {
    seen: () => client.answers,
  });
  return client;
}
