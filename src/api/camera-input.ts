import { EMPTY_GUID, newGuid, parseGuid, STREAM_TYPES } from "../base/index.js";
import { deviceModel, RTSP_MODEL } from "../camera/index.js";
import type { ArchiveSettings, ArchivingMode, Camera, ConnectionSettings, Site } from "../site/index.js";
import { BodyReader, type Faults } from "./body-reader.js";
import { readKeptSettings } from "./camera-kept-input.js";
import { type RoleSections, readStreams } from "./camera-streams-input.js";
import { readStreamUrl, type StreamUrl } from "./camera-url.js";

const NAME_LENGTH_MAX = 128;
const DESCRIPTION_LENGTH_MAX = 1024;
const CREDENTIAL_LENGTH_MAX = 256;
const URL_LENGTH_MAX = 2048;
const ARCHIVE_DAYS_MAX = 36_500;
const ARCHIVING_MODES: readonly ArchivingMode[] = ["AlwaysOn", "OnlyManual", "BySchedule", "MDandManual"];

/** A camera to be added, and the security object that is to hold it. */
export interface NewCamera {
  readonly camera: Camera;
  readonly parentId: string;
}

/**
 * Reads one camera object of POST /configure/channels (rest-api.md, Camera object). Notes every fault by path;
 * undefined when there is one that leaves no camera.
 */
export function readNewCamera(
  value: unknown,
  path: string,
  site: Site,
  faults: Faults,
): NewCamera | undefined {
  const reader = new BodyReader(value, path, faults);
  checkNewId(reader);
  const parentId = readParent(reader, site);
  const archiveReader = reader.child("ArchiveSettings");
  const analyzeReader = reader.child("AnalyzeSettings");
  const connectionReader = reader.child("ConnectionSettings");
  const serversReader = reader.child("ServerBindingsSettings");
  checkServer(serversReader, site);
  const connection = readConnection(connectionReader, { archive: archiveReader, analyze: analyzeReader });
  const archive = readArchive(archiveReader);
  const position = readPosition(reader.child("MapSettings"));
  const kept = readKeptSettings({
    connection: connectionReader,
    archive: archiveReader,
    analyze: analyzeReader,
    servers: serversReader,
  });
  const name = reader.text("Name", NAME_LENGTH_MAX)?.trim();
  const description = reader.lines("Description", DESCRIPTION_LENGTH_MAX) ?? "";
  const disabled = reader.boolean("Disabled") ?? false;
  if (connection === undefined) return undefined;
  if (kept.connection.secureConnectionOnly) requireSecure(connection, connectionReader);
  const camera: Camera = {
    id: newGuid(),
    name: name === undefined || name === "" ? hostOf(connection.hostname) : name,
    description,
    disabled,
    ownerServerId: site.server.id,
    connection,
    archive,
    ...position,
    kept,
  };
  return { camera, parentId };
}

/** A camera without a name is called by its host. */
function hostOf(hostname: string): string {
  return new URL(hostname).hostname.slice(0, NAME_LENGTH_MAX);
}

function checkNewId(reader: BodyReader): void {
  const id = reader.text("Id", 64);
  if (id !== undefined && id !== "" && id !== EMPTY_GUID)
    reader.fault("Id", "is given by the server: leave it out");
}

function checkServer(reader: BodyReader, site: Site): void {
  const owner = reader.text("OwnerServerId", 64);
  if (owner === undefined) reader.fault("OwnerServerId", `is required: this server is ${site.server.id}`);
  else if (parseGuid(owner) !== site.server.id) {
    reader.fault("OwnerServerId", `is no server of this configuration: use ${site.server.id}`);
  }
}

function readParent(reader: BodyReader, site: Site): string {
  const text = reader.text("ParentSecObjectId", 64);
  const root = site.rootSecurityObject;
  if (text === undefined || text === "" || text === EMPTY_GUID) return root.id;
  const id = parseGuid(text);
  const pending = [root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.id === id) return node.id;
    pending.push(...node.children);
  }
  reader.fault("ParentSecObjectId", "names no security object");
  return root.id;
}

