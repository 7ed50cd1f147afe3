import type { EventOffers, OfferedEvent } from "../../../src/camera/index.js";

/** Cameras that offer motion, which is switched off here, a rule, and something of no use. */
export class MemoryEventOffers implements EventOffers {
  async of(): Promise<readonly OfferedEvent[]> {
    const of = { isState: true, source: ["Source"], data: ["State"], setting: undefined, isUsed: false };
    return [
      { ...of, topic: "VideoSource/MotionAlarm", kind: "motion", setting: "BuildInCameraDetectorEnabled" },
      { ...of, topic: "RuleEngine/LineDetector/Crossed", kind: "rule", isUsed: true, isState: false },
      { ...of, topic: "Device/HardwareFailure/FanFailure", kind: undefined },
    ];
  }
}
