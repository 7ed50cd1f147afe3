import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EVENT_TYPES } from "../../../src/event/catalogue.js";
import { g711ToPcm, pcmToG711 } from "../../../src/live/codec/g711.js";
import { until } from "../../support/api/api-harness.js";
import { TemporaryDirectory } from "../../support/base/temporary-directory.js";
import { FaultyLink } from "../../support/camera/faulty-link.js";
import { statusOf } from "../../support/http/upgrade-status.js";
import { WebSocketClient } from "../../support/http/web-socket.js";
import { ffmpegFilter, hear, tonePcm } from "../../support/media/tone.js";
import {
  GstTalkCamera,
  type HeardSession,
  TALK_PASSWORD,
  TALK_USER,
} from "../../support/rtsp/gst-talk-camera.js";
import { apiTime, ROOT_PASSWORD, Service } from "../../support/service/service.js";

/** The whole service speaks to cameras that GStreamer's ONVIF media factory makes. */

const NAMES = ["pcmu", "pcma", "aac", "mute", "digest", "udp", "link", "off"] as const;
type Name = (typeof NAMES)[number];

let directory: TemporaryDirectory;
let camera: GstTalkCamera;
let link: FaultyLink;
let service: Service;
let ids: Record<Name, string>;

beforeAll(async () => {
  directory = new TemporaryDirectory("talk-service");
  camera = await GstTalkCamera.start();
  link = await FaultyLink.start(camera.port("none"));
  service = await Service.start({ dataDir: directory.join("data") });
  const urls: Record<Name, string> = {
    pcmu: camera.url("pcmu"),
    pcma: camera.url("pcma"),
    aac: camera.url("aac"),
    mute: camera.url("mute"),
    digest: camera.url("pcmu", "digest"),
    udp: camera.url("pcmu", "udpOnly"),
    link: `rtsp://127.0.0.1:${link.port}/pcmu`,
    off: camera.url("pcmu"),
  };
  const login = { login: TALK_USER, password: TALK_PASSWORD };
  const added = await service.addCameras(
    NAMES.map((name) => ({
      ...{ name, url: urls[name], format: "MJPEG", archivingDisabled: true },
      ...(name === "digest" ? login : {}),
      ...(name === "off" ? {} : { soundVolume: name === "pcma" ? 50 : 100 }),
    })),
  );
  ids = Object.fromEntries(NAMES.map((name, index) => [name, added[index] ?? ""])) as Record<Name, string>;
});

afterAll(async () => {
  await service?.stop();
  await link?.stop();
  await camera?.stop();
  directory?.remove();
});

const basic = (login: string, password: string) =>
  `Basic ${Buffer.from(`${login}:${password}`).toString("base64")}`;
const ROOT = basic("root", ROOT_PASSWORD);

interface Spoken {
  readonly status: number;
  readonly text: string;
  readonly json: { readonly Seconds?: number; readonly ErrorMessage?: string };
}

async function speak(
  name: Name,
  body: Uint8Array | ReadableStream<Uint8Array>,
  { type = "audio/basic", by = ROOT }: { type?: string; by?: string } = {},
): Promise<Spoken> {
  const response = await fetch(`http://127.0.0.1:${service.httpPort}/api/channels/${ids[name]}/talk`, {
    method: "POST",
    headers: { Authorization: by, "Content-Type": type },
    body: body as NonNullable<RequestInit["body"]>,
    ...({ duplex: "half" } as object),
  });
  const text = await response.text();
  return { status: response.status, text, json: JSON.parse(text) };
}

const tone = (frequency: number, seconds: number, law: "mu" | "a" = "mu") =>
  Buffer.from(pcmToG711(tonePcm({ frequency, level: 0.5, rate: 8000, seconds }), law));

/** Sound in pieces, as a microphone brings it, until the test ends it. */
function microphone(frequency: number, everyMs = 40) {
  let isOver = false;
  const sound = tone(frequency, 20);
  const stream = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (let at = 0; at < sound.length && !isOver; at += 320) {
        try {
          controller.enqueue(sound.subarray(at, at + 320));
        } catch {
          // The answer came: nobody reads any more.
          return;
        }
        await pause(everyMs);
      }
      controller.close();
    },
  });
  return {
    stream,
    end: () => {
      isOver = true;
    },
  };
}

