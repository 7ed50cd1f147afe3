import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StreamRole } from "../../src/site/index.js";
import { GATE_ID, rights } from "../support/api/api-fakes.js";
import { archivedFrames, NINE_US } from "../support/api/api-frames.js";
import { type ApiHarness, startApi } from "../support/api/api-harness.js";
import { timeText } from "../support/api/exported-archive.js";

/** Recordings of a channel whose main stream the user may not receive. */

let api: ApiHarness;

beforeEach(async () => {
  api = await startApi();
  api.archive.record({ channelId: GATE_ID, streamType: "Main" }, archivedFrames(50, NINE_US));
});
afterEach(async () => {
  await api.stop();
});

/** Gives the archive to a stream, and the guard the right to Main or not. */
async function set(archived: "Main" | "Alternative", canReceiveMain: boolean): Promise<void> {
  const roles = (type: string): readonly StreamRole[] => (type === archived ? ["Archive"] : []);
  await api.site.change((site) => ({
    ...site,
    groups: site.groups.map((group) => {
      if (group.seniorAdministrators) return group;
      const own = rights({ CanReceiveMainStream: canReceiveMain, CanUseArchiveExport: true });
      return { ...group, rights: own, archiveChannels: [GATE_ID] };
    }),
    cameras: site.cameras.map((camera) => {
      if (camera.id !== GATE_ID) return camera;
      const { streams } = camera.connection;
      const Main = { ...streams.Main, roles: roles("Main") };
      const Alternative = { ...streams.Alternative, enabled: true, roles: roles("Alternative") };
      return { ...camera, connection: { ...camera.connection, streams: { ...streams, Main, Alternative } } };
    }),
  }));
}

const PATHS = [
  ["/video", `/video?mode=archive&starttime=${timeText(0)}`],
  ["/exportarchive", `/exportarchive?fromtime=${timeText(0)}&totime=${timeText(5)}`],
] as const;

const status = async (path: string): Promise<number> => {
  const stop = new AbortController();
  const answer = await fetch(api.url(`${path}&login=guard&channelid=${GATE_ID}`), { signal: stop.signal });
  stop.abort();
  return answer.status;
};

describe.each(PATHS)("%s of all that is recorded", (_, path) => {
  it("is refused where the main stream is the one that is archived", async () => {
    await set("Main", false);
    expect(await status(path)).toBe(403);
  });

  it("leaves the main stream out where another one is archived now", async () => {
    await set("Alternative", false);
    expect(await status(path)).toBe(404);
  });

  it("has the main stream with the right", async () => {
    await set("Alternative", true);
    expect(await status(path)).toBe(200);
  });
});
