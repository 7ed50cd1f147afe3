import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as v from "valibot";
import { beforeEach, describe, expect, it } from "vitest";
import { createLog } from "../../src/base/index.js";
import { eachByItself, keptGuid, membersByThemselves } from "../../src/kept/file/entries.js";
import { KeptFile } from "../../src/kept/file/kept-file.js";
import { type KeptKindOptions, keptKind } from "../../src/kept/file/kept-kind.js";
import { SimulatedClock } from "../support/base/simulated-clock.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";

const DELAY_MS = 2000;
const schema = v.object({ words: v.array(v.string()) });

let directory: string;
let clock: SimulatedClock;
let words: string[];
let lines: { msg: string; error?: string; path?: string; level: number }[];

beforeEach(async () => {
  directory = await temporaryDirectory();
  clock = new SimulatedClock(0);
  words = ["first"];
  lines = [];
});

function fileOf(options: Partial<KeptKindOptions<typeof schema>> = {}, where = directory) {
  const log = createLog({
    level: "info",
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
  });
  const kind = keptKind({
    ...{ name: "words.json", says: "words", policy: "forget", damaged: "the words are lost", version: 2 },
    ...{ schema, ...options },
  });
  return new KeptFile(kind, { directory: where, log, clock, content: () => ({ words }) });
}

const pathOf = (name = "words.json"): string => path.join(directory, name);
const damage = (text: string, ...names: string[]): void => {
  for (const name of names) writeFileSync(pathOf(name), text);
};
const said = (): string[] => lines.splice(0).map(({ msg, error }) => `${msg}: ${error}`);

describe("a kept file", () => {
  it("reads what it wrote, with its format beside it, and is none before", async () => {
    const file = fileOf();
    expect([file.read(), file.lack, said()]).toEqual([undefined, undefined, []]);
    await file.replace({ words: ["a"] });
    expect(file.read()).toEqual({ words: ["a"] });
    expect(readFileSync(pathOf(), "utf8")).toBe('{"formatVersion":2,"words":["a"]}\n');
    expect(existsSync(pathOf("words.json.new"))).toBe(false);
  });

  it("has the mode that is said, also where another one lay there, and its folder is made where that is said", async () => {
    damage("{", "words.json");
    chmodSync(pathOf(), 0o644);
    await fileOf({ mode: 0o600 }).replace({ words });
    expect(statSync(pathOf()).mode & 0o777).toBe(0o600);
    const below = path.join(directory, "folder", "below");
    await expect(fileOf({}, below).replace({ words })).rejects.toMatchObject({ code: "ENOENT" });
    await fileOf({ folderMode: 0o700 }, below).replace({ words });
    expect(statSync(below).mode & 0o777).toBe(0o700);
  });

  it.each([
    ["empty", "", "it is not JSON"],
    ["cut short", '{"formatVersion":2,"words":["secr', "it is not JSON"],
    ["a list", "[]", "it is not an object"],
    ["null", "null", "it is not an object"],
    ["without a format", '{"words":[]}', "it names no format"],
    ["of an odd format", '{"formatVersion":"2","words":[]}', "it names no format"],
    ["of format 0", '{"formatVersion":0,"words":[]}', "it names no format"],
    ["of another shape", '{"formatVersion":2,"words":[5551234]}', "words.0: Invalid type: Expected string"],
    ["without a member", '{"formatVersion":2}', 'words: Invalid key: Expected "words"'],
    ["too long", " ".repeat(16_000_001), "it has 16000001 characters"],
  ])("that is %s is reported with its place, and nothing of what stands in it", (_what, text, fault) => {
    damage(text, "words.json");
    expect(fileOf().read()).toBeUndefined();
    expect(lines[0]).toMatchObject({ level: 50, path: pathOf() });
    expect(said()).toEqual([`the words are lost: ${fault}`]);
  });

  it("that the disk does not read is damaged, too", () => {
    mkdirSync(pathOf());
    expect(fileOf({ severity: "warn" }).read()).toBeUndefined();
    expect(lines[0]?.level).toBe(40);
    expect(said()[0]).toMatch(/^the words are lost: it is a directory, not a file$/);
  });

  it("may lack its format where earlier versions wrote none, and not where it is wrong", () => {
    const file = fileOf({ mayLackVersion: true });
    damage('{"words":["old"]}', "words.json");
    expect(file.read()).toEqual({ words: ["old"] });
    damage('{"formatVersion":null,"words":["old"]}', "words.json");
    expect(file.read()).toBeUndefined();
  });

  it("of a newer format is not read: it stops the start where that is said, and is damaged elsewhere", () => {
    damage('{"formatVersion":3,"words":["new"]}', "words.json");
    expect(fileOf().read()).toBeUndefined();
    expect(said()).toEqual([`the words are lost: ${pathOf()} has format 3, this version knows 2`]);
    expect(() => fileOf({ stopsIfNewer: true }).read()).toThrow(
      expect.objectContaining({ code: "FORMAT_NEWER", hint: expect.stringContaining("newer nvrd") }),
    );
  });
});

