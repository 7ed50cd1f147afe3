import type { Guid } from "../../base/index.js";
import type { HandedStorage } from "./handed-storage.js";
import type { HubPlaceName } from "./hub-places.js";

/** What a box's link is made of. Keys and certificates in PEM. */
export interface LinkTarget {
  /** Hubs of one authority; each is connected to. */
  readonly places: readonly HubPlaceName[];
  /** The certificate of the hub's authority. */
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
  readonly boxId: Guid;
  /** Where the box's API takes requests of a hub: a unix socket. */
  readonly socketPath: string;
}

/** What a box reports to its hub. */
export interface BoxAbout {
  readonly name: string;
  readonly version: string;
  /** In a sentence; empty: not known yet. */
  readonly health: string;
  /** The same in figures; undefined: not known yet. */
  readonly figures?: BoxFigures | undefined;
  /** Of the configuration. */
  readonly revision?: number | undefined;
}

/** How a box does. */
export interface BoxFigures {
  readonly cameras: number;
  readonly camerasLost: number;
  readonly volumes: number;
  readonly volumesAtFault: number;
  readonly daysLeft: number | null;
  readonly problemCount: number;
  /** The worst of them. `code`: one of those of `/api/health`. */
  readonly problems: readonly {
    readonly code: string;
    readonly severity: "error" | "warning";
    readonly text: string;
  }[];
}

/** Two connections, so that pictures never delay a command. */
export const LINK_ROLES = ["commands", "media"] as const;
export type LinkRole = (typeof LINK_ROLES)[number];

/**
 * Why there is no connection. `foreign`: what answers is not the hub; `refused`: the hub does not take this box, because it was
 * removed there or its certificate has ended; `silent`: the hub does not answer any more.
 */
export type LinkProblem = "unreachable" | "foreign" | "refused" | "silent" | "ended" | "thread";

export interface LinkState {
  readonly isConnected: boolean;
  /** Undefined while connected, and before the first try. */
  readonly problem: LinkProblem | undefined;
  /** The error in words of the system; empty: none. */
  readonly detail: string;
}

/** To the link's thread. */
export type ToLink =
  | { readonly kind: "start"; readonly target: LinkTarget }
  | { readonly kind: "about"; readonly about: BoxAbout }
  /** What the hub may read of recordings off the box; undefined: nothing. */
  | { readonly kind: "storage"; readonly storage: HandedStorage | undefined }
  /** Undefined: as fast as it goes. */
  | { readonly kind: "limit"; readonly bytesPerSecond: number | undefined }
  /** Other hubs of the same authority; connections to those that stay go on. */
  | { readonly kind: "places"; readonly places: readonly HubPlaceName[] }
  /** To another box, by way of the hub. */
  | { readonly kind: "note"; readonly to: Guid; readonly text: string }
  | { readonly kind: "stop" };

/** From it. */
export type FromLink =
  | {
      readonly kind: "state";
      /** `host:port` of the hub. */
      readonly place: string;
      readonly role: LinkRole;
      readonly state: LinkState;
    }
  /** Where hubs are, as one of them says. */
  | { readonly kind: "hubs"; readonly hubs: readonly HubPlaceName[] }
  /** What another box says, as a hub tells it. */
  | { readonly kind: "note"; readonly from: Guid; readonly text: string };
