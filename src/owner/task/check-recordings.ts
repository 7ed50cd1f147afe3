import { type CheckProgress, checkExitStatus, checkReportText } from "../../archive/index.js";
import { checkOrder, checkOrderTexts } from "../../contract/answer/index.js";
import { readerOfValue } from "../../contract/reading/index.js";
import { type RequestContext, readBody } from "../../route/index.js";
import type { Task } from "../../task/index.js";
import { bodyOfOrder, ownerOf, requireSenior, type StartableKind, type TaskNeeds } from "./task-kind.js";

/** Characters of a report: damaged archives have long ones. */
const REPORT_LENGTH_MAX = 64 * 1024;
/** Files take most of the time, records the rest. */
const FILES_SHARE = 0.9;

const checkBody = readerOfValue(checkOrder);

export const CHECK_KIND: StartableKind = {
  kind: "Check",
  access: "senior administrators",
  body: bodyOfOrder(checkOrder, checkOrderTexts),
  start: startCheck,
};

/** Compares the index with the recordings, during recording. */
function startCheck({ needs, request, principal }: RequestContext<TaskNeeds>): Task {
  requireSenior(principal);
  const { Repair, Deep } = readBody(checkBody, request.body);
  const { tasks, archiveChecks } = needs;
  return tasks.start({
    ...{ kind: "Check", owner: ownerOf(principal), subject: "", canCancel: true },
    run: async ({ signal, progress, step, result }) => {
      const report = await archiveChecks.check({
        ...{ rebuild: Repair ?? false, deep: Deep ?? false, signal },
        onProgress: (state) => {
          progress(partOf(state));
          step(`${state.phase}: ${state[state.phase]}`);
        },
      });
      const text = checkReportText(report).slice(0, REPORT_LENGTH_MAX);
      const { files, problems, repaired } = report.counts;
      const counts = { Files: files, Problems: problems, Repaired: repaired };
      result({ IsClean: checkExitStatus(report) === 0, ...counts, Text: text });
    },
  });
}

function partOf({ phase, share }: CheckProgress): number {
  return phase === "files" ? share * FILES_SHARE : FILES_SHARE + share * (1 - FILES_SHARE);
}