interface TalkEvent {
  readonly ChannelId: string;
  readonly EventComment: string;
  readonly EventInitiatorType: number;
}

/** What the newest session heard, without its first 200 ms. */
async function newest(count: number): Promise<HeardSession> {
  await until("the camera to hear it", () => camera.heard()[count - 1]?.hasEnded === true);
  const session = camera.heard()[count - 1];
  if (session === undefined) throw new Error("nothing was heard");
  return session;
}

function heardTone({ sound }: HeardSession, law: "mu" | "a" | "pcm" = "mu") {
  const pcm = law === "pcm" ? sound : g711ToPcm([sound], law);
  return hear(pcm.subarray(2 * 2400), 8000);
}

async function heardAfter(speaking: () => Promise<unknown>): Promise<HeardSession> {
  const before = camera.heard().length;
  await speaking();
  return await newest(before + 1);
}

/** What a speaker gets at the end. */
async function lastMessage(client: WebSocketClient): Promise<Record<string, unknown>> {
  await until("the end", () => client.texts.length > 0 || client.isClosed);
  const [text] = client.texts;
  if (text === undefined) throw new Error(`closed without a word: ${client.closeCode} ${client.closeReason}`);
  return JSON.parse(text);
}

/** Today's events of a type, the oldest first. */
async function talkEvents(name: "talkStarted" | "talkEnded"): Promise<readonly TalkEvent[]> {
  const now = Date.now() * 1000;
  const hourUs = 3_600_000_000;
  const body = {
    StartTimeUtc: apiTime(now - hourUs).replace("%20", " "),
    EndTimeUtc: apiTime(now + hourUs).replace("%20", " "),
    ...{ IsSearchFromBegin: true, SearchLimitCount: 100, EventIds: [EVENT_TYPES[name].id] },
  };
  return await service.json<readonly TalkEvent[]>("/archive_events?responsetype=json", {
    method: "POST",
    body,
  });
}

