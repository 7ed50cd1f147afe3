import { eachStream, MASK, redactUrl, type StreamType } from "../../base/index.js";
import type { ModelConnection } from "../../camera/index.js";
import { cameraStream } from "../../contract/index.js";
import { type BodyReader, MASKED_FAULT } from "../../route/index.js";
import { STREAM_SCHEME } from "../../rtsp/index.js";
import type { StreamRole, StreamSettings, VideoFormatName } from "../../site/index.js";
import { type RoleSections, readRoles } from "./camera-roles-input.js";
import { readStreamUrl } from "./camera-url.js";

/** The older names of the first two streams' members. */
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

export interface StreamsInput {
  readonly connection: BodyReader;
  readonly sections: RoleSections;
  /** The camera's credentials; those in a stream's URL must agree. */
  readonly credentials: { readonly login: string; readonly password: string };
  /** The present streams, or the defaults of a new camera. */
  readonly before: Readonly<Record<StreamType, StreamSettings>>;
  readonly isNew: boolean;
  /** How the model's streams are found. */
  readonly connects: ModelConnection;
  /** Whether they were found in another way before. */
  readonly wasOtherKind: boolean;
}

type StreamInput = Omit<StreamSettings, "roles">;

/** Reads ConnectionSettings.StreamSettings and its older names. A stream with a fault is unchanged. */
export function readStreams(given: StreamsInput): Readonly<Record<StreamType, StreamSettings>> {
  const input = given.wasOtherKind
    ? { ...given, before: eachStream((type) => foundAnew(given, type)) }
    : given;
  const settings = input.connection.child("StreamSettings");
  const readers = eachStream((type) => settings.child(`${type}StreamSettings`));
  const streams = eachStream((type) => new StreamReader(type, readers[type], input).read());
  const roles = readRoles({
    streams: readers,
    sections: input.sections,
    enabled: eachStream((type) => streams[type].enabled),
    before: input.isNew ? undefined : eachStream((type): readonly StreamRole[] => input.before[type].roles),
  });
  return eachStream((type) => ({ ...streams[type], roles: roles[type] }));
}

/** After a change of the kind of connection, the stream's URL, parameters and profile are no longer valid. */
function foundAnew({ before, connects }: StreamsInput, type: StreamType): StreamSettings {
  const { profileToken: _token, ...settings } = before[type];
  const enabled = settings.enabled && (type === "Main" || connects !== "url");
  return { ...settings, enabled, additionalParams: "" };
}

/** Reads one stream's settings, under their newer and older names. */
class StreamReader {
  readonly #type: StreamType;
  readonly #newer: BodyReader;
  readonly #input: StreamsInput;
  readonly #before: StreamSettings;

  constructor(type: StreamType, newer: BodyReader, input: StreamsInput) {
    this.#type = type;
    this.#newer = newer;
    this.#input = input;
    this.#before = input.before[type];
  }

