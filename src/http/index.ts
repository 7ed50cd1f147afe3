/**
 * http: @@TODO@@
 *
 * Belongs here: @@
 * Does not belong here: @@
 */

export { type ByteRange, namesEtag, readByteRange } from "./byte-range.js";
export { attachment } from "./content-disposition.js";
export { corsHeaders } from "./cors.js";
export { answerError, answerMessage } from "./error-answer.js";
export { HttpServer } from "./http-server.js";
export { HttpsServer } from "./https-server.js";
export { listenOn, type PortSetting, portsToTry, reachableAddress } from "./listen-ports.js";
export { Door, type DoorChange, type OpenedDoor } from "./listener.js";
export {
  FIRST_BOUNDARY,
  formatPart,
  MULTIPART_HEADERS,
  type Part,
  partHead,
  partOfFrame,
  typedPart,
} from "./multipart.js";
export { Query, shown } from "./query.js";
export { ApiRequest, normalizePath, type RawRequest, RequestContent } from "./request.js";
export { type Answer, ApiResponse, type Headers } from "./response.js";
export { SizedResponse } from "./sized-response.js";
export { StreamResponse } from "./stream-response.js";
export { type CertificateFiles, ensureSelfSigned } from "./tls-certificate.js";
