import { describe, expect, it } from "vitest";
import { SystemClock } from "../../../src/base/index.js";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { GATE_ID, guardsGroup, ROOT_MD5, rights, YARD_ID } from "../../support/api/api-fakes.js";
import { startApi, until } from "../../support/api/api-harness.js";
import { forAllTests } from "../../support/base/for-tests.js";
import { statusOf } from "../../support/http/upgrade-status.js";
import { WebSocketClient } from "../../support/http/web-socket.js";

const api = forAllTests(() => startApi({ clock: new SystemClock() }));

const BASIC = `Basic ${Buffer.from(`root:${ROOT_MD5}`).toString("base64")}`;

async function post(
  path: string,
  body: Buffer,
  type: string,
  login: Record<string, string> = { Authorization: BASIC },
) {
  const response = await fetch(api.url(path), {
    method: "POST",
    headers: { ...login, "Content-Type": type },
    body: new Uint8Array(body),
  });
  return { status: response.status, text: await response.text() };
}

function socket(id: string, headers: readonly string[] = [], query = ""): WebSocketClient {
  const path = `/api/channels/${id}/talk${query}`;
  const { port } = new URL(api.url("/"));
  return new WebSocketClient({
    ...{ port: Number(port), path, protocol: "nvrd.talk.1" },
    headers: [`Authorization: ${BASIC}`, ...headers],
  });
}

describe("POST /api/channels/{id}/talk", () => {
  it.each([
    ["audio/basic", "mu"],
    ["audio/PCMU;rate=8000", "mu"],
    ["Audio/PCMA; rate=8000; channels=1", "a"],
  ])("takes %s", async (type, law) => {
    const answer = await post(`/api/channels/${GATE_ID}/talk`, Buffer.alloc(1600, 7), type);
    expect(answer).toEqual({ status: 200, text: JSON.stringify({ ChannelId: GATE_ID, Seconds: 0.2 }) });
    expect(api.talk.requests.at(-1)).toMatchObject({
      channelId: GATE_ID,
      format: { kind: "g711", law },
      by: { type: 1, name: "root" },
    });
  });

  it.each(["", "audio/mpeg", "audio/PCMU;rate=16000", "application/json"])(
    "refuses the type %j, with those that it takes",
    async (type) => {
      const answer = await post(`/api/channels/${GATE_ID}/talk`, Buffer.alloc(1600), type);
      expect(answer).toMatchObject({ status: 400, text: expect.stringContaining("audio/PCMA") });
    },
  );

  it("refuses a channel that is not there, a body without sound, and a damaged file", async () => {
    const unknown = GATE_ID.replace(/^./, "e");
    expect((await post(`/api/channels/${unknown}/talk`, Buffer.alloc(160), "audio/basic")).status).toBe(404);
    expect((await post(`/api/channels/${GATE_ID}/talk`, Buffer.alloc(0), "audio/basic")).status).toBe(400);
    const broken = await post(`/api/channels/${GATE_ID}/talk`, Buffer.from("RIFF1234WAVEfmt "), "audio/wav");
    expect(broken).toMatchObject({ status: 400, text: expect.stringContaining("damaged") });
  });
});

describe("a right that is taken away", () => {
  const withRight = (CanTransmitSound: boolean) =>
    api.site.change((site) => ({
      ...site,
      groups: site.groups.map((group) =>
        group.seniorAdministrators
          ? group
          : guardsGroup({ rights: rights({ CanTransmitSound }), realtimeChannels: [GATE_ID] }),
      ),
    }));

  it.each(["POST", "GET"])(
    "while the camera is asked ends %s without a word to the camera",
    async (method) => {
      await withRight(true);
      let answer: () => void = () => undefined;
      api.talk.silence = new Promise((resolve) => {
        answer = resolve;
      });
      const asked = api.talk.requests.length;
      const path = `/api/channels/${GATE_ID}/talk?login=guard`;
      const posted = method === "POST" ? post(path, Buffer.alloc(1600), "audio/basic", {}) : undefined;
      const client =
        method === "GET"
          ? new WebSocketClient({ port: api.port, path, protocol: "nvrd.talk.1", headers: [] })
          : undefined;
      try {
        await until("the camera to be asked", () => api.talk.requests.length > asked);
        await withRight(false);
        await until("the camera to be free", () => api.talk.isFree(GATE_ID));
        answer();
        if (posted !== undefined) expect(await posted).toMatchObject({ status: 403 });
        if (client !== undefined) expect(await statusOf(client)).toBe(403);
      } finally {
        answer();
        api.talk.silence = Promise.resolve();
      }
    },
  );
});

