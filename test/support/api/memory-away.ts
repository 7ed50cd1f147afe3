import type { AwayControl, AwayTargetState, ReturnState, TargetProblem } from "../../../src/away/index.js";
import type { AwayTarget } from "../../../src/site/index.js";

/** Object storage that works, or has the problem that a test gives it. */
export class MemoryAway implements AwayControl {
  problem: TargetProblem | undefined;
  running: AwayTargetState[] = [];
  coming: ReturnState[] = [];
  readonly checked: AwayTarget[] = [];

  states(): readonly AwayTargetState[] {
    return this.running;
  }

  returns(): readonly ReturnState[] {
    return this.coming;
  }

  async check(target: AwayTarget): Promise<TargetProblem | undefined> {
    this.checked.push(target);
    return this.problem;
  }
}
