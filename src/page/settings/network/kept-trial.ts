import { signal } from "@preact/signals";
import type { NetworkTrialBegun } from "../../../contract/answer/index.js";
import { addressOf, route } from "../../state/route.js";

/* The trial that this page has begun: kept in the tab, because the page is loaded again for it. */

const KEY = "nvrd-network-trial";

export interface KeptTrial {
  readonly token: string;
  readonly name: string;
  /** By the clock of this device. */
  readonly endsMs: number;
  /** Where the box may be, the most likely first. */
  readonly origins: readonly string[];
}

export const keptTrial = signal<KeptTrial | undefined>(undefined);

/** How a trial that this page followed has ended. */
export type TrialEnd = { readonly origin: string } | { readonly reason: string | null };
export const trialEnd = signal<TrialEnd | undefined>(undefined);

/** Reads what was kept, or what the address brings from the page at the former address. */
export function findTrial(): void {
  const token = route.value.parameters.get("confirm");
  if (token !== null && token !== "") {
    history.replaceState(history.state, "", addressOf("settings", { part: "network" }));
    keep({ token, name: "", endsMs: Date.now() + 90_000, origins: [location.origin] });
  }
  const text = sessionStorage.getItem(KEY);
  keptTrial.value = text === null ? undefined : (JSON.parse(text) as KeptTrial);
}

/**
 * Keeps a trial, and loads the page again: the recorder allows it then to ask at the addresses of the trial, which no page
 * may do otherwise.
 */
export function beginTrial({ Trial, Token }: NetworkTrialBegun, boxName: string): void {
  const { protocol, port, origin } = location;
  const hosts = [...Trial.Addresses.map((one) => (one.includes(":") ? `[${one}]` : one)), `${boxName}.local`];
  const others = hosts.map((host) => `${protocol}//${host}${port === "" ? "" : `:${port}`}`);
  keep({
    token: Token,
    name: Trial.Settings.Interface,
    endsMs: Date.now() + Trial.RemainingSeconds * 1000,
    origins: [...new Set([...others, origin])],
  });
  location.reload();
}

function keep(trial: KeptTrial): void {
  sessionStorage.setItem(KEY, JSON.stringify(trial));
  trialEnd.value = undefined;
}

export function forgetTrial(end: TrialEnd | undefined): void {
  sessionStorage.removeItem(KEY);
  keptTrial.value = undefined;
  trialEnd.value = end;
}

/** The page at another address, which confirms the trial as soon as somebody is logged in there. */
export function confirmingPage(origin: string, { token }: KeptTrial): string {
  return `${origin}/${addressOf("settings", { part: "network", confirm: token })}`;
}