describe("what is spoken", () => {
  it("is heard at the camera: tone, level and time, and its session is closed", async () => {
    let answer: Spoken | undefined;
    const began = Number(process.hrtime.bigint()) / 1e6;
    const session = await heardAfter(async () => {
      answer = await speak("pcmu", tone(1000, 1.5));
    });
    expect(answer).toMatchObject({ status: 200, json: { Seconds: 1.5 } });
    expect(heardTone(session)).toMatchObject({ frequency: 1000, level: expect.closeTo(0.5, 2) });
    expect(heardTone(session).purity).toBeGreaterThan(0.99);
    const steps = session.pieces
      .slice(1)
      .map(({ ptsMs }, index) => ptsMs - (session.pieces[index]?.ptsMs ?? 0));
    // A machine that is busy may hold up some.
    expect(steps.filter((step) => Math.abs(step - 20) < 10).length).toBeGreaterThan(0.5 * steps.length);
    // Not faster than it is spoken. The camera's first piece may be late on a busy machine, so time counts from the request.
    expect((session.pieces.at(-1)?.ms ?? 0) - began).toBeGreaterThan(1500);
    // Byte for byte, where neither law nor volume change it.
    expect(session.sound.subarray(0, 12_000).equals(tone(1000, 1.5))).toBe(true);
  });

  it("is half as loud at SoundVolume 50, in A-law from µ-law", async () => {
    const session = await heardAfter(() => speak("pcma", tone(700, 1)));
    expect(heardTone(session, "a")).toMatchObject({ frequency: 700, level: expect.closeTo(0.25, 2) });
  });

  it("reaches cameras that ask for Digest, that take only UDP, and that take only AAC", async () => {
    const digest = await heardAfter(() => speak("digest", tone(500, 1)));
    expect(heardTone(digest)).toMatchObject({ frequency: 500, level: expect.closeTo(0.5, 2) });
    const udp = await heardAfter(() => speak("udp", tone(600, 1, "a"), { type: "audio/PCMA" }));
    expect(heardTone(udp)).toMatchObject({ frequency: 600, level: expect.closeTo(0.5, 1) });
    const aac = await heardAfter(() => speak("aac", tone(800, 1.5)));
    expect(heardTone(aac, "pcm")).toMatchObject({ frequency: 800, level: expect.closeTo(0.5, 1) });
  });

  it("may be a WAV file", async () => {
    const pcm = tonePcm({ frequency: 900, level: 0.4, rate: 44_100, channels: 2, seconds: 1 });
    const input = ["-f", "s16le", "-ar", "44100", "-ac", "2", "-i", "pipe:0"];
    const wav = await ffmpegFilter([...input, "-f", "wav", "pipe:1"], pcm);
    const session = await heardAfter(() => speak("pcmu", wav, { type: "audio/wav" }));
    expect(heardTone(session)).toMatchObject({ frequency: 900, level: expect.closeTo(0.4, 1) });
  });

  it("may be AAC, as it comes: passed on to a camera that takes it, and converted for one that does not", async () => {
    const pcm = tonePcm({ frequency: 900, level: 0.5, rate: 16_000, seconds: 2 });
    const input = ["-f", "s16le", "-ar", "16000", "-ac", "1", "-i", "pipe:0"];
    const adts = await ffmpegFilter([...input, "-c:a", "aac", "-b:a", "32k", "-f", "adts", "pipe:1"], pcm);
    for (const [name, law] of [
      ["aac", "pcm"],
      ["pcmu", "mu"],
    ] as const) {
      let answer: Spoken | undefined;
      const session = await heardAfter(async () => {
        answer = await speak(name, adts, { type: "audio/aac" });
      });
      expect(answer).toMatchObject({ status: 200, json: { Seconds: expect.closeTo(2.1, 1) } });
      expect(heardTone(session, law)).toMatchObject({ frequency: 900, level: expect.closeTo(0.5, 1) });
    }
    expect(await speak("aac", tone(900, 1), { type: "audio/aac" })).toMatchObject({
      status: 400,
      json: { ErrorMessage: expect.stringContaining("not AAC in ADTS") },
    });
  });

  it("goes on at the camera after a connection that is lost in the middle", async () => {
    const speaking = speak("link", tone(1000, 4));
    const before = camera.heard().length;
    await until("the camera to hear it", () => (camera.heard()[before]?.sound.length ?? 0) > 8000);
    link.cut();
    expect(await speaking).toMatchObject({ status: 200, json: { Seconds: 4 } });
    const session = await newest(before + 2);
    expect(heardTone(session)).toMatchObject({ frequency: 1000, level: expect.closeTo(0.5, 2) });
    expect(session.sound.length).toBeGreaterThan(8000);
  });

  it("slowly leaves gaps, in which time passes", async () => {
    const slow = microphone(1000, 160);
    const before = camera.heard().length;
    const speaking = speak("pcmu", slow.stream);
    await pause(1500);
    slow.end();
    const { status, json } = await speaking;
    expect(status).toBe(200);
    const session = await newest(before + 1);
    const [first, last] = [session.pieces[0], session.pieces.at(-1)];
    expect((last?.ptsMs ?? 0) - (first?.ptsMs ?? 0)).toBeGreaterThan(2000 * (json.Seconds ?? 0));
  });
});

