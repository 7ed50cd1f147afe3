import * as v from "valibot";
import { SEEN_KINDS, STREAM_TYPES } from "../../base/index.js";
import {
  channelIds,
  GROUP_RIGHTS,
  GROUPS_MAX,
  group,
  SECURITY_OBJECT_DEPTH_MAX,
  USERS_MAX,
  without,
} from "../../contract/index.js";
import {
  between,
  degrees,
  flag,
  guid,
  line,
  list,
  name,
  oneOf,
  storedAllOr,
  storedEntries,
  storedValue,
  text,
  whole,
} from "../../contract/reading/index.js";
import type { SecurityObject, Site } from "../model/model.js";
import { SITE_LIMITS } from "../model/site-limits.js";
import { siteSettingsEntries } from "./site-settings-schema.js";
import { weeklySchedule } from "./week-schema.js";

/**
 * The schema of a configuration, checked for each change and when read from disk, where it is as untrusted as any input.
 * Messages say what is accepted and never contain the value, because some values are passwords.
 */

/** `scrypt$N$r$p$salt$hash` with salt and hash in base64url, or `locked` (see model.ts). */
const SECRET_PATTERN = /^(?:locked|scrypt\$\d{1,8}\$\d{1,3}\$\d{1,3}\$[\w-]{16,64}\$[\w-]{32,128})$/;

const streamSettings = v.strictObject({
  enabled: flag,
  format: oneOf(["MJPEG", "MPEG4_Part2", "H264", "Hevc"]),
  additionalParams: line(SITE_LIMITS.additionalParamsLengthMax),
  rotationMode: oneOf(["None", "By90ClockwiseDegree", "By90AntiClockwiseDegree", "By180Degree"]),
  roles: list(oneOf(["Archive", "VideoAnalysis", "DesktopClient", "MobileClient"]), 4, "roles"),
  profileToken: v.exactOptional(line(SITE_LIMITS.profileTokenLengthMax)),
});

const port = whole(1, 65_535);
const motionSeconds = whole(SITE_LIMITS.motionSecondsMin, SITE_LIMITS.motionSecondsMax);
const frameRate = between(0, SITE_LIMITS.frameRateMax);
const keptJson = v.nullable(
  v.pipe(
    line(SITE_LIMITS.keptJsonLengthMax),
    v.check((value) => isJson(value), "accepted: JSON"),
  ),
);

/** Null: the default. */
const seenKinds = v.nullable(list(oneOf(SEEN_KINDS), SEEN_KINDS.length, "kinds"));

const storedSettings = v.strictObject({
  connection: v.strictObject({
    ipv6Enabled: flag,
    ioProcessingEnabled: flag,
    soundTransmittingEnabled: flag,
    directNetworkConnectionEnabled: flag,
    gpuClientDecodingEnabled: flag,
    alternativeDecoderEnabled: flag,
    secureConnectionOnly: flag,
    redirectsAnywhere: v.exactOptional(flag),
    soundVolume: whole(0, SITE_LIMITS.soundVolumeMax),
    multiChannelServerEnabled: v.exactOptional(flag),
    multiChannelServerChannelNumber: whole(0, SITE_LIMITS.multiChannelServerChannelsMax),
    externalPorts: list(
      v.strictObject({ integratedPort: port, externalPort: port }),
      SITE_LIMITS.externalPortsMax,
      "ports",
    ),
  }),
  archive: v.strictObject({
    preMotionSeconds: motionSeconds,
    postMotionSeconds: motionSeconds,
    frameRateLimitEnabled: flag,
    frameRateLimit: frameRate,
    deviceArchiveEnabled: flag,
    deviceArchiveSynchronizationEnabled: flag,
  }),
  analyze: v.strictObject({
    motionDetectorEnabled: flag,
    motionDetector: v.nullable(
      v.strictObject({
        cameraDetectorEnabled: flag,
        startAndEndEventsEnabled: flag,
        independentFramesOnly: flag,
        customFrameRateEnabled: flag,
        customFrameRate: frameRate,
        zonesJson: keptJson,
      }),
    ),
    faceDetectorEnabled: flag,
    faceDetectorMode: oneOf(["Basic", "OptimizedQuality"]),
    interactiveSearchEnabled: flag,
    interactiveSearchJson: keptJson,
    cameraEvents: v.exactOptional(v.strictObject({ marked: seenKinds, recorded: seenKinds })),
  }),
  servers: v.exactOptional(
    v.strictObject({ reservedServerId: v.nullable(guid), replicationServerId: v.nullable(guid) }),
  ),
});

