import { existsSync, lstatSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { keptKinds } from "../../scripts/docs/kept-kinds.mjs";
import { createLog } from "../../src/base/index.js";
import type { KeptFile as KeptFileOf } from "../../src/kept/file/kept-file.js";
import type { KeptKind } from "../../src/kept/file/kept-kind.js";
import { ODD_FILES, replaceEach } from "../support/base/odd-files.js";
import { temporaryDirectory } from "../support/base/temporary-directory.js";
import { KEPT_SAMPLES, type KeptSample } from "../support/kept/kept-samples.js";

const ROOT = path.resolve(import.meta.dirname, "../..");
/** As sources, wherever tests have their modules from: the class and the kinds must know the same errors. */
const load = (file: string) => import(/* @vite-ignore */ path.join(ROOT, "src", file));
const { KeptFile } = await load("kept/file/kept-file.ts");
const KINDS: readonly KeptKind[] = await keptKinds(ROOT, load);
const LEVELS = { warn: 40, error: 50 };

let directory: string;
let lines: { msg: string; level: number; path?: string }[];

beforeEach(async () => {
  directory = await temporaryDirectory();
  lines = [];
});

function opened(kind: KeptKind): KeptFileOf<KeptKind["options"]["schema"]> {
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return new KeptFile(kind, { directory, log: createLog({ level: "info", destination }) });
}

const pathsOf = (kind: KeptKind): string[] => kind.names.map((name) => path.join(directory, name));

/** A file of this kind, whole. */
async function stored(kind: KeptKind): Promise<string> {
  await opened(kind).replace(sampleOf(kind).value);
  return readFileSync(path.join(directory, kind.options.name), "utf8");
}

function sampleOf(kind: KeptKind): KeptSample {
  const sample = KEPT_SAMPLES[kind.label];
  if (sample === undefined) throw new Error(`no sample of ${kind.label}`);
  return sample;
}

/** What follows by the policy, where no copy can be read. */
async function expectPolicy(kind: KeptKind, what: string, texts: readonly string[]): Promise<void> {
  const { damaged, severity = "error", policy } = kind.options;
  const file = opened(kind);
  lines = [];
  expect(file.read(), what).toBeUndefined();
  const said = pathsOf(kind).map((where) => ({ msg: damaged, level: LEVELS[severity], path: where }));
  expect(lines, what).toMatchObject(said);
  expect(file.lack !== undefined, what).toBe(true);
  expect(
    pathsOf(kind).map((where) => readFileSync(where, "utf8")),
    what,
  ).toEqual(texts);
  await file.replace(sampleOf(kind).value);
  const aside = pathsOf(kind).map((where) => `${where}.damaged`);
  if (policy === "refuse")
    expect(
      aside.map((where) => readFileSync(where, "utf8")),
      what,
    ).toEqual(texts);
  else
    expect(
      aside.some((where) => existsSync(where)),
      what,
    ).toBe(false);
  expect([opened(kind).read() !== undefined, file.lack], what).toEqual([true, undefined]);
}

describe("the small files that are declared", () => {
  it("are those that there are samples of, each with its own name and words", () => {
    expect(KINDS.map(({ label }) => label).toSorted()).toEqual(Object.keys(KEPT_SAMPLES).toSorted());
    expect(new Set(KINDS.map(({ label }) => label)).size).toBe(KINDS.length);
    for (const { options } of KINDS) {
      expect(options.damaged.length).toBeGreaterThan(20);
      expect(options.says).not.toBe("");
    }
  });

  it("that only the service reads are those that hold secrets or say who logs in from where", () => {
    const own = KINDS.filter(({ options }) => options.mode === 0o600).map(({ label }) => label);
    expect(own).toEqual([
      "`hub/storages.json`",
      "`known-logins.json`",
      "`onvif-passwords.json`",
      "`push.json`",
      "`sessions.json`",
      "`tls/acme/settings.json`",
      "`tls/acme/state.json`",
    ]);
  });
});

describe.each(KINDS.map((kind) => [kind.label, kind] as const))("%s", (_label, kind) => {
  it("is read as it was written", async () => {
    const text = await stored(kind);
    const file = opened(kind);
    expect(file.read()).toEqual(kind.read(text));
    expect([lines, file.lack]).toEqual([[], undefined]);
    for (const where of pathsOf(kind)) expect(readFileSync(where, "utf8")).toBe(text);
  });

  it("that is cut short or garbage is answered by its policy", async () => {
    const text = await stored(kind);
    const damages = [
      text.slice(0, text.length / 2),
      "",
      "\0\0\0\0",
      "[]",
      `${text}}`,
      text.replaceAll('"', "'"),
    ];
    for (const damaged of damages) {
      for (const where of pathsOf(kind)) writeFileSync(where, damaged);
      await expectPolicy(
        kind,
        JSON.stringify(damaged),
        pathsOf(kind).map(() => damaged),
      );
    }
  });

  it.each(Object.entries(ODD_FILES))("with %s in its place is answered by its policy", async (what, put) => {
    await stored(kind);
    await replaceEach(pathsOf(kind), put);
    const { damaged, policy } = kind.options;
    const file = opened(kind);
    expect(file.read()).toBeUndefined();
    expect(lines).toMatchObject(pathsOf(kind).map((where) => ({ msg: damaged, path: where })));
    await file.replace(sampleOf(kind).value);
    const kept = pathsOf(kind).map((where) => lstatSync(`${where}.damaged`, { throwIfNoEntry: false }));
    const isAside = policy === "refuse";
    expect(
      kept.map((found) => found !== undefined),
      what,
    ).toEqual(pathsOf(kind).map(() => isAside));
    expect([opened(kind).read() !== undefined, file.lack]).toEqual([true, undefined]);
  });

  it("of a newer format is left as it is, and stops the start or is answered by its policy", async () => {
    const { versionMember = "formatVersion", stopsIfNewer } = kind.options;
    const kept = JSON.parse(await stored(kind));
    const newer = JSON.stringify({ ...kept, [versionMember]: kind.version + 1 });
    for (const where of pathsOf(kind)) writeFileSync(where, newer);
    if (stopsIfNewer !== true)
      return await expectPolicy(
        kind,
        newer,
        pathsOf(kind).map(() => newer),
      );
    expect(() => opened(kind).read()).toThrow(expect.objectContaining({ code: "FORMAT_NEWER" }));
    expect(pathsOf(kind).map((where) => readFileSync(where, "utf8"))).toEqual(pathsOf(kind).map(() => newer));
  });

  it("with one bad entry costs what is said: that entry, or the file", async () => {
    const text = await stored(kind);
    const { bad, left } = sampleOf(kind);
    const damaged = kind.text(bad);
    expect(damaged).not.toBe(text);
    for (const where of pathsOf(kind)) writeFileSync(where, damaged);
    if (left === undefined)
      return await expectPolicy(
        kind,
        damaged,
        pathsOf(kind).map(() => damaged),
      );
    expect(opened(kind).read()).toEqual(kind.read(kind.text(left)));
    expect(lines).toEqual([]);
  });
});

const TWICE = KINDS.filter(({ names }) => names.length > 1);

describe.each(TWICE.map((kind) => [kind.label, kind] as const))("%s, kept twice,", (_label, kind) => {
  it("is read from the copy that is whole, whichever it is", async () => {
    const text = await stored(kind);
    for (const [at, where] of pathsOf(kind).entries()) {
      writeFileSync(where, text.slice(0, -20));
      const file = opened(kind);
      lines = [];
      expect([file.read(), file.lack]).toEqual([kind.read(text), undefined]);
      expect(lines).toMatchObject([{ msg: kind.options.damaged, path: pathsOf(kind)[at] }]);
      writeFileSync(where, text);
    }
  });
});
