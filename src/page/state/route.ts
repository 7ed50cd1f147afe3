import { signal } from "@preact/signals";
import { isUnsaved, leave } from "./unsaved.js";

/** Names of the screens, as they are in the address: `#/wall`. */
export const SCREENS = [
  "wall",
  "playback",
  "review",
  "events",
  "recorders",
  "settings",
  "account",
  "setup",
] as const;
export type ScreenName = (typeof SCREENS)[number];

export interface Route {
  readonly screen: ScreenName;
  /** What the screen shows, for example `channel` and `time`; each screen reads its own. */
  readonly parameters: URLSearchParams;
}

export const route = signal<Route>(routeOf(""));

/** The route of an address's fragment; the wall where it names no screen. */
export function routeOf(fragment: string): Route {
  const [path = "", query = ""] = fragment.replace(/^#?\/?/, "").split("?", 2);
  return {
    screen: SCREENS.find((name) => name === path) ?? "wall",
    parameters: new URLSearchParams(query),
  };
}

/** The address of a screen. */
export function addressOf(screen: ScreenName, parameters: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(parameters).toString();
  return `#/${screen}${query === "" ? "" : `?${query}`}`;
}

/** Opens a screen, so that the browser's "back" returns to this one. */
export function open(screen: ScreenName, parameters: Readonly<Record<string, string>> = {}): void {
  location.hash = addressOf(screen, parameters);
}

/** Puts what a screen shows into the address without a step for "back". */
export function note(parameters: Readonly<Record<string, string>>): void {
  history.replaceState(history.state, "", addressOf(route.value.screen, parameters));
}

export function followAddress(window: Window): void {
  const read = (): void => {
    route.value = routeOf(window.location.hash);
  };
  window.addEventListener("hashchange", ({ oldURL }) => {
    if (!isUnsaved()) return read();
    // The address stays that of the form until the question is answered.
    const wanted = window.location.hash;
    window.history.replaceState(window.history.state, "", oldURL);
    leave(() => {
      window.location.hash = wanted;
    });
  });
  // A message was opened, and this tab has the page already.
  window.navigator.serviceWorker?.addEventListener("message", ({ data }) => {
    if (typeof data?.open === "string" && data.open.startsWith("#/")) window.location.hash = data.open;
  });
  read();
}
