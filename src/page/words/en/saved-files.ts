/** Words of the list of files that lie on the recorder. */
export const words = {
  kept: "Files on the recorder",
  keptHint: (days: number) => `Each is kept for ${days} days. To have it longer, save it to this device.`,
  room: (size: string) => `${size} are left for further files.`,
  inLine: "It waits for its turn.",
  making: (percent: number) => `${percent} % is made.`,
  about: (size: string) => `about ${size}`,
  failed: (why: string) => `It was not made: ${why}`,
  until: (day: string) => `until ${day}`,
  remove: "Delete",
  removeSure: "Delete this file from the recorder? The recordings stay.",
};
