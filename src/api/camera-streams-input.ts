import { STREAM_TYPES, type StreamType } from "../base/index.js";
import type { RotationMode, StreamRole, StreamSettings, VideoFormatName } from "../site/index.js";
import type { BodyReader } from "./body-reader.js";
import { readStreamUrl } from "./camera-url.js";

export const VIDEO_FORMATS: readonly VideoFormatName[] = ["MJPEG", "MPEG4_Part2", "H264", "Hevc"];
export const ROTATION_MODES: readonly RotationMode[] = [
  "None",
  "By90ClockwiseDegree",
  "By90AntiClockwiseDegree",
  "By180Degree",
];
export const STREAM_ROLES: readonly StreamRole[] = [
  "Archive",
  "VideoAnalysis",
  "DesktopClient",
  "MobileClient",
];
/** Roles that one stream only can have (rest-api.md, Camera object). */
const SINGLE_ROLES: readonly StreamRole[] = ["Archive", "VideoAnalysis"];

const PARAMS_LENGTH_MAX = 2048;

/** The older names of the first two streams' members, which say the same (rest-api.md, Camera object). */
interface OlderNames {
  readonly enabled?: string;
  readonly format: string;
  readonly params: string;
  readonly rotation: string;
}

const OLDER_NAMES: Readonly<Partial<Record<StreamType, OlderNames>>> = {
  Main: {
    format: "MainVideoStreamFormat",
    params: "MainVideoAdditionalParams",
    rotation: "MainStreamRotationMode",
  },
  Alternative: {
    enabled: "AltVideoStreamEnabled",
    format: "AltVideoStreamFormat",
    params: "AltVideoAdditionalParams",
    rotation: "AltStreamRotationMode",
  },
};

/** The sections that name one stream's role by an older member. */
export interface RoleSections {
  readonly archive: BodyReader;
  readonly analyze: BodyReader;
}

type StreamInput = Omit<StreamSettings, "roles"> & { readonly roles: readonly StreamRole[] | undefined };

/** Reads ConnectionSettings.StreamSettings and its older names. `login`: the camera's, that stream URLs must agree with. Undefined when a fault leaves no streams. */
export function readStreams(
  connection: BodyReader,
  sections: RoleSections,
  login: string | undefined,
): Readonly<Record<StreamType, StreamSettings>> | undefined {
  const settings = connection.child("StreamSettings");
  const inputs = new Map(
    STREAM_TYPES.map((type) => [
      type,
      readStream(type, connection, settings.child(`${type}StreamSettings`), login),
    ]),
  );
  const roles = assignRoles(inputs, settings, sections);
  const streams = STREAM_TYPES.map((type) => {
    const input = inputs.get(type);
    return input === undefined ? undefined : { ...input, roles: roles.get(type) ?? [] };
  });
  const [Main, Alternative, SecondAlternative, ThirdAlternative] = streams;
  if (!Main || !Alternative || !SecondAlternative || !ThirdAlternative) return undefined;
  return { Main, Alternative, SecondAlternative, ThirdAlternative };
}

function readStream(
  type: StreamType,
  older: BodyReader,
  newer: BodyReader,
  login: string | undefined,
): StreamInput {
  const names = OLDER_NAMES[type];
  const format = sameValue(
    { reader: newer, name: "VideoFormat", value: newer.oneOf("VideoFormat", VIDEO_FORMATS) },
    names && older.oneOf(names.format, VIDEO_FORMATS),
  );
  const rotation = sameValue(
    { reader: newer, name: "RotationMode", value: newer.oneOf("RotationMode", ROTATION_MODES) },
    names && older.oneOf(names.rotation, ROTATION_MODES),
  );
  const params = sameValue(
    {
      reader: newer,
      name: "VideoAdditionalParams",
      value: filled(newer.text("VideoAdditionalParams", PARAMS_LENGTH_MAX)),
    },
    names && filled(older.text(names.params, PARAMS_LENGTH_MAX)),
  );
  const enabled = sameValue(
    { reader: newer, name: "VideoStreamEnabled", value: newer.boolean("VideoStreamEnabled") },
    names?.enabled === undefined ? undefined : older.boolean(names.enabled),
  );
  return {
    format: format ?? "H264",
    rotationMode: rotation ?? "None",
    roles: newer.listOf("Roles", STREAM_ROLES),
    ...(type === "Main"
      ? mainAddress(newer, params, enabled)
      : furtherAddress(newer, params, enabled, login)),
  };
}

