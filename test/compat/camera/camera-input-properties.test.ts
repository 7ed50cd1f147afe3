import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NvrdError } from "../../../src/base/index.js";
import { readChangedCamera, readNewCamera } from "../../../src/compat/camera/camera-input.js";
import { cameraObject } from "../../../src/compat/camera/camera-object.js";
import { addCameras, changeCameras } from "../../../src/compat/camera/camera-tree.js";
import { Faults } from "../../../src/route/body/body-reader.js";
import { type Site, withoutCameras } from "../../../src/site/index.js";
import { consistencyProblems } from "../../../src/site/schema/site-checks.js";
import { shapeProblems } from "../../../src/site/schema/site-schema.js";
import { GATE_ID, sampleSite, YARD_ID } from "../../support/api/api-fakes.js";
import { type ApiHarness, startApi } from "../../support/api/api-harness.js";
import { changeOf, type Json, sendJson } from "../../support/api/camera-requests.js";

/** Whatever comes, either names its faults or leaves a configuration that is whole, and that GET and PUT give back. */

/** The sample with secrets as they are stored. */
const SITE: Site = (() => {
  const site = sampleSite();
  return { ...site, users: site.users.map((user) => ({ ...user, secret: null })) };
})();

/** The site after a request; undefined when it was refused. */
function applied(edit: (faults: Faults) => Site): Site | undefined {
  const faults = new Faults();
  try {
    const site = edit(faults);
    faults.throwIfAny();
    return site;
  } catch (error) {
    if (error instanceof NvrdError && ["BAD_REQUEST", "NOT_FOUND"].includes(error.code)) return undefined;
    throw error;
  }
}

function put(site: Site, body: unknown): Site | undefined {
  return applied((faults) => {
    const placed = readChangedCamera(body, { path: "[0]", site, reach: { rtspPort: 554 }, faults });
    faults.throwIfAny();
    return placed === undefined ? site : changeCameras(site, [placed]);
  });
}

function post(site: Site, body: unknown): Site | undefined {
  return applied((faults) => {
    const placed = readNewCamera(body, { path: "[0]", site, reach: { rtspPort: 554 }, faults });
    faults.throwIfAny();
    return addCameras(site, [placed]);
  });
}

function expectWhole(site: Site | undefined): void {
  if (site === undefined) return;
  expect([...shapeProblems(site), ...consistencyProblems(site)]).toEqual([]);
  for (const camera of site.cameras) {
    const object: unknown = JSON.parse(JSON.stringify(cameraObject(camera, site)));
    expect(put(site, object)).toBe(site);
  }
}

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(null, "", "Main", "Alternative", "ThirdAlternative", true, false, 0, 1, 6, 90),
  fc.constantFrom<unknown>("rtsp://192.0.2.9/x", "rtsps://a:b@192.0.2.9/x", "Hevc", ["Archive"], [], {}),
);

/** The names of the camera object at all its levels, so that random objects meet them. */
function namesOf(object: unknown): string[] {
  if (typeof object !== "object" || object === null || Array.isArray(object)) return [];
  return Object.entries(object).flatMap(([name, member]) => [name, ...namesOf(member)]);
}

const [gate] = SITE.cameras;
const OBJECT = (gate === undefined ? {} : cameraObject(gate, SITE)) as Json;
const NAMES = [...new Set(namesOf(OBJECT)), "ClearPassword", "MapSettingsLatitude", "__proto__"];

const known = fc.dictionary(fc.constantFrom(...NAMES), value, { maxKeys: 6 });
const sections = fc.record(
  {
    ConnectionSettings: fc.record(
      { StreamSettings: fc.dictionary(fc.constantFrom(...NAMES), fc.oneof(known, value), { maxKeys: 4 }) },
      { requiredKeys: [] },
    ),
    ArchiveSettings: known,
    AnalyzeSettings: known,
    MapSettings: known,
  },
  { requiredKeys: [] },
);

