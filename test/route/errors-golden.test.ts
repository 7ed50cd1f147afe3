import { describe, expect, it } from "vitest";
import { EMPTY_GUID } from "../../src/base/index.js";
import { GATE_ID, MemorySiteStore, STORE_ID, sampleSite } from "../support/api/api-fakes.js";
import { NINE_US } from "../support/api/api-frames.js";
import { ROOT_QUERY, startApi } from "../support/api/api-harness.js";
import { expectGolden } from "../support/api/golden.js";
import { forEachTest } from "../support/base/for-tests.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

const api = forEachTest(() =>
  startApi({ clock: new SimulatedClock(NINE_US), site: new MemorySiteStore(sampleSite()) }),
);

const golden = (name: string): URL => new URL(`../support/golden/${name}`, import.meta.url);

const GUARD = "login=guard";
const FRAGMENTS = "/archivefragments?fromtime=21.11.2026+00:00:00&totime=22.11.2026+00:00:00";

interface Refused {
  readonly status: number;
  readonly method?: string;
  readonly path: string;
  readonly credentials?: string;
  readonly body?: string;
}

/** Each kind of error in the words a person gets. */
const REFUSED: Readonly<Record<string, Refused>> = {
  "400-missing": { status: 400, path: FRAGMENTS },
  "400-time": {
    status: 400,
    path: `/archivefragments?channelid=${GATE_ID}&fromtime=21.11.2026T09:00:00&totime=x`,
  },
  "400-command": { status: 400, path: "/command?type=stopall" },
  "401": { status: 401, path: "/configex", credentials: "login=guard&password=0123456789abcdef" },
  "403": { status: 403, path: `${FRAGMENTS}&channelid=${GATE_ID}`, credentials: GUARD },
  "404-channel": { status: 404, path: `${FRAGMENTS}&channelid=${STORE_ID}`, credentials: GUARD },
  "405": { status: 405, path: "/configex", method: "DELETE" },
  "configure-400": { status: 400, path: "/configure/channels", method: "PUT", body: '[{"Id":7}]' },
  "configure-401": { status: 401, path: "/configure/channels", credentials: "login=nobody" },
  "configure-403": { status: 403, path: "/configure/channels", credentials: GUARD },
  "configure-404": { status: 404, path: `/configure/channels/${EMPTY_GUID}` },
  "configure-409": { status: 409, path: "/configure/channels?revision=3", method: "PUT", body: "[]" },
};

describe("an error", () => {
  it.each(Object.entries(REFUSED))("%s says what to do, in the form of its family", async (name, refused) => {
    const { status, method = "GET", path, credentials = ROOT_QUERY, body } = refused;
    const url = api.url(`${path}${path.includes("?") ? "&" : "?"}${credentials}`);
    const response = await fetch(url, { method, ...(body === undefined ? {} : { body }) });
    expect(response.status).toBe(status);
    const json = path.startsWith("/configure");
    expect(response.headers.get("content-type")).toBe(
      json ? "application/json" : "text/plain; charset=utf-8",
    );
    expect(response.headers.get("www-authenticate")).toBe(status === 401 ? 'Basic realm="nvrd"' : null);
    const text = Buffer.from(await response.arrayBuffer());
    if (!json)
      expect(text.toString()).toMatch(new RegExp(`^Error code: ${status}\r\nMessage: [^\r\n]+\r\n$`));
    await expectGolden(golden(`error-${name}.${json ? "json.txt" : "txt"}`), text);
  });
});
