import * as v from "valibot";
import { GUID_PATTERN } from "../../contract/reading/index.js";

/** What a box and its hub say to each other when it joins, renews its certificate or leaves: HTTP/1.1 over the hub's port. */

export const ENROL_PATH = "/fleet/enrol";
export const RENEW_PATH = "/fleet/renew";
export const LEAVE_PATH = "/fleet/leave";
/** No message is longer, nor an answer. */
export const ENROLMENT_BYTES_MAX = 16_384;

const text = (lengthMax: number) => v.pipe(v.string(), v.maxLength(lengthMax));
/** PKCS#10, DER in base64. */
const request = v.pipe(text(4096), v.base64());

export const enrolRequest = v.object({
  Token: text(64),
  Id: v.pipe(v.string(), v.regex(new RegExp(GUID_PATTERN))),
  Name: v.pipe(text(128), v.minLength(1)),
  Request: request,
});
export type EnrolRequest = v.InferOutput<typeof enrolRequest>;

export const renewRequest = v.object({ Request: request });

/** Of the box, PEM. */
export const certificateAnswer = v.object({ Certificate: text(8192) });

export const refusalAnswer = v.object({ ErrorMessage: text(500), Reason: text(40) });
