import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { TimelineChannel } from "../../../messages/index.js";

interface StillProps {
  readonly channel: string;
  readonly row: TimelineChannel | undefined;
  readonly at: number;
}

export function StillOf({ channel, at }: StillProps) {
  const shown = useSignal("");
  useEffect(() => {
    const timer = setTimeout(() => {
      shown.value = `${channel} ${at}`;
    }, 80);
    return () => clearTimeout(timer);
  }, [channel, at]);
  return <div class="still" />;
}