/** A camera that may be reached securely only has no stream without TLS. */
function requireSecure(connection: ConnectionSettings, reader: BodyReader): void {
  const { hostname, streams } = connection;
  const urls = [hostname, ...STREAM_TYPES.map((type) => streams[type].additionalParams)];
  if (urls.some((url) => /^rtsp:/i.test(url))) {
    reader.fault("IsSecureConnectionEnabled", "says otherwise than an rtsp:// URL: give rtsps:// ones");
  }
}

function readConnection(reader: BodyReader, roles: RoleSections): ConnectionSettings | undefined {
  checkModel(reader);
  const login = reader.text("Login", CREDENTIAL_LENGTH_MAX) ?? "";
  const password = reader.text("Password", CREDENTIAL_LENGTH_MAX) ?? "";
  const main = readHostname(reader);
  const streams = readStreams(reader, roles, login === "" ? main?.login : login);
  const soundReceivingEnabled = reader.boolean("SoundReceivingEnabled") ?? false;
  const ptzEnabled = reader.boolean("PtzEnabled") ?? false;
  if (main === undefined || streams === undefined) return undefined;
  if (login !== "" && main.login !== "" && main.login !== login) {
    reader.fault("Hostname", "holds another login than Login: give one of them");
  }
  if (password !== "" && main.password !== "" && main.password !== password) {
    reader.fault("Hostname", "holds another password than Password: give one of them");
  }
  return {
    modelId: RTSP_MODEL.id,
    hostname: main.url,
    login: login === "" ? main.login : login,
    password: password === "" ? main.password : password,
    soundReceivingEnabled,
    ptzEnabled,
    streams,
  };
}

function checkModel(reader: BodyReader): void {
  const text = reader.text("ModelId", 64);
  const id = text === undefined ? undefined : parseGuid(text);
  if (text === undefined) reader.fault("ModelId", "is required: see GET /configure/devicemanufacturers");
  else if (id === undefined || deviceModel(id) === undefined) {
    reader.fault("ModelId", "is no known model: see GET /configure/devicemanufacturers");
  }
}

function readHostname(reader: BodyReader): StreamUrl | undefined {
  const text = reader.text("Hostname", URL_LENGTH_MAX);
  if (text === undefined) {
    if (reader.value("Hostname") === undefined)
      reader.fault("Hostname", "is required: the main stream's rtsp:// URL");
    return undefined;
  }
  const url = readStreamUrl(text);
  return typeof url === "string" ? reader.fault("Hostname", url) : url;
}

function readArchive(reader: BodyReader): ArchiveSettings {
  const minDays = reader.integer("ArchivingMinDeepnessInDays", 0, ARCHIVE_DAYS_MAX) ?? 0;
  const maxDays = reader.integer("ArchivingMaxDeepnessInDays", 0, ARCHIVE_DAYS_MAX) ?? 0;
  if (maxDays !== 0 && minDays > maxDays) {
    reader.fault("ArchivingMinDeepnessInDays", "is more than ArchivingMaxDeepnessInDays");
  }
  return {
    archivingDisabled: reader.boolean("ArchivingDisabled") ?? false,
    archivingMode: reader.oneOf("ArchivingMode", ARCHIVING_MODES) ?? "AlwaysOn",
    archivingSoundDisabled: reader.boolean("ArchivingSoundDisabled") ?? false,
    minDays,
    maxDays,
  };
}

function readPosition(reader: BodyReader): Pick<Camera, "latitude" | "longitude"> {
  const latitude = reader.number("Latitude", -90, 90) ?? null;
  const longitude = reader.number("Longitude", -180, 180) ?? null;
  const onMap = reader.boolean("IsOnMap");
  if ((latitude === null) !== (longitude === null)) {
    reader.fault(
      latitude === null ? "Latitude" : "Longitude",
      "give both Latitude and Longitude, or neither",
    );
    return { latitude: null, longitude: null };
  }
  if (onMap !== undefined && onMap !== (latitude !== null)) {
    reader.fault("IsOnMap", "says otherwise than Latitude and Longitude");
  }
  return { latitude, longitude };
}
