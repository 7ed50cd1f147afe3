import type { Principal } from "../../access/index.js";
import type { Guid } from "../../base/index.js";
import type { EventNeeds, OtherServers, RecordingStates } from "../../compat/index.js";
import type {
  Documents,
  Hub,
  HubLimits,
  HubMembership,
  MembershipState,
  Partners,
  Rollout,
  StorageAccess,
} from "../../fleet/index.js";
import type { LiveNeeds } from "../live/index.js";
import type { PageNeeds } from "../page/index.js";

/** What of its off-site storage a recorder lets its hub read. */
export type StorageWish = Omit<StorageAccess, "place">;

/** The hub that this recorder belongs to. */
export interface HubControl {
  /** Undefined: it belongs to none. */
  readonly state: MembershipState | undefined;
  join(code: string, limits: HubLimits): ReturnType<HubMembership["join"]>;
  change(limits: HubLimits): Promise<void>;
  /**
   * Lets the hub read recordings off this recorder; undefined: no more. Rejects with NvrdError NOT_FOUND, and with BAD_REQUEST where the key
   * cannot read, or can do more.
   */
  handStorage(wish: StorageWish | undefined): Promise<void>;
  leave(): Promise<void>;
}

/** The recorders of this hub. */
export interface BoxesControl
  extends Pick<Hub, "boxes" | "box" | "makeCode" | "remove" | "place" | "open" | "liveHub" | "openLive"> {
  /** Their channels. */
  readonly catalogue: Pick<Hub["catalogue"], "boxes" | "revision" | "place">;
  /** Templates for their settings, and what they were before. */
  readonly documents: Documents;
  /** An update of many of them. */
  readonly rollout: Pick<Rollout, "state" | "bundle" | "receive" | "begin" | "end">;
  /** Why recorders cannot connect; undefined: they can. */
  readonly problem: string | undefined;
}

/** The recorders of the LAN that stand by this one. */
export interface PartnersControl extends Pick<Partners, "states" | "makeCode" | "join" | "leave"> {
  /** Why partners cannot reach this recorder; undefined: they can, or there are none. */
  readonly problem: string | undefined;
}

/** What partners do for each other's cameras. */
export interface ReserveStates {
  /** Of each partner whose cameras are kept here; `sinceUs`: since when some are recorded. */
  owners(): readonly {
    readonly ownerId: Guid;
    readonly cameras: readonly Guid[];
    readonly recorded: readonly Guid[];
    readonly sinceUs: number | undefined;
  }[];
  /** What it would be to record the cameras of all partners at once; undefined: there are none, or it is not known yet. */
  readonly forecast:
    | {
        readonly cameras: number;
        readonly bytesPerSecond: number | undefined;
        readonly daysNow: number | undefined;
        readonly daysThen: number | undefined;
        /** 0 to 1. */
        readonly busyThen: number | undefined;
        readonly limits: readonly ("disks" | "processor")[];
      }
    | undefined;
  /** Of each partner that stands in for cameras of this recorder. */
  reserves(): readonly {
    readonly reserveId: Guid;
    readonly cameras: readonly Guid[];
    readonly isKept: boolean;
    readonly problem: string | undefined;
  }[];
}

/** What a partner may use of a disk here, and what it does. */
export interface ReplicaShareState {
  readonly id: Guid;
  readonly name: string;
  /** 0: nothing more is taken. */
  readonly bytesMax: number;
  readonly usedBytes: number;
  readonly isPartner: boolean;
}

/** Replicas of other recorders' recordings on a disk of this one. */
export interface ReplicasControl {
  /** Where partners send; 0: nowhere now. */
  readonly port: number;
  /** Undefined: no share was given yet. */
  readonly volumeId: Guid | undefined;
  readonly problem: string | undefined;
  shares(): readonly ReplicaShareState[];
  /** Rejects with NvrdError NOT_FOUND, BAD_REQUEST, CONFLICT or NOT_AVAILABLE. */
  give(id: Guid, bytesMax: number, volumeId: Guid | undefined): Promise<void>;
  /** Deletes what is kept, and takes the share back. Rejects with NvrdError NOT_FOUND or NOT_AVAILABLE. */
  remove(id: Guid): Promise<void>;
}

/** What the routes of this topic work with. */
export type FleetNeeds = PageNeeds & EventNeeds & LiveNeeds & FleetParts;

interface FleetParts {
  readonly recording: RecordingStates;
  readonly hub: HubControl;
  /** Undefined: this is no hub. */
  readonly boxes: () => BoxesControl | undefined;
  readonly partners: PartnersControl;
  readonly reserve: ReserveStates;
  readonly replicas: ReplicasControl;
  /** Of a hub, as the user may see them. */
  readonly otherServers: (principal: Principal) => OtherServers | undefined;
}
