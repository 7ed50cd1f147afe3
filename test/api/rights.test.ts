import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CONFIGURE_ROUTES } from "../../src/api/configure-routes.js";
import { ROUTES } from "../../src/api/route-table.js";
import type { GroupRight, UserGroup } from "../../src/site/index.js";
import { GATE_ID, guardsGroup, rights, STORE_ID, YARD_ID } from "../support/api-fakes.js";
import { archivedFrames } from "../support/api-frames.js";
import { type ApiHarness, startApi } from "../support/api-harness.js";

let api: ApiHarness;

beforeEach(async () => {
  api = await startApi();
  for (const channelId of [GATE_ID, YARD_ID])
    api.archive.record({ channelId, streamType: "Main" }, archivedFrames(2));
});

afterEach(() => api.stop());

async function asGuard(path: string, change: Partial<UserGroup> = {}, method = "HEAD"): Promise<number> {
  await api.site.change((site) => ({
    ...site,
    groups: site.groups.map((group) => (group.seniorAdministrators ? group : guardsGroup(change))),
  }));
  const response = await fetch(api.url(`${path}${path.includes("?") ? "&" : "?"}login=guard`), { method });
  await response.arrayBuffer();
  return response.status;
}

const without = (...names: GroupRight[]): Partial<UserGroup> => ({
  rights: rights(Object.fromEntries(names.map((name) => [name, name === "IsAllForbidden"]))),
});

const START = "starttime=21.11.2026+09:00:00";
const live = (id: string): string => `/video?channelid=${id}`;
const archive = (id: string): string => `/video?mode=archive&${START}&channelid=${id}`;
const fragments = (id: string): string =>
  `/archivefragments?fromtime=21.11.2026+00:00:00&totime=22.11.2026+00:00:00&channelid=${id}`;
const find = (id: string): string =>
  `/command?type=findarchive&searchtime=21.11.2026+09:00:00&channelid=${id}`;
const exported = (id: string): string =>
  `/specialarchiveevents?starttime=21.11.2026+00:00:00&endtime=22.11.2026+00:00:00&channelid=${id}`;

/** Every endpoint with a request that is allowed, one that a right denies, one of a hidden channel. */
const TABLE: readonly [path: string, url: string, change: Partial<UserGroup>, status: number][] = [
  ["/video", live(GATE_ID), {}, 200],
  ["/video", live(GATE_ID), { realtimeChannels: [], archiveChannels: [GATE_ID] }, 403],
  ["/video", live(GATE_ID), { realtimeChannels: [], archiveChannels: [] }, 404],
  ["/video", live(GATE_ID), without("IsAllForbidden"), 404],
  ["/video", `${live(GATE_ID)}&sound=on`, without("CanReceiveSound"), 403],
  ["/video", live(GATE_ID), without("CanReceiveSound"), 200],
  ["/video", live(GATE_ID), without("CanReceiveMainStream"), 403],
  ["/video", `${live(GATE_ID)}&streamtype=alternative`, without("CanReceiveMainStream"), 200],
  ["/video", archive(YARD_ID), {}, 200],
  ["/video", archive(GATE_ID), {}, 403],
  ["/video", archive(STORE_ID), {}, 404],
  ["/archivefragments", fragments(YARD_ID), {}, 200],
  ["/archivefragments", fragments(GATE_ID), {}, 403],
  ["/archivefragments", fragments(STORE_ID), {}, 404],
  ["/command", find(YARD_ID), {}, 200],
  ["/command", find(GATE_ID), {}, 403],
  ["/command", find(STORE_ID), {}, 404],
  ["/command", "/command?type=gettime", without("IsAllForbidden"), 200],
  ["/command", "/command?type=getchannelsstates", {}, 200],
  ["/command", "/command?type=getallregisteredevents", {}, 200],
  ["/event", "/event", {}, 200],
  ["/event", `/event?channelid=${GATE_ID}`, {}, 200],
  ["/event", "/event", without("IsAllForbidden"), 403],
  ["/event", `/event?channelid=${STORE_ID}`, {}, 404],
  ["/specialarchiveevents", exported(GATE_ID), {}, 200],
  ["/specialarchiveevents", exported(GATE_ID), without("CanAccessUnifiedLog"), 403],
  ["/specialarchiveevents", exported(STORE_ID), {}, 404],
  ["/archive_event_types", "/archive_event_types", {}, 200],
  ["/configex", "/configex", {}, 200],
  ["/configure/channels", "/configure/channels", {}, 403],
  ["/configure/channels/{id}", `/configure/channels/${GATE_ID}`, {}, 403],
  ["/configure/devicemanufacturers", "/configure/devicemanufacturers", {}, 403],
  ...CONFIGURE_ROUTES.map(({ path }): [string, string, Partial<UserGroup>, number] => [
    path,
    path.replace("{id}", GATE_ID),
    {},
    403,
  ]),
];

/** The same for those that are posted to; an empty body is refused after the right is checked. */
const POSTED: readonly [path: string, url: string, change: Partial<UserGroup>, status: number][] = [
  ["/archive_events", "/archive_events", {}, 200],
  ["/archive_events", "/archive_events", without("CanAccessUnifiedLog"), 403],
  ["/api/events", "/api/events", {}, 400],
  ["/api/events", "/api/events", without("CanAccessEditingAnalystPluginsInClient"), 403],
];

describe("rights", () => {
  it.each(POSTED)("%s: POST %s by %j is %i", async (_path, url, change, status) => {
    expect(await asGuard(url, change, "POST")).toBe(status);
  });

  it.each(TABLE)("%s: GET %s by %j is %i", async (_path, url, change, status) => {
    expect(await asGuard(url, change)).toBe(status);
  });

  it("are tested for every route", () => {
    const tested = new Set([...TABLE, ...POSTED].map(([path]) => path));
    for (const route of ROUTES) expect(tested, route.path).toContain(route.path);
  });

  it("guard POST /configure/channels too", async () => {
    expect(await asGuard("/configure/channels", {}, "POST")).toBe(403);
  });

  it.each(CONFIGURE_ROUTES.filter(({ method }) => method !== "GET"))(
    "guard $method $path too, and nothing changes",
    async ({ method, path }) => {
      expect(await asGuard(path.replace("{id}", YARD_ID), {}, method)).toBe(403);
      expect(api.site.current.revision).toBe(8);
    },
  );

  it("count channelnum over the channels the user may see", async () => {
    const answer = (number: number): Promise<number> =>
      asGuard(`/video?channelnum=${number}`, { realtimeChannels: [YARD_ID], archiveChannels: [] });
    expect([await answer(0), await answer(1)]).toEqual([200, 404]);
  });
});

it.each(["Free", "Pro"])(
  "the configuration API answers 403 under a licence of type %s",
  async (productType) => {
    const other = await startApi({ settings: { productType } });
    try {
      const response = await other.get("/configure/channels");
      expect(response.status).toBe(403);
      expect(await response.json()).toEqual({ ErrorMessage: expect.stringContaining("Enterprise or Ultra") });
      expect((await other.get("/configex")).status).toBe(200);
    } finally {
      await other.stop();
    }
  },
);
