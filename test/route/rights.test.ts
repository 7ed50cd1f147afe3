import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Route } from "../../src/route/endpoint/route.js";
import { ROUTES } from "../../src/service/api/routes.js";
import { type GroupRight, type UserGroup, withoutCameras } from "../../src/site/index.js";
import { changeGuards, GATE_ID, ROOT_MD5, rights, STORE_ID, YARD_ID } from "../support/api/api-fakes.js";
import { archivedFrames, liveFrame } from "../support/api/api-frames.js";
import { type ApiHarness, startApi } from "../support/api/api-harness.js";
import { ROUTE_CASES, type RouteCase } from "../support/api/route-cases.js";

/** A channel nobody has. */
const UNKNOWN_ID = "22222222-0000-4000-8000-0000000000ff";
const STORE_NAME = "Store";

let api: ApiHarness;

async function startWithRecordings(): Promise<void> {
  api = await startApi();
  for (const channelId of [GATE_ID, YARD_ID, STORE_ID])
    api.archive.record({ channelId, streamType: "Main" }, archivedFrames(2));
  for (const type of ["Main", "Alternative"] as const) {
    api.streams.live(GATE_ID, type).setState({ state: "active" });
    api.streams.live(GATE_ID, type).publish(liveFrame(0, { key: true }));
  }
}

/** Each test of the group has an API of its own. */
function ownApis(): void {
  beforeEach(startWithRecordings);
  afterEach(() => api.stop());
}

/** The tests of the group share an API: what is refused leaves it as it is, and each sets the guard's group anew. */
function oneApi(): void {
  beforeAll(startWithRecordings);
  afterAll(() => api.stop());
}

/** Every right, and the channels Gate and Yard in both ways; Store stays hidden. */
const EVERYTHING: Partial<UserGroup> = {
  rights: rights(),
  realtimeChannels: [GATE_ID, YARD_ID],
  archiveChannels: [GATE_ID, YARD_ID],
};

const without = (...names: GroupRight[]): Partial<UserGroup> => ({
  ...EVERYTHING,
  rights: rights(Object.fromEntries(names.map((name) => [name, name === "IsAllForbidden"]))),
});

async function ask(
  path: string,
  options: { method: string; body?: unknown; query?: string },
): Promise<{ status: number; text: string }> {
  const { method, body, query = "login=guard" } = options;
  const url = api.url(`${path}${path.includes("?") ? "&" : "?"}${query}`);
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(url, { method, ...content });
  return { status: response.status, text: await response.text() };
}

/** The request of a case as the guard, whose group is changed first. */
async function asGuard(
  routeCase: RouteCase,
  change: Partial<UserGroup>,
  channelId: string = GATE_ID,
): Promise<{ status: number; text: string }> {
  await changeGuards(api.site, change);
  const [routeMethod = ""] = routeCase.route.split(" ");
  // What is refused has an end, and a text to look at.
  const shown = channelId === GATE_ID || routeCase.endless !== true;
  const method = routeCase.endless === true && shown ? "HEAD" : routeMethod;
  const body = routeCase.body?.(channelId);
  return await ask(routeCase.path(channelId), { method, ...(body === undefined ? {} : { body }) });
}

const titled = ROUTE_CASES.map(
  (routeCase) => [`${routeCase.route} as ${routeCase.path("{channel}")}`, routeCase] as const,
);
const named = titled.filter(([, routeCase]) => routeCase.channel !== undefined);
const guarded = titled.flatMap(([title, routeCase]) =>
  (routeCase.rights ?? []).map((right) => [title, right, routeCase] as const),
);

function titledRoutes(login: Route["login"]) {
  return ROUTES.filter((route) => route.login === login).map(
    (route) => [`${route.method} ${route.path}`, route] as const,
  );
}

/** Those of the configuration API, and our additions for administrators, which need no licence. */
const administration = titledRoutes("administration");
const forAdministrators = titledRoutes("administrator");

