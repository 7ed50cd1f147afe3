import path from "node:path";
import { type Clock, NvrdError, replaceSmallFile } from "../../base/index.js";
import type { RunHistory } from "../../health/index.js";
import type { Restarted, Restarts } from "../../owner/index.js";
import { UPDATE_INBOX } from "../shared/index.js";

/** The answer is on its way before the service stops. */
const AFTER_MS = 500;
/** Watched by `nvrd-reboot.path` of the image. */
const REBOOT_REQUEST = "reboot-requested";

export interface RestartsOptions {
  readonly dataDir: string;
  /** The image has units of root that restart the box; undefined elsewhere. */
  readonly updateDir: string | undefined;
  readonly runs: Pick<RunHistory, "expectEnd">;
  readonly clock: Clock;
}

/** Restarts that administrators ask for: the service ends in order, and whoever runs it starts it again. */
export class ServiceRestarts implements Restarts {
  readonly #options: RestartsOptions;
  #begin: () => void = () => undefined;
  /** Resolves when the service is to be stopped and started again. */
  readonly asked = new Promise<void>((resolve) => {
    this.#begin = resolve;
  });

  constructor(options: RestartsOptions) {
    this.#options = options;
  }

  get canRestartBox(): boolean {
    return this.#options.updateDir !== undefined;
  }

  async ask(what: Restarted, by: string): Promise<void> {
    const { clock, dataDir, runs } = this.#options;
    if (what === "Box" && !this.canRestartBox)
      throw new NvrdError("NOT_SUPPORTED", "this box is not restarted by the recorder", {
        hint: "restart the machine by its own means",
      });
    // Where the request cannot be written, the service goes on: no end is expected.
    if (what === "Box") await replaceSmallFile(path.join(dataDir, UPDATE_INBOX, REBOOT_REQUEST), `${by}\n`);
    runs.expectEnd("stopped", `restart requested by ${by}`);
    if (what === "Recorder") clock.setTimeout(() => this.#begin(), AFTER_MS);
  }
}
