import { afterEach, describe, expect, it } from "vitest";
import { createLog, SystemClock } from "../../src/base/index.js";
import { HttpServer } from "../../src/http/http-server.js";
import { SOCKET_WAITING_BYTES_MAX, type SocketConnection } from "../../src/http/socket-connection.js";
import { until } from "../support/api/api-harness.js";
import { RawClient } from "../support/http/raw-http.js";
import { WebSocketClient } from "../support/http/web-socket.js";

const PROTOCOL = "test.1";

const servers: HttpServer[] = [];
const clients: { readonly close: () => void }[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

interface Opened {
  readonly server: HttpServer;
  readonly port: number;
  readonly connections: SocketConnection[];
  readonly said: (string | undefined)[];
  readonly logged: string[];
  closed: number;
}

/** A server that upgrades what asks for it, later, as a check of credentials takes its time. */
function serve(onMessage: (text: string | undefined) => void = () => undefined): Opened {
  const clock = new SystemClock();
  const logged: string[] = [];
  const server = new HttpServer({
    handler: async (_request, response) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      const listener = {
        onMessage: (text: string | undefined) => {
          opened.said.push(text);
          onMessage(text);
        },
        onDrain: () => undefined,
        onPong: () => undefined,
        onClose: () => {
          opened.closed += 1;
        },
      };
      const connection = response.startSocket(PROTOCOL, { listener, clock });
      if (connection !== undefined) opened.connections.push(connection);
    },
    clock,
    log: createLog({ level: "warn", destination: { write: (line: string) => logged.push(line) } }),
  });
  servers.push(server);
  const port = server.listen("127.0.0.1", 0);
  const opened: Opened = { server, port, connections: [], said: [], logged, closed: 0 };
  return opened;
}

/** `connection`: what its request says in the header of this name. */
function open(port: number, connection?: string): WebSocketClient {
  const client = new WebSocketClient({ port, path: "/a", protocol: PROTOCOL, connection });
  clients.push(client);
  return client;
}

