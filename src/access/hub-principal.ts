import { createHash } from "node:crypto";
import type { HubCeiling } from "../contract/index.js";
import { GROUP_RIGHTS, type GroupRight, LOCKED_SECRET, type User, type UserGroup } from "../site/index.js";
import { guidOfHash } from "./guid-of-hash.js";
import type { HubAdmission, HubUser, Principal } from "./types.js";

const LOOK: readonly GroupRight[] = [
  ...(["CanReceiveSound", "CanAccessReports", "CanGetTranscodedVideoFromMobileServer"] as const),
  ...(["CanAccessVideoViaWeb", "CanAccessVideoViaSmartTV", "CanExportVideoToAvi"] as const),
  ...(["CanUseArchiveExport", "CanReceiveMainStream", "CanAccessUnifiedLog", "CanAccessSearch"] as const),
  ...(["CanBrowsingVideowall", "CanAccessPlans", "CanAccessGis"] as const),
];
const OPERATE: readonly GroupRight[] = [
  ...LOOK,
  ...(["CanPTZ", "CanTransmitSound", "CanManageRec", "CanChangeChannelMode", "CanRunUserScenarios"] as const),
  ...(["CanAccessArchiveMarks", "CanAccessEditingAnalystPluginsInClient"] as const),
];
/** What no user of another place has here: a password, and a telephone. */
const NEVER: readonly GroupRight[] = ["CanChangePassword", "CanReceiveMobilePush"];

/** What each ceiling leaves of the rights that a user has at the hub. */
const RIGHTS_WITHIN: Readonly<Record<HubCeiling, ReadonlySet<GroupRight>>> = {
  Look: new Set(LOOK),
  Operate: new Set(OPERATE),
  Everything: new Set(GROUP_RIGHTS.filter((right) => !NEVER.includes(right))),
};

/** Who asks through a hub: what the hub lets the user do, and of that what the owner of this recorder lets the hub do. */
export class HubPrincipal implements Principal {
  readonly user: User;
  readonly group: UserGroup;
  readonly isOfHub = true;
  readonly mayOnlyLook: boolean;
  readonly mayUpdate: boolean;
  readonly #realtime: boolean;
  readonly #archive: boolean;

  constructor(user: HubUser, { hub, ceiling, mayUpdate }: HubAdmission) {
    this.mayUpdate = mayUpdate && user.IsAdministrator;
    this.mayOnlyLook = ceiling === "Look";
    const within = RIGHTS_WITHIN[ceiling];
    const isAll = user.IsAdministrator && ceiling === "Everything";
    const has = (right: GroupRight): boolean =>
      right === "IsAllForbidden"
        ? user.Rights.includes(right) && !user.IsAdministrator
        : (user.IsAdministrator || user.Rights.includes(right)) && within.has(right);
    const rights = Object.fromEntries(
      GROUP_RIGHTS.map((right) => [right, has(right)]),
    ) as UserGroup["rights"];
    const isOpen = !rights.IsAllForbidden;
    this.#realtime = isOpen && (user.Realtime || user.IsAdministrator);
    this.#archive = isOpen && (user.Archive || user.IsAdministrator);
    // Never an id of this recorder's own users, whatever the hub says.
    const id = guidOfHash(createHash("sha256").update(`${hub} ${user.Id}`).digest());
    this.user = { id, name: `${user.Name} @ ${hub}`, groupId: id, secret: LOCKED_SECRET };
    this.group = {
      ...{ id, name: `${user.Group} @ ${hub}`, comment: null, seniorAdministrators: isAll, rights },
      ...{ ptzPriority: "Low", gridTypes: [], directoryGroups: [] },
      realtimeChannels: this.#realtime ? "all" : [],
      archiveChannels: this.#archive ? "all" : [],
    };
  }

  mayWatchRealtime(): boolean {
    return this.#realtime;
  }

  mayWatchArchive(): boolean {
    return this.#archive;
  }

  maySee(): boolean {
    return this.#realtime || this.#archive;
  }
}
