/**
 * The address in this browser of what the service has at a path: a proxy in front may have put the recorder below a path of its
 * own. Other addresses (`data:`, `blob:`) stay as they are.
 */
export function at(path: string): string {
  return path.startsWith("/") ? place() + path.slice(1) : path;
}

/** What of the window is used; modules that ask the service are compiled without a browser's types too. */
const page = globalThis as unknown as { readonly location: { readonly href: string } };

/** The path below which the recorder is, with a slash at its end. The page itself is at no deeper path. */
export function place(): string {
  return new URL(".", page.location.href).pathname.replace(/\/{2,}/g, "/");
}

/** The whole address at which this browser has the page. */
export function pageAddress(): string {
  return new URL(place(), page.location.href).href;
}

/** Where the hub lists its recorders, if this page is that of a recorder seen through its hub. */
export function hubAddress(): string | undefined {
  return /\/boxes\/[0-9a-f-]{36}\/$/i.test(place()) ? "../../#/recorders" : undefined;
}
