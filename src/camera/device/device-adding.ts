import { type Clock, errorText, type Log, NvrdError, setTimeLimit, unlessAborted } from "../../base/index.js";
import type { ReadingResult } from "../../contract/answer/index.js";
import { CameraFailure, type CameraFailureKind } from "../description/camera-failure.js";
import type { DeviceAccess } from "../description/device-access.js";
import type { DeviceDescription } from "../description/device-description.js";
import { isRefusal } from "./login-attempt.js";
import { channelNumbersOf } from "./onvif-camera.js";
import type { RefusedLogins } from "./refused-logins.js";

/** Devices read at the same time. */
const INSPECTIONS_AT_ONCE = 16;
/** Timeout for one device. */
export const INSPECTION_MS_MAX = 25_000;
/** All devices of a request together: a client waits for the answer. */
export const ADDING_MS_MAX = 55_000;

/** Reads a device with its login (`inspectDevice`). */
export type DeviceInspector = (
  options: DeviceAccess & { readonly signal: AbortSignal },
) => Promise<DeviceDescription>;

export interface DeviceReading {
  readonly result: ReadingResult;
  /** For the installer; empty on success. */
  readonly reason: string;
  /** Problems that do not prevent recording. */
  readonly warnings: readonly string[];
  /** Present when `result` is Readable. */
  readonly description?: DeviceDescription;
}

export type LoginAttempt = Pick<DeviceAccess, "address" | "login" | "password">;

/** Gets the reading of a device as it comes; `index` is its place among the logins. */
export type ReadingListener = (index: number, reading: DeviceReading) => void;

/** Knows the recorder itself (`OwnDevices`). */
export interface ItselfReader {
  hasIdentity(identity: string | undefined): boolean;
  isHere(address: string): Promise<boolean>;
  answersAt(address: string, signal: AbortSignal): Promise<boolean>;
}

export interface DeviceReadingOptions {
  readonly ownDevices?: ItselfReader;
  readonly onReading?: ReadingListener | undefined;
  readonly inspect: DeviceInspector;
  /** What devices refused before. */
  readonly refused: RefusedLogins;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Reads devices, with bounded concurrency and time. Each is tried once, with one login, because accounts get locked.
 * The readings are in the order of `logins`. Never rejects.
 */
export async function readDevices(
  logins: readonly LoginAttempt[],
  options: DeviceReadingOptions,
): Promise<DeviceReading[]> {
  const end = new AbortController();
  const timer = options.clock.setTimeout(() => end.abort(), ADDING_MS_MAX);
  const readings: DeviceReading[] = [];
  const waiting = [...logins.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, login] = next;
      const reading = end.signal.aborted ? NO_TIME : await readDevice(login, options, end.signal);
      readings[index] = reading;
      options.onReading?.(index, reading);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(INSPECTIONS_AT_ONCE, logins.length) }, work));
    return readings;
  } finally {
    timer.clear();
  }
}

const NO_TIME: DeviceReading = {
  result: "Failed",
  reason: "there was no time left to read it: add it again",
  warnings: [],
};

const ITSELF: DeviceReading = {
  result: "Itself",
  reason: "the recorder itself answers there: give the address of a camera",
  warnings: [],
};

async function readDevice(
  login: LoginAttempt,
  { inspect, refused, ownDevices, clock, log }: DeviceReadingOptions,
  whole: AbortSignal,
): Promise<DeviceReading> {
  const late = new AbortController();
  const timer = setTimeLimit(clock, () => late.abort(), INSPECTION_MS_MAX);
  const signal = AbortSignal.any([whole, late.signal]);
  try {
    // Where it may be the recorder, it is asked before it is sent a login.
    if ((await ownDevices?.isHere(login.address)) && (await ownDevices?.answersAt(login.address, signal)))
      return ITSELF;
    // The reader itself may hang on a device that nobody foresaw.
    const inspection = inspect({ ...login, ...refused.of(login), clock, signal });
    const description = await unlessAborted(inspection, signal, noAnswer);
    return ownDevices?.hasIdentity(description.identity) ? ITSELF : readingOf(description);
  } catch (error) {
    if (isRefusal(error) && (await ownDevices?.answersAt(login.address, signal))) return ITSELF;
    if (error instanceof CameraFailure) refused.note(login, error);
    return failedReading(error, log);
  } finally {
    timer.clear();
  }
}

function noAnswer(): CameraFailure {
  return new CameraFailure("unreachable", "the device did not answer in time");
}

function readingOf(description: DeviceDescription): DeviceReading {
  const warnings = description.warnings.map(({ message }) => message);
  if (channelNumbersOf(description).length > 0) {
    return { result: "Readable", reason: "", warnings, description };
  }
  const withAddress = description.profiles.filter(({ streamUri }) => streamUri !== undefined);
  if (withAddress.length === 0) {
    return { result: "NoStream", reason: "the device offers no video stream", warnings };
  }
  const encodings = [...new Set(withAddress.map(({ encoding }) => encoding))].join(", ");
  return {
    result: "UnsupportedCodec",
    reason: `its streams are ${encodings}: set one to H.264, H.265, MPEG-4 or MJPEG on the device`,
    warnings,
  };
}

/** What a failure is for who adds a device or tries a stream. */
export const RESULT_OF_FAILURE: Readonly<Record<CameraFailureKind, ReadingResult>> = {
  unauthorized: "LoginRefused",
  locked: "AccountLocked",
  "login-unclear": "LoginRefused",
  unreachable: "Unreachable",
  busy: "Unreachable",
  interrupted: "Unreachable",
  "no-stream": "NoStream",
  unsupported: "UnsupportedCodec",
  insecure: "Insecure",
  "certificate-changed": "Insecure",
  "not-activated": "NotActivated",
  "clock-off": "ClockOff",
  "not-onvif": "NotOnvif",
  "bad-answer": "Failed",
  refused: "Failed",
};

function failedReading(error: unknown, log: Log): DeviceReading {
  if (error instanceof CameraFailure) {
    return { result: RESULT_OF_FAILURE[error.kind], reason: error.message, warnings: [] };
  }
  if (error instanceof NvrdError) return { result: "Failed", reason: error.message, warnings: [] };
  log.error({ error: errorText(error) }, "a device could not be read");
  return { result: "Failed", reason: "it could not be read: see the log of the service", warnings: [] };
}
