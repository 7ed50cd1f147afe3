import { isDeepStrictEqual } from "node:util";
import { EMPTY_GUID, type Guid, parseGuid } from "../../base/index.js";
import { blankCamera, hostnameHost } from "../../camera/index.js";
import {
  cameraArchive,
  cameraPosition,
  camera as contract,
  firstOf,
  NAME_LENGTH_MAX,
  part,
  without,
} from "../../contract/index.js";
import {
  BodyReader,
  ENTER_AGAIN,
  type Faults,
  readMember,
  readMembers,
  type ServerReach,
  secretAfter,
  unknownId,
} from "../../route/index.js";
import {
  type ArchiveSettings,
  type Camera,
  cameraOptions,
  isOnMap,
  SECRET_PLACES,
  type Site,
} from "../../site/index.js";
import { readConnection, requireSecure } from "./camera-connection-input.js";
import { readCameraOptions } from "./camera-options-input.js";
import { readSchedule } from "./camera-schedule-input.js";
import { hasSecurityObject, type PlacedCamera, parentIdOf } from "./camera-tree.js";
import { refuseOwnStreams } from "./own-stream.js";

const GUID_LENGTH_MAX = 64;
const ARCHIVE = without(firstOf(cameraArchive), "Schedule");
const PLAIN = part(contract, "Description", "Disabled");

/** The position of a camera object in the body, and the configuration it is checked against. */
export interface CameraContext {
  /** Path of the object in the body; empty when it is the body. */
  readonly path: string;
  readonly site: Site;
  /** The ports that the recorder itself is reached at: it is no camera of itself. */
  readonly reach: Pick<ServerReach, "rtspPort">;
  /** Whether there are recordings of an id, so that a new camera may have it. */
  readonly isFormer?: (id: Guid) => boolean;
  /** Collects all faults by path; the result must be used only if there are none. */
  readonly faults: Faults;
}

/** Reads one camera object of POST /configure/channels: a camera with a new id, or a former one with its own. */
export function readNewCamera(value: unknown, context: CameraContext): PlacedCamera {
  const { path, site, reach, faults } = context;
  const reader = new BodyReader(value, path, faults);
  const blank = blankCamera(site.server.id);
  const id = readFormerId(reader, context) ?? blank.id;
  const camera = readCamera(reader, { before: { ...blank, id }, site, reach, isNew: true, faults });
  const name = camera.name === "" ? hostOf(camera.connection.hostname) : camera.name;
  return { camera: { ...camera, name }, parentId: readParent(reader, site, site.rootSecurityObject.id) };
}

/** The id of a camera that was removed: with it, its recordings are those of the new camera. Undefined where none is sent. */
function readFormerId(reader: BodyReader, { site, isFormer }: CameraContext): Guid | undefined {
  const text = reader.text("Id", GUID_LENGTH_MAX) ?? "";
  if (text === "" || text === EMPTY_GUID) return undefined;
  const id = parseGuid(text);
  if (id === undefined || site.cameras.some((camera) => camera.id === id) || isFormer?.(id) !== true)
    return reader.fault("Id", "is given by the server, unless it is that of a former camera: leave it out");
  return id;
}

/**
 * Reads one camera object of PUT onto the camera that it names: absent members keep their values. Returns the same object if
 * nothing changes, undefined if there is no such camera. `ofPath`: the id in the request's path.
 */
export function readChangedCamera(
  value: unknown,
  context: CameraContext,
  ofPath?: Guid,
): PlacedCamera | undefined {
  const { path, site, reach, faults } = context;
  const reader = new BodyReader(value, path, faults);
  const id = readId(reader, ofPath);
  const before = site.cameras.find((camera) => camera.id === id);
  if (before === undefined) {
    if (id !== undefined) reader.fault("Id", `there is no channel ${id}`, "NOT_FOUND");
    return undefined;
  }
  if (before.ownerServerId !== site.server.id) {
    reader.fault(
      "Id",
      "is a camera of another recorder, which this one stands in for: change it there",
      "CONFLICT",
    );
    return undefined;
  }
  const known: Camera = {
    ...before,
    onMap: isOnMap(before),
    kept: cameraOptions(before),
  };
  const read = readCamera(reader, { before: known, site, reach, isNew: false, faults });
  const camera = isDeepStrictEqual(read, known) ? before : read;
  return { camera, parentId: readParent(reader, site, parentIdOf(before.id, site)) };
}

interface CameraBasis {
  /** The present camera, or the defaults of a new one. */
  readonly before: Camera;
  readonly site: Site;
  readonly reach: CameraContext["reach"];
  readonly isNew: boolean;
  readonly faults: Faults;
}

function readCamera(reader: BodyReader, { before, site, reach, isNew, faults }: CameraBasis): Camera {
  const archive = reader.child("ArchiveSettings");
  const analyze = reader.child("AnalyzeSettings");
  const servers = reader.child("ServerBindingsSettings");
  const connectionReader = reader.child("ConnectionSettings", ["ModelId"]);
  checkOwner(servers, site.server.id, isNew);
  const sections = { archive, analyze };
  const { connection, keepsPassword } = readConnection({
    connection: connectionReader,
    sections,
    before: before.connection,
    isNew,
  });
  refuseOwnStreams(connection, { before: before.connection, reader: connectionReader, reach });
  const kept = readCameraOptions({
    ...sections,
    connection: connectionReader,
    servers,
    before: cameraOptions(before),
    modelId: connection.modelId,
    serverId: site.server.id,
  });
  if (kept.connection.secureConnectionOnly) requireSecure(connection, connectionReader);
  const camera: Camera = {
    ...before,
    name: readName(reader, isNew) ?? before.name,
    ...readMembers(reader, PLAIN, before),
    connection,
    archive: readArchive(archive, before.archive),
    ...readPosition(reader.child("MapSettings", ["Latitude", "Longitude", "Azimuth", "IsOnMap"]), before),
    kept,
  };
  // After another fault the camera is not the one that is meant.
  if (keepsPassword && faults.isEmpty) requireOwnPlace(camera, before, connectionReader);
  return camera;
}

