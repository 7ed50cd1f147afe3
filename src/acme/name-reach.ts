import { randomBytes } from "node:crypto";
import { lookup as lookupName } from "node:dns";
import { type IncomingMessage, request as requestHttp } from "node:http";
import type { LookupFunction } from "node:net";
import { type Clock, errorText, MS_PER_SECOND } from "../base/index.js";
import { AcmeFailure } from "./acme-problem.js";
import type { OpenChallenges } from "./open-challenges.js";

/** Where the authority looks for a challenge (RFC 8555, 8.3). */
export const CHALLENGE_PATH = "/.well-known/acme-challenge/";
const HTTP_PORT = 80;
const LOOK_MS_MAX = 10 * MS_PER_SECOND;
const BYTES_MAX = 1024;

export interface NameReachOptions {
  readonly challenges: OpenChallenges;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Default 80; a test has another. */
  readonly port?: number | undefined;
  readonly lookup?: LookupFunction | undefined;
}

/** Looks whether a name leads to this recorder, as the authority will: over HTTP, at port 80. Rejects with AcmeFailure. */
export async function requireReach(name: string, options: NameReachOptions): Promise<void> {
  const token = randomBytes(24).toString("base64url");
  const text = randomBytes(24).toString("base64url");
  const close = options.challenges.open(token, text);
  try {
    const { status, body } = await look(name, `${CHALLENGE_PATH}${token}`, options);
    if (status !== 200 || body.trim() !== text)
      throw new AcmeFailure("OtherAnswers", `something else answers there, with status ${status}`, { name });
  } catch (error) {
    throw error instanceof AcmeFailure ? error : reachFailure(name, error);
  } finally {
    close();
  }
}

function look(
  name: string,
  path: string,
  { clock, signal, port = HTTP_PORT, lookup = lookupName }: NameReachOptions,
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const call = requestHttp({
      host: name,
      port,
      path,
      lookup,
      signal,
      agent: false,
      maxHeaderSize: 16 * 1024,
    });
    const timer = clock.setTimeout(() => {
      const seconds = LOOK_MS_MAX / MS_PER_SECOND;
      call.destroy(new AcmeFailure("NotReached", `nothing answered within ${seconds} s`, { name }));
    }, LOOK_MS_MAX);
    call.once("close", () => timer.clear());
    call.once("error", reject);
    call.once("response", (response) => {
      beginningOf(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    });
    call.end();
  });
}

async function beginningOf(response: IncomingMessage): Promise<string> {
  let body = "";
  for await (const piece of response) {
    body += String(piece);
    if (body.length > BYTES_MAX) break; // which ends the connection
  }
  return body.slice(0, BYTES_MAX);
}

function reachFailure(name: string, error: unknown): AcmeFailure {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const isUnknown = code === "ENOTFOUND" || code === "EAI_AGAIN";
  return new AcmeFailure(isUnknown ? "NameUnknown" : "NotReached", errorText(error), { name, cause: error });
}
