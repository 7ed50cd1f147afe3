export const words = {
  details: "Health",
  detailsOf: (name: string) => `Health: ${name}`,
  saysFailing: "it says so itself",
  nothing: "This disk says nothing of itself. Virtual disks, cards and some enclosures never do.",
  why: {
    good: "It reports no fault.",
    worn: "It is near the end of the life that it is made for, or it has lost its first sectors.",
    failing: "It has lost data or warns that it will. What it holds can be gone any day.",
    unknown: "It has not answered for some time.",
  },
  figures: "What the disk counts",
  figure: {
    TemperatureCelsius: "Temperature",
    PowerOnHours: "Switched on for",
    BytesWritten: "Written in its life",
    ReallocatedSectors: "Bad places that it has replaced",
    PendingSectors: "Places that cannot be read now",
    OfflineUncorrectable: "Unreadable places found by its own check",
    UncorrectableErrors: "Errors that could not be corrected",
    CommandTimeouts: "Commands that took too long (cable, power)",
    PercentageUsed: "Rated life that is used",
    AvailableSparePercent: "Spare blocks that are left",
  },
  history: "Over time",
  trend: (from: string, to: string, values: string) => `${from} to ${to}: ${values}`,
  range: (low: string, high: string) => `${low} to ${high}`,
  tooYoung:
    "The recorder keeps a sample of these a day, for years. There is a history from the second day on.",
  lifeUsed: (percent: number) => `${percent} % of its rated life is used.`,
  lasts: (time: string) => `At this rate the rest lasts about ${time}.`,
  lastsLong: "At this rate the rest lasts longer than ten years.",
  written: (written: string) => `About ${written} a year are written to it.`,
  workload: (written: string, rating: string, percent: number) =>
    `About ${written} a year are written to it: ${percent} % of the ${rating} that it is made for.`,
  overworked: (written: string, rating: string, percent: number) =>
    `About ${written} a year are written to it: ${percent} % of the ${rating} that it is made for. Add a disk, or lower the picture quality.`,
};
