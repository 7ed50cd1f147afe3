import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { RTSP_MODEL } from "../../../src/camera/index.js";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { withoutCameras } from "../../../src/site/index.js";
import { GATE_ID, GUARDS_ID, STORE_ID, YARD_ID } from "../../support/api/api-fakes.js";
import { archivedFrames, NINE_US } from "../../support/api/api-frames.js";
import { type ApiHarness, ROOT_QUERY, startApi, until } from "../../support/api/api-harness.js";
import { SimulatedClock } from "../../support/base/simulated-clock.js";
import { readParts } from "../../support/http/raw-http.js";

let api: ApiHarness;

beforeEach(async () => {
  api = await startApi({ clock: new SimulatedClock(NINE_US + 86_400_000_000) });
  for (const channelId of [GATE_ID, YARD_ID])
    api.archive.record({ channelId, streamType: "Main" }, archivedFrames(30));
  api.archive.names.set(GATE_ID, "Gate of old");
  await api.site.change((site) => withoutCameras(site, [GATE_ID]));
});

afterEach(() => api.stop());

const NINE = "21.11.2026+09:00:00";
const TEN = "21.11.2026+10:00:00";

interface Answer {
  readonly status: number;
  readonly json: unknown;
}

async function ask(path: string, user = ROOT_QUERY, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(api.url(`${path}${path.includes("?") ? "&" : "?"}${user}`), init);
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  return { status: response.status, json: isJson ? await response.json() : await response.text() };
}

function cameraBody(Id: string): object {
  return {
    Id,
    Name: "Gate again",
    ServerBindingsSettings: { OwnerServerId: api.site.current.server.id },
    ConnectionSettings: { ModelId: RTSP_MODEL.id, Hostname: "rtsp://192.0.2.1/main" },
  };
}

