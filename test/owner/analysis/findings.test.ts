import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EVENT_TYPES, type EventInput, type EventRecord } from "../../../src/event/index.js";
import { cameraOptions, type UserGroup } from "../../../src/site/index.js";
import { changeGuards, GATE_ID, rights, YARD_ID } from "../../support/api/api-fakes.js";
import { NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi } from "../../support/api/api-harness.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";

const SECOND_US = 1_000_000;
const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xd9]);

interface Page {
  readonly Findings: readonly { readonly Id: string; readonly Comment: string }[];
  readonly Next: string | null;
  readonly NotSearched: readonly string[];
}

let api: ApiHarness;

beforeEach(async () => {
  api = await startApi({ clock: new SimulatedClock(NINE_US + 3600 * SECOND_US) });
  await searchedAre(true);
});

afterEach(() => api.stop());

/** Whether interactive search of all cameras is on. */
async function searchedAre(interactiveSearchEnabled: boolean): Promise<void> {
  await api.site.change((site) => ({
    ...site,
    cameras: site.cameras.map((camera) => {
      const kept = cameraOptions(camera);
      return { ...camera, kept: { ...kept, analyze: { ...kept.analyze, interactiveSearchEnabled } } };
    }),
  }));
}

function find(channelId: string, comment: string, change: Partial<EventInput> = {}): EventRecord {
  const fields = { Label: "person", Confidence: "90", ImageBytes: JPEG.toString("base64") };
  const timeUs = NINE_US + api.events.raised.length * SECOND_US;
  const typeId = EVENT_TYPES.personDetected.id;
  return api.events.raise({ typeId, timeUs, channelId, comment, fields, ...change });
}

const ask = (path: string, credentials = ROOT_QUERY): Promise<Response> =>
  fetch(api.url(`${path}${path.includes("?") ? "&" : "?"}${credentials}`));

async function page(query = "", credentials?: string): Promise<Page> {
  const response = await ask(`/api/findings?${query}`, credentials);
  expect(response.status).toBe(200);
  return (await response.json()) as Page;
}

const comments = ({ Findings }: Page): string => Findings.map(({ Comment }) => Comment).join(" ");
const idOf = ({ timeUs, sequence }: EventRecord): string => `${timeUs}-${sequence}`;

async function guardsMay(change: Partial<UserGroup>): Promise<void> {
  await changeGuards(api.site, change);
}

describe("a user who may see one of two channels", () => {
  const GUARD = "login=guard";

  beforeEach(async () => {
    await guardsMay({ realtimeChannels: [YARD_ID], archiveChannels: [YARD_ID] });
    for (let count = 0; count < 5; count += 1) find(GATE_ID, `gate${count}`);
  });

  it("finds what is of that channel, and no sign of the rest in pages and what is next", async () => {
    find(YARD_ID, "yard");
    for (let count = 0; count < 5; count += 1) find(GATE_ID, `gate-later${count}`);
    const { Findings, Next, NotSearched } = await page("limit=2", GUARD);
    expect([Findings.map(({ Comment }) => Comment), Next, NotSearched]).toEqual([["yard"], null, []]);
    expect(comments(await page("limit=200")).split(" ")).toHaveLength(11);
  });

  it("is told that the other channel is none, searched for or not", async () => {
    for (const query of [`channelids=${GATE_ID}`, `channelids=${YARD_ID},${GATE_ID}`])
      expect((await ask(`/api/findings?${query}`, GUARD)).status).toBe(404);
    await searchedAre(false);
    expect((await page("", GUARD)).NotSearched).toEqual([YARD_ID]);
  });

  it("gets no picture of the other channel by its id", async () => {
    const [yard, gate] = [find(YARD_ID, "yard"), find(GATE_ID, "gate")];
    const status = async (event: EventRecord, credentials?: string): Promise<number> =>
      (await ask(`/api/findings/${idOf(event)}/picture`, credentials)).status;
    expect([await status(yard, GUARD), await status(gate, GUARD), await status(gate)]).toEqual([
      200, 404, 200,
    ]);
  });

  it("without the right to the log finds nothing, and gets no picture", async () => {
    const yard = find(YARD_ID, "yard");
    await guardsMay({ rights: rights({ CanConfigure: false, CanAccessUnifiedLog: false }) });
    for (const path of ["/api/findings", `/api/findings/${idOf(yard)}/picture`])
      expect((await ask(path, GUARD)).status).toBe(403);
  });
});

describe("what the query says", () => {
  it.each([
    ["starttime=2026-11-21T10:00:00Z&endtime=2026-11-21T09:00:00Z", 409],
    ["left=0.5", 400],
    ["left=0&top=0&width=1", 400],
    ["left=&top=", 200],
    ["labels=a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q", 400],
    [`labels=${"x".repeat(65)}`, 400],
    [`channelids=${YARD_ID},`, 400],
    [`channelids=${Array(201).fill(YARD_ID).join(",")}`, 400],
    [`channelids=${Array(200).fill(YARD_ID).join(",")}`, 200],
    ["before=8999999999999999-1", 200],
    ["before=9999999999999999-1", 400],
    ["limit=0", 400],
  ])("%s: %d", async (query, status) => {
    expect((await ask(`/api/findings?${query}`)).status).toBe(status);
  });

  it("a time that has not come yet holds nothing", async () => {
    find(GATE_ID, "now");
    expect(comments(await page("starttime=2050-01-01T00:00:00Z"))).toBe("");
  });

  it("a blank number and a blank name count as left out", async () => {
    find(GATE_ID, "somebody");
    expect(comments(await page("number=+&name=+"))).toBe("somebody");
  });
});
