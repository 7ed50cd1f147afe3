import type { AcmeAnswer } from "../../../contract/answer/index.js";
import { addressOf } from "../../state/address.js";
import { requestJson } from "../../state/request.js";
import { language } from "../../words/language.js";

/** Rejects with RequestError. */
export function requestAcme(method: "GET" | "PUT" | "DELETE" = "GET", body?: object): Promise<AcmeAnswer> {
  const address = addressOf("/api/system/certificate/acme", { language: language.value });
  return requestJson(address, { method, ...(body !== undefined && { body }) });
}
