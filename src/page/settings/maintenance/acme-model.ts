import { addressOf } from "../../state/address.js";
import { requestJson } from "../../state/request.js";
import { language } from "../../words/language.js";
import type { CertificateFacts } from "./model.js";

export interface AcmeSettings {
  readonly Names: readonly string[];
  readonly DirectoryUrl: string;
  readonly Email: string | null;
  readonly Authority: string | null;
  readonly KeyId: string | null;
}

/** The answer of `/api/system/certificate/acme`, as far as the page uses it. */
export interface AcmeState {
  /** Null: no authority is asked. */
  readonly Settings: AcmeSettings | null;
  readonly IsWorking: boolean;
  readonly Progress: number | null;
  /** The certificate of HTTPS, while it is the authority's. */
  readonly Certificate: CertificateFacts | null;
  readonly NextTime: string | null;
  readonly Failure: { readonly Title: string; readonly Remedy: string; readonly Reason: string } | null;
}

/** The result of the task `TryAcme`. */
export interface AcmeFindings {
  readonly TermsUrl: string | null;
  readonly Checks: readonly {
    readonly What: "Clock" | "Http" | "Authority" | "Name";
    readonly Name: string;
    /** Null: it is well. */
    readonly Title: string | null;
    readonly Remedy: string | null;
    readonly Reason: string | null;
  }[];
}

/** Rejects with RequestError. */
export function requestAcme(method: "GET" | "PUT" | "DELETE" = "GET", body?: object): Promise<AcmeState> {
  const address = addressOf("/api/system/certificate/acme", { language: language.value });
  return requestJson(address, { method, ...(body !== undefined && { body }) });
}
