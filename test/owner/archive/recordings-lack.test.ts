import { beforeEach, expect, it } from "vitest";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { archivedFrames, NINE_US } from "../../support/api/api-frames.js";
import { ROOT_QUERY, startApi } from "../../support/api/api-harness.js";
import { forEachTest } from "../../support/base/for-tests.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

/** Recordings of a volume that cannot be read are missing from each answer, and it says so. */

const api = forEachTest(() => startApi({ clock: new SimulatedClock(NINE_US + 86_400_000_000) }));
const LACK = "recordings of a volume could not be read";
const [FROM, TO] = ["2026-11-21T09:00:00Z", "2026-11-21T09:00:01Z"];
const SPAN = `channelid=${GATE_ID}&fromtime=${FROM}&totime=${TO}`;

beforeEach(() => {
  api.archive.record({ channelId: GATE_ID, streamType: "Main" }, archivedFrames(30));
});

const DOORS: readonly { readonly what: string; readonly path: string; readonly body?: object }[] = [
  { what: "/archivefragments", path: `/archivefragments?${SPAN}` },
  { what: "/exportarchive", path: `/exportarchive?${SPAN}` },
  { what: "findarchive", path: `/command?type=findarchive&channelid=${GATE_ID}&searchtime=${FROM}` },
  { what: "/api/timeline", path: `/api/timeline?channels=${GATE_ID}&from=${FROM}&to=${TO}` },
  { what: "/api/archive", path: "/api/archive" },
  { what: "the list of former cameras", path: "/api/archive/former" },
  { what: "a search for motion", path: "/api/motionsearch", body: { Channel: GATE_ID, From: FROM, To: TO } },
];

async function lackSaidBy(path: string, body?: object): Promise<readonly [boolean, string | null]> {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(api.url(`${path}${path.includes("?") ? "&" : "?"}${ROOT_QUERY}`), init);
  await response.arrayBuffer();
  return [response.ok, response.headers.get("recordings-incomplete")];
}

it.each(DOORS)("$what says so, and nothing where none are missing", async ({ path, body }) => {
  expect(await lackSaidBy(path, body)).toEqual([true, null]);
  api.archive.lack = LACK;
  expect(await lackSaidBy(path, body)).toEqual([true, LACK]);
});
