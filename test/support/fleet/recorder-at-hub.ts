import path from "node:path";
import type { HubAdmission } from "../../../src/access/index.js";
import type { BoxesControl } from "../../../src/owner/index.js";
import type { ApiSettings } from "../../../src/service/api/api-server.js";
import { type ApiHarness, startApi } from "../api/api-harness.js";
import { FleetBench, type FleetBox } from "./fleet-bench.js";

/** What the API of a hub has of its recorders. */
export function boxesOf({
  hub,
  rollout,
}: Pick<FleetBench, "hub"> & Pick<BoxesControl, "rollout">): BoxesControl {
  return {
    rollout,
    problem: undefined,
    catalogue: hub.catalogue,
    documents: hub.documents,
    boxes: () => hub.boxes(),
    box: (id) => hub.box(id),
    makeCode: () => hub.makeCode(),
    remove: (id) => hub.remove(id),
    place: (id, position) => hub.place(id, position),
    open: (id, request) => hub.open(id, request),
    liveHub: (id) => hub.liveHub(id),
    openLive: (id, by, request) => hub.openLive(id, by, request),
  };
}

/** A recorder's API and its hub's, connected as a recorder and its hub are. */
export class RecorderAtHub {
  readonly bench: FleetBench;
  readonly recorder: ApiHarness;
  readonly hub: ApiHarness;
  readonly box: FleetBox;

  private constructor(parts: Pick<RecorderAtHub, "bench" | "recorder" | "hub" | "box">) {
    this.bench = parts.bench;
    this.recorder = parts.recorder;
    this.hub = parts.hub;
    this.box = parts.box;
  }

  static async start({
    recorder: options = {},
    page,
    ceiling,
  }: {
    readonly recorder?: Parameters<typeof startApi>[0];
    readonly page: NonNullable<ApiSettings["page"]>;
    readonly ceiling: HubAdmission["ceiling"];
  }): Promise<RecorderAtHub> {
    const bench = await FleetBench.start();
    const recorder = await startApi(options);
    const box = await bench.joined({
      openDoor: async (directory) => {
        const door = path.join(directory, "api.sock");
        return { path: door, ...(await recorder.server.openHubDoor(door)) };
      },
    });
    recorder.access.admission = { hub: "hub.example:7443", ceiling, mayUpdate: false };
    const boxes = boxesOf(bench);
    const hub = await startApi({ boxes: () => boxes, settings: { page } });
    return new RecorderAtHub({ bench, recorder, hub, box });
  }

  /** The path at the hub of what the recorder has at `rest`. */
  below(rest: string): string {
    return `/boxes/${this.box.id}${rest}`;
  }

  async stop(): Promise<void> {
    await this.hub.stop();
    await this.recorder.stop();
    await this.bench.stop();
  }
}
