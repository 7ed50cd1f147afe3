import { STREAM_TYPES, type StreamType } from "../../base/index.js";
import { cameraStream } from "../../contract/index.js";
import type { BodyReader } from "../../route/index.js";
import type { StreamRole, StreamSettings } from "../../site/index.js";

const STREAM_ROLES = cameraStream.Roles.item.of;

export type Roles = Readonly<Record<StreamType, readonly StreamRole[]>>;

/** The sections that name one stream's role by an older member. */
export interface RoleSections {
  readonly archive: BodyReader;
  readonly analyze: BodyReader;
}

/** The input for the roles of a camera's streams. */
export interface RoleInput {
  /** The readers of the streams' settings. */
  readonly streams: Readonly<Record<StreamType, BodyReader>>;
  readonly sections: RoleSections;
  /** Whether each stream will be on. */
  readonly enabled: Readonly<Record<StreamType, boolean>>;
  /** The present roles; undefined for a new camera. */
  readonly before: Roles | undefined;
}

/** The stream that has a role, if only one stream can have it. */
export function roleHolder(
  role: StreamRole,
  streams: Readonly<Record<StreamType, Pick<StreamSettings, "roles">>>,
): StreamType | undefined {
  return STREAM_TYPES.find((type) => streams[type].roles.includes(role));
}

/**
 * Reads the streams' Roles, and ArchivingVideoStreamType and AnalyzeStreamType, which name the streams of two roles. Absent
 * Roles keep their values, but an exclusive role moves to another stream that gets it, and to Main when its stream is switched
 * off. A new camera without any Roles gets defaults.
 */
export function readRoles(input: RoleInput): Roles {
  const given: GivenRoles = new Map();
  for (const type of STREAM_TYPES) {
    const roles = input.streams[type].listOf("Roles", STREAM_ROLES);
    if (roles !== undefined) given.set(type, roles);
  }
  const before = input.before ?? (given.size === 0 ? defaultRoles(input.enabled.Alternative) : NO_ROLES);
  const archive = singleHolder(input, given, before, ARCHIVE);
  const analysis = singleHolder(input, given, before, ANALYSIS);
  const rolesOf = (type: StreamType): readonly StreamRole[] => {
    const others = given.get(type) ?? before[type];
    const roles = STREAM_ROLES.filter((role) => {
      if (role === "Archive") return archive === type;
      return role === "VideoAnalysis" ? analysis === type : others.includes(role);
    });
    // In the order that they have: another one would be a change of the connection.
    const isSame = roles.length === before[type].length && roles.every((role) => before[type].includes(role));
    return isSame ? before[type] : roles;
  };
  return {
    Main: rolesOf("Main"),
    Alternative: rolesOf("Alternative"),
    SecondAlternative: rolesOf("SecondAlternative"),
    ThirdAlternative: rolesOf("ThirdAlternative"),
  };
}

type GivenRoles = Map<StreamType, readonly StreamRole[]>;

const NO_ROLES: Roles = { Main: [], Alternative: [], SecondAlternative: [], ThirdAlternative: [] };

/** All on Main; analysis and mobile clients on Alternative where that is on. */
function defaultRoles(withAlternative: boolean): Roles {
  if (!withAlternative) return { ...NO_ROLES, Main: STREAM_ROLES };
  return { ...NO_ROLES, Main: ["Archive", "DesktopClient"], Alternative: ["VideoAnalysis", "MobileClient"] };
}

/** A role that only one stream can have, and the older member that names its stream. */
interface SingleRole {
  readonly role: StreamRole;
  readonly section: keyof RoleSections;
  readonly member: string;
  /** Whether the member may name a stream that is off; it then means Main, because programs send it by default. */
  readonly lenient: boolean;
}

const ARCHIVE: SingleRole = {
  role: "Archive",
  section: "archive",
  member: "ArchivingVideoStreamType",
  lenient: false,
};
const ANALYSIS: SingleRole = {
  role: "VideoAnalysis",
  section: "analyze",
  member: "AnalyzeStreamType",
  lenient: true,
};

/** The new stream of the role; undefined leaves it to Main. */
function singleHolder(
  input: RoleInput,
  given: GivenRoles,
  before: Roles,
  single: SingleRole,
): StreamType | undefined {
  const { streams, enabled } = input;
  const { role } = single;
  const older = input.sections[single.section];
  const holder = givenHolder(input, given, role);
  const named = namedHolder(input, single);
  if (holder !== undefined) {
    if (named === undefined || named === holder) return holder;
    return older.fault(single.member, `contradicts ${streams[holder].pathOf("Roles")}`);
  }
  const old = STREAM_TYPES.find((type) => before[type].includes(role) && !given.has(type));
  if (named === undefined) {
    if (old === undefined || enabled[old]) return old;
    return given.has("Main") ? undefined : "Main";
  }
  if (!given.has(named)) return named;
  if (named === "Main" && old === undefined) return undefined;
  return older.fault(single.member, `contradicts ${streams[named].pathOf("Roles")}`);
}

/** The stream whose Roles in the body name the role. */
function givenHolder(
  { streams, enabled }: RoleInput,
  given: GivenRoles,
  role: StreamRole,
): StreamType | undefined {
  const [holder, other] = STREAM_TYPES.filter((type) => given.get(type)?.includes(role));
  if (holder === undefined) return undefined;
  if (!enabled[holder]) streams[holder].fault("Roles", `a stream that is switched off cannot have ${role}`);
  if (other !== undefined) {
    const where = streams[holder].pathOf("Roles");
    streams[other].fault("Roles", `${role} can be given to one stream only, ${where} has it too`);
  }
  return holder;
}

/** The stream that the older member names. */
function namedHolder(
  { sections, enabled }: RoleInput,
  { section, member, lenient }: SingleRole,
): StreamType | undefined {
  const named = sections[section].oneOf(member, STREAM_TYPES);
  if (named === undefined || enabled[named]) return named;
  return lenient ? "Main" : sections[section].fault(member, "that stream is switched off");
}