describe("a camera that was removed and whose recordings stayed", () => {
  it("is listed with its last name and the times of its recordings; configured ones are not", async () => {
    api.channelBytes.bytes.set(GATE_ID, { recordedBytes: 5_000_000, days: [] });
    expect((await ask("/api/archive/former")).json).toEqual([
      {
        Id: GATE_ID,
        Name: "Gate of old",
        FromTime: "2026-11-21T09:00:00.0000000Z",
        ToTime: "2026-11-21T09:00:01.2000000Z",
        RecordedBytes: 5_000_000,
        IsAway: false,
        ProtectedTimes: 0,
        GivenTo: null,
      },
    ]);
  });

  it("is none to who may not watch its archive", async () => {
    expect((await ask("/api/archive/former", "login=guard")).json).toEqual([]);
    const { status } = await ask(
      `/archivefragments?channelid=${GATE_ID}&fromtime=${NINE}&totime=${TEN}`,
      "login=guard",
    );
    expect(status).toBe(404);
  });

  it.each([
    [
      "/archivefragments",
      `/archivefragments?channelid=${GATE_ID}&fromtime=${NINE}&totime=${TEN}&responsetype=json`,
    ],
    ["/api/timeline", `/api/timeline?channels=${GATE_ID}&from=2026-11-21T09:00:00Z&to=2026-11-21T10:00:00Z`],
    ["findarchive", `/command?type=findarchive&channelid=${GATE_ID}&searchtime=${NINE}&responsetype=json`],
    ["its protected times", `/api/channels/${GATE_ID}/protected`],
  ])("is answered by %s", async (_what, path) => {
    expect((await ask(path)).status).toBe(200);
  });

  it("is played by its id, and goes on while its recordings are there", async () => {
    const client = api.connect();
    client.get(`/video?${ROOT_QUERY}&channelid=${GATE_ID}&mode=archive&starttime=${NINE}`);
    await until("the first frame", () => readParts(client.body).parts.length > 0);
    await api.site.change((site) => ({ ...site, server: { ...site.server, name: "Other" } }));
    expect(client.closed).toBe(false);
    client.destroy();
  });

  it("is not live, and has no place among the numbers and names of channels", async () => {
    expect((await ask(`/video?channelid=${GATE_ID}`)).status).toBe(404);
    expect((await ask(`/video?channel=Gate of old&mode=archive&starttime=${NINE}`)).status).toBe(404);
  });

  it("is protected under its last name", async () => {
    const body = JSON.stringify({ FromTime: "2026-11-21T09:00:00Z", ToTime: "2026-11-21T09:00:01Z" });
    expect(
      (await ask(`/api/channels/${GATE_ID}/protected`, ROOT_QUERY, { method: "POST", body })).status,
    ).toBe(200);
    expect((await ask("/api/protected")).json).toEqual([
      expect.objectContaining({ ChannelId: GATE_ID, ChannelName: "Gate of old" }),
    ]);
  });

  it("is played, exported and protected by who may watch all archives and is no administrator, and neither given nor deleted", async () => {
    await api.site.change((site) => ({
      ...site,
      groups: site.groups.map((group) =>
        group.id === GUARDS_ID ? { ...group, archiveChannels: "all" as const } : group,
      ),
    }));
    const user = "login=guard";
    const span = `channelid=${GATE_ID}&fromtime=${NINE}&totime=21.11.2026+09:00:01`;
    const times = JSON.stringify({ FromTime: "2026-11-21T09:00:00Z", ToTime: "2026-11-21T09:00:01Z" });
    const put = { method: "PUT", body: JSON.stringify({ GivenTo: YARD_ID }) };
    const answers = {
      list: await ask("/api/archive/former", user),
      fragments: await ask(`/archivefragments?${span}`, user),
      timeline: await ask(
        `/api/timeline?channels=${GATE_ID}&from=2026-11-21T09:00:00Z&to=2026-11-21T10:00:00Z`,
        user,
      ),
      export: await ask(`/exportarchive?${span}`, user),
      protect: await ask(`/api/channels/${GATE_ID}/protected`, user, { method: "POST", body: times }),
      give: await ask(`/api/archive/former/${GATE_ID}`, user, put),
      delete: await ask(`/configure/channels/${GATE_ID}?archive=delete`, user, { method: "DELETE" }),
    };
    const statuses = Object.entries(answers).map(([what, { status }]) => [what, status]);
    expect(Object.fromEntries(statuses)).toEqual({
      ...{ list: 200, fragments: 200, timeline: 200, export: 200, protect: 200 },
      ...{ give: 403, delete: 403 },
    });
    expect(answers.list.json).toMatchObject([{ Id: GATE_ID, Name: "Gate of old" }]);
  });

  it("goes with its recordings", async () => {
    const { status } = await ask(`/configure/channels/${GATE_ID}?archive=delete`, ROOT_QUERY, {
      method: "DELETE",
    });
    expect([status, api.archive.deletedChannels]).toEqual([200, [GATE_ID]]);
    expect((await ask("/api/archive/former")).json).toEqual([]);
  });

  it("is a camera again with its id, and no former one any more", async () => {
    const body = JSON.stringify([cameraBody(GATE_ID)]);
    const { json } = await ask("/configure/channels", ROOT_QUERY, { method: "POST", body });
    expect(json).toEqual({ CreatedObjectsIds: [GATE_ID] });
    expect((await ask("/api/archive/former")).json).toEqual([]);
  });

  it.each([
    ["of two new cameras at once", [GATE_ID, GATE_ID]],
    ["of a configured camera", [YARD_ID]],
    ["of which nothing is recorded", ["99999999-0000-4000-8000-000000000099"]],
  ])("gives no id %s", async (_what, ids) => {
    const body = JSON.stringify(ids.map(cameraBody));
    const { status } = await ask("/configure/channels", ROOT_QUERY, { method: "POST", body });
    expect(status).toBe(400);
    expect(api.site.current.cameras.map(({ id }) => id)).toEqual([YARD_ID, STORE_ID]);
  });
});

