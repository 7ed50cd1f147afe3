import type { AwayBucket } from "../../../contract/answer/index.js";
import { requestJson } from "../../state/request.js";

/** Asks the bucket itself. Rejects with RequestError. */
export function readBucket(id: string): Promise<AwayBucket> {
  return requestJson<AwayBucket>(`/api/away/buckets/${id}`);
}

/** Sets what is proposed; rules of others stay. Rejects with RequestError. */
export function setRules(id: string): Promise<AwayBucket> {
  return requestJson<AwayBucket>(`/api/away/buckets/${id}/lifecycle`, { method: "PUT" });
}