/** A path into the object, and what stands there instead. */
const mutation = fc.tuple(fc.array(fc.nat(40), { minLength: 1, maxLength: 4 }), value);

function mutated(object: Json, [path, replacement]: [readonly number[], unknown]): Json {
  const names = Object.keys(object);
  const name = names[(path[0] ?? 0) % names.length];
  if (name === undefined) return object;
  const inner = object[name];
  const deeper = path.length > 1 && typeof inner === "object" && inner !== null && !Array.isArray(inner);
  return { ...object, [name]: deeper ? mutated(inner as Json, [path.slice(1), replacement]) : replacement };
}

describe("a camera object", () => {
  it("of any JSON is refused or leaves a whole configuration", () => {
    fc.assert(
      fc.property(fc.oneof(value, known, sections), (body) => {
        expectWhole(post(SITE, body));
        expectWhole(put(SITE, body));
      }),
      { numRuns: 300 },
    );
  });

  it("of any known members changes this camera alone, and is given back", () => {
    fc.assert(
      fc.property(sections, known, (members, top) => {
        const connection = { ...(top.ConnectionSettings as Json | undefined), ...members.ConnectionSettings };
        const site = put(SITE, {
          ...top,
          ...changeOf(GATE_ID, { ...members, ConnectionSettings: connection }),
        });
        expectWhole(site);
        if (site === undefined) return;
        expect(site.cameras.slice(1)).toEqual(SITE.cameras.slice(1));
        expect({ ...site, cameras: [], rootSecurityObject: null }).toEqual({
          ...SITE,
          cameras: [],
          rootSecurityObject: null,
        });
      }),
      { numRuns: 400 },
    );
  });

  it("as GET gives it, with some members changed, is refused or given back", () => {
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), (mutations) => {
        const body = mutations.reduce(mutated, OBJECT);
        expectWhole(put(SITE, body));
        expectWhole(post(SITE, { ...body, Id: null }));
      }),
      { numRuns: 400 },
    );
  });

  it("two changes, one after the other, leave the last word of each member", () => {
    const flags = fc.record({ Disabled: fc.boolean(), Description: fc.string() }, { requiredKeys: [] });
    fc.assert(
      fc.property(flags, flags, (one, other) => {
        const first = put(SITE, changeOf(GATE_ID, one));
        const second = put(first ?? SITE, changeOf(GATE_ID, other));
        if (first === undefined || second === undefined) return;
        const object = cameraObject(second.cameras[0] ?? expect.fail(), second);
        expect(object).toMatchObject({ ...one, ...other });
      }),
    );
  });
});

describe("a request's body", () => {
  let api: ApiHarness;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.stop());

  it("of any bytes or any JSON is answered with 200, 400, 404 or 409, and changes all of it or nothing", async () => {
    const object = fc
      .tuple(known, sections)
      .map(([top, members]) => ({ ...top, ...changeOf(GATE_ID, members) }));
    const body = fc.oneof(
      fc.uint8Array({ minLength: 1 }).map((bytes) => Buffer.from(bytes).toString("latin1")),
      fc.json(),
      fc.array(fc.oneof(object, value), { maxLength: 3 }).map((list) => JSON.stringify(list)),
    );
    const method = fc.constantFrom("PUT", "POST");
    await fc.assert(
      fc.asyncProperty(method, body, async (verb, text) => {
        const before = api.site.current;
        const { status, json } = await sendJson(api, verb, "/configure/channels", text);
        expect([200, 400, 404, 409]).toContain(status);
        if (status !== 200)
          expect([json.ErrorMessage, api.site.current]).toEqual([expect.any(String), before]);
      }),
      { numRuns: 100 },
    );
  });
});

it("a camera that is taken out leaves its id nowhere", () => {
  const site = withoutCameras(SITE, [YARD_ID]);
  expect(JSON.stringify(site)).not.toContain(YARD_ID);
  expectWhole(site);
  expect(site.cameras).toHaveLength(SITE.cameras.length - 1);
});
