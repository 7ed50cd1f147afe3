import { type Clock, formatIsoTime, NvrdError } from "../../base/index.js";
import {
  type CertificateObject,
  type CertificateState,
  certificateFacts,
  certificateState,
} from "../../contract/answer/index.js";
import { certificateInput, certificateInputTexts } from "../../contract/index.js";
import { notesOf, readerOfValue } from "../../contract/reading/index.js";
import { EVENT_TYPES, type EventLog } from "../../event/index.js";
import {
  type CertificateFacts,
  type CertificateFiles,
  type OwnCertificate,
  readCertificate,
} from "../../http/index.js";
import {
  answerJson,
  type EndpointResult,
  jsonAnswer,
  type RequestContext,
  type Route,
  readBody,
  type ServerReach,
  schemaOf,
  schemaOfBody,
  TEXT,
  withNotes,
} from "../../route/index.js";
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

const certificateBody = readerOfValue(certificateInput);
const FACTS = schemaOf(certificateFacts);

const OTHERS =
  "The settings name files of their own (`tlsCertificate`), HTTPS is off, or certificates are [asked from an authority](#put-apisystemcertificateacme).";

export const CERTIFICATE_ROUTES: readonly Route<CertificateNeeds>[] = [
  {
    method: "GET",
    path: "/api/system/certificate",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Shows the certificate of HTTPS",
      text: ["An addition of nvrd's."],
      answer: jsonAnswer(schemaOf(certificateState), "The certificate; null while HTTPS is off."),
      example: ['curl -fu "$AUTH" "$NVRD/api/system/certificate"'],
    },
    /** GET /api/system/certificate: what HTTPS shows to browsers. */
    async endpoint({ needs }) {
      const { reach, certificates } = needs;
      const files = certificates.files;
      const reason = refusal(needs);
      const authority = await certificates.own?.authority();
      return answerJson<CertificateState>({
        HttpsPort: reach.httpsPort,
        Certificate: files === undefined ? null : factsObject((await readCertificate(files)).facts),
        Authority: authority === undefined ? null : factsObject(authority.facts),
        CanChange: reason === undefined,
        Reason: reason ?? null,
      });
    },
  },
  {
    method: "GET",
    path: "/api/system/certificate/file",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Returns the certificate of HTTPS as a file, to install where it is to be trusted",
      text: [
        "An addition of nvrd's. The certificate, and those that have signed it, as far as they were uploaded. Compare the fingerprint before you trust it.",
      ],
      answer: { text: "PEM.", content: { "application/x-pem-file": TEXT } },
      errors: { 404: "HTTPS is off." },
      example: ['curl -fu "$AUTH" -o nvrd.pem "$NVRD/api/system/certificate/file"'],
    },
    /** GET /api/system/certificate/file: for the device that is to trust it. */
    async endpoint({ needs }) {
      const { pem: text } = await readCertificate(requireFiles(needs));
      const headers = [
        ["Content-Type", "application/x-pem-file"],
        ["Content-Disposition", 'attachment; filename="nvrd.pem"'],
        ["Cache-Control", "no-store"],
      ] as const;
      return { status: 200, headers, body: Buffer.from(text) };
    },
  },
  {
    method: "PUT",
    path: "/api/system/certificate",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Replaces the certificate of HTTPS",
      text: [
        "An addition of nvrd's. The new one is used within ten seconds, without a restart; open connections go on. What cannot be used is refused, and the former one stays.",
      ],
      body: {
        required: true,
        schema: withNotes(
          schemaOfBody(certificateBody),
          notesOf(certificateInput.members, certificateInputTexts),
        ),
      },
      answer: jsonAnswer(FACTS, "The new certificate."),
      errors: {
        400: "The certificate has expired, is no PEM, or the key is not its.",
        409: OTHERS,
      },
      example: [
        "openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=recorder -days 30 -keyout key.pem -out certificate.pem 2>/dev/null",
        "JSON=$(sed 's/$/\\\\n/' certificate.pem | tr -d '\\n'); KEY=$(sed 's/$/\\\\n/' key.pem | tr -d '\\n')",
        'curl -fu "$AUTH" -X PUT "$NVRD/api/system/certificate" --data "{ \\"Certificate\\": \\"$JSON\\", \\"Key\\": \\"$KEY\\" }"',
      ],
    },
    /** PUT /api/system/certificate: another certificate with its key. */
    async endpoint(context) {
      const { needs, request } = context;
      const { Certificate: certificate, Key: key } = readBody(certificateBody, request.body);
      return answerChanged(context, await requireOwn(needs).replace({ certificate, key }));
    },
  },
  {
    method: "DELETE",
    path: "/api/system/certificate",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Takes back a certificate that was put in: HTTPS has one of the recorder's own again",
      text: [
        "An addition of nvrd's. The new one is signed by the recorder's own authority and used within ten seconds; open connections go on. The one that was put in and its key are lost.",
      ],
      answer: jsonAnswer(FACTS, "The new certificate."),
      errors: { 409: OTHERS },
      example: ['curl -fu "$AUTH" -X DELETE "$NVRD/api/system/certificate"'],
    },
    /** DELETE /api/system/certificate: one of the recorder's own again. */
    async endpoint(context) {
      return answerChanged(context, await requireOwn(context.needs).restore());
    },
  },
  {
    method: "GET",
    path: "/api/system/certificate/authority",
    login: "user",

    describe: {
      topic: "system",
      summary:
        "Returns the certificate of the recorder's own authority, to install on devices that are to trust it",
      text: [
        "An addition of nvrd's, for every user. The recorder signs its certificate of HTTPS by an authority of its own, and makes it anew when its names or addresses change; a device that has the authority installed trusts them all. The authority can vouch for the recorder's name, for names of local networks (`.local`, `.lan`, `.home.arpa`, `.internal`) and for private addresses, and for nothing else. Compare the fingerprint before you trust it.",
      ],
      answer: { text: "PEM.", content: { "application/x-x509-ca-cert": TEXT } },
      errors: { 404: "The present certificate is not signed by it, or HTTPS is off." },
      example: ['curl -fu "$AUTH" -o nvrd.crt "$NVRD/api/system/certificate/authority"'],
    },
    /** GET /api/system/certificate/authority: for the device that is to trust the recorder. */
    async endpoint({ needs }) {
      const authority = await needs.certificates.own?.authority();
      if (authority === undefined) {
        const hint = "GET /api/system/certificate/file has the certificate";
        throw new NvrdError(
          "NOT_FOUND",
          "the certificate of HTTPS is not signed by the recorder's authority",
          {
            hint,
          },
        );
      }
      const headers = [
        ["Content-Type", "application/x-x509-ca-cert"],
        ["Content-Disposition", 'attachment; filename="nvrd.crt"'],
        ["Cache-Control", "no-store"],
      ] as const;
      return { status: 200, headers, body: Buffer.from(authority.pem) };
    },
  },
];

