import { afterEach, describe, expect, it } from "vitest";
import { SOCKET_MESSAGES_AT_ONCE_MAX } from "../../../src/http/index.js";
import { NOT_UNDERSTOOD_MAX, WATCHES_MAX } from "../../../src/owner/live/live-client.js";
import { SOCKETS_PER_ADDRESS_MAX } from "../../../src/owner/live/live-sockets.js";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { ROOT_QUERY, startApi, until } from "../../support/api/api-harness.js";
import { LiveSocketClient } from "../../support/api/live-socket-client.js";
import { forAllTests } from "../../support/base/for-tests.js";
import type { WebSocketOptions } from "../../support/http/web-socket.js";

const TILE = { width: 640, height: 360 };
const BASIC = `Authorization: Basic ${Buffer.from("root:secret").toString("base64")}`;

const clients: LiveSocketClient[] = [];

const api = forAllTests(() => startApi({ settings: { httpsPort: "any" } }));

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await until("all have gone", () => api.server.figures().openStreams === 0);
});

function open(options: Partial<WebSocketOptions> = {}): LiveSocketClient {
  const client = new LiveSocketClient(api.port, options);
  clients.push(client);
  return client;
}

async function connect(options: Partial<WebSocketOptions> = {}): Promise<LiveSocketClient> {
  const client = open(options);
  await client.greet();
  return client;
}

async function statusOf(options: Partial<WebSocketOptions>): Promise<readonly [number, string]> {
  const client = open(options);
  await until("an answer", () => client.status > 0 && (client.isOpen || client.head.includes("}")));
  return [client.status, client.head];
}

describe("the upgrade to the live socket", () => {
  it("welcomes a client with its version, time and limits", async () => {
    const client = await connect();
    expect(client.head).toMatch(/^HTTP\/1.1 101 /);
    expect(client.head).toContain("Sec-WebSocket-Protocol: nvrd.live.1\r\n");
    expect(client.head).toMatch(/X-Request-Id: \S+\r\n/);
    const [welcome] = client.of("welcome");
    expect(welcome).toEqual({
      type: "welcome",
      version: "0.1.0",
      time: expect.closeTo(Date.now(), -4),
      limits: { watches: WATCHES_MAX, playbackChannels: expect.any(Number), decks: 2 },
    });
  });

  it("takes Basic credentials, and HTTPS", async () => {
    const plain = await connect({ path: "/api/live", headers: [BASIC] });
    expect(plain.isOpen).toBe(true);
    const secure = await connect({ port: api.httpsPort, tls: {} });
    expect(secure.of("welcome")).toHaveLength(1);
  });

  it.each<[string, Partial<WebSocketOptions>, number, string]>([
    ["no credentials", { path: "/api/live" }, 401, "credentials"],
    ["a wrong password", { path: "/api/live?login=root&password=0" }, 401, "login"],
    ["another subprotocol", { protocol: "nvrd.live.9" }, 400, "nvrd.live.1"],
    ["a page of another origin", { headers: ["Origin: https://evil.example"] }, 403, "corsOrigins"],
    ["a sandboxed page", { headers: ["Origin: null"] }, 403, "corsOrigins"],
    ["an unknown path", { path: `/api/liver?${ROOT_QUERY}` }, 404, "there is no path"],
    ["the path in capitals", { path: `/API//Live/?${ROOT_QUERY}` }, 101, ""],
    ["a page of its own", { headers: ["Origin: http://nvr"] }, 101, ""],
    ["a page of its own over TLS", { headers: ["Origin: https://nvr:443"] }, 101, ""],
    ["a page that is allowed", { headers: ["Origin: https://panel.example"] }, 101, ""],
    ["several subprotocols", { protocol: "other, nvrd.live.1" }, 101, ""],
  ])("answers %s", async (_, options, status, text) => {
    const [answered, head] = await statusOf(options);
    expect(answered).toBe(status);
    expect(head).toContain(text);
  });

  it("says what to do to a request that is none", async () => {
    const answer = await api.get("/api/live");
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain("Upgrade: websocket");
    const other = await fetch(api.url(`/api/live?${ROOT_QUERY}`), { method: "POST" });
    expect(other.status).toBe(405);
  });

  it("is refused to an address with too many", async () => {
    const many = await Promise.all(Array.from({ length: SOCKETS_PER_ADDRESS_MAX }, () => connect()));
    expect(many.every((client) => client.isOpen)).toBe(true);
    const [status, head] = await statusOf({});
    expect([status, head.includes("one is enough")]).toEqual([429, true]);
    many[0]?.close();
    await until("room", () => api.server.figures().openStreams === SOCKETS_PER_ADDRESS_MAX - 1);
    await connect();
  });
});