describe("a former camera's recordings", () => {
  const give = (GivenTo: unknown, user = ROOT_QUERY, id = GATE_ID): Promise<Answer> =>
    ask(`/api/archive/former/${id}`, user, { method: "PUT", body: JSON.stringify({ GivenTo }) });
  const protect = (id: string): Promise<Answer> => {
    const body = JSON.stringify({ FromTime: "2026-11-21T09:00:00Z", ToTime: "2026-11-21T09:00:01Z" });
    return ask(`/api/channels/${id}/protected`, ROOT_QUERY, { method: "POST", body });
  };

  it("are given to a camera, told in the event log, and the former camera's id answers nothing", async () => {
    expect(await give(YARD_ID)).toEqual({ status: 200, json: { Id: GATE_ID, GivenTo: YARD_ID } });
    expect(api.archive.givenRecordings()).toEqual([{ formerId: GATE_ID, channelId: YARD_ID }]);
    expect((await ask("/api/archive/former")).json).toMatchObject([{ Id: GATE_ID, GivenTo: YARD_ID }]);
    expect(api.events.raised).toMatchObject([
      { typeId: EVENT_TYPES.archiveGiven.id, channelId: YARD_ID, comment: "Gate of old" },
    ]);
    const fragments = `/archivefragments?channelid=${GATE_ID}&fromtime=${NINE}&totime=${TEN}`;
    expect((await ask(fragments)).status).toBe(404);
  });

  it("are listed as given for who may watch the camera's archive", async () => {
    const seen = async (): Promise<unknown> => (await ask("/api/archive/former", "login=guard")).json;
    await give(STORE_ID);
    expect(await seen()).toEqual([]);
    await give(YARD_ID);
    expect(await seen()).toMatchObject([{ GivenTo: YARD_ID }]);
  });

  it("are taken back, and given to another camera at once", async () => {
    await give(YARD_ID);
    await give(STORE_ID);
    expect(api.archive.givenRecordings()).toEqual([{ formerId: GATE_ID, channelId: STORE_ID }]);
    expect(await give(null)).toEqual({ status: 200, json: { Id: GATE_ID, GivenTo: null } });
    expect(api.archive.givenRecordings()).toEqual([]);
  });

  it("are not taken from a camera whose protected times hold for them", async () => {
    await give(YARD_ID);
    await protect(YARD_ID);
    expect(await give(null)).toMatchObject({ status: 409 });
    expect(await give(STORE_ID)).toMatchObject({ status: 409 });
    expect(api.archive.givenRecordings()).toEqual([{ formerId: GATE_ID, channelId: YARD_ID }]);
  });

  it("cannot be made a camera again while another one has them", async () => {
    await give(YARD_ID);
    const body = JSON.stringify([cameraBody(GATE_ID)]);
    expect((await ask("/configure/channels", ROOT_QUERY, { method: "POST", body })).status).toBe(400);
  });

  it.each([
    ["to no camera", "99999999-0000-4000-8000-000000000099", 400],
    ["to itself", GATE_ID, 400],
    ["to what is no id", 5, 400],
    ["to nothing that is said", undefined, 400],
  ])("are not given %s", async (_whom, id, status) => {
    expect((await give(id)).status).toBe(status);
  });

  it.each([
    ["of a configured camera", YARD_ID],
    ["of one that was never recorded", "99999999-0000-4000-8000-000000000099"],
    ["of what is no id", "gate"],
  ])("are not those %s", async (_whose, id) => {
    expect((await give(STORE_ID, ROOT_QUERY, id)).status).toBe(404);
  });

  it("are not given by who is no administrator", async () => {
    expect((await give(YARD_ID, "login=guard")).status).toBe(403);
  });
});

describe("while it is not known what is recorded, a former camera that is not found", () => {
  const LOST = "99999999-0000-4000-8000-000000000099";
  const span = `channelid=${LOST}&fromtime=${NINE}&totime=21.11.2026+09:00:01`;
  const times = { FromTime: "2026-11-21T09:00:00Z", ToTime: "2026-11-21T09:00:01Z" };
  const search = { Channel: LOST, From: times.FromTime, To: times.ToTime };

  beforeEach(() => {
    api.archive.fault = "recordings are being read into the index";
  });

  it.each([
    ["the list", "/api/archive/former"],
    ["/archivefragments", `/archivefragments?${span}`],
    ["/exportarchive", `/exportarchive?${span}`],
    ["findarchive", `/command?type=findarchive&channelid=${LOST}&searchtime=${NINE}`],
    ["/video", `/video?channelid=${LOST}&mode=archive&starttime=${NINE}`],
    ["/site", `/site?channelid=${LOST}&mode=archive&starttime=${NINE}`],
    ["/api/timeline", `/api/timeline?channels=${LOST}&from=${times.FromTime}&to=${times.ToTime}`],
    ["its protected times", `/api/channels/${LOST}/protected`],
    ["a search for motion", "/api/motionsearch", search],
    ["a bookmark", `/api/channels/${LOST}/bookmarks`, { Time: times.FromTime, Name: "van" }],
    ["a new protected time", `/api/channels/${LOST}/protected`, times],
    ["a camera with its id", "/configure/channels", [{ Id: LOST, Name: "Gate again" }]],
  ])("is no 404: %s is to be asked again", async (_what, path, body: unknown = undefined) => {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    expect((await ask(path, ROOT_QUERY, init)).status).toBe(503);
  });

  it("is not there for who may not watch its archive", async () => {
    expect((await ask(`/archivefragments?${span}`, "login=guard")).status).toBe(404);
  });
});