  read(): StreamInput {
    const { format, rotationMode } = this.#before;
    const older = OLDER_NAMES[this.#type];
    const formatGiven = this.#one("VideoFormat", older?.format, (reader, name) =>
      reader.oneOf(name, cameraStream.VideoFormat.of),
    );
    const rotationGiven = this.#one("RotationMode", older?.rotation, (reader, name) =>
      reader.oneOf(name, cameraStream.RotationMode.of),
    );
    const params = this.#one("VideoAdditionalParams", older?.params, (reader, name) =>
      this.#readParams(reader, name),
    );
    const enabled = this.#one("VideoStreamEnabled", older?.enabled, (reader, name) => reader.boolean(name));
    return {
      format: formatGiven?.value ?? format,
      rotationMode: rotationGiven?.value ?? rotationMode,
      ...this.#address(params, enabled),
      ...this.#profile(formatGiven?.value ?? format),
    };
  }

  /** Another codec needs another profile. */
  #profile(format: VideoFormatName): Pick<StreamSettings, "profileToken"> {
    const { profileToken, format: before } = this.#before;
    return profileToken === undefined || format !== before ? {} : { profileToken };
  }

  #address(params: Given<string> | undefined, enabled: Given<boolean> | undefined): Address {
    const isMain = this.#type === "Main";
    if (isMain && enabled?.value === false) {
      enabled.reader.fault(enabled.name, "the main stream cannot be disabled");
    }
    if (this.#input.connects !== "url") {
      const { additionalParams: before } = this.#before;
      const additionalParams = params === undefined ? before : this.#readQuery(params);
      return { enabled: isMain || (enabled?.value ?? this.#before.enabled), additionalParams };
    }
    return isMain ? this.#mainAddress(params) : this.#furtherAddress(params, enabled?.value);
  }

  /** Parameters for the query of the stream's address, or a complete URL instead. */
  #readQuery(given: Given<string>): string {
    const { reader, name, value } = given;
    if (STREAM_SCHEME.test(value)) return this.#readUrl(given);
    if (/^[\x21-\x7e]*$/.test(value) && !/^\w+:\/\//.test(value) && !value.includes("#")) return value;
    reader.fault(
      name,
      "must be parameters of the stream's address, name=value&…, without blanks, or a whole rtsp:// URL",
    );
    return this.#before.additionalParams;
  }

  /** The one value of a member with two names; a contradiction is a fault. */
  #one<T>(
    newerName: string,
    olderName: string | undefined,
    read: (reader: BodyReader, name: string) => T | undefined,
  ): Given<T> | undefined {
    const { connection } = this.#input;
    const newer = read(this.#newer, newerName);
    const older = olderName === undefined ? undefined : read(connection, olderName);
    if (newer !== undefined && older !== undefined && newer !== older) {
      this.#newer.fault(newerName, `contradicts ${connection.pathOf(olderName ?? newerName)}`);
    }
    if (newer !== undefined) return { reader: this.#newer, name: newerName, value: newer };
    return older === undefined
      ? undefined
      : { reader: connection, name: olderName ?? newerName, value: older };
  }

  /** An empty text removes the URL; without a URL it changes nothing. */
  #readParams(reader: BodyReader, name: string): string | undefined {
    const text = reader.text(name, cameraStream.VideoAdditionalParams.max)?.trim();
    // What GET has shown says that nothing changes.
    if (text !== undefined && text === redactUrl(this.#before.additionalParams))
      return text === "" ? undefined : this.#before.additionalParams;
    if (text?.includes(MASK)) return reader.fault(name, MASKED_FAULT);
    return text === "" && this.#before.additionalParams === "" ? undefined : text;
  }

  #mainAddress(params: Given<string> | undefined): Address {
    if (params !== undefined && params.value !== "") {
      params.reader.fault(params.name, "must be empty: the main stream's URL is Hostname");
    }
    return { enabled: true, additionalParams: "" };
  }

  #furtherAddress(params: Given<string> | undefined, enabledGiven: boolean | undefined): Address {
    const { enabled, additionalParams } = this.#before;
    const url = params === undefined ? additionalParams : this.#readUrl(params);
    // A stream that gets its first URL is meant to be used.
    const wanted = enabledGiven ?? (url !== "" && (enabled || additionalParams === ""));
    if (wanted && url === "") {
      const { reader, name } = params ?? { reader: this.#newer, name: "VideoAdditionalParams" };
      reader.fault(name, "must be the stream's rtsp:// URL when it is enabled");
    }
    return { enabled: wanted, additionalParams: url };
  }

  #readUrl({ reader, name, value }: Given<string>): string {
    const { additionalParams } = this.#before;
    if (value === "" || value === additionalParams) return value;
    const url = readStreamUrl(value);
    if (typeof url === "string") {
      reader.fault(name, url);
      return additionalParams === "" ? PLACE_OF_FAULTY_URL : additionalParams;
    }
    const { login, password } = this.#input.credentials;
    if (url.login !== "" && url.login !== login) {
      reader.fault(name, "has a different login: all streams use Login and Password");
    } else if (url.password !== "" && url.password !== password) {
      reader.fault(name, "has a different password: all streams use Login and Password");
    }
    return url.url;
  }
}

/** A placeholder, so that a stream with a rejected URL is not rejected again for a missing one; it is never stored. */
const PLACE_OF_FAULTY_URL = "rtsp://refused.invalid/";

/** A member's value and its position. */
interface Given<T> {
  readonly reader: BodyReader;
  readonly name: string;
  readonly value: T;
}

type Address = Pick<StreamSettings, "enabled" | "additionalParams">;