const camera = v.strictObject({
  id: guid,
  name,
  description: text(SITE_LIMITS.commentLengthMax),
  disabled: flag,
  ownerServerId: guid,
  connection: v.strictObject({
    modelId: guid,
    hostname: line(SITE_LIMITS.hostnameLengthMax),
    login: line(SITE_LIMITS.cameraLoginLengthMax),
    password: line(SITE_LIMITS.cameraPasswordLengthMax),
    soundReceivingEnabled: flag,
    ptzEnabled: flag,
    streams: v.strictObject(v.entriesFromList(STREAM_TYPES, streamSettings)),
    findStreams: v.exactOptional(flag),
    deviceIdentity: v.exactOptional(line(SITE_LIMITS.deviceIdentityLengthMax)),
  }),
  archive: v.strictObject({
    archivingDisabled: flag,
    archivingMode: oneOf(["AlwaysOn", "OnlyManual", "BySchedule", "MDandManual"]),
    archivingSoundDisabled: flag,
    minDays: whole(0, SITE_LIMITS.archiveDaysMax),
    maxDays: whole(0, SITE_LIMITS.archiveDaysMax),
    schedule: v.exactOptional(weeklySchedule),
  }),
  latitude: v.nullable(degrees(90)),
  longitude: v.nullable(degrees(180)),
  azimuth: v.exactOptional(between(0, 360, "degrees")),
  onMap: v.exactOptional(flag),
  kept: v.exactOptional(storedSettings),
});

/** One level; `v.lazy` recurses. The depth is checked before (see `isTooDeep`), so that no document exhausts the stack. */
const securityObject: v.GenericSchema<SecurityObject> = v.strictObject({
  id: guid,
  name: v.nullable(line(SITE_LIMITS.nameLengthMax)),
  children: v.pipe(v.array(v.lazy(() => securityObject)), v.readonly()),
  channelIds: storedValue(channelIds),
});

const storedGroup = v.strictObject({
  id: guid,
  ...storedEntries(without(group, "Rights", "ChannelsAccessOptions")),
  rights: v.strictObject(v.entriesFromList(GROUP_RIGHTS, flag)),
  realtimeChannels: storedAllOr(channelIds, "channel ids"),
  archiveChannels: storedAllOr(channelIds, "channel ids"),
});

const user = v.strictObject({
  id: guid,
  name,
  groupId: guid,
  secret: v.nullable(
    v.pipe(
      v.string("accepted: a stored secret, or null"),
      v.maxLength(SITE_LIMITS.secretLengthMax, "accepted: a stored secret, or null"),
      v.regex(SECRET_PATTERN, "accepted: a stored secret, or null"),
    ),
  ),
});

const siteSchema: v.GenericSchema<Site> = v.strictObject({
  id: guid,
  revision: whole(1, Number.MAX_SAFE_INTEGER),
  appliedAtUs: whole(0, Number.MAX_SAFE_INTEGER),
  server: v.strictObject({ id: guid, name }),
  cameras: list(camera, SITE_LIMITS.camerasMax, "cameras"),
  rootSecurityObject: securityObject,
  groups: list(storedGroup, GROUPS_MAX, "groups"),
  users: list(user, USERS_MAX, "users"),
  ...siteSettingsEntries,
});

/** Maximum number of problems listed in one error. */
const PROBLEMS_NAMED_MAX = 5;

/** The schema violations in `data`, as `path: accepted: …`; empty if it is a configuration. Never throws. */
export function shapeProblems(data: unknown): string[] {
  if (isTooDeep(data)) return [`rootSecurityObject: accepted: at most ${SECURITY_OBJECT_DEPTH_MAX} levels`];
  const result = v.safeParse(siteSchema, data);
  if (result.success) return [];
  return result.issues
    .slice(0, PROBLEMS_NAMED_MAX)
    .map((issue) => `${pathText(issue.path)}: ${acceptedText(issue)}`);
}

/** Whether `data` matches the schema of a configuration. */
export function isSite(data: unknown): data is Site {
  return shapeProblems(data).length === 0;
}

/**
 * Nesting of a configuration without the folders (site, cameras, camera, connection, streams, stream, roles), and per folder.
 */
const NESTING_OUTSIDE_TREE = 7;
const NESTING_PER_FOLDER = 2;
const NESTING_MAX = NESTING_OUTSIDE_TREE + SECURITY_OBJECT_DEPTH_MAX * NESTING_PER_FOLDER;

/** Whether `data` nests deeper than a configuration can. */
export function isTooDeep(data: unknown): boolean {
  return nestsDeeperThan(data, NESTING_MAX);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // The parser's message would quote the text; the caller reports what is accepted.
    return false;
  }
}

function acceptedText(issue: v.BaseIssue<unknown>): string {
  if (issue.message.startsWith("accepted: ")) return issue.message;
  if (issue.type === "strict_object" && issue.expected === "never") return "unknown member";
  return issue.type === "strict_object" ? "missing, or not an object" : "not of the accepted type";
}

/** `cameras[3].connection.hostname`. Keys are truncated to keep the message short. */
function pathText(path: readonly { readonly key?: unknown }[] | undefined): string {
  const keys = (path ?? []).map(({ key }) =>
    typeof key === "number" ? `[${key}]` : `.${String(key).slice(0, 40)}`,
  );
  return keys.join("").replace(/^\./, "") || "configuration";
}

/**
 * Whether `data`, a JSON value, nests deeper than `depthMax` lists and objects. Works level by level, not recursively, because
 * it protects the recursive checks.
 */
function nestsDeeperThan(data: unknown, depthMax: number): boolean {
  let level: unknown[] = [data];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > depthMax) return true;
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null ? Object.values(value) : [],
    );
  }
  return false;
}
