import type { Clock } from "../../base/index.js";
import type { EventLog } from "../../event/index.js";
import type { CertificateFiles, OwnCertificate } from "../../http/index.js";
import type { ServerReach } from "../../route/index.js";
import type { AcmePlace } from "../task/index.js";

/** Where the certificate of HTTPS lies. */
export interface CertificatePlace extends AcmePlace {
  /** Undefined: HTTPS is off. */
  readonly files: CertificateFiles | undefined;
  /** The recorder's own to keep; undefined: HTTPS is off, or the settings name the files. */
  readonly own: OwnCertificate | undefined;
}

/** What the routes of this topic work with. */
export interface CertificateNeeds {
  readonly certificates: CertificatePlace;
  readonly clock: Clock;
  readonly events: EventLog;
  /** The ports in use. */
  readonly reach: ServerReach;
}
