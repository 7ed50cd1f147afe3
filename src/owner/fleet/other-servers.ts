import { maySeeFleet, type Principal } from "../../access/index.js";
import type { OtherServer, OtherServers } from "../../compat/index.js";
import type { BoxChannels, BoxState } from "../../fleet/index.js";
import type { BoxesControl } from "./fleet-control.js";

interface Remembered {
  readonly of: readonly BoxChannels[];
  readonly states: string;
  readonly servers: OtherServers;
}

/** The recorders of a hub as servers of its configuration, made anew only when something of them changes. */
export class FleetServers {
  readonly #boxes: () => BoxesControl | undefined;
  /** By what of their channels a user may watch. */
  readonly #remembered = new Map<string, Remembered>();

  constructor(boxes: () => BoxesControl | undefined) {
    this.#boxes = boxes;
  }

  /** Undefined: this is no hub, or the user may not know its recorders. */
  of(principal: Principal): OtherServers | undefined {
    const boxes = this.#boxes();
    if (boxes === undefined || !maySeeFleet(principal)) return undefined;
    const watches = watchedBy(principal);
    const { catalogue } = boxes;
    const states = boxes.boxes();
    const of = catalogue.boxes;
    const stateKey = JSON.stringify(states.map(({ id, name, silence }) => [id, name, silence === undefined]));
    const key = JSON.stringify(watches);
    const known = this.#remembered.get(key);
    if (known?.of === of && known.states === stateKey) return known.servers;
    const servers = { servers: serversOf(of, states, watches), revision: catalogue.revision };
    this.#remembered.set(key, { of, states: stateKey, servers });
    return servers;
  }
}

interface Watched {
  readonly realtime: boolean;
  readonly archive: boolean;
}

function watchedBy({ group }: Principal): Watched {
  const isAll = group.seniorAdministrators;
  return {
    realtime: isAll || group.realtimeChannels === "all",
    archive: isAll || group.archiveChannels === "all",
  };
}

/** By name; a recorder whose channels are not known yet has none. */
function serversOf(
  catalogue: readonly BoxChannels[],
  states: readonly BoxState[],
  { realtime, archive }: Watched,
): readonly OtherServer[] {
  const byBox = new Map(catalogue.map((box) => [box.boxId, box]));
  return states
    .toSorted((a, b) => a.name.localeCompare(b.name) || a.id.localeCompare(b.id))
    .map(({ id, name, silence }) => {
      const { channels = [], root } = byBox.get(id) ?? {};
      return {
        ...{ id, name, isConnected: silence === undefined },
        channels: channels.map((channel) => ({
          ...channel,
          AllowedRealtime: channel.AllowedRealtime && realtime,
          AllowedArchive: channel.AllowedArchive && archive,
        })),
        root: root ?? { Id: id, Name: name, ChildSecObjects: [], ChildChannels: [] },
      };
    });
}
