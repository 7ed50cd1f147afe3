import { once } from "node:events";
import { Cam } from "onvif";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ONVIF_MODEL } from "../../../src/camera/device/models.js";
import { PATIENCE_MS } from "../../support/base/patience.js";
import { GUEST, OnvifHouse } from "../../support/onvif/onvif-house.js";
import { RawRtspClient } from "../../support/rtsp/raw-rtsp-client.js";

/** The whole service as an ONVIF device of the package `onvif`, and what is replayed at the address that it is given. */

let house: OnvifHouse;
let cam: Cam;

beforeAll(async () => {
  house = await OnvifHouse.create();
  cam = new Cam({
    ...{ hostname: "127.0.0.1", port: house.service.httpPort },
    ...{ username: GUEST.login, password: GUEST.password, timeout: PATIENCE_MS },
  });
  await once(cam, "connect");
});

afterAll(async () => {
  cam?.removeAllListeners("event");
  await house?.close();
});

/** Calls a function of the package, which takes a callback last. */
function called<Answer>(
  call: (done: (error: Error | null, answer: Answer) => void) => void,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    call((error, answer) => (error ? reject(error) : resolve(answer)));
  });
}

const replayUri = () =>
  called<string>((done) => cam.getReplayUri({ recordingToken: house.gateId }, done as never));

