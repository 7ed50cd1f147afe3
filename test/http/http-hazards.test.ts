import { afterEach, describe, expect, it } from "vitest";
import { createLog, NvrdError, SystemClock } from "../../src/base/index.js";
import { HttpServer, type RequestHandler } from "../../src/http/http-server.js";
import type { ApiRequest } from "../../src/http/request.js";
import { BODY_BYTES_MAX } from "../../src/http/request-body.js";
import type { ApiResponse } from "../../src/http/response.js";
import { TrustedProxies } from "../../src/http/trusted-proxies.js";
import { until } from "../support/api/api-harness.js";
import { RawClient } from "../support/http/raw-http.js";

const log = createLog({ level: "silent" });
const clock = new SystemClock();
const servers: HttpServer[] = [];
const clients: RawClient[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

function serve(handler: RequestHandler, connectionsMax?: number): { port: number; server: HttpServer } {
  const server = new HttpServer({
    handler,
    clock,
    log,
    ...(connectionsMax === undefined ? {} : { connectionsMax }),
  });
  servers.push(server);
  return { port: server.listen("127.0.0.1", 0), server };
}

function open(port: number): RawClient {
  const client = new RawClient(port);
  clients.push(client);
  return client;
}

async function ask(port: number, request: string): Promise<string> {
  const client = open(port);
  client.send(request);
  await until("an answer or the end", () => client.closed || client.text.includes("\r\n\r\n"));
  await new Promise((resolve) => setTimeout(resolve, 20));
  return client.text;
}

const ok: RequestHandler = (request, response) =>
  response.send({
    status: 200,
    headers: [["Content-Type", "text/plain"]],
    body: Buffer.from(`${request.method} ok`),
  });

describe("a handler's fault", () => {
  it("that throws at once is a 500, and the process lives", async () => {
    const { port } = serve(() => {
      throw new Error("secret detail");
    });
    const answer = await ask(port, "GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 500 /);
    expect(answer).not.toContain("secret detail");
    expect(await ask(port, "HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n")).toMatch(/^HTTP\/1\.1 500 /);
  });

  it("that rejects later is a 500", async () => {
    const { port } = serve(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      throw new Error("late");
    });
    expect(await ask(port, "GET /a HTTP/1.1\r\nHost: x\r\n\r\n")).toMatch(/^HTTP\/1\.1 500 /);
  });

  it("of the catalogue keeps its status and hint, as JSON under /configure", async () => {
    const { port } = serve(() => {
      throw new NvrdError("CONFLICT", "revision 4 is not current");
    });
    expect(await ask(port, "GET /configure/x HTTP/1.1\r\nHost: x\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 409 [\s\S]*\{"ErrorMessage":"revision 4 is not current: the configuration changed meanwhile/,
    );
    expect(await ask(port, "GET /x HTTP/1.1\r\nHost: x\r\n\r\n")).toContain(
      "Error code: 409\r\nMessage: revision 4",
    );
  });

  it("that ends without an answer is a 500, at once and later", async () => {
    const { port } = serve((request) => (request.path === "/later" ? Promise.resolve() : undefined));
    for (const path of ["/once", "/later"])
      expect(await ask(port, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(/^HTTP\/1\.1 500 /);
  });

  it("that sets a header with a line break is a 500 without that header", async () => {
    const { port } = serve((_request, response) =>
      response.send({ status: 200, headers: [["X-Name", "a\r\nSet-Cookie: b=c"]], body: Buffer.from("x") }),
    );
    const answer = await ask(port, "GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 500 /);
    expect(answer).not.toContain("Set-Cookie");
  });
});

describe("a client that leaves", () => {
  it("before the answer is no fault: sending does nothing", async () => {
    let finish: (() => void) | undefined;
    let closed = 0;
    const { port } = serve(async (request, response) => {
      if (request.path === "/b") return ok(request, response);
      response.onClose(() => {
        closed += 1;
      });
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      response.send({ status: 200, headers: [], body: Buffer.from("too late") });
      expect(response.finished).toBe(true);
      expect(response.startStream([], { clock, log })).toBeUndefined();
    });
    const client = open(port);
    client.get("/a");
    await until("the handler runs", () => finish !== undefined);
    client.socket.resetAndDestroy();
    await until("the server sees it", () => closed === 1);
    finish?.();
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(await ask(port, "GET /b HTTP/1.1\r\nHost: x\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 /);
  });

  it("a second, pipelined request ends the first and not the process", async () => {
    const { port } = serve(async (_request, response) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      response.send({ status: 200, headers: [], body: Buffer.from("x") });
    });
    const client = open(port);
    client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n");
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await ask(port, "GET /c HTTP/1.1\r\nHost: x\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe("requests that could be mistaken for others", () => {
  it.each([
    "Content-Length: 4\r\nContent-Length: 40",
    "Content-Length: 4\r\nContent-Length: 4",
    "Content-Length: 4, 4",
    "Content-Length:",
    "Content-Length: +4",
    "Transfer-Encoding:",
    "Transfer-Encoding: gzip",
    "Transfer-Encoding: identity",
    "Transfer-Encoding: chunked, gzip",
    "Transfer-Encoding: gzip, chunked",
    "Transfer-Encoding: xchunked",
    'Transfer-Encoding: "chunked"',
    "Transfer-Encoding: chunked;q=1",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
    "Transfer-Encoding: chunked\r\nContent-Length: 4",
    "Content-Length: 4\r\nTransfer-Encoding:",
    "Host: other",
    "Authorization: Basic YTpi\r\nAuthorization: Basic YTpj",
  ])(
    "with a doubtful end or sender (%s) are 400 and closed, and what follows does not run",
    async (header) => {
      const paths: string[] = [];
      const { port } = serve((request, response) => {
        paths.push(request.path);
        ok(request, response);
      });
      const inner = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
      for (const method of ["POST", "GET"]) {
        const alone = open(port);
        alone.send(`${method} /a HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`);
        const followed = open(port);
        followed.send(`${method} /a HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n0\r\n\r\n${inner}`);
        await until("the connections are closed", () => alone.closed && followed.closed);
        expect(alone.text).toMatch(/^HTTP\/1\.1 400 /);
        // Where something follows in the same piece, the library ends the connection before the answer can be sent.
        expect(followed.text).toMatch(/^$|^HTTP\/1\.1 (?:400|505) /);
        expect(followed.text).not.toContain("HTTP/1.1 200");
      }
      expect(paths).toEqual([]);
    },
  );

  it("that name chunks in another case are chunks all the same", async () => {
    const { port } = serve((request, response) =>
      response.send({ status: 200, headers: [], body: request.body }),
    );
    const head = "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n";
    expect(await ask(port, `${head}2\r\nok\r\n0\r\n\r\n`)).toMatch(/\r\n\r\nok$/);
  });

  it.each(["Transfer-Encoding : chunked", "Content-Length : 4", " Content-Length: 4", "Content-Length\0: 4"])(
    "with a header that is none (%j) reach no handler",
    async (header) => {
      const paths: string[] = [];
      const { port } = serve((request, response) => {
        paths.push(request.path);
        ok(request, response);
      });
      const client = open(port);
      client.send(`POST /a HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\nabcdGET /b HTTP/1.1\r\nHost: x\r\n\r\n`);
      await new Promise((resolve) => setTimeout(resolve, 50));
      // One build of the library waits for more until its time-out, the later one answers 400 and closes.
      expect(client.text).toMatch(/^$|^HTTP\/1\.1 400 [\s\S]*Connection: close\r\n/i);
      expect(paths).toEqual([]);
    },
  );

  it("that are pipelined behind an answer that is there at once are answered in order", async () => {
    const { port } = serve((request, response) =>
      response.send({ status: 200, headers: [], body: Buffer.from(request.path) }),
    );
    const client = open(port);
    client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n");
    await until("both answers", () => client.text.endsWith("/b"));
    expect(client.text).toMatch(/\r\n\r\n\/aHTTP\/1\.1 200 [\s\S]*\r\n\r\n\/b$/);
  });

  it("that are pipelined behind an answer that takes time end the connection, without any answer", async () => {
    const { port } = serve(async (request, response) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      response.send({ status: 200, headers: [], body: Buffer.from(request.path) });
    });
    const client = open(port);
    client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n");
    await until("the connection is closed", () => client.closed);
    expect(client.text).toBe("");
  });

  it("with a PROXY protocol preamble keep the address they come from", async () => {
    const addresses: string[] = [];
    const { port } = serve((request, response) => {
      addresses.push(request.address);
      ok(request, response);
    });
    // PROXY protocol 2, TCP over IPv4: 203.0.113.9:1 to 203.0.113.10:2.
    const preamble = "\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c\xcb\0\x71\x09\xcb\0\x71\x0a\0\x01\0\x02";
    await ask(port, `${preamble}GET /a HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(addresses).toEqual(["127.0.0.1"]);
  });

  it("answers GET, HEAD and DELETE of the same handler, HEAD without a body", async () => {
    const { port } = serve(ok);
    expect(await ask(port, "HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n")).toMatch(
      /Content-Length: 7\r\n(?:[^\r]+\r\n)*\r\n$/,
    );
    expect(await ask(port, "DELETE /a HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")).toContain(
      "DELETE ok",
    );
  });
});

it("HEAD with Connection: close ends the connection at once", async () => {
  const { port } = serve(ok);
  const client = open(port);
  client.send("HEAD /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  await until("the end", () => client.closed);
  expect(client.text).toContain("Content-Length: 7\r\n");
});

describe("limits", () => {
  it("a header block up to 16 KiB passes, a larger one is refused", async () => {
    const { port } = serve(ok);
    const header = (bytes: number): string =>
      `GET /a HTTP/1.1\r\nHost: x\r\nX-Big: ${"a".repeat(bytes)}\r\n\r\n`;
    expect(await ask(port, header(14_000))).toMatch(/^HTTP\/1\.1 200 /);
    expect(await ask(port, header(20_000))).not.toMatch(/^HTTP\/1\.1 200 /);
  });

  it("a body up to 1 MiB comes whole, a larger one is 413", async () => {
    const bodies: number[] = [];
    const { port } = serve((request: ApiRequest, response) => {
      bodies.push(request.body.length);
      ok(request, response);
    });
    const post = (bytes: number): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}/a`, { method: "POST", body: Buffer.alloc(bytes, 65) });
    expect((await post(BODY_BYTES_MAX)).status).toBe(200);
    const refused = await post(BODY_BYTES_MAX + 1);
    expect(refused.status).toBe(413);
    expect(bodies).toEqual([BODY_BYTES_MAX]);
  });

  it("a body without a length ends with its last chunk", async () => {
    const { port } = serve((request, response) =>
      response.send({ status: 200, headers: [], body: request.body }),
    );
    const answer = await ask(
      port,
      "POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
    );
    expect(answer).toMatch(/\r\n\r\nabcde$/);
  });

  it("requests of one address beyond the bound are 429, and let in once others have ended", async () => {
    const waiting: (() => void)[] = [];
    const server = new HttpServer({
      handler: (request, response) =>
        new Promise<void>((resolve) => {
          waiting.push(() => {
            ok(request, response);
            resolve();
          });
        }),
      clock,
      log,
      requestsPerAddressMax: 2,
    });
    servers.push(server);
    const port = server.listen("127.0.0.1", 0);
    const first = [open(port), open(port)];
    for (const client of first) client.get("/a");
    await until("both are under way", () => waiting.length === 2);
    const refused = await ask(port, "GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(refused).toMatch(/^HTTP\/1\.1 429 [\s\S]*\r\nRetry-After: 1\r\n/);
    for (const answer of waiting.splice(0)) answer();
    await until("both are answered", () => first.every((client) => client.text.includes("GET ok")));
    open(port).get("/a");
    await until("it is let in", () => waiting.length === 1);
    waiting.pop()?.();
  });

  it("requests are counted by the address that a trusted proxy names", async () => {
    const addresses: string[] = [];
    const server = new HttpServer({
      handler: (request, response) => {
        addresses.push(request.address);
        return request.path === "/wait" ? new Promise(() => undefined) : ok(request, response);
      },
      clock,
      log,
      requestsPerAddressMax: 1,
      trustedProxies: new TrustedProxies(["127.0.0.0/8"]),
    });
    servers.push(server);
    const port = server.listen("127.0.0.1", 0);
    const from = (client: string, path: string): string =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${client}\r\n\r\n`;
    open(port).send(from("192.0.2.1, 198.51.100.1", "/wait"));
    await until("it is under way", () => addresses.length === 1);
    expect(await ask(port, from("198.51.100.1", "/a"))).toMatch(/^HTTP\/1\.1 429 /);
    expect(await ask(port, from("198.51.100.2", "/a"))).toMatch(/^HTTP\/1\.1 200 /);
    expect(addresses).toEqual(["198.51.100.1", "198.51.100.2"]);
  });

  it("a connection beyond the bound of strangers is closed while the others ask for something, and they go on", async () => {
    const answers: (() => void)[] = [];
    const waiting = (_request: ApiRequest, response: ApiResponse) =>
      new Promise<void>((resolve) => {
        answers.push(() => {
          response.send({ status: 200, headers: [], body: Buffer.from("late") });
          resolve();
        });
      });
    const { port, server } = serve(waiting, 4);
    const kept = [open(port), open(port), open(port)];
    for (const connection of kept) connection.get("/a");
    await until("three ask", () => answers.length === 3);
    const fourth = open(port);
    await until("the fourth is closed", () => fourth.closed);
    answers[0]?.();
    await until("one is answered", () => kept.some(({ text }) => text.includes("late")));
    expect(server.connections).toBe(3);
  });
});

describe("listening", () => {
  it("refuses a port that is no port, and one that another server has", () => {
    const { port } = serve(ok);
    const other = new HttpServer({ handler: ok, clock, log });
    servers.push(other);
    expect(() => other.listen("127.0.0.1", 65_536 + 8080)).toThrow(/65535/);
    expect(() => other.listen("127.0.0.1", -1)).toThrow();
    expect(() => other.listen("127.0.0.1", port)).toThrow(/in use or privileged/);
  });

  it("refuses a certificate that is none", () => {
    const tls = { keyFile: "/nonexistent/key.pem", certificateFile: "/nonexistent/certificate.pem" };
    expect(() => new HttpServer({ handler: ok, clock, log, tls })).toThrow(/certificate/);
  });

  it("answers 503 on kept connections while it stops, and ends streams in good order", async () => {
    const { port, server } = serve((_request, response) => {
      response.startStream([], { clock, log })?.send([Buffer.from("first")]);
    });
    const client = open(port);
    client.get("/a");
    await until("the stream runs", () => client.text.includes("first"));
    await server.stop();
    servers.splice(servers.indexOf(server), 1);
    await until("the stream has ended", () => client.closed);
    expect(client.text.endsWith("0\r\n\r\n")).toBe(true);
  });
});
