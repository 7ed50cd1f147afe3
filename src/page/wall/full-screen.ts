import { sayError } from "../control/notice.js";

/** Phones may have it for a video alone; a page then cannot fill the screen. */
export function canFillScreen(): boolean {
  return document.fullscreenEnabled === true;
}

/** The whole page, so that notices and dialogs are seen too; the style sheet hides what is not the wall. */
export function toggleFullScreen(): void {
  if (!canFillScreen()) return;
  const change =
    document.fullscreenElement === null
      ? document.documentElement.requestFullscreen()
      : document.exitFullscreen();
  change.catch(sayError);
}
