import { MASK, parseGuid, redactUrl, STREAM_TYPES, type StreamType } from "../../base/index.js";
import { deviceModel, type ModelConnection } from "../../camera/index.js";
import { cameraConnection, part } from "../../contract/index.js";
import { type BodyReader, MASKED_FAULT, readMember, readMembers, unknownId } from "../../route/index.js";
import type { ConnectionSettings, StreamSettings } from "../../site/index.js";
import type { RoleSections } from "./camera-roles-input.js";
import { readStreams } from "./camera-streams-input.js";
import { readDeviceAddress, readStreamUrl, type StreamUrl } from "./camera-url.js";

const GUID_LENGTH_MAX = 64;
const SWITCHES = part(cameraConnection, "SoundReceivingEnabled", "PtzEnabled");
const LOGIN_LENGTH_MAX = cameraConnection.Login.max;
const PASSWORD_LENGTH_MAX = cameraConnection.Password.max;

export interface ConnectionInput {
  readonly connection: BodyReader;
  readonly sections: RoleSections;
  /** The present connection, or the defaults of a new camera. */
  readonly before: ConnectionSettings;
  readonly isNew: boolean;
}

export interface ReadConnection {
  readonly connection: ConnectionSettings;
  /** The password is the stored one, because the request has none. */
  readonly keepsPassword: boolean;
}

/** Reads ConnectionSettings; absent members keep their values. */
export function readConnection(input: ConnectionInput): ReadConnection {
  const { connection: reader, before } = input;
  const modelId = readModel(reader);
  // What the other members may be depends on the model.
  if (modelId === undefined) return { connection: before, keepsPassword: true };
  const connects = kindOf(modelId);
  const wasOtherKind = !input.isNew && connects !== kindOf(before.modelId);
  const main = readHostname(input, connects, wasOtherKind);
  const { keepsPassword, ...credentials } = readCredentials(reader, before, main);
  const streams = readStreams({ ...input, credentials, connects, wasOtherKind, before: before.streams });
  const hostname = main?.url ?? before.hostname;
  const accepts = readMember(reader, cameraConnection, "AcceptDevice") ?? false;
  const isMoved = hostname !== before.hostname || modelId !== before.modelId;
  const isElsewhere = !input.isNew && (isMoved || accepts);
  const connection: ConnectionSettings = {
    modelId,
    hostname,
    ...credentials,
    ...readMembers(reader, SWITCHES, before),
    // Another address may be another device, and the owner may say that it is one: neither its profiles nor its identity are those of the old one.
    streams: isElsewhere ? withoutProfiles(streams) : streams,
    ...(before.deviceIdentity === undefined || isElsewhere ? {} : { deviceIdentity: before.deviceIdentity }),
    ...(findsStreams(input, connects, wasOtherKind) ? { findStreams: true } : {}),
  };
  return { connection, keepsPassword };
}

function kindOf(modelId: string): ModelConnection {
  return deviceModel(modelId)?.connection ?? "url";
}

/** Whether the camera gets the streams that its device offers, because the request has no stream settings. */
function findsStreams(
  { connection: reader, before, isNew }: ConnectionInput,
  connects: ModelConnection,
  wasOtherKind: boolean,
): boolean {
  if (connects !== "onvif") return false;
  const isChosen = ["StreamSettings", "AltVideoStreamEnabled"].some(
    (name) => reader.value(name) !== undefined,
  );
  return !isChosen && (isNew || wasOtherKind || before.findStreams === true);
}

function withoutProfiles(streams: ConnectionSettings["streams"]): ConnectionSettings["streams"] {
  const bare = (type: StreamType): StreamSettings => {
    const { profileToken: _token, ...settings } = streams[type];
    return settings;
  };
  const [Main, Alternative, SecondAlternative, ThirdAlternative] = STREAM_TYPES;
  return {
    Main: bare(Main),
    Alternative: bare(Alternative),
    SecondAlternative: bare(SecondAlternative),
    ThirdAlternative: bare(ThirdAlternative),
  };
}

