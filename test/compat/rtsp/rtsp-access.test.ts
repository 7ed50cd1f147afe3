import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Codec } from "../../../src/live/codec/codec.js";
import { Frame } from "../../../src/live/index.js";
import type { Site, UserGroup } from "../../../src/site/index.js";
import { changeGuards, GATE_ID, ROOT_MD5, rights } from "../../support/api/api-fakes.js";
import { liveFrame, NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, startApi, until } from "../../support/api/api-harness.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { handSlice } from "../../support/rtsp/hand-source.js";
import type { RawRtspClient } from "../../support/rtsp/raw-rtsp-client.js";
import { GUARD_QUERY, OutletHarness, recordedSlices } from "../../support/rtsp/rtsp-outlet.js";

const EVERYTHING: Partial<UserGroup> = {
  rights: rights(),
  realtimeChannels: [GATE_ID],
  archiveChannels: [GATE_ID],
};
const ARCHIVE = "&mode=archive&starttime=21.11.2026%2009:00:00";
const BASIC_ROOT = { Authorization: `Basic ${Buffer.from(`root:${ROOT_MD5}`).toString("base64")}` };

let api: ApiHarness;
let clock: SimulatedClock;
let outlet: OutletHarness;
let client: RawRtspClient;

beforeEach(async () => {
  clock = new SimulatedClock(Date.UTC(2026, 10, 21, 12) * 1000);
  api = await startApi({ clock });
  api.archive.record({ channelId: GATE_ID, streamType: "Main" }, recordedSlices(50));
  outlet = new OutletHarness(api, clock);
  await outlet.start();
  await changeGroup(EVERYTHING);
  client = await outlet.connect();
  publish();
});

afterEach(async () => {
  await outlet.stop();
  await api.stop();
});

const changeSite = (change: (site: Site) => Partial<Site>) =>
  api.site.change((site) => ({ ...site, ...change(site) }));

const changeGroup = (change: Partial<UserGroup>) => changeGuards(api.site, change);

const stream = () => api.streams.live(GATE_ID);

/** A picture, and sound, as a camera sends them. */
function publish(codec: Codec = Codec.H264): void {
  stream().setState({ state: "active" });
  const bytes = codec === Codec.MJPEG ? Buffer.from("ffd8ffd9", "hex") : handSlice(true, 1);
  stream().publish(liveFrame(0, { key: true, codec, bytes }));
  stream().publish(liveFrame(0, { codec: Codec.PCMU }));
}

const describeUrl = (url: string, headers = {}) => client.request("DESCRIBE", url, headers);

