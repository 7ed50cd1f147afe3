import {
  type AcmeCertificates,
  type AcmeSettings,
  type AcmeState,
  CHALLENGE_PATH,
  problemWords,
} from "../../acme/index.js";
import { formatIsoTime, type Language, NvrdError } from "../../base/index.js";
import { type AcmeAnswer, acmeState } from "../../contract/answer/index.js";
import { acmeInput, acmeInputTexts } from "../../contract/index.js";
import { acmeQuery } from "../../contract/query/index.js";
import { notesOf, readerOfValue } from "../../contract/reading/index.js";
import { EVENT_TYPES } from "../../event/index.js";
import type { ApiRequest } from "../../http/index.js";
import {
  answerJson,
  describeQuery,
  type EndpointResult,
  jsonAnswer,
  type RequestContext,
  type Route,
  readBody,
  readParameter,
  schemaOf,
  schemaOfBody,
  TEXT,
  withNotes,
} from "../../route/index.js";
import { acmeSettingsOf } from "../task/index.js";
import { type CertificateNeeds, factsObject, refusal } from "./certificate.js";

const settingsBody = readerOfValue(acmeInput);
const STATE = schemaOf(acmeState);

export const ACME_ROUTES: readonly Route<CertificateNeeds>[] = [
  {
    method: "GET",
    path: "/api/system/certificate/acme",
    login: "administrator",
    endpoint: ({ needs, request }) => answerState(needs, languageOf(request)),
    describe: {
      topic: "system",
      summary: "Shows which authority certificates of HTTPS are asked from (ACME), and how that goes",
      text: [
        "An addition of nvrd's. The guide: [certificates](../guide/secure.md#a-certificate-that-browsers-trust).",
      ],
      parameters: describeQuery(acmeQuery),
      answer: jsonAnswer(STATE, "The state."),
      example: ['curl -fu "$AUTH" "$NVRD/api/system/certificate/acme"'],
    },
  },
  {
    method: "PUT",
    path: "/api/system/certificate/acme",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Has certificates of HTTPS asked from an authority (ACME), and renewed in time",
      text: [
        "An addition of nvrd's. The first one is asked for at once, as a [task](#tasks) `ObtainCertificate`; until it is there HTTPS keeps what it has. [`TryAcme`](#post-apitasks) looks beforehand whether that can work. The settings replace those before; they are not part of the configuration, as they belong to this box and its address. It is an [event](events.md) `acmeChanged`.",
      ],
      parameters: describeQuery(acmeQuery),
      body: {
        required: true,
        schema: withNotes(schemaOfBody(settingsBody), notesOf(acmeInput.members, acmeInputTexts)),
      },
      answer: jsonAnswer(STATE, "The state."),
      errors: {
        409: "HTTPS is off, or the settings name its certificate (`tlsCertificate`). Or: `KeyId` without `HmacKey`, or the reverse.",
      },
      example: [
        'curl -fu "$AUTH" -X PUT "$NVRD/api/system/certificate/acme" --data \'{',
        '  "Names": ["nvr.example.org"], "DirectoryUrl": "https://ca.example.org/acme/directory",',
        '  "Email": "owner@example.org", "TermsAgreed": true }\'',
      ],
    },
    /** PUT /api/system/certificate/acme: an authority, and the names it is asked for. */
    async endpoint(context) {
      const { needs, request, principal } = context;
      const language = languageOf(request);
      const input = readBody(settingsBody, request.body);
      const acme = requireAcme(needs);
      const settings = acmeSettingsOf(input, acme.settings);
      const { id, name } = principal.user;
      await acme.use(settings, { id, name });
      raise(context, `${settings.names.join(", ")} (${new URL(settings.directoryUrl).host})`);
      return await answerState(context.needs, language);
    },
  },
  {
    method: "DELETE",
    path: "/api/system/certificate/acme",
    login: "administrator",

    describe: {
      topic: "system",
      summary: "Asks no authority for certificates any more",
      text: [
        "The certificate that was in place before the authority's is used again: one that was uploaded, else one of the recorder's own. The account and its key are forgotten.",
      ],
      parameters: describeQuery(acmeQuery),
      answer: jsonAnswer(STATE, "The state."),
      errors: { 409: "HTTPS is off, or the settings name its certificate (`tlsCertificate`)." },
      example: ['curl -fu "$AUTH" -X DELETE "$NVRD/api/system/certificate/acme"'],
    },
    /** DELETE /api/system/certificate/acme: the certificate before is it again. */
    async endpoint(context) {
      const language = languageOf(context.request);
      const acme = requireAcme(context.needs);
      if (acme.isOn) {
        await acme.turnOff();
        raise(context, "off");
      }
      return await answerState(context.needs, language);
    },
  },
  {
    method: "GET",
    path: `${CHALLENGE_PATH}{token}`,
    login: "none",

    describe: {
      topic: "system",
      summary: "Answers an authority that looks whether a name leads to this recorder",
      text: [
        "For everybody, and only for a token that an authority has just given (RFC 8555, 8.3), or that the recorder itself is looking for. It has to be reached at port 80 of the name.",
      ],
      pathValues: { token: "The authority's token." },
      pathSchemas: { token: { type: "string", pattern: "^[A-Za-z0-9_-]+$" } },
      answer: { text: "The proof.", content: { "application/octet-stream": TEXT } },
      errors: { 404: "Nobody waits for this token." },
      example: [
        "# Where no authority looks at a name: 404.",
        `curl -f "$NVRD${CHALLENGE_PATH}kT3vX8m2nQ0JrK5sLw7Zb1cDfGhIjKlM"`,
      ],
    },
    /** GET /.well-known/acme-challenge/{token}: for the authority, which has no login. */
    endpoint({ needs, pathValues }) {
      const text = needs.certificates.challenges.answer(pathValues.get("token") ?? "");
      if (text === undefined) throw new NvrdError("NOT_FOUND", "nobody waits for this token", { hint: "" });
      const headers = [
        ["Content-Type", "application/octet-stream"],
        ["Cache-Control", "no-store"],
      ] as const;
      return { status: 200, headers, body: Buffer.from(text) };
    },
  },
];

