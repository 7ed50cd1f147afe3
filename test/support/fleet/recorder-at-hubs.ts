import { connect, createServer, type Server } from "node:net";
import path from "node:path";
import { MemorySiteStore } from "../api/api-fakes.js";
import { type ApiHarness, startApi } from "../api/api-harness.js";
import { until } from "../base/until.js";
import type { FleetBox } from "./fleet-bench.js";
import { noRollout } from "./no-rollout.js";
import { boxesOf } from "./recorder-at-hub.js";
import { siteOf } from "./recorders-at-hub.js";
import { SharedHubs } from "./shared-hubs.js";

/** A recorder that belongs to several hubs, each with its API; what leaves the recorder for them is counted. */
export class RecorderAtHubs {
  readonly bench: SharedHubs;
  readonly recorder: ApiHarness;
  readonly hubs: readonly ApiHarness[];
  readonly box: FleetBox;
  /** Bytes that its API has answered to all hubs. */
  bytes = 0;
  /** Connections that hubs have opened to it. */
  opened = 0;

  private constructor(parts: Pick<RecorderAtHubs, "bench" | "recorder" | "hubs" | "box">) {
    this.bench = parts.bench;
    this.recorder = parts.recorder;
    this.hubs = parts.hubs;
    this.box = parts.box;
  }

  static async start(count: number, cameras: Readonly<Record<string, string>>): Promise<RecorderAtHubs> {
    const hubs: ApiHarness[] = [];
    const bench = await SharedHubs.start(count, (at, live) => void hubs[at]?.server.servePeerLive(live));
    const recorder = await startApi({ site: new MemorySiteStore(siteOf("Warehouse", cameras)) });
    recorder.access.admission = { hub: "hub.example:7443", ceiling: "Look", mayUpdate: false };
    for (const hub of bench.hubs)
      hubs.push(
        await startApi({
          boxes: () => boxesOf({ hub, rollout: noRollout }),
          site: new MemorySiteStore(siteOf("Hub", {})),
        }),
      );
    const [first] = bench.hubs;
    if (first === undefined) throw new Error("there is no hub");
    let place: RecorderAtHubs | undefined;
    const box = await bench.joined(first, {
      about: () => ({
        ...{ name: "Warehouse", version: "1.2.3", health: "recording" },
        revision: recorder.site.current.revision,
      }),
      openDoor: async (directory) => {
        const door = path.join(directory, "api.sock");
        const opened = await recorder.server.openHubDoor(door);
        const counted = path.join(directory, "counted.sock");
        const server = await countingDoor(door, counted, (bytes) => {
          if (place !== undefined) place.bytes += bytes;
        });
        server.on("connection", () => {
          if (place !== undefined) place.opened += 1;
        });
        return {
          path: counted,
          stop: async () => {
            server.close();
            await opened.stop();
          },
        };
      },
    });
    place = new RecorderAtHubs({ bench, recorder, hubs, box });
    await until(
      "all hubs know its cameras",
      () => bench.hubs.every(({ catalogue }) => catalogue.boxes.length === 1),
      { seen: () => bench.hubs.map(({ catalogue }) => catalogue.boxes) },
    );
    return place;
  }

  async stop(): Promise<void> {
    for (const hub of this.hubs) await hub.stop();
    await this.recorder.stop();
    await this.bench.stop();
  }
}

async function countingDoor(from: string, to: string, count: (bytes: number) => void): Promise<Server> {
  const server = createServer((socket) => {
    const api = connect({ path: from });
    api.on("data", (chunk) => count(chunk.length));
    api.on("error", () => socket.destroy());
    socket.on("error", () => api.destroy());
    socket.once("close", () => api.destroy());
    api.pipe(socket);
    socket.pipe(api);
  });
  await new Promise<void>((resolve) => server.listen(to, resolve));
  return server;
}
