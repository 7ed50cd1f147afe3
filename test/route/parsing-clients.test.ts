import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { XMLParser } from "fast-xml-parser";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { EVENT_TYPE_LIST } from "../../src/event/index.js";
import {
  GATE_ID,
  MemorySiteStore,
  OUTSIDE_FOLDER_ID,
  STORE_ID,
  sampleSite,
  YARD_ID,
} from "../support/api/api-fakes.js";
import { archivedFrames, NINE_US } from "../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi } from "../support/api/api-harness.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";

const run = promisify(execFile);
const YARD_NAME = 'Двор <north> & "south"';
const VIEW_NAME = "Ворота & двор";
const CHANNELS = [
  [GATE_ID, "Gate", false],
  [YARD_ID, YARD_NAME, false],
  [STORE_ID, "Store", true],
];
const TREE = {
  channels: [GATE_ID, STORE_ID],
  folders: { Outside: { channels: [YARD_ID], folders: {} } },
};
const START_TIMES = ["2026-11-21T08:00:00.0000000Z", "2026-11-21T09:00:00.0000000Z"];

let api: ApiHarness;
let php: Record<string, unknown>;
let python: Record<string, unknown>;

const script = (name: string): string => fileURLToPath(new URL(`../support/api/${name}`, import.meta.url));
const output = async (command: string, args: readonly string[]): Promise<Record<string, unknown>> =>
  JSON.parse((await run(command, args)).stdout) as Record<string, unknown>;

beforeAll(async () => {
  const view = { id: OUTSIDE_FOLDER_ID, name: VIEW_NAME, channelIds: [GATE_ID], gridType: "GridType1" };
  const site = new MemorySiteStore({ ...sampleSite(), views: [{ ...view, groupIds: "all" }] });
  api = await startApi({ site, clock: new SimulatedClock(NINE_US) });
  const key = { channelId: YARD_ID, streamType: "Main" } as const;
  api.archive.record(key, archivedFrames(50, NINE_US - 3_600_000_000));
  api.archive.record(key, archivedFrames(50));
  php = await output("php", [script("read_answers.php"), api.url(""), ROOT_QUERY, YARD_ID]);
  const port = String(api.port);
  python = await output("python3", [script("read_answers.py"), "127.0.0.1", port, ROOT_QUERY, YARD_ID]);
});

afterAll(() => api.stop());

describe("PHP", () => {
  it("reads channels of SimpleXML by name and by index, and after json_decode", () => {
    expect([php.byName, php.byIndex, php.json]).toEqual([CHANNELS, CHANNELS, CHANNELS]);
    expect(php.asArray).toBe("Gate");
  });

  it("reads a channel's children", () => {
    expect([php.streams, php.positions]).toEqual([
      [2, 2, 2],
      [null, 55.75, null],
    ]);
  });

  it("reads the tree of security objects, the group's rights, revision and resolutions", () => {
    expect(php).toMatchObject({
      tree: TREE,
      rights: ["Senior administrators", "true"],
      revision: 7,
      resolutions: "High",
    });
    expect(php.jsonServer).toBe(true);
  });

  it("reads fragments in their namespace, and DateTime reads seven digits", () => {
    expect(php.fragments).toEqual(START_TIMES.map((time) => [time, Date.parse(time) / 1000 + 2]));
    expect(php.jsonFragments).toEqual(START_TIMES);
  });

  it("finds the body behind the lines: at the blank line, the declaration, the brace, by its length", () => {
    const { afterBlankLine, fromDeclaration, byLength, fromBrace } = php;
    expect([afterBlankLine, fromDeclaration, byLength, fromBrace]).toEqual(["true", "true", "true", true]);
  });

  it("reads the bare body with its mark", () => {
    expect([php.bareXml, php.withoutMark]).toEqual(["21.11.2026 09:00:00", 2]);
  });
});

describe("Python", () => {
  it("reads channels of ElementTree by name and by index, and of JSON", () => {
    expect([python.byName, python.byIndex, python.json]).toEqual([CHANNELS, CHANNELS, CHANNELS]);
  });

  it("finds channels by lines, regular expressions and splits", () => {
    const ids = [GATE_ID, YARD_ID, STORE_ID];
    expect([python.byLine, python.byRegex, python.bySplit]).toEqual([ids, ids, ids]);
  });

  it("reads the tree, and the group's elements in their order", () => {
    expect(python.tree).toEqual(TREE);
    expect(python.rights).toEqual(["GridTypesAllowed", "Id", "Name", "PtzPriority"]);
  });

  it("reads fragments in their namespace, and strptime reads the times", () => {
    expect([python.fragments, python.jsonFragments]).toEqual([[8, 9], START_TIMES]);
  });

  it("finds the body behind the lines, and its length in bytes is right where names are not ASCII", () => {
    const { afterBlankLine, errorCode, fromBracket } = python;
    expect([afterBlankLine, errorCode, fromBracket]).toEqual([[VIEW_NAME], 0, VIEW_NAME]);
  });

  it("reads the bare body: as utf-8-sig, by ElementTree, by the offset of its text", () => {
    const time = "21.11.2026 09:00:00";
    expect([python.withMark, python.bareXml, python.byOffset]).toEqual([VIEW_NAME, time, time]);
  });
});

describe("programs of .NET", () => {
  it("find channels after they have cut the old namespace out of /configex", async () => {
    const text = await (await api.get("/configex")).text();
    const mark = 'xmlns="http://www.macroscop.com"';
    expect(text.split(mark)).toHaveLength(2);
    expect(text.indexOf(mark)).toBeGreaterThan(text.indexOf("<WorldMapConfig"));
    const read = new XMLParser({ ignoreAttributes: false }).parse(text.replace(mark, "")) as {
      Configuration: { Channels: { ChannelInfo: Record<string, string>[] } };
    };
    expect(read.Configuration.Channels.ChannelInfo.map((channel) => channel["@_Id"])).toEqual(
      CHANNELS.map(([id]) => id),
    );
  });

  it("read getallregisteredevents as a list of EventInfo: no namespace, each with Id and GuiName", async () => {
    const text = await (await api.get("/command?type=getallregisteredevents&accept=application/xml")).text();
    expect(text).not.toContain("xmlns");
    const read = new XMLParser({ ignoreDeclaration: true }).parse(text) as Record<string, unknown>;
    expect(Object.keys(read)).toEqual(["ArrayOfEventInfo"]);
    const { EventInfo: items } = read.ArrayOfEventInfo as { EventInfo: Record<string, string>[] };
    expect(items.map((item) => item.Id)).toEqual(EVENT_TYPE_LIST.map(({ id }) => id));
    for (const item of items) expect(Object.keys(item)).toEqual(["Id", "GuiName"]);
  });
});
