import { type KindFigures, NO_FIGURES } from "./smart-types.js";
import type { SmartctlOutput } from "./smartctl-output.js";

/** The figures in a SCSI (SAS) disk's log pages; undefined when it has none. */
export function scsiFigures(output: SmartctlOutput): KindFigures | undefined {
  const errors = output.scsi_error_counter_log;
  const defects = output.scsi_grown_defect_list;
  const used = output.scsi_percentage_used_endurance_indicator ?? output.endurance_used?.current_percent;
  if (errors === undefined && defects === undefined && used === undefined) return undefined;
  const uncorrected = [errors?.read, errors?.write, errors?.verify]
    .map((counters) => counters?.total_uncorrected_errors)
    .filter((counter) => counter !== undefined);
  return {
    ...NO_FIGURES,
    bytesWritten: gigabytes(errors?.write?.gigabytes_processed),
    reallocatedSectors: defects ?? null,
    uncorrectableErrors:
      uncorrected.length === 0 ? null : uncorrected.reduce((sum, counter) => sum + counter, 0),
    percentageUsed: used ?? null,
    selfTestFailed: selfTestFailed(output),
  };
}

/** smartctl prints 10^9 bytes as a text with decimals. */
function gigabytes(processed: string | number | undefined): number | null {
  if (processed === undefined || processed === "") return null;
  const bytes = Math.round(Number(processed) * 1e9);
  return Number.isSafeInteger(bytes) && bytes >= 0 ? bytes : null;
}

/** SPC-4, table 363: 0 passed, 3 to 7 a fault. Older versions of smartctl print words alone. */
function selfTestFailed({ scsi_self_test_0: newest }: SmartctlOutput): boolean | null {
  const value = newest?.result?.value;
  if (value !== undefined) return value === 0 ? false : value >= 3 && value <= 7 ? true : null;
  const words = newest?.result?.string ?? "";
  if (/fail/i.test(words)) return true;
  return /^completed$/i.test(words.trim()) ? false : null;
}
