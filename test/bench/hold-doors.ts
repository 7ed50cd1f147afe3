import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { WebSocketClient } from "../support/http/web-socket.js";
import { pause, type Service } from "../support/service/service.js";

/** Who comes to a door: a stranger has no login. */
export interface Caller {
  readonly service: Service;
  readonly rtspPort: number;
  readonly login: { readonly name: string; readonly password: string } | undefined;
  readonly localAddress: string;
}

export const COMMAND_LINE = "the command line";

/** The worst that is sent to a door which is no route of the API. */
export interface DoorRequest {
  readonly door: "RTSP" | "GET /api/live" | typeof COMMAND_LINE;
  readonly what: string;
  send(caller: Caller): Promise<void>;
}

/** How long a door's answer is waited for: some requests get none. */
const ANSWER_MS = 150;
const MESSAGE_BYTES = 16 * 1024 - 64;
const MESSAGES = 200;
const RTSP_HEADER_BYTES = 15_000;
const RTSP_BODY_BYTES = 64 * 1024;
const REQUESTS = 2000;
const CONTROL_BYTES = 15 * 1024 * 1024;
const GUID = "22222222-0000-4000-8000-000000000001";

/** What this caller can send: strangers open no WebSocket, and only root of the box reaches the command line's socket. */
export function doorRequests(name: "stranger" | "user" | "administrator"): readonly DoorRequest[] {
  const rtsp = RTSP_REQUESTS.map(([what, request]) => overRtsp(what, request));
  if (name === "stranger") return [...rtsp, overSocket("an upgrade without a login", [])];
  const sockets = SOCKET_MESSAGES.map(([what, messages]) => overSocket(what, messages));
  if (name === "user") return [...rtsp, ...sockets];
  return [...rtsp, ...sockets, ...CONTROL_LINES.map(([what, line]) => overControl(what, line))];
}

type RtspRequest = (uri: string, headers: string) => string | Buffer;

const describe: RtspRequest = (uri, headers) => `DESCRIBE ${uri} RTSP/1.0\r\nCSeq: 1\r\n${headers}\r\n`;

const RTSP_REQUESTS: readonly (readonly [what: string, request: RtspRequest])[] = [
  ["DESCRIBE of a camera", describe],
  [
    "DESCRIBE of the archive",
    (uri, headers) => describe(`${uri}&mode=archive&startTime=21.11.2026%2009:00:00`, headers),
  ],
  ["DESCRIBE of a long query", (uri, headers) => describe(`${uri}&a=${"%D0%96".repeat(300)}`, headers)],
  ["DESCRIBE of many parameters", (uri, headers) => describe(`${uri}${"&a".repeat(900)}`, headers)],
  [
    "a request with 100 long headers",
    (uri, headers) => describe(uri, `${headers}${`X-A: ${"a".repeat(140)}\r\n`.repeat(95)}`),
  ],
  ["one header many times", (uri, headers) => describe(uri, `${headers}${"Accept: a\r\n".repeat(95)}`)],
  [
    "a Digest of quotes",
    (uri) => describe(uri, `Authorization: Digest username="${'\\"'.repeat(RTSP_HEADER_BYTES / 2)}\r\n`),
  ],
  [
    "a long Basic login",
    (uri) => describe(uri, `Authorization: Basic ${"QTo6".repeat(RTSP_HEADER_BYTES / 4)}\r\n`),
  ],
  [
    "SETUP with many transports",
    (uri, headers) =>
      `SETUP ${uri} RTSP/1.0\r\nCSeq: 1\r\n${headers}Transport: ${"RTP/AVP;unicast;client_port=1,".repeat(500)}\r\n\r\n`,
  ],
  [
    "ANNOUNCE with a body",
    (uri, headers) =>
      `ANNOUNCE ${uri} RTSP/1.0\r\nCSeq: 1\r\n${headers}Content-Length: ${RTSP_BODY_BYTES}\r\n\r\n${"a=b\r\n".repeat(RTSP_BODY_BYTES / 5 + 1)}`,
  ],
  [
    "many requests at once",
    (uri, headers) => `OPTIONS ${uri} RTSP/1.0\r\nCSeq: 1\r\n${headers}\r\n`.repeat(REQUESTS),
  ],
  ["many descriptions at once", (uri, headers) => String(describe(uri, headers)).repeat(200)],
  ["line ends alone", () => "\r\n".repeat(500_000)],
  ["bytes that are no request", () => Buffer.alloc(1024 * 1024, 0x61)],
  ["a header that does not end", () => `DESCRIBE rtsp://a RTSP/1.0\r\n${"a: b\r\n".repeat(170_000)}`],
  ["bytes of 0x80", () => Buffer.alloc(1024 * 1024, 0x80)],
  ["small interleaved packets", () => Buffer.from("$\0\0\0".repeat(1000), "latin1")],
  ["letters that are no ASCII", (uri, headers) => describe(`${uri}&a=${"Ж".repeat(800)}`, headers)],
];

