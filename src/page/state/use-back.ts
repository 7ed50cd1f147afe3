import { useEffect } from "preact/hooks";
import { BackLayers } from "./back.js";

let layers: BackLayers | undefined;

function layersOf(window: Window): BackLayers {
  if (layers !== undefined) return layers;
  const made = new BackLayers(window.history);
  window.addEventListener("popstate", () => made.follow());
  layers = made;
  return made;
}

/** While it is open, "back" closes it in place of leaving the screen. The name is its own on the page. */
export function useBack(name: string, isOpen: boolean, close: () => void): void {
  useEffect(() => {
    if (!isOpen) return;
    layersOf(window).open(name, close);
    return () => layersOf(window).closed(name);
  }, [name, isOpen]);
}