describe("GET /api/channels/{id}/talk", () => {
  it("carries what is spoken, and tells at the end how much", async () => {
    const client = socket(YARD_ID, [], "?law=a");
    expect(await statusOf(client)).toBe(101);
    client.sendBinary(Buffer.alloc(1600, 9));
    client.send({ type: "finish" });
    await until("the end", () => client.isClosed);
    expect(client.texts.map((text) => JSON.parse(text))).toEqual([
      { type: "ended", seconds: 0.2, droppedSeconds: 0 },
    ]);
    expect(client.closeCode).toBe(1000);
    expect(api.talk.requests.at(-1)).toMatchObject({ format: { kind: "g711", law: "a" } });
    expect(
      api.talk.heard
        .get(YARD_ID)
        ?.subarray(0, 1600)
        .every((byte) => byte === 9),
    ).toBe(true);
  });

  it("is closed with words for a message that is not understood", async () => {
    const client = socket(YARD_ID);
    client.send("{}");
    await until("the end", () => client.isClosed);
    expect(JSON.parse(client.texts[0] ?? "")).toMatchObject({ type: "ended", code: "BAD_REQUEST" });
    expect(client.closeCode).toBe(1008);
  });

  it("that opens at once tells when the camera listens, and in words why it does not", async () => {
    const client = socket(YARD_ID, [], "?opens=atOnce");
    await until("the camera", () => client.texts.length > 0);
    expect(JSON.parse(client.texts[0] ?? "")).toEqual({ type: "listening" });
    const other = socket(YARD_ID, [], "?opens=atOnce");
    await until("the refusal", () => other.isClosed);
    expect(other.head).toContain(" 101 ");
    expect(JSON.parse(other.texts[0] ?? "")).toMatchObject({
      ...{ type: "ended", seconds: 0, code: "CONFLICT" },
      text: expect.stringContaining("root is speaking"),
    });
    expect(other.closeCode).toBe(1008);
    client.socket.destroy();
    await until("the camera to be free", () => api.talk.isFree(YARD_ID));
  });

  it("that opens at once frees the camera when the client goes while it is asked", async () => {
    let answer: () => void = () => undefined;
    api.talk.silence = new Promise((resolve) => {
      answer = resolve;
    });
    const asked = api.talk.requests.length;
    const client = socket(YARD_ID, [], "?opens=atOnce");
    await until("the camera to be asked", () => api.talk.requests.length > asked, {
      seen: () => api.talk.requests.length,
    });
    client.socket.destroy();
    await until("the camera to be free", () => api.talk.isFree(YARD_ID), { seen: () => api.talk.requests });
    answer();
    api.talk.silence = Promise.resolve();
  });

  it("frees the camera when the client goes", async () => {
    const client = socket(YARD_ID);
    expect(await statusOf(client)).toBe(101);
    expect((await post(`/api/channels/${YARD_ID}/talk`, Buffer.alloc(160), "audio/basic")).status).toBe(409);
    client.socket.destroy();
    await until("the camera to be free", () => api.talk.isFree(YARD_ID));
    expect((await post(`/api/channels/${YARD_ID}/talk`, Buffer.alloc(160), "audio/basic")).status).toBe(200);
  });

  it("refuses pages of other origins, and another law", async () => {
    const stranger = socket(YARD_ID, ["Origin: https://elsewhere.example"]);
    expect(await statusOf(stranger)).toBe(403);
    const unknown = socket(YARD_ID, [], "?law=mp3");
    expect(await statusOf(unknown)).toBe(400);
    const never = socket(YARD_ID, [], "?opens=never");
    expect(await statusOf(never)).toBe(400);
  });
});

describe("/api/announcements", () => {
  it("who adds and deletes an announcement is reported as an event", async () => {
    const added = await post("/api/announcements?name=Closing", wavOfSilence(), "audio/wav");
    expect(added).toMatchObject({ status: 200 });
    const { Id } = JSON.parse(added.text) as { Id: string };
    const removed = await fetch(api.url(`/api/announcements/${Id}`), {
      method: "DELETE",
      headers: { Authorization: BASIC },
    });
    expect(removed.status).toBe(200);
    const types = [EVENT_TYPES.announcementAdded.id, EVENT_TYPES.announcementRemoved.id];
    const raised = api.events.raised.filter(({ typeId }) => types.includes(typeId as never));
    expect(raised.map(({ typeId, comment, initiator }) => [typeId, comment, initiator?.name])).toEqual(
      types.map((type) => [type, "Closing", "root"]),
    );
  });
});

/** A tenth of a second, G.711 of 8 kHz. */
function wavOfSilence(): Buffer {
  const sound = Buffer.alloc(800, 0xff);
  const head = Buffer.alloc(44);
  head.write("RIFF", 0, "latin1");
  head.writeUInt32LE(36 + sound.length, 4);
  head.write("WAVEfmt ", 8, "latin1");
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(7, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write("data", 36, "latin1");
  head.writeUInt32LE(sound.length, 40);
  return Buffer.concat([head, sound]);
}