function mainAddress(
  reader: BodyReader,
  params: string | undefined,
  enabled: boolean | undefined,
): Pick<StreamSettings, "enabled" | "additionalParams"> {
  if (enabled === false) reader.fault("VideoStreamEnabled", "the main stream cannot be disabled");
  if (params !== undefined)
    reader.fault("VideoAdditionalParams", "must be empty: the main stream's URL is Hostname");
  return { enabled: true, additionalParams: "" };
}

function furtherAddress(
  reader: BodyReader,
  params: string | undefined,
  enabled: boolean | undefined,
  login: string | undefined,
): Pick<StreamSettings, "enabled" | "additionalParams"> {
  if (params === undefined) {
    if (enabled === true)
      reader.fault("VideoAdditionalParams", "must be the stream's rtsp:// URL when it is enabled");
    return { enabled: false, additionalParams: "" };
  }
  const url = readStreamUrl(params);
  if (typeof url === "string") {
    reader.fault("VideoAdditionalParams", url);
    return { enabled: false, additionalParams: "" };
  }
  if (url.login !== "" && url.login !== login) {
    reader.fault("VideoAdditionalParams", "holds a login of its own: all streams use Login and Password");
  }
  return { enabled: enabled ?? true, additionalParams: url.url };
}

/**
 * Roles as given. Without any: DesktopClient on Main, Archive where ArchivingVideoStreamType puts it, else on Main,
 * VideoAnalysis and MobileClient on Alternative when it is on, unless AnalyzeStreamType says Main.
 */
function assignRoles(
  inputs: ReadonlyMap<StreamType, StreamInput>,
  settings: BodyReader,
  sections: RoleSections,
): ReadonlyMap<StreamType, readonly StreamRole[]> {
  const given = [...inputs].some(([, input]) => input.roles !== undefined);
  const second: StreamType = inputs.get("Alternative")?.enabled === true ? "Alternative" : "Main";
  const archive = sections.archive.oneOf("ArchivingVideoStreamType", OLDER_STREAMS);
  const analysis = sections.analyze.oneOf("AnalyzeStreamType", OLDER_STREAMS) === "Main" ? "Main" : second;
  const byDefault: Readonly<Record<StreamRole, StreamType>> = {
    Archive: archive ?? "Main",
    VideoAnalysis: analysis,
    DesktopClient: "Main",
    MobileClient: second,
  };
  const roles = new Map(
    STREAM_TYPES.map((type) => [
      type,
      given ? (inputs.get(type)?.roles ?? []) : STREAM_ROLES.filter((role) => byDefault[role] === type),
    ]),
  );
  for (const role of SINGLE_ROLES) checkSingleRole(role, { inputs, roles, settings });
  const recorded = STREAM_TYPES.find((type) => roles.get(type)?.includes("Archive"));
  if (archive !== undefined && recorded !== undefined && recorded !== archive) {
    sections.archive.fault("ArchivingVideoStreamType", `says otherwise than the role Archive of ${recorded}`);
  }
  return roles;
}

const OLDER_STREAMS = ["Main", "Alternative"] as const;

interface RoleCheck {
  readonly inputs: ReadonlyMap<StreamType, StreamInput>;
  readonly roles: ReadonlyMap<StreamType, readonly StreamRole[]>;
  readonly settings: BodyReader;
}

/** One stream, and one that is on: what is recorded or analysed cannot come from another. Who may watch a stream that is off is only kept. */
function checkSingleRole(role: StreamRole, { inputs, roles, settings }: RoleCheck): void {
  const holders = STREAM_TYPES.filter((type) => roles.get(type)?.includes(role));
  const [holder, other] = holders;
  if (holder !== undefined && inputs.get(holder)?.enabled !== true) {
    settings.fault(`${holder}StreamSettings.Roles`, `a stream that is switched off cannot have ${role}`);
  }
  if (other !== undefined)
    settings.fault(`${other}StreamSettings.Roles`, `${role} can be given to one stream only`);
}

/** The one value of a member with two names; a contradiction is a fault. */
function sameValue<T>(
  newer: { readonly reader: BodyReader; readonly name: string; readonly value: T | undefined },
  older: T | undefined,
): T | undefined {
  if (newer.value !== undefined && older !== undefined && newer.value !== older) {
    newer.reader.fault(newer.name, "says otherwise than the older member of the same meaning");
  }
  return newer.value ?? older;
}

function filled(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text;
}
