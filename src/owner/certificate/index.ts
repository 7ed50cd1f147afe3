/**
 * owner/certificate: the certificate of HTTPS: the recorder's own, one that is uploaded, one by ACME.
 *
 * Belongs here: endpoints about the certificate and its authority.
 * Does not belong here: making and checking it (`http`), ACME (`acme`), the long work of a first order (`owner/task`).
 */
import type { Route } from "../../route/index.js";
import { ACME_ROUTES } from "./acme.js";
import { type CertificateNeeds, CERTIFICATE_ROUTES as FILE_ROUTES } from "./certificate.js";

export type { CertificateNeeds, CertificatePlace } from "./certificate.js";

/** The certificate, under any licence. */
export const CERTIFICATE_ROUTES: readonly Route<CertificateNeeds>[] = [...FILE_ROUTES, ...ACME_ROUTES];
