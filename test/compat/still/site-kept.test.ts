import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LOCKED_SECRET, type UserGroup } from "../../../src/site/index.js";
import { changeGuards, GATE_ID, rights } from "../../support/api/api-fakes.js";
import { liveFrame } from "../../support/api/api-frames.js";
import { type ApiHarness, startApi } from "../../support/api/api-harness.js";
import { ScriptedCodec } from "../../support/picture/scripted-codec.js";

/** Failures of an address that cost nothing, and one. */
const FAILURES_TO_WAIT = 11;

let api: ApiHarness;
let codec: ScriptedCodec;

beforeEach(async () => {
  codec = new ScriptedCodec();
  // The real one: the same principal for the same login in the same revision.
  api = await startApi({ codec, realAccess: true });
  await changeGroup({ rights: rights(), realtimeChannels: [GATE_ID] });
  publish(3);
});

afterEach(() => api.stop());

function publish(frame: number): void {
  const stream = api.streams.live(GATE_ID, "Main");
  stream.setState({ state: "active" });
  stream.publish(liveFrame(frame, { key: true }));
}

async function changeGroup(change: Partial<UserGroup>): Promise<void> {
  await changeGuards(api.site, change);
}

const ask = (init: RequestInit = {}, query = ""): Promise<Response> =>
  fetch(api.url(`/site?channelid=${GATE_ID}&streamtype=Main&login=guard${query}`), init);

/** The second request is answered with what the first one left. */
async function askTwice(): Promise<[Response, Response]> {
  return [await ask(), await ask()];
}

const answeredAtOnce = (): number => api.logLines.filter(({ msg }) => msg === "request answered").length;

describe("a still that is asked for again", () => {
  it("is answered at once, with the same bytes and headers and a name of its own", async () => {
    const [first, second] = await askTwice();
    expect([first.status, second.status, answeredAtOnce()]).toEqual([200, 200, 1]);
    const headers = ({ headers: all }: Response) =>
      [...all].filter(([name]) => name !== "x-request-id" && name !== "date");
    expect(headers(second)).toEqual(headers(first));
    expect(Buffer.from(await second.arrayBuffer())).toEqual(Buffer.from(await first.arrayBuffer()));
    expect(second.headers.get("x-request-id")).toMatch(/^[0-9a-z]+-[0-9a-z]+$/);
    expect(second.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
    expect(codec.asked).toHaveLength(1);
  });

  it("is of the newest key frame, once there is one", async () => {
    const [, second] = await askTwice();
    publish(9);
    const third = await ask();
    expect(third.status).toBe(200);
    expect(third.headers.get("etag")).not.toBe(second.headers.get("etag"));
  });

  it("is refused from the moment on that the user's group may not see the stream", async () => {
    await askTwice();
    await changeGroup({ rights: rights({ CanReceiveMainStream: false }), realtimeChannels: [GATE_ID] });
    expect((await ask()).status).toBe(403);
  });

  it("does not exist any more for a user who may not see the channel", async () => {
    await askTwice();
    await changeGroup({ rights: rights(), realtimeChannels: [], archiveChannels: [] });
    expect((await ask()).status).toBe(404);
  });

  it("is 401 from the moment on that the user's password is another one", async () => {
    await askTwice();
    await api.site.change((site) => ({
      ...site,
      users: site.users.map((user) => (user.name === "guard" ? { ...user, secret: LOCKED_SECRET } : user)),
    }));
    expect((await ask()).status).toBe(401);
  });

  it("is not for a wrong password that has to wait; the right one is answered", async () => {
    await askTwice();
    for (let at = 0; at < FAILURES_TO_WAIT; at++)
      expect((await ask({}, `&password=${`${at}`.padStart(32, "0")}`)).status).toBe(401);
    expect((await ask({}, `&password=${"f".repeat(32)}`)).status).toBe(429);
    expect((await ask()).status).toBe(200);
  });

  it("has no body where the method is HEAD, and the headers of its origin where it has one", async () => {
    await askTwice();
    const head = await ask({ method: "HEAD" });
    expect([head.status, (await head.arrayBuffer()).byteLength]).toEqual([200, 0]);
    const fromPanel = await ask({ headers: { Origin: "https://panel.example" } });
    expect(fromPanel.headers.get("access-control-allow-origin")).toBe("https://panel.example");
  });
});
