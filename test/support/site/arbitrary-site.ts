import fc from "fast-check";
import { newGuid } from "../../../src/base/index.js";
import { scenario as scenarioOf } from "../../../src/contract/index.js";
import {
  createFirstSite,
  DEFAULT_GROUP_PARTS,
  GROUP_RIGHTS,
  type GroupRight,
  type MapFolder,
  MOBILE_LEVELS,
  type MobileLevel,
  type MobileLevelName,
  type Site,
} from "../../../src/site/index.js";
import { sampleCamera } from "./site-samples.js";

const printable = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
  .map((text) => text.replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, "x"))
  // A name of blanks alone is none.
  .map((text) => (text.trim() === "" ? "x" : text));
const secret = fc.constantFrom(null, "locked", `scrypt$16384$8$1$${"A".repeat(22)}$${"b".repeat(43)}`);
const level: fc.Arbitrary<MobileLevel> = fc.record({
  width: fc.integer({ min: 16, max: 7680 }),
  height: fc.integer({ min: 16, max: 7680 }),
  isEnabled: fc.boolean(),
  fpsLimit: fc.integer({ min: 1, max: 240 }),
  usePFrames: fc.boolean(),
});
const port = fc.option(fc.integer({ min: 1, max: 65_535 }));
const { folder } = fc.letrec<{ folder: MapFolder }>((tie) => ({
  folder: fc.record({
    name: printable,
    locations: fc.array(
      fc.record({
        name: printable,
        latitude: fc.integer({ min: -90, max: 90 }),
        longitude: fc.integer({ min: -180, max: 180 }),
        zoom: fc.integer({ min: 0, max: 24 }),
      }),
      { maxLength: 3 },
    ),
    folders: fc.oneof(
      { maxDepth: 4, depthIdentifier: "folder" },
      fc.constant([]),
      fc.array(tie("folder"), { maxLength: 2, depthIdentifier: "folder" }),
    ),
  }),
}));

const seeds = fc.record({
  cameras: fc.array(fc.record({ name: printable, password: printable, description: printable }), {
    maxLength: 4,
  }),
  groups: fc.array(
    fc.record({
      comment: fc.option(printable),
      rights: fc.array(fc.boolean(), { minLength: GROUP_RIGHTS.length, maxLength: GROUP_RIGHTS.length }),
      channels: fc.option(fc.subarray([0, 1, 2, 3])),
      directoryGroups: fc.uniqueArray(printable, {
        maxLength: 3,
        selector: (name) => name.toLowerCase().normalize(),
      }),
    }),
    { maxLength: 3 },
  ),
  secrets: fc.array(secret, { maxLength: 4 }),
  views: fc.array(fc.record({ channels: fc.subarray([0, 1, 2, 3]), all: fc.boolean() }), { maxLength: 3 }),
  scenarios: fc.array(fc.record({ name: printable, needConfirmation: fc.boolean() }), { maxLength: 3 }),
  folder,
  levels: fc.tuple(level, level, level),
  port,
  monitoringPassword: fc.oneof(fc.constant(""), printable),
  flag: fc.boolean(),
});

/** A configuration that passes every check, with something of everything. */
export const arbitrarySite: fc.Arbitrary<Site> = seeds.map((seed) => {
  const first = createFirstSite({ serverName: "any", nowUs: 1_700_000_000_000_000 });
  const cameras = seed.cameras.map(({ name, description, password }, index) => {
    const sample = sampleCamera(first, { name: `${name}${index}`, description });
    return { ...sample, connection: { ...sample.connection, password } };
  });
  const pick = (indices: readonly number[]) => indices.flatMap((index) => cameras[index]?.id ?? []);
  const groups = seed.groups.map(({ comment, rights, channels, directoryGroups }, index) => ({
    id: newGuid(),
    name: `Group ${index}`,
    comment,
    seniorAdministrators: false,
    ptzPriority: "Low",
    ...DEFAULT_GROUP_PARTS,
    directoryGroups,
    rights: Object.fromEntries(GROUP_RIGHTS.map((right, at) => [right, rights[at] === true])) as Record<
      GroupRight,
      boolean
    >,
    realtimeChannels: channels === null ? ("all" as const) : pick(channels),
    archiveChannels: channels === null ? [] : pick(channels),
  }));
  const allGroups = [...first.groups, ...groups];
  const [half, rest] = [pick([0, 1]), pick([2, 3])];
  return {
    ...first,
    cameras,
    rootSecurityObject: {
      ...first.rootSecurityObject,
      channelIds: half,
      children: [{ id: newGuid(), name: "Inner", children: [], channelIds: rest }],
    },
    groups: allGroups,
    users: [
      ...first.users,
      ...seed.secrets.map((value, index) => ({
        id: newGuid(),
        name: `User ${index}`,
        groupId: allGroups[index % allGroups.length]?.id ?? "",
        secret: value,
      })),
    ],
    views: seed.views.map(({ channels, all }, index) => ({
      id: newGuid(),
      name: `View ${index}`,
      channelIds: pick(channels),
      gridType: "GridType4",
      groupIds: all ? ("all" as const) : groups.map(({ id }) => id),
    })),
    userScenarios: seed.scenarios.map((scenario, at) => ({
      ...{ id: newGuid(), ...scenario, channelIds: half },
      ...(at % 2 === 0
        ? {}
        : {
            actions: [
              ...half.map((channelId) => ({ kind: "preset" as const, channelId, preset: at })),
              { kind: "record" as const, channelId: null, seconds: at },
              { kind: "alarm" as const, channelId: null, text: scenario.name },
            ].slice(0, scenarioOf.Actions.max),
            starts: [{ kind: "time" as const, days: ["Sunday" as const], minute: at }],
          }),
    })),
    mapLocations: seed.folder,
    mobile: {
      ...first.mobile,
      port: seed.port,
      isEnabled: seed.flag,
      levels: Object.fromEntries(MOBILE_LEVELS.map((name, at) => [name, seed.levels[at]])) as Record<
        MobileLevelName,
        MobileLevel
      >,
    },
    rtsp: { ...first.rtsp, tcpPort: seed.port, isMjpegEnabled: seed.flag },
    monitoring: {
      ...first.monitoring,
      isEnabled: seed.flag,
      password: seed.monitoringPassword,
      serverIds: seed.flag ? [first.server.id] : [],
      proxyServerId: seed.flag ? first.server.id : null,
    },
    useTimeZones: seed.flag,
  };
});