describe("the package onvif", () => {
  it("takes the cameras of its user as profiles, by Media2", async () => {
    expect(cam.media2Support).toBe(true);
    const information = await called<{ manufacturer?: string }>((done) =>
      cam.getDeviceInformation(done as never),
    );
    expect(information.manufacturer).toBe("nvrd");
    expect(cam.profiles?.map((profile) => (profile as { $: { token: string } }).$.token)).toEqual([
      `${house.gateId}_Main`,
      `${house.gateId}_Alternative`,
    ]);
  });

  it("is told where video and stills are", async () => {
    const options = { profileToken: `${house.gateId}_Main`, protocol: "RTSP" } as const;
    const { uri } = await called<{ uri: string }>((done) => cam.getStreamUri(options, done as never));
    expect(uri).toContain(`:${house.rtspPort}/rtsp?channelid=${house.gateId}`);
    const still = await called<{ uri: string }>((done) => cam.getSnapshotUri(options, done as never));
    const authorization = `Basic ${Buffer.from(`${GUEST.login}:${GUEST.password}`).toString("base64")}`;
    const picture = await fetch(still.uri, { headers: { authorization } });
    expect(Buffer.from(await picture.arrayBuffer()).subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
  });

  it("hears of motion, and of nothing of a hidden camera", async () => {
    const received: string[] = [];
    cam.on("event", (message: unknown) => received.push(JSON.stringify(message)));
    const ofMotion = (value: boolean) => () =>
      received.some((text) => text.includes("MotionAlarm") && text.includes(`"Value":${value}`));
    await expect.poll(ofMotion(false), { timeout: PATIENCE_MS, message: received.join("\n") }).toBe(true);
    house.move(true);
    await expect.poll(ofMotion(true), { timeout: PATIENCE_MS }).toBe(true);
    house.move(false);
    expect(received.join("\n")).not.toContain(house.hiddenId);
  });

  it("goes to a preset of the camera", async () => {
    const options = { profileToken: `${house.gateId}_Main` };
    await called((done) => cam.getPresets(options, done as never));
    const [preset = ""] = Object.keys(cam.presets ?? {});
    expect(preset).not.toBe("");
    await called((done) => cam.gotoPreset({ ...options, preset }, done as never));
    expect(house.camera.calls.join(" ")).toContain("GotoPreset");
  });

  it("finds the recording and where it is replayed", async () => {
    const items = await called<unknown>((done) => cam.getRecordings(done as never));
    expect(JSON.stringify(items)).toContain(house.gateId);
    expect(JSON.stringify(items)).not.toContain(house.hiddenId);
    expect(await replayUri()).toContain(`:${house.rtspPort}/rtsp?channelid=${house.gateId}&mode=archive`);
  });
});

interface Mark {
  readonly timeUs: number;
  readonly isKey: boolean;
  readonly endsSection: boolean;
  readonly isJump: boolean;
  readonly cseq: number | undefined;
}

/** The marks of the header extension 0xABAC, of those packets that have one (ONVIF Streaming Specification, 6.3). */
function marksOf(client: RawRtspClient): Mark[] {
  return client.packets.flatMap(({ channel, packet }) => {
    const isMarked = channel === 0 && ((packet[0] ?? 0) & 0x10) !== 0;
    if (!isMarked || packet.readUInt32BE(12) !== 0xabac0003) return [];
    const seconds = packet.readUInt32BE(16) - 2_208_988_800;
    const flags = packet[24] ?? 0;
    return {
      timeUs: seconds * 1e6 + Math.round((packet.readUInt32BE(20) * 1e6) / 2 ** 32),
      ...{ isKey: (flags & 0x80) !== 0, endsSection: (flags & 0x40) !== 0, isJump: (flags & 0x20) !== 0 },
      cseq: packet[25],
    };
  });
}

function clockText(us: number): string {
  return new Date(us / 1000).toISOString().replaceAll(/[-:]/g, "");
}

describe("what is replayed at the address that the device names", () => {
  const login = `Basic ${Buffer.from(`${GUEST.login}:${GUEST.password}`).toString("base64")}`;
  const headers = { Authorization: login, Require: "onvif-replay" };
  let client: RawRtspClient;

  /** Sets up the first track, and plays. */
  const play = async (more: Record<string, string>) => {
    const uri = await replayUri();
    client = await RawRtspClient.connect(house.rtspPort);
    const { body, status } = await client.request("DESCRIBE", uri, {
      Authorization: login,
      Accept: "application/sdp",
    });
    expect(status).toBe(200);
    const control = /m=video[\s\S]*?a=control:(\S+)/.exec(body)?.[1] ?? "";
    const track = control.startsWith("rtsp") ? control : `${uri}/${control}`;
    const setup = await client.request("SETUP", track, {
      ...{ ...headers, Transport: "RTP/AVP/TCP;unicast;interleaved=0-1" },
    });
    const session = setup.headers.get("session")?.split(";")[0] ?? "";
    return await client.request("PLAY", uri, { ...headers, Session: session, ...more });
  };

  it("comes from the time of Range, as fast as it is taken, each picture with its recorded time", async () => {
    const fragments = await house.service.fragments(house.gateId);
    const fromUs = fragments[0]?.fromUs ?? 0;
    const range = `clock=${clockText(fromUs)}-${clockText(fromUs + 3_000_000)}`;
    const { status, headers: answered } = await play({ Range: range, "Rate-Control": "no" });
    expect([status, answered.get("rate-control")]).toEqual([200, "no"]);
    await client.until(() => marksOf(client).length >= 20);
    const marks = marksOf(client);
    client.close();
    expect(marks[0]).toMatchObject({ isKey: true, isJump: true });
    expect(Math.abs((marks[0]?.timeUs ?? 0) - fromUs)).toBeLessThan(1000);
    expect(marks.some(({ isKey }) => !isKey)).toBe(true);
    const times = marks.map(({ timeUs }) => timeUs);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(new Set(marks.map(({ cseq }) => cseq))).toEqual(new Set([Number(answered.get("cseq"))]));
  });

  it("is key frames alone where Frames asks for them", async () => {
    const [fragment] = await house.service.fragments(house.gateId);
    const range = `clock=${clockText(fragment?.fromUs ?? 0)}-`;
    await play({ Range: range, "Rate-Control": "no", Frames: "intra" });
    await client.until(() => marksOf(client).length >= 3);
    const marks = marksOf(client);
    client.close();
    expect(marks.every(({ isKey }) => isKey)).toBe(true);
  });

  it("has the end of a section marked, and the jump behind it", async () => {
    const mode = (ArchivingMode: string) =>
      house.service.json(`/configure/channels/${house.gateId}`, {
        method: "PUT",
        body: { ConnectionSettings: { ModelId: ONVIF_MODEL.id }, ArchiveSettings: { ArchivingMode } },
      });
    const count = async () => (await house.service.fragments(house.gateId)).length;
    const before = await count();
    await mode("OnlyManual");
    // Two groups of pictures that are not recorded.
    await new Promise((resolve) => setTimeout(resolve, 2500));
    await mode("AlwaysOn");
    await expect.poll(count, { timeout: PATIENCE_MS }).toBeGreaterThan(before);
    const fragments = await house.service.fragments(house.gateId);
    const [ended, begun] = [fragments.at(-2), fragments.at(-1)];
    const range = `clock=${clockText((ended?.toUs ?? 0) - 2_000_000)}-`;
    await play({ Range: range, "Rate-Control": "no" });
    const isOver = () => marksOf(client).some(({ timeUs }) => timeUs > (begun?.fromUs ?? 0) + 500_000);
    await client.until(isOver);
    const marks = marksOf(client);
    client.close();
    const at = marks.findIndex(({ endsSection }) => endsSection);
    expect(at).toBeGreaterThan(0);
    expect(marks[at + 1]).toMatchObject({ isKey: true, isJump: true });
    expect((marks[at]?.timeUs ?? 0) < (ended?.toUs ?? 0)).toBe(true);
    expect(Math.abs((marks[at + 1]?.timeUs ?? 0) - (begun?.fromUs ?? 0))).toBeLessThan(1000);
  });
});
