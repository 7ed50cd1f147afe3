import { request as requestHttps } from "node:https";
import { connect, type DetailedPeerCertificate, type PeerCertificate, type TLSSocket } from "node:tls";
import * as v from "valibot";
import { requestCertificate } from "../../acme/index.js";
import {
  type Clock,
  errorText,
  type Guid,
  MS_PER_SECOND,
  NvrdError,
  setTimeLimit,
} from "../../base/index.js";
import type { KeyAndCertificate } from "../../http/index.js";
import { certificateHash, type JoinCode } from "./code.js";
import {
  certificateAnswer,
  ENROL_PATH,
  ENROLMENT_BYTES_MAX,
  type EnrolRequest,
  LEAVE_PATH,
  RENEW_PATH,
  refusalAnswer,
} from "./enrolment-messages.js";
import { HUB_NAME } from "./hub-name.js";

const REQUEST_MS_MAX = 20 * MS_PER_SECOND;
/** A chain is no longer. */
const CHAIN_LENGTH_MAX = 4;

/** Where a hub is, and what is trusted there. */
export interface HubPlace {
  readonly host: string;
  readonly port: number;
  /** The certificate of its authority, PEM. */
  readonly authority: string;
}

export interface Joined {
  readonly hub: HubPlace;
  readonly own: KeyAndCertificate;
}

/**
 * Joins a hub: looks for the authority that the code names, makes a key, and has it certified. Nothing secret is sent before the
 * authority is known. Rejects with NvrdError NOT_AVAILABLE, CONFLICT or FORBIDDEN in an installer's words.
 */
export async function joinHub(
  code: JoinCode,
  { id, name, clock }: { readonly id: Guid; readonly name: string; readonly clock: Clock },
): Promise<Joined> {
  const { host, port, token } = code;
  const authority = await findAuthority(code, clock);
  const hub = { host, port, authority };
  const { key, request } = await requestCertificate([id]);
  const body: EnrolRequest = { Token: token, Id: id, Name: name, Request: request.toString("base64") };
  const answer = await ask(hub, { path: ENROL_PATH, body, clock });
  return { hub, own: { key, certificate: certificateIn(answer) } };
}

/** Another certificate for a new key. Rejects as `joinHub` does. */
export async function renewAtHub(
  hub: HubPlace,
  own: KeyAndCertificate,
  { id, clock }: { readonly id: Guid; readonly clock: Clock },
): Promise<KeyAndCertificate> {
  const { key, request } = await requestCertificate([id]);
  const body = { Request: request.toString("base64") };
  const answer = await ask(hub, { path: RENEW_PATH, body, own, clock });
  return { key, certificate: certificateIn(answer) };
}

/** Notifies the hub that this box leaves. Rejects where the hub does not hear it. */
export async function leaveHub(hub: HubPlace, own: KeyAndCertificate, clock: Clock): Promise<void> {
  await ask(hub, { path: LEAVE_PATH, body: {}, own, clock });
}

function certificateIn(answer: unknown): string {
  const read = v.safeParse(certificateAnswer, answer);
  if (read.success) return read.output.Certificate;
  throw notAvailable("the hub's answer has no certificate");
}

/** The certificate that has the code's hash, of the chain that the hub shows. Nothing is sent. */
async function findAuthority({ host, port, authorityHash }: JoinCode, clock: Clock): Promise<string> {
  const socket = connect({
    ...{ host, port, servername: HUB_NAME, rejectUnauthorized: false },
    ...{ minVersion: "TLSv1.3", ALPNProtocols: ["http/1.1"] },
  });
  const limit = setTimeLimit(clock, () => socket.destroy(new Error("no answer")), REQUEST_MS_MAX);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once("secureConnect", resolve);
      socket.once("error", reject);
    });
    const found = chainOf(socket).find(({ raw }) => certificateHash(raw) === authorityHash);
    if (found === undefined)
      throw new NvrdError("FORBIDDEN", `what answers at ${host}:${port} is not the hub of this code`, {
        hint: "compare the address in the code with the hub's; another machine may have it now",
      });
    return pemOfDer(found.raw);
  } catch (error) {
    if (error instanceof NvrdError) throw error;
    throw unreachable({ host, port }, error);
  } finally {
    limit.clear();
    socket.destroy();
  }
}

