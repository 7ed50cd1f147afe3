import { type KindFigures, NO_FIGURES } from "./smart-types.js";
import type { SmartctlOutput } from "./smartctl-output.js";

/** NVM Express Base Specification 2.0, 5.16.1.3: a data unit is 1000 blocks of 512 bytes. */
const DATA_UNIT_BYTES = 512_000;

/** The bits of the critical warning (figure 207 there) that say that the drive fails, in plain words. */
const WARNINGS: readonly (readonly [bit: number, text: string])[] = [
  [0x01, "its spare blocks are used up"],
  [0x04, "it has become unreliable"],
  [0x08, "it can only be read from now on"],
  [0x10, "its protection against power cuts has failed"],
  [0x20, "its persistent memory region cannot be relied on"],
];
/** The bit that says that it is too hot, or too cold. */
const TEMPERATURE_BIT = 0x02;
export const TEMPERATURE_WARNING = "its temperature is out of bounds";

/** The figures in an NVMe drive's health log; undefined when it was not read. */
export function nvmeFigures(output: SmartctlOutput): KindFigures | undefined {
  const log = output.nvme_smart_health_information_log;
  if (log === undefined) return undefined;
  const warning = log.critical_warning ?? 0;
  const warnings = WARNINGS.filter(([bit]) => (warning & bit) !== 0).map(([, text]) => text);
  // A drive that omits both reports 0: one whose spare is used up has a threshold, or warns.
  const reportsSpare = (log.available_spare ?? 0) > 0 || (log.available_spare_threshold ?? 0) > 0;
  const bytes = log.data_units_written === undefined ? null : log.data_units_written * DATA_UNIT_BYTES;
  return {
    ...NO_FIGURES,
    bytesWritten: bytes !== null && Number.isSafeInteger(bytes) ? bytes : null,
    uncorrectableErrors: log.media_errors ?? null,
    percentageUsed: log.percentage_used ?? null,
    availableSparePercent: reportsSpare ? (log.available_spare ?? null) : null,
    availableSpareThresholdPercent: log.available_spare_threshold ?? null,
    criticalWarnings: (warning & TEMPERATURE_BIT) === 0 ? warnings : [...warnings, TEMPERATURE_WARNING],
    selfTestFailed: selfTestFailed(output),
  };
}

/** Results of a device self-test (figure 219 there): 0 passed, 5 to 7 a fault, others were aborted or are running. */
function selfTestFailed({ nvme_self_test_log: log }: SmartctlOutput): boolean | null {
  for (const { self_test_result } of log?.table ?? []) {
    const result = self_test_result?.value;
    if (result === 0) return false;
    if (result !== undefined && result >= 5 && result <= 7) return true;
  }
  return null;
}
