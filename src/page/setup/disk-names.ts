/** Series of disks by the beginning or end of their model names, as the makers print them on the label. */
const SERIES: readonly (readonly [RegExp, string])[] = [
  [/^WD[CS]?\s*WD\d+(?:PUR|PURX|PURZ|PURU|PURP)/i, "WD Purple"],
  [/^WD[CS]?\s*WD\d+(?:EFRX|EFZX|EFAX|EFPX|EFGX|FFBX|KFGX|KFBX)/i, "WD Red"],
  [/^WD[CS]?\s*WD\d+(?:EZEX|EZAZ|EZRZ|EZBX|EZAX)/i, "WD Blue"],
  [/^WD[CS]?\s*WD\d+FZ/i, "WD Black"],
  [/^WD[CS]?\s*WUH|^HGST/i, "HGST Ultrastar"],
  [/^WD[CS]?\s/i, "WD"],
  [/^(?:SEAGATE\s*)?ST\d+(?:VX|VE|VM)/i, "Seagate SkyHawk"],
  [/^(?:SEAGATE\s*)?ST\d+(?:VN|NE|NT)/i, "Seagate IronWolf"],
  [/^(?:SEAGATE\s*)?ST\d+NM/i, "Seagate Exos"],
  [/^(?:SEAGATE\s*)?ST\d+DM/i, "Seagate BarraCuda"],
  [/^SEAGATE|^ST\d{3,}/i, "Seagate"],
  [/^TOSHIBA\s*HDWT/i, "Toshiba Surveillance"],
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
