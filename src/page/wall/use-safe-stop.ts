import { effect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { connection } from "../player/live-socket.js";
import type { PtzPilot } from "./ptz/ptz-pilot.js";

/** Nobody moves a camera whose picture is not seen: stops it when the page is left or hidden, or has lost its connection. */
export function useSafeStop(pilot: PtzPilot): void {
  useEffect(() => {
    const leave = (): void => pilot.abandon();
    const onVisibility = (): void => {
      if (document.visibilityState === "hidden") leave();
    };
    window.addEventListener("pagehide", leave);
    document.addEventListener("visibilitychange", onVisibility);
    const forget = effect(() => {
      if (connection.value.state !== "open") leave();
    });
    return () => {
      window.removeEventListener("pagehide", leave);
      document.removeEventListener("visibilitychange", onVisibility);
      forget();
    };
  }, [pilot]);
}
