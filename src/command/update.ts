import { randomUUID } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { chown, mkdir, open, rm, stat } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { userInfo } from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import * as v from "valibot";
import { createLog, EXIT, errorText, NvrdError, SystemClock, withTimeout } from "../base/index.js";
import {
  BootAgent,
  BUNDLE_BYTES_MAX,
  type GateState,
  HandoverDirectory,
  HealthGate,
  Installer,
  JournalFile,
  notSupported,
  RaucSystem,
  requireUpdateDirectory,
  runCommand,
  type UpdateState,
} from "../box/update/index.js";
import { UPDATE_PHASES } from "../contract/answer/index.js";
import { callControl } from "../host/control/index.js";
import { readGateAnswer, UPDATE_INBOX } from "../service/shared/index.js";
import { loadSettings, type Settings } from "../settings/index.js";
import type { UpdateLine } from "./command-line.js";

/** `nvrd update` and `nvrd health-gate`: run by users, and by the image's units as root. */

const PROBE_TIMEOUT_MS = 10_000;
const PERSON_LENGTH_MAX = 64;
/** A request to the API; any answer, even one that asks for a login, shows that the API works. */
const API_PATH = "/openapi.json";

/** Runs the command; returns the exit status. Rejects with an NvrdError. */
export async function runUpdateCommand(line: UpdateLine): Promise<number> {
  const settings = loadSettings({ flags: line.flags, environment: process.env });
  if (line.command === "health-gate") return await gate(settings);
  if (line.action === "apply") return await apply(settings);
  const state = line.action === "send" ? await send(settings, line.file) : await ask(settings);
  process.stdout.write(line.json ? `${JSON.stringify(state)}\n` : `${stateText(state)}\n`);
  return EXIT.done;
}

/** Run by the root unit: installs the update passed on by the service. */
async function apply(settings: Settings): Promise<number> {
  const outcome = await new Installer(await rootParts(settings)).run();
  return outcome === "failed" ? EXIT.failed : EXIT.done;
}

/** Run by the root unit, once per boot. */
async function gate(settings: Settings): Promise<number> {
  const parts = await rootParts(settings);
  const probe = (): Promise<GateState> => lookAtService(settings.dataDir);
  const agent = new BootAgent({ ...parts, gate: new HealthGate({ ...parts, probe }) });
  await agent.run();
  return EXIT.done;
}

async function rootParts(settings: Settings) {
  const directory = await requireUpdateDirectory(settings.updateDir);
  const log = createLog({ level: settings.logLevel });
  return {
    journal: new JournalFile({ directory, log }),
    handover: new HandoverDirectory({ directory: path.join(settings.dataDir, UPDATE_INBOX), log }),
    slots: new RaucSystem({ run: runCommand }),
    clock: new SystemClock(),
    log,
  };
}

/** The service as it is: what it says of itself, and whether its API answers over the network. */
export async function lookAtService(dataDir: string): Promise<GateState> {
  const answer = readGateAnswer(await withinTime(callControl({ dataDir, command: "health-gate" })));
  const { address, httpPort, httpsPort, ...rest } = answer;
  const apiAnswers =
    httpPort !== 0
      ? await answers(httpRequest, { host: address, port: httpPort })
      : httpsPort !== 0 && (await answers(httpsRequest, { host: address, port: httpsPort }));
  return { ...rest, apiAnswers };
}

function answers(
  request: typeof httpRequest | typeof httpsRequest,
  place: { readonly host: string; readonly port: number },
): Promise<boolean> {
  return new Promise((resolve) => {
    // The certificate may be self-signed; only whether there is an answer matters.
    const options = { ...place, path: API_PATH, rejectUnauthorized: false, timeout: PROBE_TIMEOUT_MS };
    const asked = request(options, (response) => {
      response.resume();
      resolve((response.statusCode ?? 500) < 500);
    });
    asked.once("timeout", () => asked.destroy(new Error("no answer in time")));
    asked.once("error", () => resolve(false));
    asked.end();
  });
}

/** A hung service must not block the health gate. */
function withinTime<T>(work: Promise<T>): Promise<T> {
  return withTimeout(work, {
    clock: new SystemClock(),
    ms: PROBE_TIMEOUT_MS,
    error: () => new NvrdError("NOT_AVAILABLE", "no answer in time"),
  });
}

/** Copies the bundle to where the service can read it, because the file itself may be readable only by root. */
async function send(settings: Settings, file: string): Promise<UpdateState> {
  const { size } = await found(file);
  if (size > BUNDLE_BYTES_MAX)
    throw new NvrdError("TOO_LARGE", `${file} is larger than ${BUNDLE_BYTES_MAX} bytes`, {
      hint: "name a bundle",
    });
  // Checked first, to avoid the copy if updates are not supported or no service is running.
  if (!(await ask(settings)).supported) throw notSupported();
  const inbox = path.join(settings.dataDir, UPDATE_INBOX);
  const name = `local-${randomUUID()}.raucb`;
  const laid = path.join(inbox, name);
  const person = userInfo().username.slice(0, PERSON_LENGTH_MAX);
  try {
    await lay(file, laid, settings.dataDir);
    const answer = await callControl({
      dataDir: settings.dataDir,
      command: "update",
      arguments: { name, person },
    });
    return readState(answer);
  } finally {
    await rm(laid, { force: true });
  }
}

async function found(file: string): Promise<{ readonly size: number }> {
  try {
    return await stat(file);
  } catch (error) {
    throw new NvrdError("BAD_REQUEST", `${file} cannot be read: ${errorText(error)}`, {
      hint: "name a bundle",
    });
  }
}

async function lay(file: string, laid: string, dataDir: string): Promise<void> {
  const owner = await stat(dataDir);
  await mkdir(path.dirname(laid), { recursive: true, mode: 0o700 });
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const handle = await open(laid, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  await pipeline(createReadStream(file), handle.createWriteStream());
  if (process.getuid?.() === 0) {
    await chown(path.dirname(laid), owner.uid, owner.gid);
    await chown(laid, owner.uid, owner.gid);
  }
}

async function ask({ dataDir }: Settings): Promise<UpdateState> {
  return readState(await callControl({ dataDir, command: "update-state" }));
}

const textOrNull = v.nullable(v.string());
const stateSchema = v.object({
  supported: v.boolean(),
  phase: v.picklist(UPDATE_PHASES),
  percent: v.nullable(v.number()),
  message: v.string(),
  version: textOrNull,
  fromVersion: textOrNull,
  slot: textOrNull,
  sinceUs: v.nullable(v.number()),
});

function readState(answer: unknown): UpdateState {
  const result = v.safeParse(stateSchema, answer);
  if (!result.success) throw new NvrdError("INTERNAL", "the service's answer is invalid");
  return result.output;
}

function stateText({ supported, phase, percent, message, version, fromVersion, slot }: UpdateState): string {
  if (!supported) return "not supported: this recorder has no second slot to install an update into";
  const versions = version === null ? "" : `, ${fromVersion ?? "?"} to ${version}`;
  const done = percent === null ? "" : `, ${percent} %`;
  return `slot ${slot ?? "?"}: ${phase}${versions}${done}${message === "" ? "" : `: ${message}`}`;
}