describe("a request that is refused", () => {
  oneApi();

  it.each(titled)("%s is 401 without credentials", async (_title, routeCase) => {
    const [method = ""] = routeCase.route.split(" ");
    expect((await ask(routeCase.path(GATE_ID), { method, query: "" })).status).toBe(401);
  });

  it.each(guarded)("%s is 403 without %s", async (_title, right, routeCase) => {
    expect((await asGuard(routeCase, without(right))).status).toBe(403);
  });

  it.each(named.filter(([, { channel }]) => channel === "realtime"))(
    "%s is 403 when the channel may be watched in the archive alone",
    async (_title, routeCase) => {
      expect((await asGuard(routeCase, { ...EVERYTHING, realtimeChannels: [] })).status).toBe(403);
    },
  );

  it.each(named.filter(([, { channel }]) => channel === "archive"))(
    "%s is 403 when the channel may be watched live alone",
    async (_title, routeCase) => {
      expect((await asGuard(routeCase, { ...EVERYTHING, archiveChannels: [] })).status).toBe(403);
    },
  );

  it.each([...administration, ...forAdministrators])(
    "%s is 401 without credentials",
    async (_title, route) => {
      expect((await ask(pathOf(route), { method: route.method, query: "" })).status).toBe(401);
    },
  );
});

describe("a route that needs a login", () => {
  ownApis();

  const open = ROUTES.filter((route) => route.login === "user");

  it.each(open.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "%s has its cases in test/support/api/route-cases.ts, its rights among them",
    (title, route) => {
      const cases = ROUTE_CASES.filter((routeCase) => routeCase.route === title);
      expect(cases, "add a case").not.toEqual([]);
      for (const { right, when } of route.rights ?? [])
        if (when === undefined) for (const routeCase of cases) expect(routeCase.rights).toContain(right);
    },
  );

  it("is there for every case", () => {
    const titles = open.map((route) => `${route.method} ${route.path}`);
    for (const { route } of ROUTE_CASES) expect(titles).toContain(route);
  });

  it.each(titled)("%s is open to a user with every right", async (_title, routeCase) => {
    expect((await asGuard(routeCase, EVERYTHING)).status).toBe(routeCase.allowed ?? 200);
  });

  it.each(titled)("%s is 403 with IsAllForbidden, unless it is open even then", async (_title, routeCase) => {
    const route = ROUTES.find(({ method, path }) => `${method} ${path}` === routeCase.route);
    const { status, text } = await asGuard(routeCase, without("IsAllForbidden"));
    expect(status).toBe(route?.evenForbidden === true ? 200 : 403);
    const names = routeCase.isFixed === true ? [] : ["Gate", GATE_ID, STORE_NAME, STORE_ID];
    for (const name of names) expect(text).not.toContain(name);
  });

  it.each(named)("%s answers for a hidden channel as for none", async (_title, routeCase) => {
    const hidden = await asGuard(routeCase, EVERYTHING, STORE_ID);
    const unknown = await asGuard(routeCase, EVERYTHING, UNKNOWN_ID);
    expect(hidden.status).toBe(routeCase.hidden ?? 404);
    expect(hidden.status).toBe(unknown.status);
    expect(hidden.text.replaceAll(STORE_ID, UNKNOWN_ID)).toBe(unknown.text);
    expect(hidden.text).not.toContain(STORE_NAME);
  });

  it.each(titled.filter(([, { isFixed }]) => isFixed === true))(
    "%s is the same whatever the configuration is",
    async (_title, routeCase) => {
      const before = await asGuard(routeCase, EVERYTHING);
      await api.site.change((site) =>
        withoutCameras(
          site,
          site.cameras.map(({ id }) => id),
        ),
      );
      const nothing = { ...without("IsAllForbidden"), realtimeChannels: [], archiveChannels: [] };
      expect(await asGuard(routeCase, nothing)).toEqual(before);
    },
  );

  it.each(titled.filter(([, { isFixed }]) => isFixed !== true))(
    "%s tells of no hidden channel",
    async (_title, routeCase) => {
      const { text } = await asGuard(routeCase, EVERYTHING);
      expect(text).not.toContain(STORE_NAME);
      expect(text).not.toContain(STORE_ID);
    },
  );

  it("counts channelnum over the channels the user may see", async () => {
    const numbered = (number: number): RouteCase => ({
      route: "GET /video",
      path: () => `/video?channelnum=${number}`,
      endless: true,
    });
    const change = { ...EVERYTHING, realtimeChannels: [YARD_ID], archiveChannels: [] };
    expect((await asGuard(numbered(0), change)).status).toBe(200);
    expect((await asGuard(numbered(1), change)).status).toBe(404);
  });
});

