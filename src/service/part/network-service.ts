import type { Clock, ClockTimer, Log } from "../../base/index.js";
import {
  Network,
  type NetworkAct,
  type NetworkControl,
  networkKeeperClient,
} from "../../box/network/index.js";
import { EVENT_TYPES, type EventInput, type EventLog, type EventTypeName } from "../../event/index.js";
import { SystemFiles } from "../../health/index.js";
import type { Settings } from "../../settings/index.js";

export interface NetworkServiceOptions {
  readonly settings: Pick<Settings, "networkKeeper" | "listen">;
  readonly events: Pick<EventLog, "raise">;
  readonly clock: Clock;
  readonly log: Log;
}

/** The announcement starts programs: it waits until a slow box has started everything else. */
const ANNOUNCE_AFTER_MS = 30_000;

/** The box's own network: shows it, and passes changes to the network keeper. */
export class NetworkService {
  readonly #network: Network;
  readonly #clock: Clock;
  #announcing: ClockTimer | undefined;

  constructor({ settings, events, clock, log }: NetworkServiceOptions) {
    const { networkKeeper, listen } = settings;
    this.#clock = clock;
    this.#network = new Network({
      files: new SystemFiles(),
      keeper: networkKeeperClient(networkKeeper, clock),
      keeperSocket: networkKeeper,
      ...{ listen, clock, log },
      onAct: (act) => events.raise(actEvent(act)),
    });
  }

  get control(): NetworkControl {
    return this.#network;
  }

  async start(): Promise<void> {
    await this.#network.start();
  }

  /** The ports of the page; 0: off. */
  announceSoon({ httpPort, httpsPort }: { readonly httpPort: number; readonly httpsPort: number }): void {
    const port = httpPort === 0 ? httpsPort : httpPort;
    if (port === 0) return;
    const announced = { port, isSecure: httpPort === 0 };
    this.#announcing = this.#clock.setTimeout(
      () => void this.#network.announce(announced),
      ANNOUNCE_AFTER_MS,
    );
  }

  stop(): void {
    this.#announcing?.clear();
    this.#network.stop();
  }
}

const EVENT_OF: Readonly<Record<NetworkAct["kind"], EventTypeName>> = {
  trial: "networkTrial",
  confirmed: "networkChanged",
  back: "networkBack",
  box: "boxChanged",
};

/** The event for a change of the network, with its user. */
function actEvent({ kind, comment, by }: NetworkAct): EventInput {
  return {
    typeId: EVENT_TYPES[EVENT_OF[kind]].id,
    comment,
    ...(by === undefined ? {} : { initiator: { type: 1, id: by.id, name: by.name } }),
  };
}
