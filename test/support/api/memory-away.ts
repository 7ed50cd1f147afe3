import type { AwayControl, AwayTargetState, TargetProblem } from "../../../src/away/index.js";
import type { AwayTarget } from "../../../src/site/index.js";

/** Object storage that works, or has the problem that a test gives it. */
export class MemoryAway implements AwayControl {
  problem: TargetProblem | undefined;
  running: AwayTargetState[] = [];
  readonly checked: AwayTarget[] = [];

  states(): readonly AwayTargetState[] {
    return this.running;
  }

  async check(target: AwayTarget): Promise<TargetProblem | undefined> {
    this.checked.push(target);
    return this.problem;
  }
}
