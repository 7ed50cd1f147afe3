import { type Clock, Pace } from "../../base/index.js";
import { Dialer } from "./dialer.js";
import { Gate } from "./gate.js";
import { IdentityCheck } from "./identity.js";
import { type BoxAbout, type FromLink, LINK_ROLES, type LinkTarget, type ToLink } from "./link-messages.js";

export interface LinkWorkOptions {
  readonly tell: (message: FromLink) => void;
  readonly random?: () => number;
  readonly clock: Clock;
}

/** What the thread of a link does: both connections of a box to its hub, and what comes over them. */
export class LinkWork {
  readonly #options: LinkWorkOptions;
  readonly #pace: Pace;
  #about: BoxAbout = { name: "", version: "", health: "" };
  #gate: Gate | undefined;
  #dialers: readonly Dialer[] = [];

  constructor(options: LinkWorkOptions) {
    this.#options = options;
    this.#pace = new Pace(options.clock);
  }

  take(message: ToLink): void {
    switch (message.kind) {
      case "start":
        this.#start(message.target);
        break;
      case "about":
        this.#about = message.about;
        break;
      case "limit":
        this.#pace.limit(message.bytesPerSecond);
        break;
      case "stop":
        this.#stop();
        break;
    }
  }

  #start(target: LinkTarget): void {
    this.#stop();
    const { tell, clock, random } = this.#options;
    const { authority, boxId, socketPath } = target;
    const check = new IdentityCheck(authority, boxId, clock);
    const gate = new Gate({ check, socketPath, about: () => this.#about, pace: this.#pace });
    this.#gate = gate;
    this.#dialers = LINK_ROLES.map(
      (role) =>
        new Dialer({
          ...{ target, role, gate, clock, ...(random === undefined ? {} : { random }) },
          onState: (state) => tell({ kind: "state", role, state }),
        }),
    );
    for (const dialer of this.#dialers) dialer.start();
  }

  #stop(): void {
    for (const dialer of this.#dialers) dialer.stop();
    this.#dialers = [];
    this.#gate?.close();
    this.#gate = undefined;
  }
}
