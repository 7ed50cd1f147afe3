import { type KindFigures, NO_FIGURES, printable } from "./smart-types.js";
import type { AtaAttribute, SmartctlOutput } from "./smartctl-output.js";

/** The attributes of ATA disks. Their ids are agreed on by the makers, their units are not: smartctl's names show those. */

const GIBIBYTE = 2 ** 30;
const SECTOR_BYTES_DEFAULT = 512;
/** Seagate packs three counters of 16 bits into attribute 188; the lowest counts all timeouts. */
const PACKED_COUNTER = 2 ** 16;

/** Attributes whose normalized value is the share of the rated life that is left, by smartctl's names. */
const LIFE_LEFT =
  /^(?:Media_Wearout_Indicator|SSD_Life_Left|Percent_Lifetime_Remain|Wear_Leveling_Count|Percent_Life_Remaining|Remaining_Lifetime_Perc|Drive_Life_Remaining%|Perc_Rated_Life_Remain|Percent_Lifetime_Used|Perc_Rated_Life_Used)$/;
/** Attributes that fail because of heat, which the temperature reports, and need not predict a failure. */
const HEAT_ATTRIBUTES: ReadonlySet<number> = new Set([190, 194, 231]);
/** Ids of what was written: most makers, Micron, old Intel. */
const WRITTEN_ATTRIBUTES = [241, 246, 225];

/** The figures in an ATA disk's attributes and logs; undefined when it has none. */
export function ataFigures(output: SmartctlOutput): KindFigures | undefined {
  const table = output.ata_smart_attributes?.table;
  if (table === undefined || table.length === 0) return undefined;
  const byId = new Map(table.map((attribute) => [attribute.id, attribute]));
  const countOf = (id: number) => countIn(byId.get(id));
  return {
    ...NO_FIGURES,
    bytesWritten: bytesWritten(byId, output),
    reallocatedSectors: countOf(5),
    uncorrectableErrors: countOf(187),
    commandTimeouts: timeoutsIn(byId.get(188)),
    pendingSectors: pendingIn(byId.get(197)),
    offlineUncorrectable: countOf(198),
    percentageUsed: output.endurance_used?.current_percent ?? lifeUsed(table, output),
    failedAttributes: table.filter(hasFailed).map(({ id, name }) => `${printable(name)} (${id})`),
    selfTestFailed: selfTestFailed(output),
  };
}

/** A raw value is 48 bits, of which makers use some for other things; smartctl prints the counter first. */
function countIn(attribute: AtaAttribute | undefined): number | null {
  const leading = /^\s*(\d{1,15})(?![\d.])/.exec(attribute?.raw?.string ?? "")?.[1];
  if (leading !== undefined) return Number(leading);
  const value = attribute?.raw?.value;
  return value === undefined || value < 0 ? null : value;
}

function timeoutsIn(attribute: AtaAttribute | undefined): number | null {
  const value = attribute?.raw?.value;
  if (value === undefined || value < 0) return null;
  return value >= PACKED_COUNTER ? value % PACKED_COUNTER : value;
}

/** Crucial's SSDs count routinely corrected blocks there: it rises and falls each hour. */
function pendingIn(attribute: AtaAttribute | undefined): number | null {
  return attribute?.name === "Current_Pending_ECC_Cnt" ? null : countIn(attribute);
}

function bytesWritten(byId: ReadonlyMap<number, AtaAttribute>, output: SmartctlOutput): number | null {
  for (const id of WRITTEN_ATTRIBUTES) {
    const attribute = byId.get(id);
    const unit = unitBytes(attribute?.name ?? "", output);
    const value = attribute?.raw?.value;
    if (unit === undefined || value === undefined || value < 0) continue;
    const bytes = value * unit;
    if (Number.isSafeInteger(bytes)) return bytes;
  }
  return null;
}

/** The unit that smartctl's name of an attribute says. Of a disk it does not know, the name is a guess. */
function unitBytes(name: string, output: SmartctlOutput): number | undefined {
  if (!/Writ/i.test(name)) return undefined;
  if (/32MiB$/i.test(name)) return 32 * 2 ** 20;
  if (/GiB$/i.test(name)) return GIBIBYTE;
  if (/GB$/i.test(name)) return 1e9;
  if (/MiB$/i.test(name)) return 2 ** 20;
  if (!/LBAs|Sector/i.test(name)) return undefined;
  const isKnown = output.in_smartctl_database === true || (output.rotation_rate ?? 0) > 0;
  return isKnown ? (output.logical_block_size ?? SECTOR_BYTES_DEFAULT) : undefined;
}

function lifeUsed(table: readonly AtaAttribute[], output: SmartctlOutput): number | null {
  if (output.rotation_rate !== 0) return null;
  const left = table.find(({ name, value }) => LIFE_LEFT.test(name ?? "") && value !== undefined)?.value;
  return left === undefined || left > 100 ? null : 100 - left;
}

function hasFailed({ id, when_failed, flags }: AtaAttribute): boolean {
  return /^now$/i.test(when_failed ?? "") && flags?.prefailure === true && !HEAT_ATTRIBUTES.has(id);
}

/** The status' upper half (ACS-4, 9.7.2.1): 0 passed, 3 to 8 a fault; aborted and running ones prove nothing. */
function selfTestFailed({ ata_smart_self_test_log: log }: SmartctlOutput): boolean | null {
  const table = log?.extended?.table ?? log?.standard?.table ?? [];
  for (const { status } of table) {
    const result = (status?.value ?? 0x10) >> 4;
    if (result === 0) return false;
    if (result >= 3 && result <= 8) return true;
  }
  return null;
}
