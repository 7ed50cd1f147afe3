import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFirstSite, type Site } from "../../src/site/index.js";
import {
  CONFIGURATION_FORMAT,
  decodeRevision,
  encodeRevision,
  encodingRevision,
} from "../../src/site/store/revision-document.js";
import { addCamera } from "../support/site/site-samples.js";

const FORMAT = `"nvrdConfiguration":${CONFIGURATION_FORMAT}`;

const first = createFirstSite({ serverName: "test", nowUs: 1_700_000_000_000_000 });
const sample: Site = [1, 2, 3].reduce((site) => addCamera()(site), first);
const change = { by: { userId: first.users[0]?.id ?? "", name: "root" }, summary: "3 cameras added" };
const revision = { site: sample, change };

/** A document of format 1 with a right check sum around anything. */
const documentOf = (site: unknown) =>
  JSON.stringify({
    nvrdConfiguration: 1,
    sha256: createHash("sha256")
      .update(JSON.stringify(site) ?? "")
      .digest("hex"),
    site,
  });

/** Every path to a value in `data`. */
function pathsOf(data: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof data !== "object" || data === null) return [path];
  const keys = Array.isArray(data) ? data.map((_value, index) => index) : Object.keys(data);
  return [
    path,
    ...keys.flatMap((key) => pathsOf((data as Record<string | number, unknown>)[key], [...path, key])),
  ];
}

function withValueAt(data: unknown, path: readonly (string | number)[], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const copy = (Array.isArray(data) ? [...data] : { ...(data as object) }) as Record<
    string | number,
    unknown
  >;
  copy[key] = withValueAt(copy[key], rest, value);
  return copy;
}

function encoded(of: Parameters<typeof encodeRevision>[0]): string {
  return encodeRevision(of).toString("utf8");
}

