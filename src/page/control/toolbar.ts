/**
 * Arrows go from one control to the next within an element that is one stop of Tab; Home and End to its ends. For `onKeyDown`.
 */
export function arrowsWithin(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const controls = [
    ...event.currentTarget.querySelectorAll<HTMLElement>("button, a[href], input, select"),
  ].filter((control) => control.checkVisibility());
  const at = controls.indexOf(document.activeElement as HTMLElement);
  const next = {
    ArrowRight: at + 1,
    ArrowDown: at + 1,
    ArrowLeft: at - 1,
    ArrowUp: at - 1,
    Home: 0,
    End: -1,
  };
  if (at < 0 || !(event.key in next)) return;
  event.preventDefault();
  const index = next[event.key as keyof typeof next];
  controls.at(index % controls.length)?.focus();
}
