import * as v from "valibot";
import { hubUser } from "../../contract/index.js";
import { GUID_PATTERN, readerOfValue } from "../../contract/reading/index.js";
import { keptKind } from "../../kept/index.js";
import { BOXES_MAX } from "../hub/box-keeping.js";
import type { HubUser } from "../link/identity.js";

export const GROUPS_MAX = 100;
const PROBLEMS_MAX = 32;
const FOLDER_MODE = 0o700;

/** What becomes of one box. */
export const ROLLOUT_STEPS = [
  /** Its group's turn has not come. */
  "waiting",
  /** The bundle is on its way. */
  "sending",
  /** The box installs it, restarts, and tries it. */
  "installing",
  /** It has kept it, and is looked at for a while. */
  "watched",
  "done",
  /** Nothing was tried: it was not there, or does not let the hub. */
  "skipped",
  "failed",
] as const;
export type RolloutStep = (typeof ROLLOUT_STEPS)[number];

const text = (lengthMax: number) => v.pipe(v.string(), v.maxLength(lengthMax));
const time = v.pipe(v.number(), v.finite());
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

const box = v.object({
  id: v.pipe(v.string(), v.regex(new RegExp(GUID_PATTERN))),
  step: v.picklist(ROLLOUT_STEPS),
  /** Why it has come so far and no further; empty: no reason. */
  reason: text(500),
  /** When the step began, Unix µs. */
  sinceUs: time,
  /** How it did before; absent: it was not looked at, or does not say. */
  before: v.optional(
    v.object({
      camerasLost: count,
      volumesAtFault: count,
      errors: v.pipe(v.array(text(64)), v.maxLength(PROBLEMS_MAX)),
    }),
  ),
});

/** `running`: boxes are being updated; `stopped`: one has failed, or somebody has stopped it; `done`: all groups have had their turn. */
const PHASES = ["running", "stopped", "done"] as const;

export const rolloutSchema = v.object({
  phase: v.picklist(PHASES),
  reason: text(500),
  /** The bundle's version, as the first box said; null: none has yet. */
  version: v.nullable(text(64)),
  bytes: count,
  /** The bundle's SHA-256, hexadecimal. */
  sha256: text(64),
  watchMinutes: count,
  startedUs: time,
  /** In whose name. */
  by: v.custom<HubUser>((value) => v.is(readerOfValue(hubUser), value)),
  groups: v.pipe(v.array(v.pipe(v.array(box), v.maxLength(BOXES_MAX))), v.maxLength(GROUPS_MAX)),
});

export const ROLLOUT_KIND = keptKind({
  name: "rollout.json",
  folder: "hub/",
  says: "an update that this hub rolls out to its recorders",
  policy: "forget",
  damaged:
    "what was being rolled out is damaged: it is not gone on with; recorders that have the update keep it",
  folderMode: FOLDER_MODE,
  schema: rolloutSchema,
});

export type KeptRollout = v.InferOutput<typeof rolloutSchema>;
export type RolloutBox = KeptRollout["groups"][number][number];
