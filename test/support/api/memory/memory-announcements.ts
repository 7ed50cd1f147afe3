import { NvrdError } from "../../../../src/base/value/errors.js";
import type { Playing, PlayRequest } from "../../../../src/camera/talk/announcements.js";
import { SimulatedClock } from "../../base/simulated-clock.js";
import { MemoryTalk } from "./memory-talk.js";

/** Announcements that every camera plays, but those that are deaf. */
export class MemoryAnnouncements {
  readonly requests: PlayRequest[] = [];
  readonly deaf = new Set<string>();
  readonly #talk = new MemoryTalk(new SimulatedClock());

  async play(request: PlayRequest): Promise<Playing> {
    const { announcementId: id, channelId, by, signal } = request;
    this.requests.push(request);
    if (this.deaf.has(channelId))
      throw new NvrdError("NOT_SUPPORTED", "the camera takes no sound", { hint: "" });
    const speech = await this.#talk.speak({ channelId, by, signal, format: { kind: "g711", law: "mu" } });
    return { announcement: { id, name: "Closing time", seconds: 1 }, speech };
  }
}