describe("the RTSP outlet", () => {
  it("takes credentials of the query and of Basic, and answers without them 401 with a challenge", async () => {
    expect((await describeUrl(outlet.url())).status).toBe(200);
    expect((await (await outlet.connect()).request("DESCRIBE", outlet.url("", ""), BASIC_ROOT)).status).toBe(
      200,
    );
    const refused = await (await outlet.connect()).request("DESCRIBE", outlet.url("", ""));
    expect([refused.status, refused.challenges]).toEqual([401, ['Basic realm="nvrd"']]);
    const wrong = await (await outlet.connect()).request(
      "DESCRIBE",
      outlet.url("", "&login=root&password=x"),
    );
    expect(wrong.status).toBe(401);
  });

  it("repeats no credentials in its answers and knows the client by its connection", async () => {
    const described = await describeUrl(outlet.url("&sound=on"));
    expect(described.body + [...described.headers.values()].join()).not.toMatch(/login|password|5ebe/i);
    const url = described.headers.get("content-base")?.replace(/\/$/, "") ?? "";
    expect(described.body).toContain(`a=control:${url}/trackID=1\r\n`);
    const { play } = await outlet.play(client, url);
    expect(play.status).toBe(200);
    expect((await (await outlet.connect()).request("DESCRIBE", url)).status).toBe(401);
  });

  it.each<[string, string, number]>([
    ["an unknown path", "other", 404],
    ["no channel", "rtsp?x=1", 400],
    ["a channel that is not there", "rtsp?channelid=99999999-0000-4000-8000-000000000001", 404],
    ["a stream type that is none", `rtsp?channelid=${GATE_ID}&streamtype=nothing`, 400],
    ["an archive from a time that is none", `rtsp?channelid=${GATE_ID}&mode=archive&starttime=noon`, 400],
    ["a speed of a live stream", `rtsp?channelid=${GATE_ID}&speed=2`, 400],
    ["a start in the future", `rtsp?channelid=${GATE_ID}&mode=archive&starttime=21.11.2027%2009:00:00`, 200],
    ["a broken escape", `rtsp?channelid=%zz`, 400],
  ])("answers %s as /video does", async (_, path, status) => {
    const url = `rtsp://127.0.0.1:${outlet.port}/${path}`;
    expect((await describeUrl(url, BASIC_ROOT)).status).toBe(status);
  });

  it.each<[string, string, Partial<UserGroup>]>([
    ["live without the right to it", "", { realtimeChannels: [] }],
    ["the archive without the right to it", ARCHIVE, { archiveChannels: [] }],
    ["sound without the right to it", "&sound=on", { rights: rights({ CanReceiveSound: false }) }],
    ["the main stream without the right to it", "", { rights: rights({ CanReceiveMainStream: false }) }],
    ["anything to a group that may nothing", "", { rights: rights({ IsAllForbidden: true }) }],
  ])("refuses %s with 403", async (_, query, change) => {
    const url = outlet.url(query, GUARD_QUERY);
    expect((await describeUrl(url)).status).toBe(200);
    await changeGroup({ ...EVERYTHING, ...change });
    const refused = await describeUrl(url);
    expect(refused.status).toBe(403);
    expect(refused.body).toMatch(/\S+/);
    expect((await client.request("SETUP", `${url}/trackID=0`, { Transport: "RTP/AVP/TCP" })).status).toBe(
      403,
    );
  });

  it.each(["", ARCHIVE])("asks for the rights again on PLAY (%s)", async (query) => {
    const url = outlet.url(query, GUARD_QUERY);
    const setup = await client.request("SETUP", `${url}/trackID=0`, { Transport: "RTP/AVP/TCP" });
    expect(setup.status).toBe(200);
    await changeGroup({ ...EVERYTHING, realtimeChannels: [], archiveChannels: [] });
    expect((await client.request("PLAY", url)).status).toBe(403);
  });

  it.each<[string, string, () => Promise<unknown>]>([
    ["live", "", () => changeGroup({ ...EVERYTHING, realtimeChannels: [] })],
    ["the archive", ARCHIVE, () => changeGroup({ ...EVERYTHING, archiveChannels: [] })],
    [
      "a channel that is switched off",
      "",
      () =>
        changeSite((site) => ({
          cameras: site.cameras.map((camera) =>
            camera.id === GATE_ID ? { ...camera, disabled: true } : camera,
          ),
        })),
    ],
  ])("ends open viewers of %s with BYE when it may no longer be watched", async (_, query, change) => {
    const watched = stream();
    await outlet.play(client, outlet.url(query, GUARD_QUERY));
    await client.until(() => client.packets.some((one) => one.channel === 0));
    await change();
    while (!client.closed) await clock.advanceSlowly(100_000);
    expect(client.packets.at(-1)?.packet.subarray(-8)[1]).toBe(203);
    expect(watched.subscribers).toBe(0);
    expect(api.archive.readers).toBe(0);
  });

  it("refuses MJPEG with a word on it where that is switched off, and ends its viewers", async () => {
    publish(Codec.MJPEG);
    expect((await describeUrl(outlet.url())).body).toContain("m=video 0 RTP/AVP 26");
    await outlet.play(client, outlet.url());
    await changeSite((site) => ({ rtsp: { ...site.rtsp, isMjpegEnabled: false } }));
    while (!client.closed) await clock.advanceSlowly(100_000);
    const refused = await (await outlet.connect()).request("DESCRIBE", outlet.url());
    expect(refused.status).toBe(403);
    expect(refused.body).toContain("IsMjpegEnabled");
  });

  it("has sound for those who ask for it only", async () => {
    expect((await describeUrl(outlet.url())).body).not.toContain("m=audio");
    expect((await describeUrl(outlet.url("&sound=on"))).body).toContain("m=audio 0 RTP/AVP 0\r\n");
  });

  it("connects a stream that nobody watches to describe it, and says why there is no picture", async () => {
    const idle = api.streams.live(GATE_ID, "Alternative");
    const url = outlet.url("&streamtype=alternative");
    const described = describeUrl(url);
    await until("it subscribes", () => idle.subscribers === 1);
    idle.setState({ state: "active" });
    idle.publish(liveFrame(0, { key: true, bytes: handSlice(true, 1) }));
    expect((await described).status).toBe(200);
    expect(idle.subscribers).toBe(0);
    idle.setState({ state: "lost", reason: "the cable is cut" });
    const refused = describeUrl(url);
    await until("it subscribes again", () => idle.subscribers === 1);
    await clock.advanceSlowly(5_000_000);
    expect([(await refused).status, (await refused).body]).toEqual([
      503,
      expect.stringContaining("cable is cut"),
    ]);
  });

  it("begins with the current group of pictures, and ends when the camera's codec changes", async () => {
    stream().publish(liveFrame(1, { bytes: handSlice(false, 2) }));
    await outlet.play(client, outlet.url());
    const video = () => client.packets.filter((one) => one.channel === 0);
    await client.until(() => video().length === 2);
    expect(video().map(({ packet }) => packet[13])).toEqual([1, 2]);
    publish(Codec.H265);
    await client.until(() => client.closed);
    expect(client.closed).toBe(true);
  });

  it("ends a viewer whose camera has sent nothing for a minute", async () => {
    await outlet.play(client, outlet.url());
    for (let at = 0; at < 10 && !client.closed; at++) {
      await clock.advanceSlowly(10_000_000, 1_000_000);
      if (!client.closed) client.socket.write(Buffer.from([0x24, 1, 0, 1, 0]));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await client.until(() => client.closed);
    expect(stream().subscribers).toBe(0);
  });

  it("packetizes a frame once for all viewers, whoever they are", async () => {
    const others = [await outlet.connect(), await outlet.connect()];
    await outlet.play(client, outlet.url());
    await outlet.play(others[0] as RawRtspClient, outlet.url("", GUARD_QUERY));
    await outlet.play(others[1] as RawRtspClient, outlet.url());
    let reads = 0;
    const bytes = handSlice(true, 7);
    const format = stream().videoFormat;
    if (format === undefined) throw new Error("no format");
    const ranges = [
      {
        slab: undefined,
        get bytes() {
          reads += 1;
          return bytes;
        },
      },
    ];
    const times = { decodeTimeUs: NINE_US, presentationOffsetUs: 0 };
    const state = { key: true, damaged: false, undecodable: false, discontinuity: false };
    const frame = new Frame({ format, ...times, ...state, ranges });
    reads = 0;
    stream().publish(frame);
    const seen = (one: RawRtspClient) => one.packets.some(({ packet }) => packet[13] === 7);
    for (const one of [client, ...others]) await one.until(() => seen(one));
    // oneRange reads the member three times for one packetization.
    expect(reads).toBeLessThanOrEqual(3);
  });
});
