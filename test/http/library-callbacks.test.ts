import { afterEach, describe, expect, it } from "vitest";
import { createLog, SystemClock } from "../../src/base/index.js";
import { ConnectionCounter } from "../../src/http/connection-counter.js";
import { HttpServer, type HttpServerOptions } from "../../src/http/http-server.js";
import { KernelConnections } from "../../src/http/kernel-connections.js";
import { StreamResponse } from "../../src/http/stream-response.js";
import { until } from "../support/api/api-harness.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { RawClient } from "../support/http/raw-http.js";

/** What is thrown in a callback of the HTTP library ends the process: here vitest would report it. */
const servers: HttpServer[] = [];
const clients: RawClient[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

/** A clock that can be made to fail: what the adapter asks in each of the library's callbacks. */
class BrokenClock extends SystemClock {
  broken = false;

  override monotonicUs(): number {
    if (this.broken) throw new Error("the clock is broken");
    return super.monotonicUs();
  }
}

function serve(options: Partial<HttpServerOptions>) {
  const logged: string[] = [];
  const server = new HttpServer({
    handler: (_request, response) => response.send({ status: 200, headers: [], body: Buffer.from("ok") }),
    clock: new SystemClock(),
    log: createLog({ level: "warn", destination: { write: (line: string) => logged.push(line) } }),
    ...options,
  });
  servers.push(server);
  return { port: server.listen("127.0.0.1", 0), server, logged };
}

function open(port: number): RawClient {
  const client = new RawClient(port);
  clients.push(client);
  return client;
}

async function answerOf(port: number): Promise<string> {
  const client = open(port);
  client.get("/a");
  await until("an answer or the end", () => client.closed || client.text.includes("\r\n\r\n"));
  return client.text;
}

describe("the count of connections by address", () => {
  it("stays as it was while the kernel's table cannot be read, which is logged once", async () => {
    const clock = new SimulatedClock();
    const logged: string[] = [];
    let error: Error | undefined;
    let row = "   0: 0100007F:1F90 0201A8C0:D431 01 00000000:00000000\n";
    let readings = 0;
    const readTable = (file: string): string => {
      if (error !== undefined) throw error;
      return file.endsWith("6") ? "" : row;
    };
    const options = {
      clock,
      log: createLog({ level: "warn", destination: { write: (line: string) => logged.push(line) } }),
      readTable,
      readTableSoon: async (file: string) => {
        readings += 1;
        return readTable(file);
      },
    };
    const counter = new ConnectionCounter(new KernelConnections(options, () => 8080));
    expect(counter.count("192.168.1.2")).toBe(1);
    error = Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" });
    for (let times = 1; times <= 3; times += 1) {
      clock.advance(1_000_000);
      expect(counter.count("192.168.1.2")).toBe(1);
      await until("the tables were asked for", () => readings === 2 * times);
      await new Promise((resolve) => setImmediate(resolve));
    }
    error = undefined;
    row = "";
    clock.advance(1_000_000);
    counter.count("192.168.1.2");
    await until("they are read again", () => counter.count("192.168.1.2") === 0);
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain("EMFILE");
  });
});

describe("a fault in a callback of the HTTP library", () => {
  it("closes the connection that is opened, and the others go on", async () => {
    const clock = new BrokenClock();
    const { port, server, logged } = serve({ clock, connectionsMax: 2 });
    const kept = open(port);
    await until("one is open", () => server.connections === 1);
    clock.broken = true;
    const failed = open(port);
    await until("the second is closed", () => failed.closed);
    clock.broken = false;
    kept.get("/a");
    await until("the first is answered", () => kept.text.includes("ok"));
    expect(logged).toHaveLength(1);
  });

  it("closes the connection of a request that cannot be read, and the next is answered", async () => {
    const clock = new BrokenClock();
    const { port, logged } = serve({ clock, cachedAnswers: () => undefined });
    clock.broken = true;
    expect(await answerOf(port)).toBe("");
    clock.broken = false;
    expect(await answerOf(port)).toMatch(/^HTTP\/1\.1 200 /);
    expect(logged).toHaveLength(1);
  });

  it("in a listener for the client's leaving keeps no other listener from being told", async () => {
    const notified: number[] = [];
    const { port, logged } = serve({
      requestsPerAddressMax: 1,
      handler: async (request, response) => {
        if (request.path === "/a" && notified.length > 0)
          return response.send({ status: 200, headers: [], body: Buffer.from("ok") });
        response.onClose(() => {
          notified.push(1);
          throw new Error("the first listener");
        });
        response.onClose(() => notified.push(2));
        await new Promise<void>((resolve) => response.onClose(resolve));
        return undefined;
      },
    });
    const client = open(port);
    client.get("/a");
    await new Promise((resolve) => setTimeout(resolve, 50));
    client.socket.resetAndDestroy();
    await until("both are told", () => notified.length === 2);
    expect(notified).toEqual([1, 2]);
    expect(logged.join("\n")).toContain("the first listener");
    expect(await answerOf(port)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("with a body's last bytes is a 500", async () => {
    const { port, logged } = serve({
      streamsBody: () => true,
      handler: async (request, response) => {
        for await (const chunk of request.bodyStream ?? []) expect(chunk.length).toBeGreaterThan(0);
        throw new Error(`cannot take it, ${response.finished}`);
      },
    });
    const response = await fetch(`http://127.0.0.1:${port}/a`, { method: "POST", body: Buffer.alloc(100) });
    expect(response.status).toBe(500);
    expect(logged).toHaveLength(1);
  });

  it("while a stream goes on closes that stream", () => {
    const faults: unknown[] = [];
    let writable: (offset: number) => boolean = () => true;
    const stream = new StreamResponse({
      socket: {
        cork: (run) => run(),
        write: () => false,
        onWritable: (handler) => {
          writable = handler;
        },
        end: () => undefined,
        close: () => undefined,
      },
      writeHead: () => undefined,
      clock: new SimulatedClock(),
      log: createLog({ level: "silent" }),
      onFault: (error) => faults.push(error),
    });
    stream.onDrain = () => {
      throw new Error("the next part");
    };
    expect(stream.send([Buffer.from("a")])).toBe(false);
    expect(writable(0)).toBe(true);
    expect(faults).toEqual([new Error("the next part")]);
  });

  it("in an endpoint's part of a stream closes the connection, and the server goes on", async () => {
    const clock = new SystemClock();
    const log = createLog({ level: "silent" });
    const piece = Buffer.alloc(1024 * 1024);
    const { port, logged } = serve({
      handler: (request, response) => {
        if (request.path !== "/a")
          return response.send({ status: 200, headers: [], body: Buffer.from("ok") });
        const stream = response.startStream([], { clock, log });
        if (stream === undefined) return undefined;
        stream.onDrain = () => {
          throw new Error("the next part");
        };
        while (stream.send([piece]));
        return undefined;
      },
    });
    const client = open(port);
    client.get("/a");
    await until("the end", () => client.closed);
    expect(logged.filter((line) => line.includes("the next part"))).toHaveLength(1);
    const other = open(port);
    other.get("/b");
    await until("the other is answered", () => other.text.includes("ok"));
  });
});
