/** The bits of smartctl's exit status (smartctl(8), EXIT STATUS), in plain words. */
const BITS: readonly (readonly [bit: number, text: string])[] = [
  [0x01, "smartctl did not understand the request or the kind of device"],
  [0x02, "the disk could not be opened or did not identify itself"],
  [0x04, "a SMART command failed, or an answer had a wrong check sum"],
  [0x08, "the disk says that it is failing"],
  [0x10, "an attribute that foretells failure is at its threshold"],
  [0x20, "an attribute was at its threshold in the past"],
  [0x40, "the disk's log of errors has entries"],
  [0x80, "the disk's log of self-tests has faults"],
];

/** The status that it is asked to exit with when a disk sleeps: of the bits, these two never come together. */
export const ASLEEP_STATUS = 0x03;
/** Bits that say that nothing was read. */
const NOTHING_READ = 0x03;
export const DISK_FAILING_BIT = 0x08;

/** What an exit status says, bit by bit. */
export function exitStatusText(status: number): string {
  return BITS.filter(([bit]) => (status & bit) !== 0)
    .map(([, text]) => text)
    .join("; ");
}

/** Whether nothing was read of the disk. */
export function nothingWasRead(status: number): boolean {
  return (status & NOTHING_READ) !== 0;
}
