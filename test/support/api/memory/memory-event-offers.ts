import type { EventOffers, OfferedEvent } from "../../../../src/camera/event/offered-events.js";

/** Cameras that offer motion, which is switched off here, a line that is crossed, and something of no use. */
export class MemoryEventOffers implements EventOffers {
  async of(): Promise<readonly OfferedEvent[]> {
    const of = { isState: true, source: ["Source"], data: ["State"], setting: undefined, isUsed: false };
    return [
      { ...of, topic: "VideoSource/MotionAlarm", kinds: ["motion"], setting: "BuildInCameraDetectorEnabled" },
      {
        ...of,
        topic: "RuleEngine/LineDetector/Crossed",
        kinds: ["lineCrossed"],
        isUsed: true,
        isState: false,
      },
      { ...of, topic: "Monitoring/ProcessorUsage", kinds: [] },
    ];
  }
}
