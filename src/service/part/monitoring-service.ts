import { isDeepStrictEqual } from "node:util";
import type { MonitoringPush, MonitoringState } from "../../alarm/index.js";
import { WEBHOOK_REACH_ANY, WEBHOOK_REACH_PUBLIC } from "../../alarm/index.js";
import type { Clock, Language, Log } from "../../base/index.js";
import type { EventLog } from "../../event/index.js";
import type { HealthMonitor } from "../../health/index.js";
import { healthObject, type MonitoringStates } from "../../owner/index.js";
import type { Settings } from "../../settings/index.js";
import type { Site, SiteStore } from "../../site/index.js";

export interface MonitoringServiceOptions {
  readonly settings: Pick<Settings, "webhookPrivateTargets">;
  readonly site: Pick<SiteStore, "current" | "onChange">;
  readonly events: Pick<EventLog, "raise">;
  readonly monitor: Pick<HealthMonitor, "figures">;
  readonly language: () => Language;
  readonly clock: Clock;
  readonly log: Log;
}

/** Follows the settings of the monitoring service. The room is loaded when they are on. */
export class MonitoringService implements MonitoringStates {
  readonly #options: MonitoringServiceOptions;
  #push: MonitoringPush | undefined;
  #following: Promise<void> = Promise.resolve();
  /** The settings that the push has; undefined: there is none. */
  #applied: unknown;
  #isStopped = false;

  constructor(options: MonitoringServiceOptions) {
    this.#options = options;
    options.site.onChange("monitoring", (site) => this.#follow(site));
  }

  get state(): MonitoringState | undefined {
    return this.#push?.state;
  }

  start(): void {
    this.#follow(this.#options.site.current);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#following;
    await this.#push?.stop();
    this.#push = undefined;
  }

  /** One change after the other; the newest counts. */
  #follow({ monitoring, server }: Site): void {
    const isOn = monitoring.isEnabled && monitoring.url !== "";
    const wanted = isOn ? { settings: monitoring, server } : undefined;
    if (isDeepStrictEqual(wanted, this.#applied)) return;
    this.#applied = wanted;
    this.#following = this.#following.then(async () => {
      await this.#push?.stop();
      this.#push = undefined;
      if (wanted === undefined || this.#applied !== wanted || this.#isStopped) return;
      const room = await import("../../alarm/index.js");
      const { settings, events, monitor, language, clock, log } = this.#options;
      this.#push = new room.MonitoringPush({
        ...{ ...wanted, events, clock, log: log.child({ part: "monitoring" }) },
        health: async () => healthObject(await monitor.figures(), language()),
        reach: settings.webhookPrivateTargets === "forbid" ? WEBHOOK_REACH_PUBLIC : WEBHOOK_REACH_ANY,
      });
      this.#push.start();
    });
  }
}