describe("a camera", () => {
  it("without a loudspeaker, or that is off, is distinguished from one that is not there", async () => {
    expect(await speak("mute", tone(1000, 1))).toMatchObject({
      status: 501,
      json: { ErrorMessage: expect.stringContaining("takes no sound") },
    });
    expect(await speak("off", tone(1000, 1))).toMatchObject({
      status: 409,
      json: { ErrorMessage: expect.stringContaining("SoundTransmittingEnabled") },
    });
    expect(await speak("pcmu", tone(1000, 1), { type: "audio/mpeg" })).toMatchObject({ status: 400 });
    expect(await speak("pcmu", Buffer.alloc(0))).toMatchObject({ status: 400 });
  });

  it("has one speaker, who is named to a second one; over a WebSocket too, where a flood loses the oldest", async () => {
    const before = camera.heard().length;
    const path = `/api/channels/${ids.pcmu}/talk`;
    const options = { port: service.httpPort, path, protocol: "nvrd.talk.1" };
    const headers = [`Authorization: ${ROOT}`];
    const client = new WebSocketClient({ ...options, headers });
    expect(await statusOf(client), client.head).toBe(101);
    for (let at = 0; at < 20; at += 1) client.sendBinary(tone(1200, 1));
    expect(await speak("pcmu", tone(1000, 1))).toMatchObject({
      status: 409,
      json: { ErrorMessage: expect.stringContaining("root is speaking") },
    });
    const other = new WebSocketClient({ ...options, headers });
    expect(await statusOf(other)).toBe(409);
    client.send('{"type":"finish"}');
    const message = await lastMessage(client);
    const session = await newest(before + 1);
    expect(message).toMatchObject({ type: "ended", seconds: expect.any(Number) });
    expect(message.droppedSeconds).toBeGreaterThan(15);
    expect(message.seconds).toBeLessThan(4);
    expect(heardTone(session).frequency).toBe(1200);
  });
});

it("AAC over a WebSocket is heard; AAC of another rate than was said ends it", async () => {
  const pcm = tonePcm({ frequency: 700, level: 0.5, rate: 16_000, seconds: 1.5 });
  const input = ["-f", "s16le", "-ar", "16000", "-ac", "1", "-i", "pipe:0"];
  const adts = await ffmpegFilter([...input, "-c:a", "aac", "-b:a", "32k", "-f", "adts", "pipe:1"], pcm);
  const open = (query: string) =>
    new WebSocketClient({
      ...{ port: service.httpPort, path: `/api/channels/${ids.aac}/talk?law=aac${query}` },
      ...{ protocol: "nvrd.talk.1", headers: [`Authorization: ${ROOT}`] },
    });
  const session = await heardAfter(async () => {
    const client = open("");
    expect(await statusOf(client), client.head).toBe(101);
    client.sendBinary(adts);
    client.send('{"type":"finish"}');
    expect(await lastMessage(client)).toMatchObject({ type: "ended", droppedSeconds: 0 });
  });
  expect(heardTone(session, "pcm").frequency).toBe(700);
  const other = open("&rate=48000");
  expect(await statusOf(other), other.head).toBe(101);
  other.sendBinary(adts);
  expect(await lastMessage(other)).toMatchObject({
    code: "BAD_REQUEST",
    text: expect.stringContaining("16000 Hz"),
  });
  const wrong = open("&rate=1");
  expect(await statusOf(wrong)).toBe(400);
});

describe("a user", () => {
  it("speaks only with the right, sees no hidden camera, and is silenced in the middle of a word when the right goes", async () => {
    const group = await service.json<{ CreatedObjectsIds: string[] }>("/configure/groups", {
      method: "POST",
      body: [
        {
          Name: "Porters",
          Rights: { CanTransmitSound: true },
          ChannelsAccessOptions: { ChannelsRealtimeAllowed: [ids.pcmu] },
        },
      ],
    });
    const [groupId = ""] = group.CreatedObjectsIds;
    await service.json("/configure/users", {
      method: "POST",
      body: [{ Name: "porter", Password: "Porter-password-1", GroupId: groupId }],
    });
    const by = basic("porter", "Porter-password-1");
    expect(await speak("pcma", tone(1000, 1), { by })).toMatchObject({ status: 404 });
    const speaking = microphone(1000);
    const answer = speak("pcmu", speaking.stream, { by });
    await pause(1000);
    await service.json("/configure/groups", {
      method: "PUT",
      body: [{ Id: groupId, Rights: { CanTransmitSound: false } }],
    });
    expect(await answer).toMatchObject({ status: 403 });
    speaking.end();
    expect(await speak("pcmu", tone(1000, 1), { by })).toMatchObject({ status: 403 });
  });
});