/** A path of the route that names a channel where it has a part for an id. */
const pathOf = (route: Route): string => route.path.replaceAll(/\{[a-z]+\}/g, GATE_ID);

describe("credentials", () => {
  ownApis();

  const asked = ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const);

  it.each(asked)("of both kinds are taken on %s", async (_title, route) => {
    // What needs a body, parameters or HTTPS is refused for that, which is behind the credentials; streams are asked by HEAD.
    const method = route.method === "GET" ? "HEAD" : route.method;
    const query = `login=root&password=${ROOT_MD5.toUpperCase()}`;
    const Authorization = `Basic ${Buffer.from(`root:${ROOT_MD5}`).toString("base64")}`;
    for (const [search, headers] of [
      [query, {}],
      ["", { Authorization }],
      [query, { Authorization }],
    ] as const) {
      const response = await fetch(api.url(`${pathOf(route)}?${search}`), { method, headers });
      await response.arrayBuffer();
      expect([200, 400, 404, 409]).toContain(response.status);
    }
  });
});

describe("a route of the configuration API", () => {
  ownApis();

  it("is every one under /configure", () => {
    for (const { path, login } of ROUTES)
      expect([path, login === "administration"]).toEqual([path, path.startsWith("/configure/")]);
  });

  it.each([...administration, ...forAdministrators])(
    "%s is 403 for a user with every right who is no senior administrator",
    async (_title, route) => {
      const answer = await asGuard(
        { route: `${route.method} ${route.path}`, path: () => pathOf(route) },
        EVERYTHING,
      );
      expect(answer.status).toBe(403);
      // The one change is the guard's group, made by this test.
      expect(api.site.current.revision).toBe(8);
      expect(JSON.parse(answer.text)).toEqual({
        ErrorMessage: expect.stringContaining("senior administrators"),
      });
    },
  );

  it.each(administration)("%s is open to a senior administrator", async (_title, route) => {
    const { status } = await ask(pathOf(route), {
      method: route.method,
      query: `login=root&password=${ROOT_MD5}`,
    });
    // Bodies are missing and ids name other things: that is for later checks to say.
    expect([200, 400, 404]).toContain(status);
  });

  it.each(["Free", "Pro"])("is 403 under a licence of type %s, each of them", async (productType) => {
    const other = await startApi({ settings: { productType } });
    try {
      for (const [title, route] of administration) {
        const query = `login=root&password=${ROOT_MD5}`;
        const response = await fetch(other.url(`${pathOf(route)}?${query}`), { method: route.method });
        expect([title, response.status]).toEqual([title, 403]);
        expect(await response.json()).toEqual({
          ErrorMessage: expect.stringContaining("Enterprise or Ultra"),
        });
      }
      expect((await other.get("/configex")).status).toBe(200);
    } finally {
      await other.stop();
    }
  });

  it.each(["Enterprise", "ULTRA"])("is open under a licence of type %s", async (productType) => {
    const other = await startApi({ settings: { productType } });
    try {
      expect((await other.get("/configure/channels")).status).toBe(200);
    } finally {
      await other.stop();
    }
  });
});
