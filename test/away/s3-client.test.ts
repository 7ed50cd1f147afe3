import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { bytesBody, checkTarget, S3Client, S3Error, type S3Target } from "../../src/away/index.js";
import { wayTo } from "../../src/away/s3/s3-connections.js";
import { SystemClock } from "../../src/base/index.js";
import { s3Target } from "../support/away/away-samples.js";
import { s3Failure } from "../support/away/s3-failure.js";
import { type Fault, ScriptedStore } from "../support/away/scripted-store.js";
import { Authority } from "../support/http/authority.js";

const CLOCK = new SystemClock();
const LARGE = bytesBody(Buffer.alloc(2 * 1024 * 1024, 7));
const ends: (() => void)[] = [];

afterEach(() => {
  for (const end of ends.splice(0)) end();
});

describe("a client of object storage", () => {
  it("is told in time that a server refuses: the body stays here", async () => {
    const { store, client } = await storeWith({ status: 403, code: "AccessDenied" });
    let sent = 0;
    const pace = async (bytes: number) => {
      sent += bytes;
    };
    expect(await s3Failure(client.put("a", LARGE, { pace }))).toMatchObject({ fault: "forbidden" });
    expect(store.asked[0]?.headers.expect).toBe("100-continue");
    expect(sent).toBe(0);
  });

  it.each<[string, Fault, string]>([
    ["503 SlowDown", { status: 503, code: "SlowDown" }, "busy"],
    ["500", { status: 500 }, "busy"],
    ["429", { status: 429 }, "busy"],
    ["ExpiredToken", { status: 400, code: "ExpiredToken" }, "expired"],
    ["QuotaExceeded", { status: 403, code: "QuotaExceeded" }, "full"],
    ["507", { status: 507 }, "full"],
    ["a redirect to another region", { status: 301, code: "PermanentRedirect" }, "wrong-region"],
    ["RequestTimeTooSkewed", { status: 403, code: "RequestTimeTooSkewed" }, "clock"],
    ["a connection that is cut", { cutAfter: 1000 }, "unreachable"],
    ["a connection that is cut before the answer", "cut-answer", "unreachable"],
    ["silence", "silence", "too-slow"],
  ])("names the fault: %s", async (_name, fault, expected) => {
    const { client } = await storeWith(fault);
    const error = await s3Failure(client.put("a", LARGE));
    expect(error.fault).toBe(expected);
    expect(error.message).not.toContain("scripted-secret");
  });

  it("passes on how long the server asks to wait", async () => {
    const { client } = await storeWith({ status: 503, code: "SlowDown", headers: { "Retry-After": "7" } });
    expect(await s3Failure(client.put("a", bytesBody(Buffer.from("x"))))).toMatchObject({
      retryAfterMs: 7000,
    });
  });

  it("refuses an answer that is longer than expected", async () => {
    const { store, client } = await storeWith(undefined);
    store.objects.set("box/a", Buffer.alloc(10_000));
    await expect(client.get("a", { bytesMax: 9999 })).rejects.toMatchObject({ fault: "answer" });
  });

  it("ends a request with its signal", async () => {
    const { client } = await storeWith("silence");
    const end = new AbortController();
    const put = s3Failure(client.put("a", LARGE, { signal: end.signal }));
    end.abort();
    expect(await put).toMatchObject({ fault: "unreachable" });
  });

  it("finds an error behind 200 OK when an upload is finished", async () => {
    const { client } = await storeWith({ status: 200, code: "InternalError" });
    await expect(client.finishUpload("a", "id", [])).rejects.toBeInstanceOf(S3Error);
  });

  it("says that nothing listens, and that a name is unknown", async () => {
    const nobody = clientOf({ endpoint: "http://127.0.0.1:9" });
    expect((await s3Failure(nobody.bytesOf("a"))).message).toMatch(/refuses connections/);
    const unknown = clientOf({ endpoint: "http://nowhere.invalid" });
    expect((await s3Failure(unknown.bytesOf("a"))).message).toMatch(/cannot be resolved|cannot be reached/);
  });

  it("trusts the authority of the target, and no other", async () => {
    const authority = await Authority.make("authority");
    const store = await new ScriptedStore(await authority.issue("store")).start();
    ends.push(() => store.stop());
    const endpoint = `https://127.0.0.1:${store.port}`;
    const trusting = clientOf({ endpoint, authority: authority.cert });
    await trusting.put("a", LARGE);
    expect(store.objects.get("box/a")?.length).toBe(LARGE.bytes);
    const error = await s3Failure(clientOf({ endpoint }).bytesOf("a"));
    expect(error).toMatchObject({ fault: "not-trusted" });
    expect(error.message).toMatch(/not trusted: enter the certificate of its authority/);
    const plain = await s3Failure(clientOf({ endpoint: `http://127.0.0.1:${store.port}` }).bytesOf("a"));
    expect(plain.fault).toBe("unreachable");
  });

  it("goes over a proxy: by a tunnel with TLS, as whole URLs without", async () => {
    const authority = await Authority.make("authority");
    const secure = await new ScriptedStore(await authority.issue("store")).start();
    const plain = await new ScriptedStore().start();
    const proxy = await startProxy();
    ends.push(
      () => secure.stop(),
      () => plain.stop(),
    );
    const address = `http://me:pass%40word@127.0.0.1:${proxy.port}`;
    const over = { proxy: address, authority: authority.cert };
    await clientOf({ endpoint: `https://127.0.0.1:${secure.port}`, ...over }).put("a", LARGE);
    await clientOf({ endpoint: `http://127.0.0.1:${plain.port}`, ...over }).put("b", LARGE);
    expect(secure.objects.has("box/a") && plain.objects.has("box/b")).toBe(true);
    expect(proxy.seen).toEqual([`CONNECT me:pass@word`, `PUT me:pass@word`]);
    const error = await s3Failure(clientOf({ endpoint: "https://127.0.0.1:9", ...over }).bytesOf("a"));
    expect(error).toMatchObject({ fault: "proxy" });
    expect(error.message).not.toContain("pass");
  });

  it.each([
    ["by a tunnel", "https://127.0.0.1:9"],
    ["with whole URLs", "http://127.0.0.1:9"],
  ])("names the members to correct when a proxy refuses the login: %s", async (_name, endpoint) => {
    const proxy = await startProxy({ isRefusing: true });
    const error = await s3Failure(
      clientOf({ endpoint, proxy: `http://127.0.0.1:${proxy.port}` }).bytesOf("a"),
    );
    expect(error.fault).toBe("proxy");
    expect(error.message).toMatch(/the proxy .*wants another login .*: correct ProxyLogin and ProxyPassword/);
  });

  it.each(["https://s3.example", "http://s3.example"])(
    "finds a proxy with an IPv6 address: %s",
    (endpoint) => {
      const way = wayTo(s3Target({ endpoint, proxy: "http://[::1]:3128" }));
      ends.push(() => way.agent.destroy());
      if (endpoint.startsWith("http:")) expect(way.proxy).toEqual({ host: "::1", port: 3128 });
      else expect(way.proxy).toBeUndefined();
    },
  );

  it("puts the bucket into the host where the target says so", async () => {
    const store = await new ScriptedStore().start();
    ends.push(() => store.stop());
    const client = clientOf({ endpoint: `http://localhost:${store.port}`, style: "host", bucket: "cams" });
    // Names below localhost are this machine's; where the resolver does not know that, the name is in the error.
    const error = await client.put("a", LARGE).then(
      () => undefined,
      (thrown: S3Error) => thrown,
    );
    if (error === undefined) expect(store.asked[0]?.headers.host).toBe(`cams.localhost:${store.port}`);
    else expect(error.message).toContain("cams.localhost");
  });
});

