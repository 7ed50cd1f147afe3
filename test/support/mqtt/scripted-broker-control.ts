import type { BrokerState } from "../../../src/contract/answer/index.js";
import type { MqttHealth } from "../../../src/health/index.js";
import type { BrokerControl } from "../../../src/owner/index.js";
import type { BrokerInConfiguration, SiteStore } from "../../../src/site/index.js";

/** The recorder at no broker; tries end as a test says. */
export class ScriptedBrokerControl implements BrokerControl {
  readonly health: MqttHealth | undefined;
  readonly urlOfFile: string | undefined;
  readonly tried: BrokerInConfiguration[] = [];
  /** Why the broker refuses; undefined: it accepts. */
  problem: string | undefined;
  readonly #site: Pick<SiteStore, "current">;

  constructor(site: Pick<SiteStore, "current">) {
    this.#site = site;
  }

  get source(): BrokerState["Source"] {
    return this.#site.current.broker === undefined ? "None" : "Configuration";
  }

  async try(broker: BrokerInConfiguration): Promise<void> {
    this.tried.push(broker);
    if (this.problem !== undefined) throw new Error(this.problem);
  }
}
