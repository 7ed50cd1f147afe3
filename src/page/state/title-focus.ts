import { useEffect, useRef } from "preact/hooks";

/** So long a screen may take to show its title. */
const SHOWN_MS = 10_000;

/**
 * The focus goes to the title of a screen that was opened, so that who listens hears where they are and Tab goes on from there. Not on
 * the first screen of the page, and not where somebody has moved the focus meanwhile.
 */
export function useTitleFocus(screen: string): void {
  const before = useRef(screen);
  useEffect(() => {
    if (before.current === screen) return;
    before.current = screen;
    return focusTitle(document);
  }, [screen]);
}

/** Waits for the title. Returns how to wait no more. */
function focusTitle(document: Document): () => void {
  const from = document.activeElement;
  const former = document.querySelector("main h1");
  const look = (): void => {
    const title = document.querySelector<HTMLElement>("main h1");
    const isMoved = document.activeElement !== from && document.activeElement !== document.body;
    if (isMoved) stop();
    else if (title !== null && title !== former) {
      stop();
      title.tabIndex = -1;
      title.focus({ preventScroll: true });
    }
  };
  const observer = new MutationObserver(look);
  const timer = setTimeout(() => stop(), SHOWN_MS);
  const stop = (): void => {
    observer.disconnect();
    clearTimeout(timer);
  };
  observer.observe(document.body, { childList: true, subtree: true });
  look();
  return stop;
}