describe("the test of a target", () => {
  it("refuses a server that accepts a wrong digest in silence", async () => {
    const { store, target } = await storeWith(undefined);
    store.checksDigests = false;
    const problem = await checkTarget(target, { clock: CLOCK });
    expect(problem).toMatchObject({ step: "digest", fault: "digest" });
    expect([...store.objects.keys()]).toEqual([]);
  });

  it("reports a clock that is off though the server takes requests", async () => {
    const { store, target } = await storeWith(undefined);
    store.aheadMs = 10 * 60_000;
    const problem = await checkTarget(target, { clock: CLOCK });
    expect(problem?.text).toMatch(/server's clock is 10 minutes ahead/);
  });

  it("finds objects that are not stored, and those that differ", async () => {
    for (const [fault, step] of [
      ["forget", "read"],
      ["corrupt", "read"],
    ] as const) {
      const { store, target } = await storeWith(undefined);
      store.fault = ({ method }) => (method === "PUT" ? fault : undefined);
      expect(await checkTarget(target, { clock: CLOCK })).toMatchObject({ step });
    }
  });

  it("finds a key that may not delete", async () => {
    const { store, target } = await storeWith(undefined);
    store.fault = ({ method }) => (method === "DELETE" ? { status: 403, code: "AccessDenied" } : undefined);
    expect(await checkTarget(target, { clock: CLOCK })).toMatchObject({ step: "delete", fault: "forbidden" });
  });
});

async function storeWith(
  fault: Fault | undefined,
): Promise<{ store: ScriptedStore; client: S3Client; target: S3Target }> {
  const store = await new ScriptedStore().start();
  store.fault = () => fault;
  const target = s3Target({ endpoint: `http://127.0.0.1:${store.port}` });
  const client = clientOf(target);
  ends.push(() => store.stop());
  return { store, client, target };
}

function clientOf(change: Partial<S3Target> & Pick<S3Target, "endpoint">): S3Client {
  const client = new S3Client({ target: s3Target(change), clock: CLOCK, silenceMsMax: 1500 });
  ends.push(() => client.close());
  return client;
}

/** A proxy on loopback: it tunnels, and forwards whole URLs. */
async function startProxy({ isRefusing = false } = {}): Promise<{ port: number; seen: string[] }> {
  const seen: string[] = [];
  const login = (headers: NodeJS.Dict<string | string[]>) =>
    Buffer.from(String(headers["proxy-authorization"]).replace("Basic ", ""), "base64").toString();
  const server: Server = createServer();
  server.on("connect", (request, socket) => {
    if (isRefusing) return socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    const port = Number(request.url?.split(":").at(-1));
    if (port !== 9) seen.push(`CONNECT ${login(request.headers)}`);
    const far = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      far.pipe(socket).pipe(far);
    });
    far.on("error", () => socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n"));
    socket.on("error", () => far.destroy());
  });
  const forward = async (
    request: import("node:http").IncomingMessage,
    response: import("node:http").ServerResponse,
  ) => {
    if (isRefusing) return response.writeHead(407).end();
    seen.push(`${request.method} ${login(request.headers)}`);
    const { request: ask } = await import("node:http");
    const { "proxy-authorization": _mine, ...headers } = request.headers;
    const call = ask(request.url ?? "", { method: request.method ?? "GET", headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    call.on("continue", () => response.writeContinue());
    request.pipe(call);
  };
  server.on("request", (request, response) => void forward(request, response));
  server.on("checkContinue", (request, response) => void forward(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ends.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, seen };
}
