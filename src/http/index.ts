/**
 * http: HTTP and HTTPS over uWebSockets.js: ports, TLS, requests, bodies, ranges, CORS, multipart, answers and
 * streams.
 *
 * Belongs here: everything that uses the HTTP library or handles HTTP syntax; the handling of slow clients.
 * Does not belong here: what is served (`compat`, `owner`, `page`), who may do what (`access`). Only http-server.ts, response.ts,
 * request-body.ts, socket-connection.ts and stream-response.ts use uWebSockets.js.
 *
 * Parts: `certificate/`: the key and the certificate of HTTPS, given, made here or by an authority of its own.
 */
export { type ByteRange, namesEtag, readByteRange } from "./byte-range.js";
export {
  CERTIFICATE_ALGORITHM,
  certificateLibrary,
  createKeys,
  pemOf,
  pemOfKey,
  signingKey,
} from "./certificate/certificate-making.js";
export { OwnCertificate } from "./certificate/https-certificate.js";
export { type CertificateFacts, factsOf, readCertificate } from "./certificate/own-certificate.js";
export {
  type CertificateFiles,
  type KeyAndCertificate,
  readKeyAndCertificate,
  writeKeyAndCertificate,
} from "./certificate/tls-certificate.js";
export { attachment } from "./content-disposition.js";
export { corsHeaders } from "./cors.js";
export { answerError, answerMessage } from "./error-answer.js";
export { CONNECTIONS_MAX, HttpServer, type HttpServerOptions } from "./http-server.js";
export { HttpsServer } from "./https-server.js";
export { localAddressesOf } from "./kernel-connections.js";
export { listenOn, type PortSetting, portsToTry, reachableAddress } from "./listen-ports.js";
export { Listener, type ListenerChange, type ListenerProblem, type OpenListener } from "./listener.js";
export { Query, shown } from "./query.js";
export { ApiRequest, normalizePath, type RawRequest, RequestContent } from "./request.js";
export { BODIES_BYTES_MAX } from "./request-body.js";
export { type Answer, ApiResponse, type Headers } from "./response.js";
export { SizedResponse } from "./sized-response.js";
export {
  SOCKET_MESSAGES_AT_ONCE_MAX,
  SocketClose,
  type SocketConnection,
  type SocketListener,
} from "./socket-connection.js";
export { StreamResponse } from "./stream-response.js";
export { TrustedProxies } from "./trusted-proxies.js";
