import { afterEach, describe, expect, test } from "vitest";
import { makeCertificate } from "../../support/http/certificate.js";
import {
  cameraAnswers,
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
import { TunnelFront, type TunnelHabits } from "../../support/rtsp/tunnel-front.js";

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

interface Tunnel {
  readonly camera: ScriptedRtspServer;
  readonly front: TunnelFront;
  readonly harness: SourceHarness;
}

async function tunnel(
  habits: TunnelHabits,
  options: Omit<HarnessOptions, "url"> = {},
  answers: Readonly<Record<string, ScriptedAnswer>> = {},
): Promise<Tunnel> {
  const camera = await new ScriptedRtspServer(cameraAnswers(answers)).start();
  const front = await TunnelFront.start(camera.port, habits);
  const harness = makeSource({ url: front.url, ...options });
  open.push(camera, front, harness.source);
  harness.source.start();
  return { camera, front, harness };
}

const plays = ({ harness }: Tunnel): Promise<void> => harness.until(() => harness.frames.length >= 3);
const isLost = ({ harness }: Tunnel): Promise<void> => harness.until(() => lastReason(harness) !== "");

describe("a stream through HTTP", () => {
  test("is received, by one GET and one POST with the same cookie", async () => {
    const made = await tunnel({});
    await plays(made);
    expect(made.front.requests.map(({ method, target }) => `${method} ${target}`)).toEqual([
      "GET /live",
      "POST /live",
    ]);
    const cookies = made.front.requests.map(({ headers }) => headers.get("x-sessioncookie"));
    expect(cookies[0]).toMatch(/^[0-9a-z]{8,22}$/);
    expect(cookies[1]).toBe(cookies[0]);
    expect(made.camera.find("DESCRIBE")?.uri).toBe(`rtsp://127.0.0.1:${made.front.port}/live`);
  });

  test("is received through HTTPS", async () => {
    const made = await tunnel({ tls: await makeCertificate() });
    await plays(made);
    expect(made.front.count("POST")).toBe(1);
  });

  const CHALLENGE = 'Digest realm="camera", nonce="abc", qop="auth", algorithm=MD5';
  const unauthorized = `HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: ${CHALLENGE}\r\nContent-Length: 0\r\n\r\n`;
  const credentials = { user: "viewer", password: "secret" };
  const wantsLogin: TunnelHabits["answer"] = ({ headers }) =>
    headers.has("authorization") ? undefined : unauthorized;

  test.each<[string, TunnelHabits]>([
    ["in chunks of some bytes", { chunkBytes: 7 }],
    ["in chunks of many bytes", { chunkBytes: 100_000 }],
    ["with a length of 0", { getHeaders: ["Content-Length: 0"] }],
    ["with a short length", { getHeaders: ["Content-Length: 10"] }],
    ["said to come in chunks, and does not", { getHeaders: ["Transfer-Encoding: chunked"] }],
    ["behind an interim answer", { interim: "HTTP/1.1 100 Continue\r\n\r\n" }],
  ])("is received where the answer to GET is %s", async (_what, habits) => {
    await plays(await tunnel(habits));
  });

  test.each<[string, TunnelHabits]>([
    ["is answered", { postAnswer: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" }],
    ["is closed behind each request", { closesPostAfter: { requests: 1, by: "end" } }],
    ["is reset behind each request", { closesPostAfter: { requests: 1, by: "reset" } }],
    ["is closed behind two requests", { closesPostAfter: { requests: 2, by: "end" } }],
  ])("is received where the POST %s", async (_what, habits) => {
    await plays(await tunnel(habits));
  });

  test("is received where the usual length of a POST is refused", async () => {
    const made = await tunnel({
      answer: ({ method, headers }) =>
        method === "POST" && Number(headers.get("content-length")) > 32_767
          ? "HTTP/1.1 413 Payload Too Large\r\n\r\n"
          : undefined,
    });
    await plays(made);
    expect(made.front.count("POST")).toBe(2);
  });

  test.each<[string, TunnelHabits["answer"]]>([
    ["both requests", wantsLogin],
    ["the GET alone", (request) => (request.method === "GET" ? wantsLogin?.(request, 1) : undefined)],
    ["the POST alone", (request) => (request.method === "POST" ? wantsLogin?.(request, 1) : undefined)],
  ])("logs in at %s", async (_what, answer) => {
    const made = await tunnel(answer === undefined ? {} : { answer }, { credentials });
    await plays(made);
    const logins = made.front.requests.map(({ headers }) => headers.get("authorization") ?? "");
    expect(logins.join()).toContain('Digest username="viewer"');
    expect(logins.join()).not.toContain("secret");
  });

  test("logs in within the tunnel too", async () => {
    const digest = 'WWW-Authenticate: Digest realm="inner", nonce="def"';
    const isKnown: ScriptedAnswer = (request, socket) =>
      request.headers.has("authorization")
        ? cameraAnswers().DESCRIBE?.(request, socket)
        : reply(401, [digest]);
    const made = await tunnel({ answer: wantsLogin }, { credentials }, { DESCRIBE: isKnown });
    await plays(made);
  });

  test("never shows the password itself to a camera that took a digest before", async () => {
    const basic = 'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="camera"\r\n\r\n';
    const answer: TunnelHabits["answer"] = ({ headers }) =>
      headers.has("authorization") ? undefined : basic;
    const made = await tunnel({ answer }, { credentials, digestOnly: () => true });
    await isLost(made);
    expect(made.front.requests.every(({ headers }) => !headers.has("authorization"))).toBe(true);
    expect(made.harness.states.at(-1)).toMatchObject({ cause: "unauthorized" });
  });

  test("tells that it took the login as a digest", async () => {
    let took = 0;
    const made = await tunnel({ answer: wantsLogin }, { credentials, onDigest: () => (took += 1) });
    await plays(made);
    expect(took).toBe(1);
  });

  test("is lost for a wrong password after one try of it", async () => {
    const made = await tunnel({ answer: () => unauthorized }, { credentials });
    await isLost(made);
    expect(lastReason(made.harness)).toContain("refuses user name or password");
    expect(made.front.requests.filter(({ headers }) => headers.has("authorization"))).toHaveLength(1);
  });

  test.each<[string, string, string, RegExp]>([
    ["404", "HTTP/1.1 404 Not Found\r\n\r\n", "no-stream", /no stream at this address/],
    ["405", "HTTP/1.1 405 Method Not Allowed\r\n\r\n", "unsupported", /offers no RTSP over HTTP \(405\)/],
    [
      "an answer of RTSP",
      "RTSP/1.0 501 Not Implemented\r\nCSeq: 0\r\n\r\n",
      "unsupported",
      /offers no RTSP over HTTP/,
    ],
    ["503", "HTTP/1.1 503 Busy\r\n\r\n", "no-stream", /busy/],
    ["bytes of something else", "SSH-2.0-dropbear\r\n", "no-stream", /does not speak HTTP/],
  ])("is lost by %s, with what to do", async (_what, answer, cause, words) => {
    const made = await tunnel({ answer: () => answer });
    await isLost(made);
    expect(lastReason(made.harness)).toMatch(words);
    expect(made.harness.states.at(-1)).toMatchObject({ cause });
  });

  test("is lost where GET is not answered, within the time of a connection", async () => {
    const made = await tunnel({ silent: true }, { timeouts: { secureConnectMs: 200 } });
    await isLost(made);
    expect(lastReason(made.harness)).toMatch(/does not answer within 0.2 s/);
    expect(made.harness.states.at(-1)).toMatchObject({ cause: "unreachable" });
  });

  test.each(["GET", "POST"])(
    "is lost where the challenge of %s has control characters in it",
    async (method) => {
      const challenge =
        'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm="a\x01b\rc", nonce="n"\r\n\r\n';
      const answer = (request: { readonly method: string }) =>
        request.method === method ? challenge : undefined;
      const made = await tunnel({ answer }, { credentials });
      await isLost(made);
      expect(lastReason(made.harness)).toContain("a value has control characters");
    },
  );

  test("a head without an end is not gathered for ever", async () => {
    const made = await tunnel({ answer: () => `HTTP/1.1 200 OK\r\nX: ${"y".repeat(40_000)}` });
    await isLost(made);
    expect(lastReason(made.harness)).toMatch(/does not speak HTTP/);
  });

  test("is followed where the camera redirects it on the same host, and the login goes along", async () => {
    const target = await tunnel({ answer: wantsLogin }, { credentials });
    const made = await tunnel(
      { answer: () => `HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:${target.front.port}/live\r\n\r\n` },
      { credentials },
    );
    await plays(made);
  });

  test("is not followed to another host", async () => {
    const made = await tunnel({
      answer: () => "HTTP/1.1 302 Found\r\nLocation: http://192.0.2.7/live\r\n\r\n",
    });
    await isLost(made);
    expect(lastReason(made.harness)).toContain("redirects to another host, 192.0.2.7");
  });

  test("never uses UDP", async () => {
    const made = await tunnel({}, { transport: "udp" });
    await plays(made);
    expect(made.harness.source.transport).toBe("tcp");
  });

  test("a camera that closes its GET is connected to again", async () => {
    let isClosed = false;
    const PLAY: ScriptedAnswer = (request, socket) => {
      const answer = cameraAnswers().PLAY?.(request, socket);
      if (!isClosed && answer !== undefined) socket.end(answer);
      const first = !isClosed;
      isClosed = true;
      return first ? undefined : answer;
    };
    const made = await tunnel({}, {}, { PLAY });
    await made.harness.until(() => made.front.count("GET") === 2 && made.harness.frames.length >= 6);
  });
});

describe("a camera whose port of RTSP refuses", () => {
  const REFUSING = "rtsp://127.0.0.1:9/live";

  test("is received through HTTP", async () => {
    const camera = await new ScriptedRtspServer(cameraAnswers()).start();
    const front = await TunnelFront.start(camera.port);
    const harness = makeSource({ url: REFUSING, tunnelUrl: front.url });
    open.push(camera, front, harness.source);
    harness.source.start();
    await harness.until(() => harness.frames.length >= 3);
    expect(harness.source.attempts).toBe(2);
  });

  test("is reported as refusing where HTTP offers no tunnel either, and the tunnel is not tried again at once", async () => {
    const front = await TunnelFront.start(9, { answer: () => "HTTP/1.1 404 Not Found\r\n\r\n" });
    const harness = makeSource({ url: REFUSING, tunnelUrl: front.url });
    open.push(front, harness.source);
    harness.source.start();
    await harness.until(() => harness.source.attempts >= 4);
    const reasons = harness.states.flatMap((state) => (state.state === "lost" ? [state.reason] : []));
    expect(new Set(reasons).size).toBe(1);
    expect(reasons[0]).toContain("127.0.0.1:9 refuses the connection");
    expect(front.requests).toHaveLength(1);
  });

  test("is reported as refusing the login where its tunnel does", async () => {
    const challenge = 'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm="r", nonce="n"\r\n\r\n';
    const front = await TunnelFront.start(9, { answer: () => challenge });
    const harness = makeSource({
      url: REFUSING,
      tunnelUrl: front.url,
      credentials: { user: "viewer", password: "wrong" },
    });
    open.push(front, harness.source);
    harness.source.start();
    await harness.until(() => lastReason(harness).includes("refuses user name or password"));
  });
});