describe("an announcement", () => {
  const add = async (name: string, seconds: number) => {
    const pcm = tonePcm({ frequency: 1100, level: 0.5, rate: 16_000, seconds });
    const input = ["-f", "s16le", "-ar", "16000", "-ac", "1", "-i", "pipe:0"];
    const wav = await ffmpegFilter([...input, "-f", "wav", "pipe:1"], pcm);
    const response = await fetch(
      `http://127.0.0.1:${service.httpPort}/api/announcements?name=${encodeURIComponent(name)}`,
      {
        method: "POST",
        headers: { Authorization: ROOT, "Content-Type": "audio/wav" },
        body: new Uint8Array(wav),
      },
    );
    return (await response.json()) as { Id: string; Name: string; Seconds: number };
  };
  interface Task {
    readonly Id: string;
    readonly State: string;
    readonly Error: string | null;
    readonly Result: { readonly Seconds: number } | null;
  }
  const play = async (name: Name, AnnouncementId: string): Promise<Task> => {
    const body = { Kind: "Announce", ChannelId: ids[name], AnnouncementId };
    const answer = await service.get("/api/tasks", { method: "POST", body });
    expect(answer.status).toBe(202);
    return JSON.parse(answer.body.toString());
  };
  const endOf = async ({ Id }: Task): Promise<Task> => {
    for (;;) {
      const task = await service.json<Task>(`/api/tasks/${Id}`);
      if (!["Waiting", "Running"].includes(task.State)) return task;
      await pause(100);
    }
  };

  it("is kept over a restart, played by a task and by a scenario, and not deleted while one plays it", async () => {
    const added = await add("Closing time", 1.2);
    expect(added).toMatchObject({ Name: "Closing time", Seconds: 1.2 });
    await service.stop();
    service = await Service.start({ dataDir: directory.join("data") });
    expect(await service.json("/api/announcements")).toEqual([added]);
    const byTask = await heardAfter(async () => {
      expect(await endOf(await play("pcmu", added.Id))).toMatchObject({
        State: "Done",
        Result: { Seconds: 1.2 },
      });
    });
    expect(heardTone(byTask)).toMatchObject({ frequency: 1100, level: expect.closeTo(0.5, 1) });
    expect(await endOf(await play("mute", added.Id))).toMatchObject({
      State: "Failed",
      Error: expect.stringContaining("takes no sound"),
    });
    const action = { Type: "Announcement", ChannelId: ids.pcmu, AnnouncementId: added.Id };
    const made = await service.json<{ CreatedObjectsIds: string[] }>("/configure/userscenarios", {
      method: "POST",
      body: [{ Name: "Close", Actions: [action] }],
    });
    const [scenarioId = ""] = made.CreatedObjectsIds;
    const byScenario = await heardAfter(() =>
      service.json(`/api/scenarios/${scenarioId}/run`, { method: "POST", body: {} }),
    );
    expect(heardTone(byScenario).frequency).toBe(1100);
    const path = `/api/announcements/${added.Id}`;
    expect((await service.get(path, { method: "DELETE" })).status).toBe(409);
    await service.json(`/configure/userscenarios/${scenarioId}`, { method: "DELETE" });
    expect((await service.get(path, { method: "DELETE" })).status).toBe(200);
    expect(await service.json("/api/announcements")).toEqual([]);
  });
});

describe("a stop of the service", () => {
  it("ends what is spoken and closes the session with the camera; who spoke is reported", async () => {
    const speaking = microphone(1000);
    const before = camera.heard().length;
    const answer = speak("pcmu", speaking.stream).catch(() => undefined);
    await until("the camera to hear it", () => (camera.heard()[before]?.sound.length ?? 0) > 4000);
    await service.stop();
    speaking.end();
    await answer;
    expect((await newest(before + 1)).hasEnded).toBe(true);
    service = await Service.start({ dataDir: directory.join("data") });
    const [started] = await talkEvents("talkStarted");
    expect(started).toMatchObject({ ChannelId: ids.pcmu, EventInitiatorType: 1 });
    const ended = (await talkEvents("talkEnded")).map(({ EventComment }) => EventComment);
    expect(ended[0]).toBe("1.5 s");
    expect(ended.at(-1)).toMatch(/^\d\.\d s/);
    expect(ended).toHaveLength((await talkEvents("talkStarted")).length);
  });
});
