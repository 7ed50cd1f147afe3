import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { GATE_ID } from "../../support/api/api-fakes.js";
import { type ApiHarness, startApi, until } from "../../support/api/api-harness.js";
import { LiveSocketClient } from "../../support/api/live-socket-client.js";
import { pictures } from "../../support/hls/hls-frames.js";

const TILE = { width: 640, height: 360 };

let api: ApiHarness;
const clients: LiveSocketClient[] = [];

beforeEach(async () => {
  api = await startApi();
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await api.stop();
});

async function connect(): Promise<LiveSocketClient> {
  const client = new LiveSocketClient(api.port);
  clients.push(client);
  await client.greet();
  return client;
}

describe("watching over the live socket", () => {
  it("sends the stream, an init segment, and each picture as a fragment", async () => {
    const gate = api.streams.live(GATE_ID);
    gate.setState({ state: "active" });
    const client = await connect();
    client.say({ type: "watch", id: 7, channel: GATE_ID, tile: TILE });
    await until("a viewer", () => gate.atOnce === 1);
    for (const frame of pictures(30)) gate.publish(frame);
    await until("all pictures", () => client.pictures().length === 30);
    const [stream] = client.of("stream");
    expect(stream).toMatchObject({ id: 7, source: "main", width: 160, height: 120, sound: false });
    expect(client.pictures(stream?.feed).map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 30 }, (_, at) => at + 1),
    );
  });
});