/** Rejects streams without TLS for a camera that allows only secure connections. */
export function requireSecure(connection: ConnectionSettings, reader: BodyReader): void {
  const { hostname, streams } = connection;
  const urls = [hostname, ...STREAM_TYPES.map((type) => streams[type].additionalParams)];
  if (urls.some((url) => /^rtsp(?:\+http)?:/i.test(url))) {
    const text = "contradicts an rtsp:// or rtsp+http:// URL: use rtsps:// or rtsp+https://";
    reader.fault("IsSecureConnectionEnabled", text);
  }
  if (/^http:/i.test(hostname)) {
    reader.fault("IsSecureConnectionEnabled", "contradicts an http:// URL: use https://");
  }
}

/** Required in every camera object, also of PUT. */
function readModel(reader: BodyReader): string | undefined {
  const text = reader.text("ModelId", GUID_LENGTH_MAX);
  const id = text === undefined ? undefined : parseGuid(text);
  if (text === undefined) {
    if (reader.value("ModelId") !== undefined) return undefined;
    return reader.fault("ModelId", "is required: see GET /configure/devicemanufacturers");
  }
  if (id === undefined || deviceModel(id) === undefined) {
    const text = "is not a known model: see GET /configure/devicemanufacturers";
    return reader.fault("ModelId", text, unknownId(id));
  }
  return id;
}

function readHostname(
  { connection, before, isNew }: ConnectionInput,
  connects: ModelConnection,
  wasOtherKind: boolean,
): StreamUrl | undefined {
  const text = readMember(connection, cameraConnection, "Hostname");
  if (text === undefined) {
    if ((isNew || wasOtherKind) && connection.value("Hostname") === undefined) {
      const what = connects === "url" ? "the main stream's rtsp:// URL" : "the device's address";
      connection.fault("Hostname", `is required: ${what}`);
    }
    return undefined;
  }
  if (!isNew && !wasOtherKind && [before.hostname, redactUrl(before.hostname)].includes(text))
    return { url: before.hostname, login: "", password: "" };
  if (text.includes(MASK)) return connection.fault("Hostname", MASKED_FAULT);
  const url = connects === "url" ? readStreamUrl(text) : readDeviceAddress(text);
  return typeof url === "string" ? connection.fault("Hostname", url) : url;
}

/**
 * Login and Password; if absent, those of the URL, otherwise the present ones. The password is never returned, so an empty one
 * changes nothing; ClearPassword removes it.
 */
function readCredentials(
  reader: BodyReader,
  before: ConnectionSettings,
  main: StreamUrl | undefined,
): Pick<ConnectionSettings, "login" | "password"> & Pick<ReadConnection, "keepsPassword"> {
  const login = readMember(reader, cameraConnection, "Login");
  const password = readMember(reader, cameraConnection, "Password") ?? "";
  const clear = readMember(reader, cameraConnection, "ClearPassword") ?? false;
  const ofUrl = { login: main?.login ?? "", password: main?.password ?? "" };
  if (login !== undefined && login !== "" && ofUrl.login !== "" && ofUrl.login !== login) {
    reader.fault("Hostname", `contradicts the login in ${reader.pathOf("Login")}: send one of them`);
  }
  if (password !== "" && ofUrl.password !== "" && ofUrl.password !== password) {
    reader.fault("Hostname", `contradicts the password in ${reader.pathOf("Password")}: send one of them`);
  }
  if (clear && (password !== "" || ofUrl.password !== "")) {
    reader.fault("ClearPassword", "contradicts the password in the request: send one of them");
  }
  if (ofUrl.login.length > LOGIN_LENGTH_MAX) {
    reader.fault("Hostname", `holds a login of more than ${LOGIN_LENGTH_MAX} characters`);
  }
  if (ofUrl.password.length > PASSWORD_LENGTH_MAX) {
    reader.fault("Hostname", `holds a password of more than ${PASSWORD_LENGTH_MAX} characters`);
  }
  const given = clear ? "" : (filled(password) ?? filled(ofUrl.password));
  return {
    login: filled(login) ?? filled(ofUrl.login) ?? login ?? before.login,
    password: given ?? before.password,
    keepsPassword: given === undefined,
  };
}

function filled(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}
