import { spawn } from "node:child_process";
import * as v from "valibot";
import { builtScript, type Clock, type Log } from "../../base/index.js";
import { normalIdentity } from "../onvif/device-identity.js";
import { type DeviceAnnouncement, isServiceAddress } from "./discovery-message.js";

/** The package waits 3 s for answers; starting takes a second of a busy box. */
const PROBE_DEADLINE_MS = 8_000;
const OUTPUT_BYTES_MAX = 1024 * 1024;
const MEMORY_MEGABYTES_MAX = 64;
const DEVICES_MAX = 256;

const word = v.pipe(v.string(), v.maxLength(512));
const words = v.fallback(v.array(v.fallback(word, "")), []);
const answerSchema = v.array(
  v.object({ urn: v.fallback(word, ""), xaddrs: words, scopes: words, types: words }),
);

export interface NodeOnvifProbeOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * What node-onvif finds on the default interface. It runs in a process of its own with a deadline: two probes at a time,
 * or an error of its socket, end the process it runs in. Nothing is found when it fails; that is told in the log.
 */
export async function probeWithNodeOnvif(options: NodeOnvifProbeOptions): Promise<DeviceAnnouncement[]> {
  const text = await outputOfProbe(options);
  const answer = v.safeParse(answerSchema, parsedJson(text));
  if (!answer.success) {
    if (!options.signal.aborted) options.log.debug("node-onvif found nothing that can be read");
    return [];
  }
  return answer.output.slice(0, DEVICES_MAX).flatMap(({ urn, xaddrs, scopes, types }) => {
    const identity = normalIdentity(urn);
    const urls = xaddrs.filter(isServiceAddress);
    if (identity === undefined || urls.length === 0) return [];
    return [
      { identity, types: types.map((type) => type.slice(type.indexOf(":") + 1)), scopes, xaddrs: urls },
    ];
  });
}

function outputOfProbe({ clock, log, signal }: NodeOnvifProbeOptions): Promise<string> {
  if (signal.aborted) return Promise.resolve("");
  const script = builtScript(import.meta.url, "node-onvif-probe");
  const child = spawn(process.execPath, [`--max-old-space-size=${MEMORY_MEGABYTES_MAX}`, script], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env.PATH ?? "" },
  });
  const kill = (): boolean => child.kill("SIGKILL");
  const timer = clock.setTimeout(kill, PROBE_DEADLINE_MS);
  signal.addEventListener("abort", kill, { once: true });
  return new Promise((resolve) => {
    let text = "";
    child.stdout.on("data", (piece: Buffer) => {
      text += piece.toString("latin1");
      if (text.length > OUTPUT_BYTES_MAX) kill();
    });
    const end = (reason: string): void => {
      timer.clear();
      signal.removeEventListener("abort", kill);
      if (reason !== "") log.debug({ reason }, "node-onvif's probe ended early");
      resolve(reason === "" ? Buffer.from(text, "latin1").toString("utf8") : "");
    };
    child.on("error", (error) => end(error.message));
    child.on("close", (code, ended) => end(code === 0 ? "" : (ended ?? `status ${code}`)));
  });
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Cut short by its end: the schema refuses it.
    return undefined;
  }
}