describe("a file that nothing else knows, and that is gone", () => {
  const refused = (copies: Partial<KeptKindOptions<typeof schema>> = {}): KeptFile<typeof schema> =>
    fileOf({ policy: "refuse", ...copies });
  const GONE = "it was here and is gone";

  it("is not known, says so, and is known again once it is written", async () => {
    await refused().replace({ words });
    rmSync(pathOf());
    const file = refused();
    expect([file.read(), file.lack]).toEqual([undefined, `${pathOf()}: ${GONE}`]);
    expect(said()).toEqual([`the words are lost: ${GONE}`]);
    await file.replace({ words: ["b"] });
    expect([file.lack, refused().read()]).toEqual([undefined, { words: ["b"] }]);
  });

  it("is so for each of its copies, where both are gone, and for none where one is left", async () => {
    await refused({ copies: 2 }).replace({ words });
    rmSync(pathOf());
    expect([refused({ copies: 2 }).read(), said()]).toEqual([{ words }, []]);
    rmSync(pathOf("words.json.copy"));
    const file = refused({ copies: 2 });
    expect([file.read(), file.lack]).toEqual([
      undefined,
      `${pathOf()}: ${GONE}; ${pathOf("words.json.copy")}: ${GONE}`,
    ]);
    await file.replace({ words });
    expect(refused({ copies: 2 }).lack).toBeUndefined();
  });

  it("of an earlier version, which left no note of it, is noted when it is read", async () => {
    await refused().replace({ words });
    rmSync(pathOf("kept"), { recursive: true });
    const file = refused();
    file.read();
    await file.flush();
    rmSync(pathOf());
    expect([refused().read(), said()]).toEqual([undefined, [`the words are lost: ${GONE}`]]);
  });

  it("is none where its folder was removed, or where it may be forgotten", async () => {
    const below = path.join(directory, "below");
    const inFolder = () => fileOf({ policy: "refuse", folderMode: 0o700 }, below);
    await inFolder().replace({ words });
    rmSync(below, { recursive: true });
    await fileOf().replace({ words });
    rmSync(pathOf());
    expect([inFolder().read(), inFolder().lack, fileOf().read(), said()]).toEqual([
      ...[undefined, undefined, undefined],
      [],
    ]);
  });

  it("is written though its note cannot be, which the log says", async () => {
    writeFileSync(pathOf("kept"), "");
    await refused().replace({ words });
    expect(refused().read()).toEqual({ words });
    expect(said()[0]).toMatch(/^that it is here cannot be noted: if it is deleted, nobody will know: /);
  });
});

describe("a file that is kept twice", () => {
  const twice = (): KeptFile<typeof schema> => fileOf({ copies: 2, policy: "refuse" });

  it("is read from its copy where the first is damaged, absent, newer or cannot be read", async () => {
    const damages: [string, () => void][] = [
      ["damaged", () => damage("{", "words.json")],
      ["newer", () => damage('{"formatVersion":3,"words":[]}', "words.json")],
      ["absent", () => rmSync(pathOf())],
      [
        "a folder",
        () => {
          rmSync(pathOf());
          mkdirSync(pathOf());
        },
      ],
    ];
    for (const [what, harm] of damages) {
      await twice().replace({ words });
      harm();
      const file = twice();
      expect([file.read(), file.lack], what).toEqual([{ words }, undefined]);
      expect(said().length, what).toBe(what === "absent" ? 0 : 1);
      if (what === "a folder") rmSync(pathOf(), { recursive: true });
    }
  });

  it("is not known where both are damaged, says so of each, and sets both aside before it is replaced", async () => {
    damage("{ one", "words.json");
    damage("{ two", "words.json.copy");
    const file = twice();
    expect(file.read()).toBeUndefined();
    expect(file.lack).toBe(`${pathOf()}: it is not JSON; ${pathOf("words.json.copy")}: it is not JSON`);
    expect(said()).toHaveLength(2);
    await file.replace({ words });
    expect(file.lack).toBeUndefined();
    const aside = ["words.json.damaged", "words.json.copy.damaged"].map((name) =>
      readFileSync(pathOf(name), "utf8"),
    );
    expect(aside).toEqual(["{ one", "{ two"]);
    for (const copy of twice().copies()) expect(copy.value).toEqual({ words });
  });

  it("is not replaced where what is damaged cannot be set aside", async () => {
    damage("{ one", "words.json", "words.json.copy");
    const file = twice();
    file.read();
    mkdirSync(pathOf("words.json.damaged"));
    for (let tries = 0; tries < 2; tries += 1) {
      await expect(file.replace({ words })).rejects.toThrow();
      expect(readFileSync(pathOf(), "utf8")).toBe("{ one");
      expect(file.lack).toBeDefined();
    }
    rmSync(pathOf("words.json.damaged"), { recursive: true });
    await file.replace({ words });
    expect(readFileSync(pathOf("words.json.damaged"), "utf8")).toBe("{ one");
    expect(twice().read()).toEqual({ words });
  });

  it("whose policy is another is replaced without that", async () => {
    damage("{ one", "words.json");
    const file = fileOf({ policy: "rebuild" });
    file.read();
    await file.replace({ words });
    expect(existsSync(pathOf("words.json.damaged"))).toBe(false);
  });

  it("that can be read in part is not whole, and is set aside as well", async () => {
    const file = fileOf({
      policy: "refuse",
      lackOf: (kept) => (kept.words.length < 2 ? "a word is lost" : undefined),
    });
    await file.replace({ words: ["one"] });
    const text = readFileSync(pathOf(), "utf8");
    expect([file.read(), file.lack]).toEqual([undefined, `${pathOf()}: a word is lost`]);
    expect(file.copies()).toEqual([{ path: pathOf(), value: { words: ["one"] }, fault: "a word is lost" }]);
    await file.replace({ words: ["one", "two"] });
    expect(readFileSync(pathOf("words.json.damaged"), "utf8")).toBe(text);
    expect(file.read()).toEqual({ words: ["one", "two"] });
  });
});

