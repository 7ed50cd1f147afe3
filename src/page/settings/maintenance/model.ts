import type { CertificateState, UpdateProgress } from "../../../contract/answer/index.js";
import { at } from "../../state/place.js";
import { requestJson } from "../../state/request.js";
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

/** Sends the file of an update; `onPart` gets the share that has left, 0 to 1. Rejects with the recorder's sentence. */
export function sendUpdate(file: File, onPart: (part: number) => void, signal: AbortSignal): Promise<void> {
  // fetch does not report how much it has sent.
  const sending = new XMLHttpRequest();
  return new Promise((resolve, reject) => {
    sending.open("POST", at(UPDATE));
    sending.setRequestHeader("X-Requested-With", "nvrd-page");
    sending.setRequestHeader("Content-Type", "application/octet-stream");
    sending.upload.onprogress = ({ loaded, total }) => onPart(total > 0 ? loaded / total : 0);
    sending.onload = () => (sending.status < 300 ? resolve() : reject(new Error(sentenceOf(sending))));
    sending.onerror = () => reject(new Error(""));
    sending.onabort = () => resolve();
    signal.addEventListener("abort", () => sending.abort());
    sending.send(file);
  });
}

function sentenceOf({ responseText }: XMLHttpRequest): string {
  try {
    return (JSON.parse(responseText) as { ErrorMessage?: string }).ErrorMessage ?? "";
  } catch {
    return responseText.slice(0, 200);
  }
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
