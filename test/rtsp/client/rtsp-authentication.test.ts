import { afterEach, describe, expect, it } from "vitest";
import type { Dialer } from "../../../src/rtsp/client/socket/client-socket.js";
import { NetworkDialer } from "../../../src/rtsp/client/socket/dialer.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import {
  cameraAnswers,
  keyFrames,
  reply,
  type ScriptedAnswer,
  ScriptedRtspServer,
} from "../../support/rtsp/scripted-rtsp-server.js";
import {
  type HarnessOptions,
  lastReason,
  makeSource,
  type SourceHarness,
} from "../../support/rtsp/source-harness.js";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function camera(changes: Readonly<Record<string, ScriptedAnswer>>): Promise<ScriptedRtspServer> {
  const server = await new ScriptedRtspServer(cameraAnswers(changes)).start();
  cleanups.push(() => server.stop());
  return server;
}

function watch(server: ScriptedRtspServer, options: Partial<HarnessOptions> = {}): SourceHarness {
  const credentials = { user: "viewer", password: "geheim" };
  const harness = makeSource({ url: server.url, credentials, ...options });
  cleanups.push(() => harness.source.stop());
  harness.source.start();
  return harness;
}

const authorizationOf = (server: ScriptedRtspServer, method: string): string[] =>
  server.requests
    .filter((request) => request.method === method)
    .map((request) => request.headers.get("authorization") ?? "none");

