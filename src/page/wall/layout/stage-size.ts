import { stageShape } from "./shapes.js";

/** Follows the size of an element. */
export function followStage(element: Element): () => void {
  const observer = new ResizeObserver(() => {
    const { clientWidth: width, clientHeight: height } = element;
    // Small changes move no tiles.
    if (width > 0 && height > 0) stageShape.value = Math.round((width / height) * 20) / 20;
  });
  observer.observe(element);
  return () => observer.disconnect();
}
