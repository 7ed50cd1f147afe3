import { parseGuid, STREAM_TYPES } from "../base/index.js";
import { deviceModel } from "../camera/index.js";
import { type ConnectionSettings, SITE_LIMITS } from "../site/index.js";
import type { BodyReader } from "./body-reader.js";
import type { RoleSections } from "./camera-roles-input.js";
import { readStreams } from "./camera-streams-input.js";
import { readStreamUrl, type StreamUrl } from "./camera-url.js";

const GUID_LENGTH_MAX = 64;

export interface ConnectionInput {
  readonly connection: BodyReader;
  readonly sections: RoleSections;
  /** The connection there is, or the defaults of a new camera. */
  readonly before: ConnectionSettings;
  readonly isNew: boolean;
}

/** Reads ConnectionSettings; what is left out stays as it was. */
export function readConnection(input: ConnectionInput): ConnectionSettings {
  const { connection: reader, before } = input;
  const modelId = readModel(reader) ?? before.modelId;
  const main = readHostname(input);
  const credentials = readCredentials(reader, before, main);
  const streams = readStreams({ ...input, credentials, before: before.streams });
  return {
    modelId,
    hostname: main?.url ?? before.hostname,
    ...credentials,
    soundReceivingEnabled: reader.boolean("SoundReceivingEnabled") ?? before.soundReceivingEnabled,
    ptzEnabled: reader.boolean("PtzEnabled") ?? before.ptzEnabled,
    streams,
  };
}

/** A camera that may be reached securely only has no stream without TLS. */
export function requireSecure(connection: ConnectionSettings, reader: BodyReader): void {
  const { hostname, streams } = connection;
  const urls = [hostname, ...STREAM_TYPES.map((type) => streams[type].additionalParams)];
  if (urls.some((url) => /^rtsp:/i.test(url))) {
    reader.fault("IsSecureConnectionEnabled", "says otherwise than an rtsp:// URL: give rtsps:// ones");
  }
}

/** Required in every camera object, also of PUT (rest-api.md, PUT /configure/channels). */
function readModel(reader: BodyReader): string | undefined {
  const text = reader.text("ModelId", GUID_LENGTH_MAX);
  const id = text === undefined ? undefined : parseGuid(text);
  if (text === undefined) {
    if (reader.value("ModelId") !== undefined) return undefined;
    return reader.fault("ModelId", "is required: see GET /configure/devicemanufacturers");
  }
  if (id === undefined || deviceModel(id) === undefined) {
    return reader.fault("ModelId", "is no known model: see GET /configure/devicemanufacturers");
  }
  return id;
}

function readHostname({ connection, before, isNew }: ConnectionInput): StreamUrl | undefined {
  const text = connection.text("Hostname", SITE_LIMITS.hostnameLengthMax);
  if (text === undefined) {
    if (isNew && connection.value("Hostname") === undefined) {
      connection.fault("Hostname", "is required: the main stream's rtsp:// URL");
    }
    return undefined;
  }
  if (!isNew && text === before.hostname) return { url: text, login: "", password: "" };
  const url = readStreamUrl(text);
  return typeof url === "string" ? connection.fault("Hostname", url) : url;
}

/**
 * Login and Password, where they are left out those of the URL, else those there were. The password is never given
 * out, so an empty one says nothing: ClearPassword takes it away.
 */
function readCredentials(
  reader: BodyReader,
  before: ConnectionSettings,
  main: StreamUrl | undefined,
): Pick<ConnectionSettings, "login" | "password"> {
  const login = reader.text("Login", SITE_LIMITS.cameraLoginLengthMax);
  const password = reader.text("Password", SITE_LIMITS.cameraPasswordLengthMax) ?? "";
  const clear = reader.boolean("ClearPassword") ?? false;
  const ofUrl = { login: main?.login ?? "", password: main?.password ?? "" };
  if (login !== undefined && login !== "" && ofUrl.login !== "" && ofUrl.login !== login) {
    reader.fault("Hostname", `holds another login than ${reader.pathOf("Login")}: give one of them`);
  }
  if (password !== "" && ofUrl.password !== "" && ofUrl.password !== password) {
    reader.fault("Hostname", `holds another password than ${reader.pathOf("Password")}: give one of them`);
  }
  if (clear && (password !== "" || ofUrl.password !== "")) {
    reader.fault("ClearPassword", "says otherwise than the password beside it: give one of them");
  }
  if (ofUrl.login.length > SITE_LIMITS.cameraLoginLengthMax) {
    reader.fault("Hostname", `holds a login of more than ${SITE_LIMITS.cameraLoginLengthMax} characters`);
  }
  if (ofUrl.password.length > SITE_LIMITS.cameraPasswordLengthMax) {
    reader.fault(
      "Hostname",
      `holds a password of more than ${SITE_LIMITS.cameraPasswordLengthMax} characters`,
    );
  }
  return {
    login: filled(login) ?? filled(ofUrl.login) ?? login ?? before.login,
    password: clear ? "" : (filled(password) ?? filled(ofUrl.password) ?? before.password),
  };
}

function filled(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
