import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { atOnce } from "../../src/base/index.js";
import type { Site } from "../../src/site/index.js";
import { changedShapeProblems, shapeProblems } from "../../src/site/schema/site-schema.js";
import { arbitrarySite } from "../support/site/arbitrary-site.js";

/** A configuration of which any reading fails the test. */
const untouchable = <T extends object>(value: T): T =>
  new Proxy(value, {
    get: () => {
      throw new Error("what was not changed is looked at");
    },
    ownKeys: () => {
      throw new Error("what was not changed is looked at");
    },
  });

type Path = readonly (string | number)[];

/** The paths of all that is in it. */
function pathsOf(value: unknown, at: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([name, member]) => pathsOf(member, [...at, name]))];
}

/** The same with another value at the path, as an edit makes it: the rest is the same objects. */
function withValue(data: unknown, [name, ...rest]: Path, value: unknown): unknown {
  if (name === undefined) return value;
  if (Array.isArray(data))
    return data.map((item, at) => (at === Number(name) ? withValue(item, rest, value) : item));
  const members = data as Readonly<Record<string, unknown>>;
  return { ...members, [name]: withValue(members[name], rest, value) };
}

describe("a change is checked", () => {
  it("as the whole is, whatever was put where", () => {
    const wrong = fc.constantFrom<unknown>(undefined, null, 1, -1, "", "x", {}, [], [1], { a: 1 }, [[[[]]]]);
    const property = fc.property(arbitrarySite, fc.nat(), wrong, (site, at, value) => {
      const paths = pathsOf(site).slice(1);
      const edited = withValue(site, paths[at % paths.length] ?? [], value) as Site;
      expect(atOnce(changedShapeProblems(edited, site))).toEqual(shapeProblems(edited));
    });
    fc.assert(property, { numRuns: 400 });
  });

  it.each([
    ["a member that there is not", (site: Site) => ({ ...site, more: 1 })],
    ["a member that is missing", ({ users: _users, ...site }: Site) => site],
    ["a list that is too long", (site: Site) => ({ ...site, views: Array(600).fill(site.views[0]) })],
    ["folders without end", (site: Site) => ({ ...site, mapLocations: deep(site.mapLocations, 100) })],
  ])("with %s as in the whole", (_what, edit) => {
    const [site] = fc.sample(arbitrarySite, { numRuns: 1, seed: 3 });
    if (site === undefined) throw new Error("no sample");
    const edited = edit(site) as unknown as Site;
    expect(atOnce(changedShapeProblems(edited, site))).toEqual(shapeProblems(edited));
    expect(shapeProblems(edited)).not.toEqual([]);
  });

  it("without a look at what is the same as before", () => {
    const [sample] = fc.sample(
      arbitrarySite.filter(({ cameras, groups }) => cameras.length > 1 && groups.length > 1),
      { numRuns: 1, seed: 5 },
    );
    const [first, ...others] = sample?.groups ?? [];
    if (sample === undefined || first === undefined) throw new Error("no sample");
    const site: Site = {
      ...sample,
      cameras: untouchable(sample.cameras),
      groups: [first, ...others.map(untouchable)],
    };
    const edited = { ...site, groups: [{ ...first, comment: "other" }, ...site.groups.slice(1)] };
    expect(atOnce(changedShapeProblems(edited, site))).toEqual([]);
  });

  it("in pieces, where many items of a list have changed", () => {
    const [sample] = fc.sample(
      arbitrarySite.filter(({ users }) => users.length > 0),
      { numRuns: 1, seed: 7 },
    );
    const [user] = sample?.users ?? [];
    if (sample === undefined || user === undefined) throw new Error("no sample");
    const many = (name: string) => ({
      ...sample,
      users: Array.from({ length: 100 }, () => ({ ...user, name })),
    });
    let pieces = 0;
    const checking = changedShapeProblems(many("new"), many("old"));
    for (let step = checking.next(); ; step = checking.next()) {
      if (step.done === true) {
        expect(step.value).toEqual([]);
        break;
      }
      pieces += 1;
    }
    expect(pieces).toBe(4);
  });
});

function deep(folder: Site["mapLocations"], depth: number): Site["mapLocations"] {
  return depth === 0 ? folder : { ...folder, folders: [deep(folder, depth - 1)] };
}
