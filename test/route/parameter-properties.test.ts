import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documentedStatuses } from "../../src/owner/system/openapi.js";
import type { ParameterDescription } from "../../src/route/endpoint/route-description.js";
import { GATE_ID, ROOT_MD5, STORE_ID, YARD_ID } from "../support/api/api-fakes.js";
import { archivedFrames, liveFrame, NINE_US } from "../support/api/api-frames.js";
import { type ApiHarness, startApi } from "../support/api/api-harness.js";
import { type RouteRequest, routeRequests } from "../support/api/route-requests.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

/**
 * Texts a parameter is tried with, each as it comes and as a URL library sends it; `npm run torture -- parameters` tries
 * more.
 */
const RUNS = Number(process.env.NVRD_TEST_PARAMETER_RUNS ?? 4);
const ANSWER_WITHIN_MS = 10_000;

let api: ApiHarness;

beforeAll(async () => {
  api = await startApi({ clock: new SimulatedClock(NINE_US + 3_600_000_000) });
  for (const channelId of [GATE_ID, YARD_ID, STORE_ID])
    api.archive.record({ channelId, streamType: "Main" }, archivedFrames(2));
  for (const channelId of [GATE_ID, YARD_ID]) {
    // /site without a stream takes the last one that the camera is set to have.
    for (const streamType of ["Main", "Alternative"] as const) {
      api.streams.live(channelId, streamType).setState({ state: "active" });
      api.streams.live(channelId, streamType).publish(liveFrame(0, { key: true }));
    }
  }
});

afterAll(() => api.stop());

const nasty = fc.constantFrom(
  "",
  "%",
  "%zz",
  "%00",
  "%ff",
  "a=b",
  "null",
  "NaN",
  "-1",
  "1e309",
  "99999999999999999999",
  "00000000-0000-0000-0000-000000000000",
  "29.02.2023 00:00:00",
  "31.12.9999 23:59:59.9999999",
  "01.01.0001 00:00:00",
  "__proto__",
  "constructor",
  "../../etc/passwd",
  "<a>&quot;]]>",
  "\u202e\ud83d\ude00",
);
/** What stands in the request line for the value: any text percent-encoded, or characters as they are. */
const sent = fc.oneof(
  fc
    .string({ unit: "binary", maxLength: 200 })
    .map((text) => encodeURIComponent(Buffer.from(text).toString())),
  nasty.map((text) => encodeURIComponent(text)),
  nasty.map((text) => encodeURI(text).replaceAll("%25", "%")),
  fc.string({ unit: "grapheme-ascii", maxLength: 60 }).map((text) => text.replace(/[^!-~]|[&#?]/g, "")),
);

interface Outcome {
  readonly status: number;
  readonly body: string;
}

/** The request with one parameter's value replaced, its name spelled as given. */
async function ask(
  { method, path, body }: RouteRequest,
  place: ParameterDescription["in"],
  name: string,
  value: string,
): Promise<Outcome> {
  const isHeader = place === "header";
  const [start = "", rest = ""] = path.split("?");
  const others = `${rest}&login=root&password=${ROOT_MD5}`
    .split("&")
    .filter((pair) => pair !== "" && (isHeader || !pair.toLowerCase().startsWith(`${name.toLowerCase()}=`)));
  const query = [...others, ...(isHeader ? [] : [`${name}=${value}`])].join("&");
  const response = await fetch(api.url(`${start}?${query}`), {
    method,
    headers: isHeader ? { [name]: value } : {},
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.text() };
}

const CREDENTIALS: readonly ParameterDescription[] = ["login", "password", "usertype"].map((name) => ({
  name,
  in: "query",
  text: "",
  schema: {},
}));

const requests = routeRequests();
const parameters = requests.flatMap((request) =>
  (request.route.describe.parameters ?? []).map(
    (parameter) => [`${request.method} ${request.path}`, parameter.name, request, parameter] as const,
  ),
);
const [anyRequest] = requests;
const credentials = CREDENTIALS.flatMap((parameter) =>
  anyRequest === undefined ? [] : [[anyRequest.path, parameter.name, anyRequest, parameter] as const],
);

/** Faults of ours since the start: each is logged as an error. */
const faults = () => api.logLines.filter(({ level }) => Number(level) >= 50);

describe("any text", () => {
  it.each([...parameters, ...credentials])(
    "to %s as %s gets a described answer, the same whatever the name's case",
    async (_title, _name, request, parameter) => {
      await fc.assert(
        fc.asyncProperty(sent, fc.boolean(), async (value, upper) => {
          const first = await ask(request, parameter.in, parameter.name, value);
          expect(documentedStatuses(request.route)).toContain(first.status);
          expect(first.status).not.toBe(500);
          // A change is another one the second time.
          if (request.method !== "GET" && request.method !== "HEAD") return;
          const name = upper
            ? parameter.name.toUpperCase()
            : `${parameter.name.slice(0, -1)}${parameter.name.slice(-1).toUpperCase()}`;
          expect(await ask(request, parameter.in, name, value)).toEqual(first);
        }),
        { numRuns: RUNS },
      );
      expect(faults()).toEqual([]);
    },
    60_000 + RUNS * 1000,
  );
});