describe("messages that are not understood", () => {
  it.each([
    ["no JSON", "{", "not JSON"],
    ["an empty text", "", "not JSON"],
    ["no object", "[1]", "docs/ref/live-socket.md"],
    ["null", "null", "docs/ref/live-socket.md"],
    ["an unknown type", '{"type":"dance"}', "type"],
    ["a number that is none", '{"type":"leave","id":"7"}', "id"],
    ["a number out of range", '{"type":"leave","id":65536}', "id"],
    ["no GUID", '{"type":"watch","id":1,"channel":"gate","tile":{"width":1,"height":1}}', "channel"],
    [
      "a tile without height",
      `{"type":"watch","id":1,"channel":"${GATE_ID}","tile":{"width":1}}`,
      "tile.height",
    ],
    ["a huge tile", `{"type":"change","id":1,"tile":{"width":1e300,"height":1}}`, "tile.width"],
    ["a speed of zero", '{"type":"speed","speed":0}', "speed"],
    ["a step of two", '{"type":"step","by":2}', "by"],
  ])("are answered: %s", async (_, text, named) => {
    const client = await connect();
    client.send(text);
    await until("an answer", () => client.of("error").length === 1);
    expect(client.of("error")[0]).toMatchObject({
      code: "BAD_REQUEST",
      text: expect.stringContaining(named),
    });
    expect(client.isOpen).toBe(true);
  });

  it("name the subscription they are about", async () => {
    const client = await connect();
    client.send('{"type":"watch","id":9,"channel":"gate"}');
    await until("an answer", () => client.of("error").length === 1);
    expect(client.of("error")[0]?.id).toBe(9);
  });

  it("end the connection when they are repeated", async () => {
    const client = await connect();
    for (let count = 0; count < NOT_UNDERSTOOD_MAX; count += 1) client.sendBinary(Buffer.from([count]));
    await until("disconnected", () => client.isClosed);
    expect(client.closeCode).toBe(1008);
    expect(client.of("error")).toHaveLength(NOT_UNDERSTOOD_MAX);
  });

  it("end the connection when they come as a flood", async () => {
    const client = await connect();
    for (let count = 0; count < 2 * SOCKET_MESSAGES_AT_ONCE_MAX; count += 1)
      client.say({ type: "leave", id: 1 });
    await until("disconnected", () => client.isClosed);
    expect(client.closeReason).toContain("messages a second");
  });

  it("end the connection when they are too long, or no text", async () => {
    const long = await connect();
    long.send("x".repeat(17_000));
    const noText = await connect();
    noText.sendFrame(0x81, Buffer.from([0xff, 0xfe]));
    await until("disconnected", () => long.isClosed && noText.isClosed, {
      seen: () => [long.isClosed, noText.isClosed],
    });
  });
});

describe("messages that are not taken", () => {
  it.each([["before hello", { type: "leave", id: 1 }, "BAD_REQUEST", "hello"]] as const)(
    "are answered: %s",
    async (_, message, code, text) => {
      const client = open();
      client.say(message);
      await until("an answer", () => client.of("error").length === 1);
      expect(client.of("error")[0]).toMatchObject({ code, text: expect.stringContaining(text) });
    },
  );

  it.each([
    ["hello again", { type: "hello", codecs: [] }, "BAD_REQUEST", "already"],
    ["an unknown subscription", { type: "leave", id: 1 }, "NOT_FOUND", "subscription 1"],
    ["a change of none", { type: "change", id: 1, sound: true }, "NOT_FOUND", "subscription 1"],
    ["an order without a playback", { type: "pause" }, "BAD_REQUEST", "nothing is being played"],
    [
      "an unknown channel",
      { type: "watch", id: 1, channel: "99999999-0000-4000-8000-000000000001", tile: TILE },
      "NOT_FOUND",
      "no channel",
    ],
  ] as const)("are answered: %s", async (_, message, code, text) => {
    const client = await connect();
    client.say(message);
    await until("an answer", () => client.of("error").length === 1);
    expect(client.of("error")[0]).toMatchObject({ code, text: expect.stringContaining(text) });
  });

  it("are those beyond the limit of subscriptions, and those with a number that is taken", async () => {
    const client = await connect();
    for (let id = 1; id <= WATCHES_MAX + 1; id += 1)
      client.say({ type: "watch", id, channel: GATE_ID, tile: TILE });
    client.say({ type: "watch", id: 1, channel: GATE_ID, tile: TILE });
    await until("two refusals", () => client.of("error").length === 2);
    expect(client.of("error").map(({ id, code }) => [id, code])).toEqual([
      [WATCHES_MAX + 1, "TOO_MANY_REQUESTS"],
      [1, "BAD_REQUEST"],
    ]);
    expect(api.streams.live(GATE_ID).atOnce).toBe(1);
    client.close();
    await until("nobody watches", () => api.streams.live(GATE_ID).atOnce === 0);
  });
});

describe("the end of the live socket", () => {
  it("comes with a code when the service stops", async () => {
    const other = await startApi();
    const client = new LiveSocketClient(other.port);
    await client.greet();
    client.say({ type: "watch", id: 1, channel: GATE_ID, tile: TILE });
    await until("a viewer", () => other.streams.live(GATE_ID).atOnce === 1);
    await other.stop();
    await until("closed", () => client.isClosed);
    expect([client.closeCode, client.closeReason]).toEqual([1001, "the service is stopping"]);
    expect(other.streams.live(GATE_ID).atOnce).toBe(0);
  });
});
