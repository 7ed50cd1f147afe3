import { useEffect, useRef } from "preact/hooks";

/** Of an element that is scrolled into sight when it comes, where that is wanted. */
export function useInSight<T extends HTMLElement>(isWanted: boolean) {
  const element = useRef<T>(null);
  useEffect(() => {
    if (isWanted) element.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return element;
}
