import { type AcmeFindings, problemWords, tryAcme } from "../../acme/index.js";
import { type Language, NvrdError } from "../../base/index.js";
import { type AcmeFindingsObject, tryAcmeOrder, tryAcmeOrderTexts } from "../../contract/answer/index.js";
import { readerOfValue } from "../../contract/reading/index.js";
import { type RequestContext, readBody } from "../../route/index.js";
import type { Task } from "../../task/index.js";
import { acmeSettingsOf } from "./acme-settings.js";
import { bodyOfOrder, ownerOf, requireSenior, type StartableKind, type TaskNeeds } from "./task-kind.js";

const tryBody = readerOfValue(tryAcmeOrder);

export const TRY_ACME_KIND: StartableKind = {
  kind: "TryAcme",
  access: "senior administrators",
  body: bodyOfOrder(tryAcmeOrder, tryAcmeOrderTexts),
  start: startTrial,
};

export const OBTAIN_CERTIFICATE_KIND: StartableKind = {
  kind: "ObtainCertificate",
  access: "senior administrators",
  body: { type: "object", properties: {} },
  start: startObtaining,
};

/** Looks whether an authority could give a certificate for names: nothing is asked of it, and nothing is kept. */
function startTrial({ needs, request, principal }: RequestContext<TaskNeeds>): Task {
  requireSenior(principal);
  const { certificates, tasks, reach, wallClock: knowledge, clock } = needs;
  const { Language: language, ...input } = readBody(tryBody, request.body);
  const acme = requireAcme(needs);
  const settings = acmeSettingsOf(input, acme.settings);
  const { httpPort } = reach;
  return tasks.start({
    ...{ kind: "TryAcme", owner: ownerOf(principal), subject: settings.names.join(", "), canCancel: true },
    run: (task) =>
      tryAcme({
        ...{ settings, httpPort, knowledge, clock, signal: task.signal },
        ...{ challenges: certificates.challenges, reach: certificates.nameReach },
        terms: (tried, signal) => acme.terms(tried, signal),
        onFindings: (findings, part) => {
          task.progress(part);
          task.result(findingsObject(findings, language ?? "en", httpPort));
        },
      }),
  });
}

/** Asks the authority that is set, now. */
function startObtaining({ needs, principal }: RequestContext<TaskNeeds>): Task {
  requireSenior(principal);
  const acme = requireAcme(needs);
  if (!acme.isOn)
    throw new NvrdError("CONFLICT", "no authority is set", {
      hint: "set one: PUT /api/system/certificate/acme",
    });
  const task = acme.askNow(ownerOf(principal));
  if (task !== undefined) return task;
  throw new NvrdError("CONFLICT", "a certificate is being asked for already", { hint: "see GET /api/tasks" });
}

function requireAcme({ certificates }: TaskNeeds) {
  if (certificates.acme !== undefined) return certificates.acme;
  throw new NvrdError(
    "CONFLICT",
    "HTTPS is off (setting httpsPort), or the settings name its certificate (tlsCertificate)",
    { hint: "" },
  );
}

function findingsObject(
  { checks, termsUrl }: AcmeFindings,
  language: Language,
  httpPort: number,
): AcmeFindingsObject {
  return {
    TermsUrl: termsUrl ?? null,
    Checks: checks.map(({ what, name, failure }) => {
      const words = failure && problemWords(failure.problem, language, { name: "", httpPort });
      return {
        ...{ What: what, Name: name, Problem: failure?.problem ?? null },
        ...{ Title: words?.title ?? null, Remedy: words?.remedy ?? null, Reason: failure?.message ?? null },
      };
    }),
  };
}
