/**
 * Series of disks by the beginning or end of their model names, as the makers print them on the label, and the terabytes a year
 * that their data sheets allow (of a series with several figures the least).
 */
const SERIES: readonly (readonly [pattern: RegExp, name: string, tbPerYear?: number])[] = [
  [/^WD[CS]?\s*WD\d+(?:PUR|PURX|PURZ|PURU|PURP)/i, "WD Purple", 180],
  [/^WD[CS]?\s*WD\d+(?:EFRX|EFZX|EFAX|EFPX|EFGX|FFBX|KFGX|KFBX)/i, "WD Red", 180],
  [/^WD[CS]?\s*WD\d+(?:EZEX|EZAZ|EZRZ|EZBX|EZAX)/i, "WD Blue", 55],
  [/^WD[CS]?\s*WD\d+FZ/i, "WD Black"],
  [/^WD[CS]?\s*WUH|^HGST/i, "HGST Ultrastar", 550],
  [/^WD[CS]?\s/i, "WD"],
  [/^(?:SEAGATE\s*)?ST\d+(?:VX|VE|VM)/i, "Seagate SkyHawk", 180],
  [/^(?:SEAGATE\s*)?ST\d+(?:VN|NE|NT)/i, "Seagate IronWolf", 180],
  [/^(?:SEAGATE\s*)?ST\d+NM/i, "Seagate Exos", 550],
  [/^(?:SEAGATE\s*)?ST\d+DM/i, "Seagate BarraCuda", 55],
  [/^SEAGATE|^ST\d{3,}/i, "Seagate"],
  [/^TOSHIBA\s*HDWT/i, "Toshiba Surveillance", 180],
  [/^TOSHIBA/i, "Toshiba"],
  [/^SAMSUNG|^MZ[A-Z0-9]/i, "Samsung"],
  [/^CT\d+|^CRUCIAL/i, "Crucial"],
  [/^KINGSTON/i, "Kingston"],
  [/^INTEL/i, "Intel"],
  [/^MICRON/i, "Micron"],
  [/^SANDISK/i, "SanDisk"],
];

/** What a disk is called by people; its model where its series is not known; undefined where it says nothing of itself. */
export function diskName(model: string): string | undefined {
  const text = model.trim();
  return SERIES.find(([pattern]) => pattern.test(text))?.[1] ?? (text === "" ? undefined : text);
}

/** Terabytes a year that a disk is made for; undefined where its series says nothing. */
export function diskRating(model: string): number | undefined {
  return SERIES.find(([pattern]) => pattern.test(model.trim()))?.[2];
}
