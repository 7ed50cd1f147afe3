export const words = {
  act: {
    replace: "Replace",
    retire: "Take out of use",
    "call back": "Use again",
    "take out": "Take it out now",
  },
  retireTitle: (name: string) => `Take ${name} out of use?`,
  retireText:
    "Nothing new is recorded onto it from now on: its cameras go on on the other disks. Its recordings can be played until they are old enough to be deleted, or until you take the disk out.",
  retired: "It is out of use. Its recordings can still be played.",
  calledBack: "It is recorded onto again.",
  empty: "It is empty. You may take it out now: press “Take it out now”, then pull it.",
  holds: (size: string) => `${size} of recordings are still on it.`,
  until: (day: string) =>
    `The last of them are old enough on ${day}; then it can be taken out without a loss.`,
  stays:
    "They stay on it, because some cameras keep their recordings without a limit of days. Take the disk out when you do not need them any more.",
  move: "Move them to the other disks",
  moving: "Moved to the other disks, the newest first",
  noRoom:
    "The other disks are full: the older recordings stay here. Nothing is deleted for them; add a disk.",
  moveFailed: (reason: string) => `It was not finished: ${reason}`,
  takeOutTitle: (name: string) => `Take ${name} out now?`,
  takeOutText: (size: string) =>
    `${size} of recordings on it are not found any more, protected ones too. They are not erased: you can plug the disk in again and take it over with them.`,
  takeOutEmpty: "It holds no recordings any more.",
  takenOut: "You may pull the disk out now. Where it is built in, switch the box off before.",
  replaceTitle: (name: string) => `Replace ${name}`,
  replaceSteps: [
    "Plug the new disk in beside the old one. It should be of the same size or larger.",
    "The new disk is erased and prepared: some seconds to minutes. Recording goes on meanwhile.",
    "From then on all goes onto the new disk. The old one is out of use; its recordings can be played as long as it works.",
    "Press “Move them to the other disks” at the old disk, or wait until you do not need them any more; then press “Take it out now” and pull it.",
  ],
  noSpare:
    "There is no free disk yet. Plug one in: it appears here within seconds. Where there is no room for both, take this one out of use first; that needs another disk to record onto.",
  newDisk: "New disk",
  replaceNow: "Erase the new disk and replace",
  step: {
    formatting: "The new disk is being prepared (step 1 of 3)",
    mounting: "The new disk is being connected (step 2 of 3)",
    retiring: "The old disk is being taken out of use (step 3 of 3)",
  },
};
