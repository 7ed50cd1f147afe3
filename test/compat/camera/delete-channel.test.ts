import { describe, expect, it } from "vitest";
import { RTSP_MODEL } from "../../../src/camera/index.js";
import { EVENT_TYPES } from "../../../src/event/index.js";
import { withoutCameras } from "../../../src/site/index.js";
import {
  camera,
  GATE_ID,
  GUARDS_ID,
  guardsGroup,
  OUTSIDE_FOLDER_ID,
  rights,
  SERVER_ID,
  YARD_ID,
} from "../../support/api/api-fakes.js";
import { archivedFrames } from "../../support/api/api-frames.js";
import { startApi } from "../../support/api/api-harness.js";
import { sendJson } from "../../support/api/camera-requests.js";
import { forEachTest } from "../../support/base/for-tests.js";

const api = forEachTest(() => startApi());

const remove = (id: string, query = "") => sendJson(api, "DELETE", `/configure/channels/${id}${query}`);

describe("DELETE /configure/channels/{id}", () => {
  it("takes the camera out of configuration, tree and groups, and leaves its recordings", async () => {
    expect(await remove(YARD_ID)).toEqual({
      status: 200,
      json: { DeletedObjectsIds: [YARD_ID] },
      etag: '"8"',
    });
    expect(JSON.stringify(api.site.current)).not.toContain(YARD_ID);
    expect(api.site.current.cameras.map(({ id }) => id)).toContain(GATE_ID);
    expect(api.archive.deletedChannels).toEqual([]);
    expect((await api.get(`/configure/channels/${YARD_ID}`)).status).toBe(404);
    expect((await remove(YARD_ID)).status).toBe(404);
  });

  it("with archive=delete removes the recordings too", async () => {
    expect((await remove(GATE_ID, "?archive=DELETE")).status).toBe(200);
    expect(api.archive.deletedChannels).toEqual([GATE_ID]);
    expect(api.events.raised).toMatchObject([
      {
        typeId: EVENT_TYPES.archiveDeleted.id,
        channelId: GATE_ID,
        channelName: "Gate",
        initiator: { name: "root" },
      },
    ]);
  });

  it("with archive=delete removes the recordings of a camera that is gone already, once", async () => {
    api.archive.record({ channelId: GATE_ID, streamType: "Main" }, archivedFrames(1));
    expect((await remove(GATE_ID)).status).toBe(200);
    const { revision } = api.site.current;
    expect((await remove(GATE_ID, "?archive=delete")).status).toBe(200);
    expect(api.archive.deletedChannels).toEqual([GATE_ID]);
    expect(api.site.current.revision).toBe(revision);
    expect((await remove(GATE_ID, "?archive=delete")).status).toBe(404);
  });

  it.each([
    [OUTSIDE_FOLDER_ID, "", 404],
    ["gate", "", 404],
    [GATE_ID, "?archive=burn", 400],
    [GATE_ID, "?revision=6", 409],
  ])("of %s%s is %i and changes nothing", async (id, query, status) => {
    const before = api.site.current;
    const answer = await remove(id, query);
    expect([answer.status, api.site.current]).toEqual([status, before]);
    expect(answer.json).toHaveProperty("ErrorMessage");
    expect(api.archive.deletedChannels).toEqual([]);
  });
});

describe("a new camera", () => {
  const add = () =>
    sendJson(api, "POST", "/configure/channels", [
      {
        ServerBindingsSettings: { OwnerServerId: SERVER_ID },
        ConnectionSettings: { ModelId: RTSP_MODEL.id, Hostname: "rtsp://192.0.2.9/" },
      },
    ]);

  it.each([true, false])(
    "is in the lists of a group whose right CanAccessNewCamera is %s: so",
    async (may) => {
      const group = guardsGroup({ rights: rights({ CanAccessNewCamera: may }) });
      await api.site.change((site) => ({ ...site, groups: [...site.groups.slice(0, 1), group] }));
      const [id] = (await add()).json.CreatedObjectsIds as string[];
      const guards = api.site.current.groups.find((candidate) => candidate.id === GUARDS_ID);
      expect(guards?.realtimeChannels.includes(id ?? "")).toBe(may);
      expect(guards?.archiveChannels.includes(id ?? "")).toBe(may);
    },
  );

  it("is refused when there are 256 already", async () => {
    const cameras = Array.from({ length: 256 }, (_, index) =>
      camera(`22222222-0000-4000-8000-${String(index + 100).padStart(12, "0")}`, `Camera ${index}`),
    );
    await api.site.change((site) => {
      const none = withoutCameras(
        site,
        site.cameras.map(({ id }) => id),
      );
      return { ...none, cameras };
    });
    const { status, json } = await add();
    expect([status, json.ErrorMessage]).toEqual([
      400,
      expect.stringContaining("257 cameras, 256 are possible"),
    ]);
    expect(api.site.current.cameras).toHaveLength(256);
  });
});
