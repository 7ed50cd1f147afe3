import path from "node:path";
import type { HubAdmission } from "../../../src/access/index.js";
import type { Guid } from "../../../src/base/index.js";
import type { BoxFigures } from "../../../src/fleet/index.js";
import type { ApiSettings } from "../../../src/service/api/api-server.js";
import type { Site } from "../../../src/site/index.js";
import { camera, MemorySiteStore, sampleSite } from "../api/api-fakes.js";
import { type ApiHarness, startApi } from "../api/api-harness.js";
import { until } from "../base/until.js";
import { FleetBench, type FleetBox } from "./fleet-bench.js";
import { boxesOf } from "./recorder-at-hub.js";

/** A recorder of a hub. */
export interface RecorderOfHub {
  readonly api: ApiHarness;
  readonly box: FleetBox;
}

/** A configuration with these cameras alone, in the root folder. */
export function siteOf(
  name: string,
  cameras: Readonly<Record<Guid, string>>,
  positions: Readonly<Record<Guid, readonly [latitude: number, longitude: number]>> = {},
): Site {
  const sample = sampleSite();
  const ids = Object.keys(cameras);
  return {
    ...sample,
    server: { ...sample.server, name },
    cameras: ids.map((id) => {
      const [latitude = null, longitude = null] = positions[id] ?? [];
      return camera(id, cameras[id] ?? "", { latitude, longitude });
    }),
    groups: sample.groups.map((group) =>
      group.seniorAdministrators ? group : { ...group, realtimeChannels: [], archiveChannels: [] },
    ),
    rootSecurityObject: { ...sample.rootSecurityObject, children: [], channelIds: ids },
  };
}

/** A hub without cameras of its own, and recorders that belong to it, by their names. */
export class RecordersAtHub {
  readonly bench: FleetBench;
  readonly hub: ApiHarness;
  readonly recorders: ReadonlyMap<string, RecorderOfHub>;

  private constructor(bench: FleetBench, hub: ApiHarness, recorders: ReadonlyMap<string, RecorderOfHub>) {
    this.bench = bench;
    this.hub = hub;
    this.recorders = recorders;
  }

  static async start({
    cameras,
    positions = {},
    figures = {},
    page = "off",
    ceiling = "Look",
    mayUpdate = false,
    options = {},
  }: {
    /** Of each recorder, by its name. */
    readonly cameras: Readonly<Record<string, Readonly<Record<Guid, string>>>>;
    /** Of cameras that are on the map, in degrees. */
    readonly positions?: Readonly<Record<Guid, readonly [latitude: number, longitude: number]>>;
    /** What they say of themselves, by their names; may change. */
    readonly figures?: Readonly<Record<string, BoxFigures>>;
    readonly page?: NonNullable<ApiSettings["page"]>;
    readonly ceiling?: HubAdmission["ceiling"];
    readonly mayUpdate?: boolean;
    readonly options?: Parameters<typeof startApi>[0];
  }): Promise<RecordersAtHub> {
    const bench = await FleetBench.start();
    const recorders = new Map<string, RecorderOfHub>();
    for (const [name, own] of Object.entries(cameras)) {
      const api = await startApi({ ...options, site: new MemorySiteStore(siteOf(name, own, positions)) });
      api.access.admission = { hub: "hub.example:7443", ceiling, mayUpdate };
      const box = await bench.joined({
        about: () => ({
          ...{ name, version: "1.2.3", health: "recording", revision: api.site.current.revision },
          ...(figures[name] === undefined ? {} : { figures: figures[name] }),
        }),
        openDoor: async (directory) => {
          const door = path.join(directory, "api.sock");
          return { path: door, ...(await api.server.openHubDoor(door)) };
        },
      });
      recorders.set(name, { api, box });
    }
    const hub = await startApi({
      ...{ boxes: () => boxesOf(bench), settings: { page } },
      site: new MemorySiteStore(siteOf("Hub", {})),
    });
    const place = new RecordersAtHub(bench, hub, recorders);
    await until("the hub knows the cameras of all recorders", () => place.#knowsAll(), {
      seen: () => bench.hub.catalogue.boxes,
    });
    return place;
  }

  of(name: string): RecorderOfHub {
    const recorder = this.recorders.get(name);
    if (recorder === undefined) throw new Error(`there is no recorder ${name}`);
    return recorder;
  }

  /** GET at the hub as root: status, headers, and the value of its JSON. */
  async json<T>(
    asked: string,
  ): Promise<{ readonly status: number; readonly headers: Headers; readonly value: T }> {
    const answer = await this.hub.get(asked);
    return { status: answer.status, headers: answer.headers, value: (await answer.json()) as T };
  }

  async stop(): Promise<void> {
    await this.hub.stop();
    for (const { api } of this.recorders.values()) await api.stop();
    await this.bench.stop();
  }

  #knowsAll(): boolean {
    return this.bench.hub.catalogue.boxes.length === this.recorders.size;
  }
}