function raise({ needs, principal, log }: RequestContext<CertificateNeeds>, comment: string): void {
  const { id, name } = principal.user;
  log.info({ user: name, acme: comment }, "the authority for certificates of HTTPS is changed");
  needs.events.raise({ typeId: EVENT_TYPES.acmeChanged.id, comment, initiator: { type: 1, id, name } });
}

function requireAcme(needs: CertificateNeeds): AcmeCertificates {
  const { acme } = needs.certificates;
  if (acme === undefined) throw new NvrdError("CONFLICT", refusal(needs) ?? "", { hint: "" });
  return acme;
}

function languageOf({ query: asked }: ApiRequest): Language {
  return readParameter(asked, acmeQuery, "language");
}

async function answerState(needs: CertificateNeeds, language: Language): Promise<EndpointResult> {
  const { acme } = needs.certificates;
  const { httpPort } = needs.reach;
  const state = await acme?.state();
  const { settings, facts, obtainedUs, nextUs, step, isWorking = false } = state ?? {};
  return answerJson<AcmeAnswer>({
    CanChange: acme !== undefined,
    Settings: settings === undefined ? null : settingsObject(settings),
    IsWorking: isWorking,
    Progress: step?.part ?? null,
    Certificate: facts === undefined ? null : factsObject(facts),
    ObtainedTime: obtainedUs === undefined ? null : formatIsoTime(obtainedUs),
    NextTime: nextUs === undefined ? null : formatIsoTime(Math.max(nextUs, needs.clock.nowUs())),
    Failure: failureObject(state?.failure, language, httpPort),
    HttpPort: httpPort,
  });
}

/** Never the secret. */
function settingsObject({
  names,
  directoryUrl,
  email,
  trust,
  account,
}: AcmeSettings): AcmeAnswer["Settings"] {
  return {
    Names: names,
    DirectoryUrl: directoryUrl,
    Email: email ?? null,
    Authority: trust ?? null,
    KeyId: account?.keyId ?? null,
    HasHmacKey: account !== undefined,
  };
}

function failureObject(
  failure: AcmeState["failure"],
  language: Language,
  httpPort: number,
): AcmeAnswer["Failure"] {
  if (failure === undefined) return null;
  const { problem, host, text, timeUs, untilUs } = failure;
  const { title, remedy } = problemWords(problem, language, { name: host ?? "", httpPort });
  return {
    ...{ Problem: problem, Title: title, Remedy: remedy, Reason: text, Time: formatIsoTime(timeUs) },
    Until: untilUs === null ? null : formatIsoTime(untilUs),
  };
}
