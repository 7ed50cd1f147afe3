import type { Principal } from "../../access/index.js";
import type { AcmeCertificates, NameReachOptions, OpenChallenges } from "../../acme/index.js";
import type { CheckProgress, CheckReport } from "../../archive/index.js";
import { type Clock, type ClockKnowledge, NvrdError } from "../../base/index.js";
import type { StorageControl } from "../../box/storage/index.js";
import type { DeviceDirectory, StreamTrials } from "../../camera/index.js";
import type { TaskKind } from "../../contract/answer/index.js";
import type { Group } from "../../contract/index.js";
import { notesOf, readerOfValue } from "../../contract/reading/index.js";
import {
  type JsonSchema,
  type RequestContext,
  type ServerReach,
  schemaOfBody,
  withNotes,
} from "../../route/index.js";
import type { SiteStore } from "../../site/index.js";
import type { Task, TaskOwner, Tasks } from "../../task/index.js";
import type { FileNeeds } from "../file/index.js";
import type { TalkNeeds } from "../talk/index.js";
import type { CameraPictures } from "./camera-pictures.js";

/** Compares the index of recordings with the recordings. */
export interface ArchiveChecks {
  check(options: {
    /** Repair the index. */
    readonly rebuild: boolean;
    /** Read every byte. */
    readonly deep: boolean;
    readonly onProgress: (progress: CheckProgress) => void;
    readonly signal: AbortSignal;
  }): Promise<CheckReport>;
}

/** Certificates of HTTPS from an authority on the network. */
export interface AcmePlace {
  /** Undefined: HTTPS is off, or the settings name the files of its certificate. */
  readonly acme: AcmeCertificates | undefined;
  /** What the authority is answered over plain HTTP. */
  readonly challenges: OpenChallenges;
  /** Where names are looked at, unless as an authority does. */
  readonly nameReach?: Pick<NameReachOptions, "port" | "lookup">;
}

/** What the routes of this topic work with. */
export interface TaskNeeds extends FileNeeds, Pick<TalkNeeds, "announcements" | "openStreams"> {
  readonly tasks: Tasks;
  readonly site: SiteStore;
  readonly devices: DeviceDirectory;
  readonly streamTrials: Pick<StreamTrials, "try">;
  /** Pictures of cameras that are tried. */
  readonly cameraPictures: CameraPictures;
  readonly storage: StorageControl;
  readonly archiveChecks: ArchiveChecks;
  readonly certificates: AcmePlace;
  /** The ports in use. */
  readonly reach: ServerReach;
  readonly wallClock: Pick<ClockKnowledge, "isKnown">;
  /** Type of the licence: the configuration API needs Enterprise or Ultra. */
  readonly productType: string;
  readonly clock: Clock;
}

/** How a kind of task is started. */
export interface StartableKind {
  readonly kind: TaskKind;
  /** The body besides `Kind`. */
  readonly body: JsonSchema;
  /** Who may start it, in words. */
  readonly access: string;
  readonly start: (context: RequestContext<TaskNeeds>) => Task | Promise<Task>;
}

/** The description of a body that starts work. */
export function bodyOfOrder(order: Group, texts: Parameters<typeof notesOf>[1]): JsonSchema {
  return withNotes(schemaOfBody(readerOfValue(order)), notesOf(order.members, texts));
}

export function ownerOf({ user }: Principal): TaskOwner {
  return { id: user.id, name: user.name };
}

/** Administrators see all tasks, others their own. */
export function maySee({ user, group }: Principal, task: Task): boolean {
  return group.seniorAdministrators || task.owner?.id === user.id;
}

/** Throws NvrdError FORBIDDEN unless the user is a senior administrator. */
export function requireSenior({ group }: Principal): void {
  if (group.seniorAdministrators) return;
  throw new NvrdError("FORBIDDEN", "this is for the group of senior administrators");
}
