import type { OnvifDeviceState } from "../../../src/contract/answer/index.js";
import type { OnvifDeviceControl } from "../../../src/owner/index.js";
import type { SiteStore, User } from "../../../src/site/index.js";

/** Says of the configuration who may use the ONVIF device, which does not run. */
export class ScriptedDeviceControl implements OnvifDeviceControl {
  readonly isRunning = false;
  /** Names of the users whose password is known. */
  readonly ready = new Set<string>();
  readonly #site: Pick<SiteStore, "current">;

  constructor(site: Pick<SiteStore, "current">) {
    this.#site = site;
  }

  get source(): OnvifDeviceState["Source"] {
    return this.#site.current.onvifDevice === undefined ? "None" : "Configuration";
  }

  isFor(userName: string): boolean {
    const { onvifDevice } = this.#site.current;
    return onvifDevice?.isForAllUsers === true || onvifDevice?.userNames.includes(userName) === true;
  }

  isReady({ name }: User): boolean {
    return this.ready.has(name);
  }
}