describe("a revision's document", () => {
  it.each([0, 2])("is read back as it was, with an indent of %i", (indent) => {
    const text = JSON.stringify(JSON.parse(encoded(revision)), undefined, indent);
    expect(decodeRevision(text)).toEqual({ kind: "whole", ...revision });
  });

  it("is one line of JSON, as it is in the database", () => {
    expect(encoded(revision)).toBe(JSON.stringify(JSON.parse(encoded(revision))));
  });

  it("is the text that JSON has for it, in how many pieces it is made", () => {
    const many = [0, 1, 32, 33, 200].map((count) =>
      Array.from({ length: count }, (_, at) => ({
        ...revision.site.views[0],
        name: `${at} ${"x".repeat(3000)}`,
      })),
    );
    for (const views of many) {
      const site = { ...revision.site, views, analysers: undefined } as unknown as typeof revision.site;
      const { nvrdConfiguration, sha256, ...rest } = JSON.parse(encoded({ ...revision, site }));
      expect([nvrdConfiguration, sha256.length]).toEqual([CONFIGURATION_FORMAT, 64]);
      expect(rest).toEqual(JSON.parse(JSON.stringify({ change: revision.change, site })));
      const hashed = createHash("sha256").update(JSON.stringify({ change: revision.change, site }));
      expect(sha256).toBe(hashed.digest("hex"));
    }
  });

  it("is made in pieces, however many views there are", () => {
    const view = { ...revision.site.views[0], name: "x".repeat(10_000) };
    const site = { ...revision.site, views: Array(500).fill(view) } as typeof revision.site;
    let pieces = 0;
    for (const making = encodingRevision({ ...revision, site }); making.next().done !== true; ) pieces += 1;
    expect(pieces).toBeGreaterThanOrEqual(15);
  });

  it("is damaged as soon as one sign of the configuration changes", () => {
    const text = encoded(revision);
    const property = fc.property(
      fc.nat({ max: text.length - 1 }),
      fc.integer({ min: 33, max: 126 }),
      (at, code) => {
        const sign = String.fromCharCode(code);
        const changed = text.slice(0, at) + sign + text.slice(at + 1);
        const decoded = decodeRevision(changed);
        // The one harmless place is a digit of the format, which then says newer.
        if (changed !== text) expect(decoded.kind).not.toBe("whole");
      },
    );
    fc.assert(property, { numRuns: 1500 });
  });

  it("never throws and is never taken when a member has a foreign value, check sum right or not", () => {
    const paths = pathsOf(sample);
    const foreign = fc.oneof(
      fc.jsonValue(),
      fc.constant("x".repeat(5000)),
      fc.constant([[[[[[[[[[]]]]]]]]]]),
    );
    const property = fc.property(fc.constantFrom(...paths), foreign, (path, value) => {
      const decoded = decodeRevision(documentOf(withValueAt(sample, path, value)));
      if (decoded.kind === "damaged") expect(decoded.reason.length).toBeLessThanOrEqual(500);
      // A text in place of a text may be a configuration, and texts in place of texts; another list, or an object in
      // place of a leaf, never is.
      const leaf =
        typeof value !== "object" ||
        value === null ||
        (Array.isArray(value) && value.every((item) => typeof item === "string"));
      if (!leaf && path.length > 0) expect(decoded.kind).toBe("damaged");
    });
    fc.assert(property, { numRuns: 1500 });
  });

  it.each([
    ["nothing", ""],
    ["half of it", encoded(revision).slice(0, 500)],
    ["another JSON", '{"site":{}}'],
    ["null", "null"],
    ["a list without end", "[".repeat(200_000)],
    [
      "nesting without end",
      `{"nvrdConfiguration":1,"sha256":"","site":${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
    ],
    ["format 0", encoded(revision).replace(FORMAT, '"nvrdConfiguration":0')],
    ["too much", `"${"x".repeat(17_000_000)}"`],
  ])("of %s is damaged", (_name, text) => {
    expect(decodeRevision(text)).toMatchObject({ kind: "damaged" });
  });

  it("of format 1 is read, with the defaults of what it lacks", () => {
    const { views, mapLocations, userScenarios, mobile, rtsp, monitoring, useTimeZones, ...old } = sample;
    const groups = old.groups.map(({ gridTypes, directoryGroups, ...group }) => group);
    const decoded = decodeRevision(documentOf({ ...old, groups }));
    expect(decoded).toEqual({ kind: "whole", site: sample, change: null });
  });

  it("of format 1 keeps what it has, and is refused when that is malformed", () => {
    expect(decodeRevision(documentOf({ ...sample, useTimeZones: true }))).toMatchObject({
      site: { useTimeZones: true },
    });
    expect(decodeRevision(documentOf({ ...sample, views: [{}] }))).toMatchObject({ kind: "damaged" });
  });

  it("without a readable author is a configuration all the same", () => {
    const foreign = { ...revision, change: { by: 7 } as unknown as typeof change };
    expect(decodeRevision(encoded(foreign))).toEqual({ kind: "whole", site: sample, change: null });
  });

  it("is not written when it could not be read again", () => {
    const description = "x".repeat(17_000_000);
    const cameras = sample.cameras.map((camera) => ({ ...camera, description }));
    expect(() => encodeRevision({ ...revision, site: { ...sample, cameras } })).toThrow("longer than");
  });

  it("of a newer format is distinguished", () => {
    const text = encoded(revision).replace(FORMAT, `"nvrdConfiguration":${CONFIGURATION_FORMAT + 1}`);
    expect(decodeRevision(text)).toEqual({ kind: "newer" });
  });

  it("does not quote what it refuses, because that may be a password", () => {
    const { connection } = sample.cameras[0] ?? {};
    const cameras = [{ ...sample.cameras[0], connection: { ...connection, password: ["hunter2"] } }];
    expect(JSON.stringify(decodeRevision(documentOf({ ...sample, cameras })))).not.toContain("hunter2");
  });
});
