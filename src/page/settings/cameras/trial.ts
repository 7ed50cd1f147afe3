import { signal } from "@preact/signals";
import type { ReadCamera } from "../../../contract/answer/index.js";
import { errorWords } from "../../control/notice.js";
import { followTask, startTask } from "../../state/tasks.js";

export interface TrialState {
  readonly isRunning: boolean;
  /** What was tried, to compare with what the form has. */
  readonly tried: string;
  readonly found?: ReadCamera;
  /** The recorder did not try it, and why. */
  readonly fault?: string;
}

const NOTHING: TrialState = { isRunning: false, tried: "" };

/** One trial after the other, of one form. */
export class Trial {
  readonly state = signal(NOTHING);
  readonly #end = new AbortController();

  /** True when the camera can be recorded with it. */
  async run(channelId: string, connection: object): Promise<boolean> {
    const tried = JSON.stringify(connection);
    this.state.value = { isRunning: true, tried };
    try {
      const { Id } = await startTask("TryCamera", { ChannelId: channelId, ...connection });
      let found: ReadCamera | undefined;
      let fault = "";
      await followTask<"TryCamera">(
        Id,
        (task) => {
          found = task.Result?.Cameras[0];
          fault = task.Error ?? "";
        },
        this.#end.signal,
      );
      this.state.value = {
        ...{ isRunning: false, tried },
        ...(fault !== "" || found === undefined ? { fault } : { found }),
      };
      return fault === "" && found?.Result === "Readable";
    } catch (error) {
      this.state.value = { isRunning: false, tried, fault: errorWords(error) };
      return false;
    }
  }

  /** Whether this is what was tried last, and it can be recorded. */
  isGood(connection: object): boolean {
    const { tried, found } = this.state.peek();
    return tried === JSON.stringify(connection) && found?.Result === "Readable";
  }

  /** What was tried is saved, or nobody's any more. */
  forget(): void {
    this.state.value = NOTHING;
  }

  close(): void {
    this.#end.abort();
  }
}