function overRtsp(what: string, request: RtspRequest): DoorRequest {
  return {
    ...{ door: "RTSP", what },
    async send({ rtspPort, login, localAddress }) {
      const socket = connect({ port: rtspPort, host: "127.0.0.1", localAddress });
      // The server ends some of these.
      socket.on("error", () => socket.destroy());
      await once(socket, "connect");
      const headers = login === undefined ? "" : `Authorization: ${basic(login)}\r\n`;
      socket.write(request(`rtsp://127.0.0.1:${rtspPort}/rtsp?channelId=${GUID}`, headers));
      socket.resume();
      await pause(ANSWER_MS);
      socket.destroy();
    },
  };
}

const tile = { width: 320, height: 180 };
const SOCKET_MESSAGES: readonly (readonly [what: string, messages: readonly string[]])[] = [
  ["brackets", ["[".repeat(MESSAGE_BYTES)]],
  ["members", [`{${members(MESSAGE_BYTES)}}`]],
  ["members of a message", [`{"type":"watch",${members(MESSAGE_BYTES - 40)}}`]],
  ["numbers", [`[${"1,".repeat(MESSAGE_BYTES / 2 - 2)}1]`]],
  ["escapes", [`{"type":"${"\\u0416".repeat(MESSAGE_BYTES / 6 - 4)}"}`]],
  ["text that is no JSON", ["a".repeat(MESSAGE_BYTES)]],
  ["many wrong messages", Array.from({ length: MESSAGES }, () => '{"type":"watch","id":0}')],
  ["many wrong codecs", [JSON.stringify({ type: "hello", codecs: Array.from({ length: 5000 }, () => "a") })]],
  [
    "many watches",
    [
      JSON.stringify({ type: "hello", codecs: ["avc1"] }),
      ...Array.from({ length: MESSAGES }, (_, id) =>
        JSON.stringify({ type: "watch", id: id + 1, channel: GUID, tile }),
      ),
    ],
  ],
  [
    "playing many",
    [
      JSON.stringify({ type: "hello", codecs: ["avc1"] }),
      ...Array.from({ length: 20 }, () =>
        JSON.stringify({
          ...{ type: "play", from: 0 },
          watches: Array.from({ length: 64 }, (_, id) => ({ id: id + 1, channel: GUID, tile })),
        }),
      ),
    ],
  ],
];

function overSocket(what: string, messages: readonly string[]): DoorRequest {
  return {
    ...{ door: "GET /api/live", what },
    async send({ service, login }) {
      const headers = login === undefined ? [] : [`Authorization: ${basic(login)}`];
      const client = new WebSocketClient({
        ...{ port: service.httpPort, path: "/api/live", protocol: "nvrd.live.1", headers },
      });
      for (const message of messages) client.send(message);
      await pause(ANSWER_MS);
      client.close();
    },
  };
}

const CONTROL_LINES: readonly (readonly [what: string, line: string])[] = [
  ["a command that there is not", '{"version":1,"command":"none"}\n'],
  ["a line that does not end", "x".repeat(CONTROL_BYTES)],
  ["a line of members", `{"version":1,"command":"none","arguments":{${members(1_000_000)}}}\n`],
  ["a line of brackets", `${"[".repeat(1_000_000)}\n`],
  ["the configuration", '{"version":1,"command":"config","arguments":{"do":"export"}}\n'],
  ["a configuration of members", `{"version":1,"command":"config","arguments":{${members(1_000_000)}}}\n`],
];

function overControl(what: string, line: string): DoorRequest {
  return {
    ...{ door: COMMAND_LINE, what },
    async send({ service }) {
      const socket = connect(join(service.dataDir, "control.sock"));
      socket.on("error", () => socket.destroy());
      await once(socket, "connect");
      socket.write(line);
      socket.resume();
      await pause(ANSWER_MS);
      socket.destroy();
    },
  };
}

function members(bytes: number): string {
  const names: string[] = [];
  for (let length = 0; length < bytes - 12; length += names.at(-1)?.length ?? 0)
    names.push(`"k${names.length}":1,`);
  return names.join("").slice(0, -1);
}

function basic({ name, password }: NonNullable<Caller["login"]>): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;
}