/** The stored password goes to no other place than it was entered for, be it that of one stream. */
function requireOwnPlace(camera: Camera, before: Camera, reader: BodyReader): void {
  secretAfter({
    ...{ given: undefined, isCleared: false, stored: before.connection.password },
    ...{ from: SECRET_PLACES.camera(before), to: SECRET_PLACES.camera(camera) },
    refuse: () => reader.fault("Password", ENTER_AGAIN.camera),
  });
}

/** The host as the name of a camera without a name; a missing host is reported separately. */
function hostOf(hostname: string): string {
  return hostnameHost(hostname).slice(0, NAME_LENGTH_MAX);
}

function readId(reader: BodyReader, ofPath: Guid | undefined): Guid | undefined {
  const text = reader.text("Id", GUID_LENGTH_MAX);
  if (text === undefined) {
    if (ofPath === undefined && reader.value("Id") === undefined) {
      reader.fault("Id", "is required: see GET /configure/channels");
    }
    return ofPath;
  }
  const id = parseGuid(text);
  if (id === undefined) return reader.fault("Id", "must be a camera's id: see GET /configure/channels");
  if (ofPath !== undefined && id !== ofPath) reader.fault("Id", "contradicts the id in the request's path");
  return ofPath ?? id;
}

/** The name of a new camera may be empty, because it defaults to the host. */
function readName(reader: BodyReader, isNew: boolean): string | undefined {
  const name = reader.text("Name", NAME_LENGTH_MAX)?.trim();
  return name === "" && !isNew ? reader.fault("Name", "must not be empty") : name;
}

function checkOwner(reader: BodyReader, serverId: Guid, isNew: boolean): void {
  const owner = reader.text("OwnerServerId", GUID_LENGTH_MAX);
  if (owner === undefined) {
    if (isNew && reader.value("OwnerServerId") === undefined)
      reader.fault("OwnerServerId", `is required: this server is ${serverId}`);
  } else if (parseGuid(owner) !== serverId) {
    reader.fault(
      "OwnerServerId",
      `is not a server of this configuration: use ${serverId}`,
      unknownId(parseGuid(owner)),
    );
  }
}

/** The camera's security object; `before` if absent. */
function readParent(reader: BodyReader, site: Site, before: Guid): Guid {
  const text = reader.text("ParentSecObjectId", GUID_LENGTH_MAX) ?? "";
  if (text === "" || text === EMPTY_GUID) return before;
  const id = parseGuid(text);
  if (id !== undefined && hasSecurityObject(id, site)) return id;
  return reader.fault("ParentSecObjectId", "names no security object", unknownId(id)) ?? before;
}

function readArchive(reader: BodyReader, before: ArchiveSettings): ArchiveSettings {
  const archive = readMembers(reader, ARCHIVE, before);
  const { minDays, maxDays } = archive;
  if (maxDays !== 0 && minDays > maxDays) {
    const other = reader.pathOf("ArchivingMaxDeepnessInDays");
    reader.fault("ArchivingMinDeepnessInDays", `is ${minDays}, more than ${other}, which is ${maxDays}`);
  }
  const schedule = readSchedule(reader, before.schedule);
  return { ...archive, ...(schedule === undefined ? {} : { schedule }) };
}

/** Reads MapSettings. Null removes a coordinate; both or neither must be set. */
function readPosition(
  reader: BodyReader,
  before: Camera,
): Pick<Camera, "latitude" | "longitude" | "azimuth" | "onMap"> {
  const { latitude: oldLatitude, longitude: oldLongitude } = before;
  const azimuth = readAzimuth(reader, before.azimuth);
  const direction = azimuth === undefined ? {} : { azimuth };
  const unchanged = {
    latitude: oldLatitude,
    longitude: oldLongitude,
    ...direction,
    onMap: isOnMap(before),
  };
  const latitude = readDegrees(reader, "Latitude", oldLatitude);
  const longitude = readDegrees(reader, "Longitude", oldLongitude);
  const shown = readMember(reader, cameraPosition, "IsOnMap");
  if (latitude === undefined || longitude === undefined) return unchanged;
  if ((latitude === null) !== (longitude === null)) {
    const missing = latitude === null ? "Latitude" : "Longitude";
    reader.fault(missing, "give both Latitude and Longitude, or neither");
    return unchanged;
  }
  if (latitude === null && shown === true) reader.fault("IsOnMap", "needs Latitude and Longitude");
  const onMapBefore = oldLatitude === null || isOnMap(before);
  return { latitude, longitude, ...direction, onMap: latitude !== null && (shown ?? onMapBefore) };
}

/** Null is north again. Undefined: it was never set, and north is what it is without. */
function readAzimuth(reader: BodyReader, before: number | undefined): number | undefined {
  const azimuth = reader.isNull("Azimuth") ? 0 : readMember(reader, cameraPosition, "Azimuth");
  return azimuth === 0 && before === undefined ? undefined : (azimuth ?? before);
}

/** Undefined after a fault. */
function readDegrees(
  reader: BodyReader,
  name: "Latitude" | "Longitude",
  before: number | null,
): number | null | undefined {
  if (reader.isNull(name)) return null;
  return reader.value(name) === undefined ? before : readMember(reader, cameraPosition, name);
}
