import { pause } from "../service/service.js";

/** An emulated machine beside other work is fifty times slower than this one. */
const UNTIL_TIMEOUT_MS = 600_000;

export interface CommandResult {
  readonly status: number;
  readonly output: string;
}

/** A system under systemd that tests give commands to, as root. */
export abstract class SystemdHost {
  /** Runs a shell command. Rejects when it does not end in time, or when the system does. */
  abstract shell(command: string): Promise<CommandResult>;

  /** Ends it as a power cut would. */
  abstract stop(): Promise<void>;

  /** The output of a command that must succeed. */
  async output(command: string): Promise<string> {
    const { status, output } = await this.shell(command);
    if (status !== 0) throw new Error(`${command}: status ${status}: ${output}`);
    return output;
  }

  /** Resolves with a command's output as soon as `accepts` takes it. */
  async until(
    command: string,
    accepts: (output: string) => boolean,
    timeoutMs = UNTIL_TIMEOUT_MS,
  ): Promise<string> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const { output } = await this.shell(command);
      if (accepts(output)) return output;
      if (performance.now() > deadline) throw new Error(`${command}: still: ${output}`);
      await pause(500);
    }
  }

  /** Properties of a unit, by name. */
  async properties(unit: string, names: readonly string[]): Promise<Record<string, string>> {
    const text = await this.output(`systemctl show ${unit} -p ${names.join(",")}`);
    const lines = text.split("\n").filter((line) => line.includes("="));
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
  }
}
