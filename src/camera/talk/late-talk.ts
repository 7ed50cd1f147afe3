import { NvrdError } from "../../base/index.js";
import type { Speech } from "./speech.js";
import type { Talk, TalkControl, TalkControlOptions, TalkRequest } from "./talk-control.js";

/** Sends sound to cameras. What that takes is loaded when somebody speaks for the first time: at most recorders nobody does. */
export class LateTalk implements Talk {
  readonly #options: TalkControlOptions;
  #control: Promise<TalkControl> | undefined;
  #isStopped = false;

  constructor(options: TalkControlOptions) {
    this.#options = options;
  }

  async speak(request: TalkRequest): Promise<Speech> {
    if (this.#isStopped) throw new NvrdError("NOT_AVAILABLE", "the recorder is being stopped", { hint: "" });
    this.#control ??= this.#load();
    const control = await this.#control;
    return await control.speak(request);
  }

  /** Ends all speeches, and resolves when the sessions with the cameras are closed. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const control = await this.#control;
    await control?.stop();
  }

  async #load(): Promise<TalkControl> {
    const talk = await import("./talk-control.js");
    return new talk.TalkControl(this.#options);
  }
}
