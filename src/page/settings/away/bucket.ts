import { requestJson } from "../../state/request.js";

/** As `/api/away/buckets/{id}` has it. */
export interface Bucket {
  readonly ObjectLock: "Enabled" | "Off" | "Unsupported";
  readonly HasVersions: boolean;
  /** Null: the server knows none. */
  readonly Rules: readonly { readonly Id: string; readonly Xml: string }[] | null;
  readonly Proposed: readonly { readonly Id: string; readonly Text: string; readonly IsSet: boolean }[];
}

/** Asks the bucket itself. Rejects with RequestError. */
export function readBucket(id: string): Promise<Bucket> {
  return requestJson<Bucket>(`/api/away/buckets/${id}`);
}

/** Sets what is proposed; rules of others stay. Rejects with RequestError. */
export function setRules(id: string): Promise<Bucket> {
  return requestJson<Bucket>(`/api/away/buckets/${id}/lifecycle`, { method: "PUT" });
}