describe("authentication with a camera", () => {
  it("stale nonce: retried at once with the new one, counting from one again", async () => {
    let asked = 0;
    const challenge = (nonce: string, stale: string) =>
      reply(401, [`WWW-Authenticate: Digest realm="c", nonce="${nonce}", qop="auth"${stale}`]);
    const server = await camera({
      DESCRIBE: (request, socket) => {
        asked += 1;
        if (asked === 1) return challenge("first", "");
        if (asked === 2) return challenge("second", ", stale=true");
        return cameraAnswers().DESCRIBE?.(request, socket);
      },
    });
    const harness = watch(server);
    await harness.until(() => harness.frames.length >= 1);
    const sent = authorizationOf(server, "DESCRIBE");
    expect(sent).toHaveLength(3);
    expect(sent[1]).toContain('nonce="first"');
    expect(sent[2]).toMatch(/nonce="second".*nc=00000001/);
    expect(authorizationOf(server, "SETUP")[0]).toContain("nc=00000002");
  });

  it("SHA-256 is preferred where offered beside MD5 and Basic", async () => {
    const server = await camera({
      OPTIONS: () =>
        reply(401, [
          'WWW-Authenticate: Basic realm="c"',
          'WWW-Authenticate: Digest realm="c", nonce="m", algorithm=MD5',
          'WWW-Authenticate: Digest realm="c", nonce="s", algorithm=SHA-256, qop="auth"',
        ]),
    });
    const harness = watch(server);
    await harness.until(() => harness.frames.length >= 1);
    expect(authorizationOf(server, "DESCRIBE")[0]).toContain("algorithm=SHA-256");
  });

  it("a camera that closes the connection after its challenge is connected again", async () => {
    const server = await camera({
      DESCRIBE: (request, socket) => {
        if (request.headers.has("authorization")) return cameraAnswers().DESCRIBE?.(request, socket);
        socket.end(
          reply(401, ['WWW-Authenticate: Digest realm="c", nonce="n"']).replace(
            "$CSEQ",
            request.headers.get("cseq") ?? "",
          ),
        );
        return undefined;
      },
    });
    const harness = watch(server);
    await harness.until(() => harness.frames.length >= 1);
    expect(server.connections).toBe(2);
    expect(harness.source.attempts).toBe(1);
  });

  it("a camera that closes the connection after each challenge is connected again behind a redirect too", async () => {
    const server = await camera({
      DESCRIBE: (request, socket) => {
        if (!request.headers.has("authorization")) {
          const refusal = reply(401, ['WWW-Authenticate: Digest realm="c", nonce="n"']);
          socket.end(refusal.replace("$CSEQ", request.headers.get("cseq") ?? ""));
          return undefined;
        }
        if (request.uri.includes("moved")) return cameraAnswers().DESCRIBE?.(request, socket);
        return reply(302, [`Location: rtsp://127.0.0.1:${server.port}/moved`]);
      },
    });
    const harness = watch(server);
    await harness.until(() => harness.frames.length >= 1);
    expect(server.connections).toBe(4);
    expect(harness.source.attempts).toBe(1);
  });

  it("redirect to another host carries no credentials", async () => {
    const other = await camera({ OPTIONS: () => reply(401, ['WWW-Authenticate: Basic realm="thief"']) });
    const server = await camera({
      DESCRIBE: (request) =>
        request.headers.has("authorization")
          ? reply(302, [`Location: rtsp://localhost:${other.port}/live`])
          : reply(401, ['WWW-Authenticate: Basic realm="c"']),
    });
    const harness = watch(server, { redirectsAnywhere: true });
    await harness.until(() => harness.frames.length >= 1 || lastReason(harness) !== "");
    expect(other.requests.length).toBeGreaterThan(0);
    expect(other.requests.every((request) => !request.headers.has("authorization"))).toBe(true);
  });

  it("redirects of another host to itself carry no credentials either", async () => {
    const other = await camera({
      OPTIONS: () => reply(401, ['WWW-Authenticate: Basic realm="thief"']),
      DESCRIBE: () => reply(302, [`Location: rtsp://localhost:${other.port}/again`]),
    });
    const server = await camera({
      DESCRIBE: () => reply(302, [`Location: rtsp://localhost:${other.port}/live`]),
    });
    const harness = watch(server, { redirectsAnywhere: true });
    await harness.until(() => lastReason(harness) !== "");
    expect(other.requests.length).toBeGreaterThan(0);
    expect(other.requests.every((request) => !request.headers.has("authorization"))).toBe(true);
  });

  it("redirect to another host is not followed, unless that is allowed", async () => {
    const other = await camera({});
    const server = await camera({
      DESCRIBE: () => reply(302, [`Location: rtsp://localhost:${other.port}/live`]),
    });
    const harness = watch(server);
    await harness.until(() => lastReason(harness) !== "");
    expect(lastReason(harness)).toContain(
      "redirects to another host, localhost: give that address, or allow it",
    );
    expect(other.connections).toBe(0);
  });

  it("redirect from the camera's name to the address of that name is one to the same host", async () => {
    const other = await camera({
      PLAY: () => Buffer.concat([Buffer.from(reply(200)), keyFrames(1, 3)]),
    });
    const server = await camera({
      DESCRIBE: () => reply(302, [`Location: rtsp://127.0.0.1:${other.port}/live`]),
    });
    const harness = watch(server, { url: `rtsp://localhost:${server.port}/live`, ipv4Only: true });
    await harness.until(() => harness.frames.length >= 1);
    expect(other.connections).toBe(1);
  });

  it("redirect to the same host carries credentials", async () => {
    const other = await camera({
      OPTIONS: () => reply(401, ['WWW-Authenticate: Basic realm="c"']),
      PLAY: () => Buffer.concat([Buffer.from(reply(200)), keyFrames(1, 3)]),
    });
    const server = await camera({ DESCRIBE: () => reply(301, [`Location: ${other.url}`]) });
    const harness = watch(server);
    await harness.until(() => harness.frames.length >= 1);
    expect(authorizationOf(other, "DESCRIBE")[0]).toMatch(/^Basic /);
  });

  it("redirect of a camera with a link-local address goes on over the same interface", async () => {
    const other = await camera({
      PLAY: () => Buffer.concat([Buffer.from(reply(200)), keyFrames(1, 3)]),
    });
    const server = await camera({
      DESCRIBE: () => reply(302, [`Location: rtsp://[fe80::9]:${other.port}/live`]),
    });
    const network = new NetworkDialer();
    const dialed: string[] = [];
    const dialer: Dialer = {
      dial: (endpoint, events) => {
        dialed.push(endpoint.host);
        return network.dial({ ...endpoint, host: "127.0.0.1" }, events);
      },
      datagramSocket: (family) => network.datagramSocket(family),
    };
    const harness = watch(server, { url: `rtsp://[fe80::9%eth0]:${server.port}/live`, dialer });
    await harness.until(() => harness.frames.length >= 1);
    expect(dialed).toEqual(["fe80::9%eth0", "fe80::9%eth0"]);
    expect(other.requests.every(({ uri }) => !uri.includes("%"))).toBe(true);
  });

  it("redirects in a circle end", async () => {
    const server = await camera({ DESCRIBE: () => reply(302, [`Location: ${server.url}`]) });
    const harness = watch(server);
    await harness.until(() => lastReason(harness) !== "");
    expect(lastReason(harness)).toContain("redirects more than 3 times");
    expect(server.connections).toBe(4);
  });

  it("after a 401 at most one attempt a minute, over stops and starts too", async () => {
    const clock = new SimulatedClock();
    const server = await camera({
      DESCRIBE: () => reply(401, ['WWW-Authenticate: Digest realm="c", nonce="n"']),
    });
    const harness = watch(server, { clock });
    const tried = () => authorizationOf(server, "DESCRIBE").filter((value) => value !== "none").length;
    await harness.until(() => lastReason(harness) !== "");
    expect(tried()).toBe(1);
    await clock.advanceSlowly(30_000_000);
    await harness.source.stop();
    harness.source.start();
    await clock.advanceSlowly(29_000_000);
    expect(tried()).toBe(1);
    await clock.advanceSlowly(20_000_000, 50_000, () => tried() >= 2);
    await harness.until(() => tried() === 2);
    expect(harness.states.filter((state) => state.state === "lost").map((state) => state.reason)).toContain(
      "the camera refuses user name or password: correct them",
    );
  });

  it("a camera that closes the connection instead of a second 401 counts as refusing", async () => {
    const server = await camera({
      DESCRIBE: (request, socket) => {
        if (!request.headers.has("authorization"))
          return reply(401, ['WWW-Authenticate: Digest realm="c", nonce="n"']);
        socket.end(
          reply(401, [
            `WWW-Authenticate: Digest realm="c", nonce="${request.connection}", stale=true`,
          ]).replace("$CSEQ", request.headers.get("cseq") ?? ""),
        );
        return undefined;
      },
    });
    const harness = watch(server);
    await harness.until(() => lastReason(harness) !== "");
    expect(lastReason(harness)).toContain("refuses user name or password");
  });

  it("secrets reach neither log nor state", async () => {
    const server = await camera({
      DESCRIBE: () => reply(401, ['WWW-Authenticate: Digest realm="c", nonce="n"']),
    });
    const harness = watch(server, {
      url: server.url.replace("rtsp://", "rtsp://viewer:geheim@"),
      credentials: undefined,
    });
    await harness.until(() => lastReason(harness) !== "");
    expect(`${harness.logLines.join()} ${JSON.stringify(harness.states)}`).not.toContain("geheim");
    expect(server.requests.every((request) => !request.uri.includes("geheim"))).toBe(true);
  });
});
