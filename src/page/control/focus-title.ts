/** What a screen still fetches, it shows within this time. */
const WAIT_MS = 5000;

/**
 * Puts the focus onto the title of what is shown now, as soon as it is there: who listens hears where they are, and Tab goes on
 * from there. A screen that has put the focus somewhere itself keeps it. Returns what ends the waiting.
 */
export function focusTitle(within: HTMLElement, title: "h1" | "h2"): () => void {
  const before = document.activeElement;
  const watch = new MutationObserver(() => look());
  const timer = setTimeout(() => watch.disconnect(), WAIT_MS);
  const end = (): void => {
    clearTimeout(timer);
    watch.disconnect();
  };
  const look = (): void => {
    const active = document.activeElement;
    const isTaken = active !== before && active !== document.body && active !== null;
    const heading = within.querySelector<HTMLElement>(title);
    if (heading === null && !isTaken) return;
    end();
    if (heading === null || isTaken) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  };
  watch.observe(within, { childList: true, subtree: true });
  look();
  return end;
}
