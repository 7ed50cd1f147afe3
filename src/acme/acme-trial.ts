import type { Clock, ClockKnowledge } from "../base/index.js";
import { AcmeFailure, acmeFailure } from "./acme-problem.js";
import type { AcmeSettings } from "./acme-settings.js";
import { type NameReachOptions, requireReach } from "./name-reach.js";
import type { OpenChallenges } from "./open-challenges.js";

/** What was looked at, and what was found. */
interface AcmeCheck {
  readonly what: "Clock" | "Http" | "Authority" | "Name";
  /** The host name; empty for the others. */
  readonly name: string;
  readonly failure: AcmeFailure | undefined;
}

export interface AcmeFindings {
  readonly checks: readonly AcmeCheck[];
  /** The address of the authority's terms; undefined: it has none, or does not answer. */
  readonly termsUrl: string | undefined;
}

interface AcmeTrialOptions {
  readonly settings: AcmeSettings;
  readonly terms: (settings: AcmeSettings, signal: AbortSignal) => Promise<string | undefined>;
  readonly challenges: OpenChallenges;
  /** The recorder's port for plain HTTP; 0: off. */
  readonly httpPort: number;
  readonly knowledge: Pick<ClockKnowledge, "isKnown">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called after each check. */
  readonly onFindings: (findings: AcmeFindings, part: number) => void;
  /** Where names are looked at; a test has its own. */
  readonly reach?: Pick<NameReachOptions, "port" | "lookup"> | undefined;
}

/** Looks whether an authority could give a certificate for names, without asking it for one. */
export async function tryAcme(options: AcmeTrialOptions): Promise<void> {
  const { settings, terms, knowledge, httpPort, signal, onFindings, reach } = options;
  const checks: AcmeCheck[] = [];
  let termsUrl: string | undefined;
  const check = async (what: AcmeCheck["what"], name: string, look: () => Promise<void>): Promise<void> => {
    if (signal.aborted) return;
    const failure = await look().then(() => undefined, acmeFailure);
    checks.push({ what, name, failure });
    onFindings({ checks: [...checks], termsUrl }, checks.length / (settings.names.length + 3));
  };
  await check("Clock", "", async () => {
    if (!knowledge.isKnown) throw new AcmeFailure("ClockUnknown", "the clock is not known to be set");
  });
  await check("Http", "", async () => {
    if (httpPort === 0) throw new AcmeFailure("HttpOff", "the setting httpPort is 0");
  });
  await check("Authority", "", async () => {
    termsUrl = await terms(settings, signal);
  });
  if (httpPort === 0) return;
  for (const name of settings.names)
    await check("Name", name, () => requireReach(name, { ...options, ...reach }));
}
