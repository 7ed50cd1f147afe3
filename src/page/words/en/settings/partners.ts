export const words = {
  title: "Partners",
  why: "A partner is another recorder of this network. It can record cameras of this one while this one is silent. That needs no hub and no internet.",
  none: "This recorder has no partner.",
  make: "Make a code",
  paste: (until: string) =>
    `Paste this code at the other recorder, under Settings, Hub, Partners. It is for one recorder, until ${until}.`,
  code: "Code of another recorder",
  codeHint: "The other recorder makes it: Settings, Hub, Make a code. It begins with nvrd-box.",
  join: "Become partners",
  joined: "Both recorders are partners now.",
  remove: "End the partnership",
  removeSure: "Really end it? Neither records for the other any more",
  removed: "The recorders are no partners any more.",
  there: (since: string) => `It is there since ${since}.`,
  standIn: (cameras: number, megabits: number) =>
    `If all of them were silent at once, ${cameras} cameras with ${megabits} Mbit/s would be recorded here beside its own.`,
  standInThen: (days: string, percent: number) =>
    `Recordings would then reach back ${days}, and the processor would be ${percent} % busy.`,
  standInLimits: {
    Disks: "The disks are too small for that.",
    Processor: "The processor is too slow for that.",
  },
  throughHub: "It is heard through the hub, so its cameras are not recorded here.",
  silent: (since: string, why: string) =>
    `It is not heard since ${since}${why === "" ? "" : `: ${why}`}. It is tried again.`,
  problems: {
    Unreachable: "nothing answers there; look at its power and its network",
    Foreign: "another machine answers at its address",
    Refused: "it does not know this recorder any more; end the partnership here, and use a new code",
    Silent: "it answered no more",
  },
  portProblem: (problem: string) => `Partners cannot reach this recorder: ${problem}`,
  standsIn: (cameras: number) => `It stands in for cameras of this recorder: ${cameras}.`,
  refuses: (problem: string) => `It does not stand in for this recorder's cameras: ${problem}`,
  reserves: "Who stands in for cameras",
  reservesWhy:
    "While this recorder is silent, the partner records the camera. What it recorded comes back into the gap here.",
  nobody: "Nobody",
  unknown: "A recorder that is no partner",
  saved: (camera: string) => `${camera} is saved.`,
  keeps: (cameras: number) => `This recorder stands in for cameras of it: ${cameras}.`,
  records: (cameras: number, since: string) =>
    `Cameras of it that are recorded here since ${since}, because it is silent: ${cameras}.`,
};
