import { checkExitStatus, checkReportText } from "../../../archive/index.js";
import { createLog, SystemClock } from "../../../base/index.js";
import type { ControlCall, ControlServer } from "../../../host/control/index.js";
import type { Settings } from "../../../settings/index.js";
import type { CheckOptions, CheckOutcome } from "../../control/index.js";
import { ArchiveService } from "./archive-service.js";

/** `nvrd check`: in the running service, and without it. */

/** Registers the command on the control socket. */
export function registerCheckCommand(control: ControlServer, archive: ArchiveService): void {
  control.register("check", (call) => checkBeside(archive, call));
}

async function checkBeside(archive: ArchiveService, call: ControlCall): Promise<CheckOutcome> {
  const given: object = typeof call.arguments === "object" && call.arguments !== null ? call.arguments : {};
  const rebuild = "rebuild" in given && given.rebuild === true;
  const deep = "deep" in given && given.deep === true;
  const report = await archive.check({
    rebuild,
    deep,
    progress: (line) => call.progress(line),
    signal: call.signal,
  });
  return { clean: checkExitStatus(report) === 0, text: checkReportText(report), report };
}

/** Checks an archive that no service uses. Segments that a crash left open are recovered first, as at a start. */
export async function checkOffline(settings: Settings, options: CheckOptions): Promise<CheckOutcome> {
  const log = createLog({ level: "silent" });
  const archive = new ArchiveService({ settings, clock: new SystemClock(), log, checkOnly: true });
  await archive.start();
  try {
    const report = await archive.check({
      rebuild: options.rebuild,
      deep: options.deep,
      progress: options.progress,
    });
    return { clean: checkExitStatus(report) === 0, text: checkReportText(report), report };
  } finally {
    await archive.stop();
  }
}