function chainOf(socket: TLSSocket): readonly PeerCertificate[] {
  const chain: DetailedPeerCertificate[] = [];
  let next: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (next?.raw !== undefined && !chain.includes(next) && chain.length < CHAIN_LENGTH_MAX) {
    chain.push(next);
    next = next.issuerCertificate as DetailedPeerCertificate | undefined;
  }
  return chain;
}

function pemOfDer(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

interface Question {
  readonly path: string;
  readonly body: unknown;
  /** Who asks; undefined: nobody yet. */
  readonly own?: KeyAndCertificate;
  readonly clock: Clock;
}

async function ask(hub: HubPlace, { path, body, own, clock }: Question): Promise<unknown> {
  const { host, port, authority } = hub;
  const text = JSON.stringify(body);
  const call = requestHttps({
    ...{ host, port, path, method: "POST", agent: false, ca: authority, servername: HUB_NAME },
    ...{ minVersion: "TLSv1.3", ALPNProtocols: ["http/1.1"] },
    ...(own === undefined ? {} : { key: own.key, cert: own.certificate }),
    headers: { "content-type": "application/json", "content-length": Buffer.byteLength(text) },
  });
  const limit = setTimeLimit(clock, () => call.destroy(new Error("no answer")), REQUEST_MS_MAX);
  try {
    const { status, text: answer } = await new Promise<{ status: number; text: string }>(
      (resolve, reject) => {
        call.on("error", reject);
        call.on("response", (response) => {
          const chunks: Buffer[] = [];
          let bytes = 0;
          response.on("data", (chunk: Buffer) => {
            bytes += chunk.length;
            if (bytes > ENROLMENT_BYTES_MAX) call.destroy(new Error("the answer is too long"));
            else chunks.push(chunk);
          });
          response.on("error", reject);
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
          );
        });
        call.end(text);
      },
    );
    const said = jsonOf(answer);
    if (status === 200) return said;
    throw refused(said, status);
  } catch (error) {
    if (error instanceof NvrdError) throw error;
    throw unreachable(hub, error);
  } finally {
    limit.clear();
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Said by the status.
    return undefined;
  }
}

/** In words of this box: what a hub writes is not shown. */
function refused(said: unknown, status: number): NvrdError {
  const read = v.safeParse(refusalAnswer, said);
  switch (read.success ? read.output.Reason : "") {
    case "token":
      return new NvrdError(
        "FORBIDDEN",
        "the hub does not take this code: it was used, or is older than 15 minutes",
        {
          hint: "have the hub make another one",
        },
      );
    case "known":
      return new NvrdError("CONFLICT", "the hub has this recorder already", {
        hint: "remove it in the hub's list first, then paste a new code",
      });
    case "full":
      return new NvrdError("CONFLICT", "the hub takes no more recorders", { hint: "" });
    case "stranger":
      return new NvrdError("FORBIDDEN", "the hub does not know this recorder any more", {
        hint: "leave the hub here, and join it again with a new code",
      });
    default:
      return notAvailable(`the hub answers with status ${status}`);
  }
}

function notAvailable(message: string): NvrdError {
  return new NvrdError("NOT_AVAILABLE", message, { hint: "" });
}

function unreachable({ host, port }: Pick<HubPlace, "host" | "port">, error: unknown): NvrdError {
  return new NvrdError("NOT_AVAILABLE", `the hub does not answer at ${host}:${port}: ${errorText(error)}`, {
    hint: "look at the address in the code, and whether this port of the hub can be reached from here",
    cause: error,
  });
}
