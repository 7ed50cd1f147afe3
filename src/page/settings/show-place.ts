/** What a part of the settings still reads, it shows within this time. */
const WAIT_MS = 5000;
const NAMES = "label, legend, h2, h3, h4, summary, button, dt, th, a";

/** Brings a name into view as soon as it is there, and points at it. Returns what ends the waiting. */
export function showPlace(within: HTMLElement, name: string): () => void {
  const watch = new MutationObserver(() => {
    if (show(within, name)) end();
  });
  const timer = setTimeout(() => watch.disconnect(), WAIT_MS);
  const end = (): void => {
    clearTimeout(timer);
    watch.disconnect();
  };
  if (show(within, name)) end();
  else watch.observe(within, { childList: true, subtree: true, characterData: true });
  return end;
}

function show(within: HTMLElement, name: string): boolean {
  const found = [...within.querySelectorAll<HTMLElement>(NAMES)].find(
    ({ textContent }) => textContent?.trim() === name,
  );
  if (found === undefined) return false;
  for (let details = found.closest("details"); details !== null; ) {
    details.open = true;
    details = details.parentElement?.closest("details") ?? null;
  }
  found.scrollIntoView({ block: "center" });
  found.classList.add("is-found");
  const control = found instanceof HTMLLabelElement ? found.control : null;
  (control ?? found).focus({ preventScroll: true });
  return true;
}