describe("a WebSocket", () => {
  it("is no connection any more when it has closed, whoever closed it", async () => {
    const opened = serve();
    const open4 = [1, 2, 3, 4].map(() => open(opened.port));
    await until("all are open", () => open4.every((client) => client.isOpen));
    await until("all are counted", () => opened.server.connections === 4);
    open4[0]?.close();
    open4[1]?.sendFrame(0x88, Buffer.from([0x03, 0xe8]));
    opened.connections[2]?.close(1008, "enough");
    opened.connections[2]?.close(1008, "twice");
    await until("one is left", () => opened.server.connections === 1);
    expect(opened.closed).toBe(3);
    expect(open4.find(({ closeCode }) => closeCode === 1008)?.closeReason).toBe("enough");
  });

  it("is closed when its listener fails, and the process goes on", async () => {
    const opened = serve((text) => {
      if (text === "fail") throw new Error("a fault");
    });
    const client = open(opened.port);
    client.send("fail");
    await until("closed", () => client.isClosed);
    expect(client.closeCode).toBe(1001);
    expect(opened.logged.join()).toContain("a fault");
    const other = open(opened.port);
    other.send("well");
    await until("the other one's message", () => opened.said.at(-1) === "well");
  });

  it("sends nothing once it has closed, and what is sent in the meantime is lost without a fault", async () => {
    const opened = serve();
    const client = open(opened.port);
    await until("open", () => opened.connections.length === 1);
    client.close();
    await until("closed", () => opened.closed === 1);
    const [connection] = opened.connections;
    connection?.send("late");
    connection?.together(() => connection.send(Buffer.alloc(100)));
    expect([connection?.isOpen, connection?.waitingBytes]).toEqual([false, 0]);
    expect(opened.logged).toEqual([]);
  });

  it("is closed when more waits for the client than may", async () => {
    const opened = serve();
    const client = open(opened.port);
    await until("open", () => opened.connections.length === 1);
    client.socket.pause();
    const [connection] = opened.connections;
    const piece = Buffer.alloc(1024 * 1024);
    let most = 0;
    for (let sent = 0; sent < 64 && connection?.isOpen === true; sent += 1) {
      connection.send(piece);
      most = Math.max(most, connection.waitingBytes);
    }
    expect(connection?.isOpen).toBe(false);
    expect(most).toBeLessThanOrEqual(SOCKET_WAITING_BYTES_MAX + 16);
  });

  it("carries messages of every length whole, to a client that reads late", async () => {
    const opened = serve();
    const client = open(opened.port);
    await until("open", () => opened.connections.length === 1);
    client.socket.pause();
    const lengths = [0, 1, 125, 126, 16_000, 16_383, 16_384, 65_535, 65_536, 300_000, 5_000_000, 17];
    for (const [at, length] of lengths.entries()) opened.connections[0]?.send(Buffer.alloc(length, at));
    client.socket.resume();
    await until("all", () => client.binaries.length === lengths.length);
    expect(client.binaries.every((bytes, at) => bytes.equals(Buffer.alloc(lengths[at] ?? 0, at)))).toBe(true);
  });

  it("stays open whatever the head of its request said of the connection", async () => {
    const opened = serve();
    const heads = ["Upgrade", "close", "keep-alive, Upgrade", "Upgrade, close"];
    const upgraded = heads.map((connection) => open(opened.port, connection));
    for (const [at, client] of upgraded.entries()) client.send(`${at}`);
    const count = (): unknown => upgraded.map(({ isOpen, closeCode, status }) => [isOpen, closeCode, status]);
    await until("a message of each", () => opened.said.length === heads.length, { seen: count });
    expect(opened.closed).toBe(0);
  });

  it("says what the client sent: text, nothing for bytes, fragments together", async () => {
    const opened = serve();
    const client = open(opened.port);
    client.send("Двор");
    client.sendBinary(Buffer.from([1, 2]));
    client.sendFrame(0x01, Buffer.from("in "));
    client.sendFrame(0x80, Buffer.from("two"));
    await until("all", () => opened.said.length === 3);
    expect(opened.said).toEqual(["Двор", undefined, "in two"]);
  });
});

describe("the upgrade to a WebSocket", () => {
  const upgrade = (more: readonly string[]): string =>
    [
      "GET /a HTTP/1.1",
      "Host: nvr",
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      ...more,
      "",
      "",
    ].join("\r\n");

  async function answerTo(port: number, request: string): Promise<string> {
    const client = new RawClient(port);
    clients.push({ close: () => client.destroy() });
    client.send(request);
    await until("an answer or the end", () => client.closed || client.text.includes("\r\n\r\n"));
    return client.text;
  }

  it("is refused without the subprotocol, and where the framing is doubtful", async () => {
    const { port } = serve();
    expect(await answerTo(port, upgrade([]))).toMatch(/^HTTP\/1.1 400 .*test\.1/s);
    const doubtful = ["Sec-WebSocket-Protocol: test.1", "Content-Length: x"];
    expect(await answerTo(port, upgrade(doubtful))).not.toContain("101");
  });

  it("survives clients that send before it, or leave during it", async () => {
    const opened = serve();
    const wanted = upgrade(["Sec-WebSocket-Protocol: test.1"]);
    for (let count = 0; count < 20; count += 1) {
      const hasty = new RawClient(opened.port);
      clients.push({ close: () => hasty.destroy() });
      hasty.send(`${wanted}\x81\x85abcdefghi`);
      const gone = new RawClient(opened.port);
      gone.send(wanted);
      setTimeout(() => gone.destroy(), count % 8);
    }
    const client = open(opened.port);
    client.send("well");
    await until("the last one's message", () => opened.said.includes("well"), { seen: () => opened.said });
    client.close();
    for (const each of clients.splice(0)) each.close();
    await until("no connection", () => opened.server.connections === 0, {
      seen: () => opened.server.connections,
    });
  });
});
