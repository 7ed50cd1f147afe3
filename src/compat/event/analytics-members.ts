import { EMPTY_GUID, type Guid } from "../../base/index.js";
import { EVENT_TYPES } from "../../event/index.js";

/** The types of analytics events that a program may add by POST /api/events. */
export const ANALYTICS_TYPES: ReadonlySet<Guid> = new Set(
  [
    EVENT_TYPES.motionDetected,
    EVENT_TYPES.faceRecognized,
    EVENT_TYPES.plateRecognized,
    EVENT_TYPES.fireDetected,
    EVENT_TYPES.abandonedItemDetected,
    EVENT_TYPES.emergencyVehicleDetected,
  ].map((type) => type.id),
);

/** Maximum length of a text member of an analytics event. */
export const MEMBER_TEXT_LENGTH_MAX = 256;
/** Maximum length of an image in Base64: about 48 KB of JPEG, enough for a recognizable face. */
export const IMAGE_BASE64_LENGTH_MAX = 65_536;

/**
 * The type of a member. All are stored as text, as in /event: decimals with a comma, flags as `True` and `False`; lists as
 * lists of texts.
 */
export type MemberKind = "text" | "integer" | "decimal" | "flag" | "list" | "image" | "time";

export interface AnalyticsMember {
  /** Name in /event. */
  readonly name: string;
  /** Name in the object `Event` of POST /archive_events. */
  readonly objectName: string;
  readonly kind: MemberKind;
  /** The value in an item if the event has none. */
  readonly empty: string | readonly string[];
  /** Numbers: the range. */
  readonly min: number;
  readonly max: number;
}

interface MemberOptions {
  readonly objectName?: string;
  readonly empty?: string;
  readonly min?: number;
  readonly max?: number;
}

const EMPTY_VALUES = { text: "", integer: "0", decimal: "0", flag: "False", list: [], image: "", time: "" };

function member(name: string, kind: MemberKind, options: MemberOptions = {}): AnalyticsMember {
  return {
    name,
    objectName: options.objectName ?? `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
    kind,
    empty: options.empty ?? EMPTY_VALUES[kind],
    min: options.min ?? 0,
    max: options.max ?? 1,
  };
}

/** The members of analytics events in addition to those of all events. */
export const ANALYTICS_MEMBERS: readonly AnalyticsMember[] = [
  member("FaceId", "text", { empty: EMPTY_GUID }),
  member("IsIdentified", "flag"),
  member("plateText", "text"),
  member("Speed", "decimal", { max: 1000 }),
  member("Reliability", "decimal", { max: 100 }),
  member("alertType", "list"),
  member("AlertTime", "time"),
  member("TrajectoryId", "text"),
  member("Left", "decimal"),
  member("Top", "decimal"),
  member("lastName", "text"),
  member("firstName", "text"),
  member("patronymic", "text"),
  member("carbrand", "text", { objectName: "CarBrand" }),
  member("carcolor", "text", { objectName: "CarColor" }),
  member("additionalInfo", "text"),
  member("groups", "text"),
  member("direction", "list"),
  member("Similarity", "decimal", { max: 100 }),
  member("Age", "integer", { max: 200 }),
  member("Gender", "integer", { max: 100 }),
  member("ExternalId", "text"),
  member("ExternalOwnerId", "text"),
  member("TemperatureDegreesCelsius", "decimal", { min: -100, max: 200 }),
  member("Emotion", "integer", { max: 100 }),
  member("EmotionConfidence", "decimal", { max: 100 }),
  member("IsFaceCovered", "flag"),
  member("IsRotated", "flag"),
  member("Zoneid", "text", { objectName: "ZoneId", empty: EMPTY_GUID }),
  member("VehicleClass", "text"),
  member("Width", "decimal"),
  member("Height", "decimal"),
  member("Numberplate", "text", { objectName: "NumberPlate" }),
  member("ImageBytes", "image", { objectName: "FaceImageBase64" }),
];

const BY_NAME: ReadonlyMap<string, AnalyticsMember> = new Map(
  ANALYTICS_MEMBERS.map((each) => [each.name.toLowerCase(), each]),
);

/** The member that `name` spells in any case. */
export function analyticsMember(name: string): AnalyticsMember | undefined {
  return BY_NAME.get(name.toLowerCase());
}

/** Members that every item of a type has, in their order. */
const ALWAYS: ReadonlyMap<Guid, readonly string[]> = new Map([
  [
    EVENT_TYPES.plateRecognized.id,
    (
      "IsIdentified plateText Speed Reliability Left Top lastName firstName patronymic carbrand carcolor " +
      "additionalInfo groups direction ExternalId ExternalOwnerId Width Height Numberplate"
    ).split(" "),
  ],
  [
    EVENT_TYPES.faceRecognized.id,
    (
      "FaceId IsIdentified lastName firstName patronymic groups additionalInfo Similarity Age Gender ExternalId " +
      "Emotion EmotionConfidence IsFaceCovered IsRotated Left Top Width Height"
    ).split(" "),
  ],
  [EVENT_TYPES.motionDetected.id, ["Zoneid"]],
  [EVENT_TYPES.emergencyVehicleDetected.id, ["VehicleClass"]],
]);

export type MemberValue = string | readonly string[];

/** The analytics members of an item in order: first those that its type always has, then the others of the event. */
export function orderedMembers(
  typeId: Guid,
  fields: Readonly<Record<string, MemberValue>> | undefined,
): [name: string, value: MemberValue][] {
  const always = ALWAYS.get(typeId) ?? [];
  const members: [string, MemberValue][] = always.map((name) => [
    name,
    fields?.[name] ?? analyticsMember(name)?.empty ?? "",
  ]);
  if (fields === undefined) return members;
  const known = new Set(always);
  for (const { name } of ANALYTICS_MEMBERS) {
    const value = fields[name];
    if (value !== undefined && !known.has(name)) members.push([name, value]);
    known.add(name);
  }
  for (const [name, value] of Object.entries(fields)) if (!known.has(name)) members.push([name, value]);
  return members;
}
