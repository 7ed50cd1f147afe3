import type { CertificateState, UpdateProgress } from "../../../contract/answer/index.js";
import { requestJson } from "../../state/request.js";
import { sendFile } from "../../state/send-file.js";
import { language } from "../../words/language.js";

export const CONFIGURATION = "/api/system/configuration";
export const SUPPORT = "/api/support";
const UPDATE = "/api/update";

/** What a change of the whole configuration does, or would do. */
export interface WholeChange {
  readonly IsChanged: boolean;
  readonly Summary: string;
  readonly Notes: readonly string[];
}

export interface Revision {
  readonly Revision: number;
  readonly Time: string | null;
  readonly By: string | null;
  readonly Summary: string;
  readonly IsCurrent: boolean;
}

/** Imports a file that this recorder or another one has written. Rejects with RequestError. */
export function importConfiguration(Document: unknown, DryRun: boolean): Promise<WholeChange> {
  return requestJson(CONFIGURATION, { method: "POST", body: { Document, DryRun } });
}

export function readRevisions(): Promise<readonly Revision[]> {
  return requestJson(`${CONFIGURATION}/history?language=${language.value}`);
}

export function revert(number: number, DryRun: boolean): Promise<WholeChange> {
  return requestJson(`${CONFIGURATION}/revert`, { method: "POST", body: { Revision: number, DryRun } });
}

export function readUpdate(): Promise<UpdateProgress> {
  return requestJson(UPDATE);
}

/** Sends the file of an update; see `sendFile`. */
export function sendUpdate(file: File, onPart: (part: number) => void, signal: AbortSignal): Promise<void> {
  return sendFile(UPDATE, file, { onPart, signal });
}

const CERTIFICATE = "/api/system/certificate";
export const CERTIFICATE_FILE = `${CERTIFICATE}/file`;
export const AUTHORITY_FILE = `${CERTIFICATE}/authority`;

export function readCertificate(): Promise<CertificateState> {
  return requestJson(CERTIFICATE);
}

/** One of the recorder's own again. Rejects with RequestError. */
export async function ownCertificate(): Promise<void> {
  await requestJson(CERTIFICATE, { method: "DELETE" });
}

/** Both in PEM. Rejects with RequestError: its message says why they cannot be used. */
export async function replaceCertificate(Certificate: string, Key: string): Promise<void> {
  await requestJson(CERTIFICATE, { method: "PUT", body: { Certificate, Key } });
}
