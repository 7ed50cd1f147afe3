import type { DiskState } from "./disk-state.js";
import { ataFigures } from "./smart-ata.js";
import { nvmeFigures } from "./smart-nvme.js";
import { scsiFigures } from "./smart-scsi.js";
import {
  type DiskIdentity,
  type KindFigures,
  NO_FIGURES,
  printable,
  type SmartReading,
} from "./smart-types.js";
import type { SmartctlOutput } from "./smartctl-output.js";

/** Broken or missing sensors report 0, 255 or impossible values. */
const TEMPERATURE_MIN = -40;
const TEMPERATURE_MAX = 150;
/** 100 years: some bridges pass on garbage. */
const POWER_ON_HOURS_MAX = 876_000;

const KINDS: Readonly<Record<string, DiskState["kind"]>> = { ATA: "ata", SCSI: "scsi", NVMe: "nvme" };

/** A disk's model and serial number, as smartctl prints them. */
export function identityOf(output: SmartctlOutput): DiskIdentity {
  return {
    model: printable(output.model_name ?? output.scsi_model_name),
    serial: printable(output.serial_number),
    firmware: printable(output.firmware_version ?? output.scsi_revision),
    bytes: output.user_capacity?.bytes ?? output.nvme_total_capacity ?? null,
    kind: KINDS[output.device?.protocol ?? ""] ?? "other",
    isRotational: output.rotation_rate === undefined ? null : output.rotation_rate > 0,
  };
}

/** The figures in what smartctl printed; undefined when there are none: the disk has no SMART, or a bridge hides it. */
export function readingOf(output: SmartctlOutput, readMs: number): SmartReading | undefined {
  const figures = figuresOf(output);
  const passed = output.smart_status?.passed ?? null;
  if (figures === undefined && passed === null) return undefined;
  const hours = output.power_on_time?.hours ?? output.nvme_smart_health_information_log?.power_on_hours;
  return {
    ...(figures ?? NO_FIGURES),
    readMs,
    passed,
    temperatureCelsius: temperatureOf(output),
    powerOnHours: hours === undefined || hours > POWER_ON_HOURS_MAX ? null : hours,
  };
}

function figuresOf(output: SmartctlOutput): KindFigures | undefined {
  switch (output.device?.protocol) {
    case "ATA":
      return ataFigures(output);
    case "NVMe":
      return nvmeFigures(output);
    case "SCSI":
      return scsiFigures(output);
    default:
      return undefined;
  }
}

function temperatureOf(output: SmartctlOutput): number | null {
  const celsius = output.temperature?.current ?? output.nvme_smart_health_information_log?.temperature;
  if (celsius === undefined || celsius === 0 || celsius < TEMPERATURE_MIN || celsius > TEMPERATURE_MAX)
    return null;
  return celsius;
}