function answerChanged(
  { needs, principal, log }: RequestContext<CertificateNeeds>,
  facts: CertificateFacts,
): EndpointResult {
  const { id, name } = principal.user;
  log.info({ user: name, fingerprint: facts.fingerprint }, "the certificate of HTTPS is replaced");
  needs.events.raise({
    typeId: EVENT_TYPES.certificateChanged.id,
    comment: facts.subject,
    initiator: { type: 1, id, name },
  });
  return answerJson(factsObject(facts));
}

/** Undefined: it can be replaced. */
export function refusal({ certificates }: CertificateNeeds): string | undefined {
  if (certificates.files === undefined) return "HTTPS is off (setting httpsPort)";
  return certificates.own === undefined
    ? "the certificate is a file that the settings name (tlsCertificate): replace that file"
    : undefined;
}

function requireOwn(needs: CertificateNeeds): OwnCertificate {
  const { own, acme } = needs.certificates;
  if (acme?.isOn === true)
    throw new NvrdError(
      "CONFLICT",
      "certificates are asked from an authority (ACME), which would replace this one",
      {
        hint: "switch that off first: DELETE /api/system/certificate/acme",
      },
    );
  if (own === undefined) throw new NvrdError("CONFLICT", refusal(needs) ?? "", { hint: "" });
  return own;
}

function requireFiles({ certificates }: CertificateNeeds): CertificateFiles {
  if (certificates.files !== undefined) return certificates.files;
  throw new NvrdError("NOT_FOUND", "HTTPS is off, so there is no certificate", { hint: "" });
}

export function factsObject(facts: CertificateFacts): CertificateObject {
  return {
    Subject: facts.subject,
    Issuer: facts.issuer,
    Names: facts.names,
    ValidFrom: formatIsoTime(facts.validFromUs),
    ValidTo: formatIsoTime(facts.validToUs),
    Fingerprint: facts.fingerprint,
    IsSelfSigned: facts.isSelfSigned,
  };
}
