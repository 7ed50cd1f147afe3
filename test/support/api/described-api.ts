import { GATE_ID, ROOT_MD5, STORE_ID, YARD_ID } from "./api-fakes.js";
import { archivedFrames, liveFrame } from "./api-frames.js";
import { type ApiHarness, startApi } from "./api-harness.js";

/** The credentials of the user that a described API stays open to, for HTTP Basic. */
export const BASIC_ROOT = `Basic ${Buffer.from(`root:${ROOT_MD5}`).toString("base64")}`;

/** An API with pictures, live and recorded, for programs that try whatever its description allows. */
export async function startDescribedApi(): Promise<ApiHarness> {
  const api = await startApi();
  for (const channelId of [GATE_ID, YARD_ID, STORE_ID])
    api.archive.record({ channelId, streamType: "Main" }, archivedFrames(2));
  for (const channelId of [GATE_ID, YARD_ID]) {
    api.streams.live(channelId).setState({ state: "active" });
    api.streams.live(channelId).publish(liveFrame(0, { key: true }));
  }
  // Such programs change passwords and remove users, and would then be refused everything.
  const root = await api.access.verify({
    login: "root",
    password: ROOT_MD5,
    userType: undefined,
    address: "127.0.0.1",
  });
  api.access.recall = () => root;
  return api;
}
