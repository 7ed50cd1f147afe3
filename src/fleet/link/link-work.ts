import { type Clock, Pace } from "../../base/index.js";
import { Dialer } from "./dialer.js";
import { Gate } from "./gate.js";
import type { HandedStorage } from "./handed-storage.js";
import { type HubPlaceName, PLACES_MAX, placeText } from "./hub-places.js";
import { IdentityCheck } from "./identity.js";
import { type BoxAbout, type FromLink, LINK_ROLES, type LinkTarget, type ToLink } from "./link-messages.js";
import { Notes } from "./notes.js";

export interface LinkWorkOptions {
  readonly post: (message: FromLink) => void;
  readonly random?: () => number;
  readonly clock: Clock;
}

/** What the thread of a link does: the connections of a box to its hubs, two to each, and what comes over them. */
export class LinkWork {
  readonly #options: LinkWorkOptions;
  readonly #pace: Pace;
  readonly #notes: Notes;
  #about: BoxAbout = { name: "", version: "", health: "" };
  #storage: HandedStorage | undefined;
  #gate: Gate | undefined;
  #target: LinkTarget | undefined;
  /** Of each hub, by its place. */
  readonly #dialers = new Map<string, readonly Dialer[]>();
  #hubs = "";

  constructor(options: LinkWorkOptions) {
    this.#options = options;
    const { clock } = options;
    this.#pace = new Pace(clock);
    this.#notes = new Notes({ onNote: (from, text) => options.post({ kind: "note", from, text }), clock });
  }

  take(message: ToLink): void {
    switch (message.kind) {
      case "start":
        this.#start(message.target);
        break;
      case "about":
        this.#about = message.about;
        break;
      case "storage":
        this.#storage = message.storage;
        break;
      case "limit":
        this.#pace.limit(message.bytesPerSecond);
        break;
      case "places":
        this.#connect(message.places);
        break;
      case "note":
        this.#notes.say(message.to, message.text);
        break;
      case "stop":
        this.#stop();
        break;
    }
  }

  #start(target: LinkTarget): void {
    this.#stop();
    const { clock } = this.#options;
    const { authority, boxId, socketPath } = target;
    const check = new IdentityCheck(authority, boxId, clock);
    this.#target = target;
    this.#gate = new Gate({
      ...{ check, socketPath, about: () => this.#about, pace: this.#pace, notes: this.#notes },
      storage: () => this.#storage,
      connections: LINK_ROLES.length * PLACES_MAX,
      onHubs: (hubs) => this.#reportHubs(hubs),
    });
    this.#connect(target.places);
  }

  /** Connects to these hubs, and to no others. */
  #connect(places: readonly HubPlaceName[]): void {
    const [target, gate] = [this.#target, this.#gate];
    if (target === undefined || gate === undefined) return;
    const wanted = new Map(places.map((place) => [placeText(place), place]));
    for (const [name, dialers] of this.#dialers) {
      if (wanted.has(name)) continue;
      for (const dialer of dialers) dialer.stop();
      this.#dialers.delete(name);
    }
    const { post, clock, random } = this.#options;
    for (const [name, place] of wanted) {
      if (this.#dialers.has(name)) continue;
      const dialers = LINK_ROLES.map(
        (role) =>
          new Dialer({
            ...{ target, place, role, gate, clock, ...(random === undefined ? {} : { random }) },
            onState: (state) => post({ kind: "state", place: name, role, state }),
          }),
      );
      this.#dialers.set(name, dialers);
      for (const dialer of dialers) dialer.start();
    }
  }

  /** Each hub says it again and again. */
  #reportHubs(hubs: readonly HubPlaceName[]): void {
    const text = hubs.map(placeText).sort().join(",");
    if (text === this.#hubs) return;
    this.#hubs = text;
    this.#options.post({ kind: "hubs", hubs });
  }

  #stop(): void {
    for (const dialers of this.#dialers.values()) for (const dialer of dialers) dialer.stop();
    this.#dialers.clear();
    this.#gate?.close();
    this.#gate = undefined;
    this.#target = undefined;
    this.#hubs = "";
  }
}
