import { atOnce, type Guid, NvrdError, STREAM_TYPES } from "../../base/index.js";
import { GROUP_RIGHTS, SECURITY_OBJECT_DEPTH_MAX, SECURITY_OBJECTS_MAX } from "../../contract/index.js";
import { type Camera, LOCKED_SECRET, type SecurityObject, type Site } from "../model/model.js";
import { securityObjects } from "../model/security-tree.js";
import { duplicates, foldName, unknownChannels } from "./check-parts.js";
import { changedShapeProblems } from "./site-schema.js";
import { settingsProblems } from "./site-settings-checks.js";

/**
 * Throws NvrdError BAD_REQUEST with the reason if `site` may not replace `previous`, CONFLICT if it would leave no senior
 * administrator. `whole`: what its parts are compared with each
 * other in. Yields between pieces of a few milliseconds.
 */
export function* checkingChange(site: Site, previous: Site, whole = site): Generator<undefined, void> {
  const problems = yield* changedShapeProblems(site, previous);
  if (problems.length === 0)
    for (const ofPart of CONSISTENCY) {
      problems.push(...ofPart(whole));
      yield;
    }
  if (problems.length === 0 && site.server.id !== previous.server.id) {
    problems.push("server.id: the server's id cannot change");
  }
  if (problems.length > 0)
    throw new NvrdError("BAD_REQUEST", `configuration not applied: ${problems.join("; ")}`);
  if (hasWayIn(previous) && !hasWayIn(site)) throw lastAdministrator();
}

/** `checkingChange` in one piece. */
export function checkChange(site: Site, previous: Site): void {
  atOnce(checkingChange(site, previous));
}

function lastAdministrator(): NvrdError {
  const text = "users: at least one senior administrator who can log in must remain";
  const hint = "make another user a senior administrator first";
  return new NvrdError("CONFLICT", `configuration not applied: ${text}`, { hint });
}

/** Contradictions between the parts of a well-formed configuration; empty if none. */
export function consistencyProblems(site: Site): string[] {
  return CONSISTENCY.flatMap((ofPart) => ofPart(site));
}

/** Whether a senior administrator exists who can log in. */
function hasWayIn(site: Site): boolean {
  const administratorGroups = new Set(
    site.groups.filter((group) => group.seniorAdministrators).map((group) => group.id),
  );
  return site.users.some((user) => administratorGroups.has(user.groupId) && user.secret !== LOCKED_SECRET);
}

function idProblems(site: Site): string[] {
  const ids: Guid[] = [
    site.server.id,
    ...site.cameras.map((camera) => camera.id),
    ...securityObjects(site.rootSecurityObject).map((object) => object.id),
    ...site.groups.map((group) => group.id),
    ...site.users.map((user) => user.id),
    ...site.views.map((view) => view.id),
    ...site.userScenarios.map((scenario) => scenario.id),
  ];
  return duplicates(ids).map((id) => `the id ${id} is used twice`);
}

function cameraProblems(site: Site): string[] {
  return site.cameras.flatMap((camera, index) =>
    problemsOfCamera(camera).map((problem) => `cameras[${index}].${problem}`),
  );
}

function problemsOfCamera(camera: Camera): string[] {
  const problems: string[] = [];
  if ((camera.latitude === null) !== (camera.longitude === null)) {
    problems.push("latitude, longitude: both or neither");
  }
  if (camera.onMap === true && camera.latitude === null) problems.push("onMap: without a position");
  const { minDays, maxDays } = camera.archive;
  if (maxDays !== 0 && minDays > maxDays) problems.push("archive: minDays is greater than maxDays");
  const { streams } = camera.connection;
  if (!streams.Main.enabled) problems.push("connection.streams.Main: the main stream cannot be disabled");
  for (const role of ["Archive", "VideoAnalysis"] as const) {
    const holders = STREAM_TYPES.filter((streamType) => streams[streamType].roles.includes(role));
    if (holders.length > 1)
      problems.push(`connection.streams: the role ${role} is given to ${holders.join(" and ")}`);
  }
  for (const streamType of STREAM_TYPES) {
    if (duplicates(streams[streamType].roles).length > 0) {
      problems.push(`connection.streams.${streamType}.roles: a role is named twice`);
    }
  }
  return problems;
}

function treeProblems(site: Site): string[] {
  const problems: string[] = [];
  const objects = securityObjects(site.rootSecurityObject);
  if (objects.length > SECURITY_OBJECTS_MAX) {
    problems.push(`rootSecurityObject: more than ${SECURITY_OBJECTS_MAX} security objects`);
  }
  if (depthOf(site.rootSecurityObject) > SECURITY_OBJECT_DEPTH_MAX) {
    problems.push(`rootSecurityObject: more than ${SECURITY_OBJECT_DEPTH_MAX} levels`);
  }
  const channelIds = objects.flatMap((object) => object.channelIds);
  problems.push(...duplicates(channelIds).map((id) => `rootSecurityObject: channel ${id} occurs twice`));
  problems.push(
    ...unknownChannels(site, channelIds).map((id) => `rootSecurityObject: no channel has the id ${id}`),
  );
  return problems;
}

function accountProblems(site: Site): string[] {
  const problems: string[] = [];
  site.groups.forEach((group, index) => {
    const at = `groups[${index}]`;
    for (const member of ["realtimeChannels", "archiveChannels"] as const) {
      const channels = group[member];
      if (channels === "all") continue;
      problems.push(
        ...unknownChannels(site, channels).map((id) => `${at}.${member}: no channel has the id ${id}`),
      );
      if (duplicates(channels).length > 0) problems.push(`${at}.${member}: a channel is named twice`);
    }
    if (duplicates(group.gridTypes).length > 0) problems.push(`${at}.gridTypes: a grid type is named twice`);
    if (duplicates(group.directoryGroups.map(foldName)).length > 0) {
      problems.push(`${at}.directoryGroups: a directory group is named twice`);
    }
    const limited =
      group.realtimeChannels !== "all" ||
      group.archiveChannels !== "all" ||
      GROUP_RIGHTS.some((right) => group.rights[right] === (right === "IsAllForbidden"));
    if (group.seniorAdministrators && limited)
      problems.push(`${at}: senior administrators have every right and channel`);
  });
  const groupIds = new Set(site.groups.map((group) => group.id));
  site.users.forEach((user, index) => {
    if (!groupIds.has(user.groupId))
      problems.push(`users[${index}].groupId: no group has the id ${user.groupId}`);
  });
  // Names that differ only in case would be confused.
  problems.push(
    ...duplicates(site.groups.map((group) => foldName(group.name))).map(
      (n) => `two groups have the name ${n}`,
    ),
  );
  problems.push(
    ...duplicates(site.users.map((user) => foldName(user.name))).map((n) => `two users have the name ${n}`),
  );
  return problems;
}

function depthOf(object: SecurityObject): number {
  return Math.max(0, ...object.children.map((child) => 1 + depthOf(child)));
}

const CONSISTENCY: readonly ((site: Site) => readonly string[])[] = [
  idProblems,
  cameraProblems,
  treeProblems,
  accountProblems,
  settingsProblems,
];