describe("changes of a kept file", () => {
  const isThere = (): boolean => existsSync(pathOf());
  const written = (): string[] | undefined => fileOf().read()?.words;

  it("wait for further ones, and are written once with what there is then", async () => {
    const file = fileOf({ delayMs: DELAY_MS });
    file.changed();
    words = ["second"];
    file.changed();
    expect([isThere(), file.isWaiting]).toEqual([false, true]);
    clock.advance(DELAY_MS * 1000);
    expect([await file.flush(), file.isWaiting]).toEqual([true, false]);
    expect(written()).toEqual(["second"]);
  });

  it("are written when the one that may wait least is due, with all of them", async () => {
    const file = fileOf({ delayMs: DELAY_MS });
    file.changed(5 * DELAY_MS);
    clock.advance(DELAY_MS * 1000);
    expect(isThere()).toBe(false);
    words = ["second"];
    file.changed();
    file.changed(5 * DELAY_MS);
    clock.advance(DELAY_MS * 1000);
    await expect.poll(written).toEqual(["second"]);
    expect(clock.timers).toBe(0);
  });

  it("that need not wait are joined into one write after the one under way", async () => {
    let asked = 0;
    const kind = fileOf().kind;
    const content = () => {
      asked += 1;
      return { words };
    };
    const file = new KeptFile(kind, { directory, log: createLog({ level: "silent" }), content });
    for (let count = 0; count < 5; count += 1) file.changed();
    await Promise.resolve();
    words = ["second"];
    for (let count = 0; count < 5; count += 1) file.changed();
    await file.flush();
    expect([asked, written()]).toEqual([2, ["second"]]);
  });

  it("and replacements come in the order of the calls", async () => {
    const file = fileOf();
    file.changed();
    const replaced = file.replace({ words: ["replaced"] });
    await replaced;
    expect(written()).toEqual(["replaced"]);
    words = ["last"];
    file.changed();
    await file.flush();
    expect(written()).toEqual(["last"]);
  });

  it("are all in it when it is flushed, and nothing is written where nothing changed", async () => {
    const file = fileOf({ delayMs: DELAY_MS });
    expect([await file.flush(), isThere()]).toEqual([true, false]);
    file.changed();
    expect([await file.flush(), isThere(), clock.timers]).toEqual([true, true, 0]);
  });

  it("tell a failure once until one succeeds, and each tries again", async () => {
    const folder = path.join(directory, "none");
    const file = fileOf({ unsaved: "the words cannot be saved" }, folder);
    const tried = async (): Promise<[boolean, number]> => {
      file.changed();
      return [await file.flush(), said().length];
    };
    expect([await tried(), await tried()]).toEqual([
      [false, 1],
      [false, 0],
    ]);
    expect(file.isFailing).toBe(true);
    mkdirSync(folder);
    expect([await tried(), file.isFailing]).toEqual([[true, 0], false]);
    rmSync(folder, { recursive: true });
    expect(await tried()).toEqual([false, 1]);
  });

  it("of a replacement that failed do not keep the next from being written", async () => {
    const folder = path.join(directory, "none");
    const file = fileOf({}, folder);
    await expect(file.replace({ words })).rejects.toThrow();
    mkdirSync(folder);
    await file.replace({ words });
    expect(file.read()).toEqual({ words });
  });
});

describe("a list whose entries are read each by itself", () => {
  it("lacks the damaged ones alone, and is none where it is too long", () => {
    const list = eachByItself(v.number(), 3);
    expect(v.parse(list, [1, "x", 3])).toEqual([1, 3]);
    expect(v.safeParse(list, [1, 2, 3, 4]).success).toBe(false);
    expect(v.safeParse(list, {}).success).toBe(false);
  });
});

describe("an object whose members are read each by itself", () => {
  it("lacks those whose name or value is damaged, and has GUIDs in our spelling", () => {
    const id = "0000000a-0000-4000-8000-000000000001";
    const members = membersByThemselves(keptGuid, v.number());
    const read = v.parse(members, {
      [id.toUpperCase()]: 1,
      odd: 2,
      "0000000b-0000-4000-8000-000000000001": "x",
    });
    expect([...read]).toEqual([[id, 1]]);
    expect(v.safeParse(members, null).success).toBe(false);
  });
});
