import { dictionary } from "./language.js";

/** Cameras whose recordings are here although they are not set up any more. */
export const formerWords = dictionary({
  en: {
    title: "Former cameras",
    why: "These cameras were removed, or another recorder recorded them. Their recordings can be watched, saved and protected under Playback.",
    former: (name: string) => `${name} (former)`,
    times: (from: string, to: string) => `Recordings from ${from} to ${to}`,
    protectedTimes: "Some of them are protected.",
    watch: "Watch",
    remove: "Delete recordings",
    removeTitle: (name: string) => `Delete all recordings of ${name}?`,
    removeText: "They are erased from the disks, and nothing brings them back.",
    removeSure: "Yes, these recordings may go",
    isLost: "It is not known which recordings are protected",
    lost: "The list of protected recordings is damaged, and nothing is deleted until it is known. If no missing disk and no saved copy has it, accept that: what is still known stays protected, everything else may be deleted again.",
    accept: "Accept the loss",
    acceptSure: "Yes, the rest of the list is lost",
  },
  ru: {
    title: "Прежние камеры",
    why: "Эти камеры удалены, или их записал другой регистратор. Их записи можно смотреть, сохранять и защищать в разделе «Записи».",
    former: (name: string) => `${name} (прежняя)`,
    times: (from: string, to: string) => `Записи с ${from} по ${to}`,
    protectedTimes: "Часть из них защищена.",
    watch: "Смотреть",
    remove: "Удалить записи",
    removeTitle: (name: string) => `Удалить все записи камеры ${name}?`,
    removeText: "Они стираются с дисков, вернуть их нельзя.",
    removeSure: "Да, эти записи можно удалить",
    isLost: "Неизвестно, какие записи защищены",
    lost: "Список защищённых записей повреждён, и пока он неизвестен, ничего не удаляется. Если его нет ни на отсутствующем диске, ни в сохранённой копии, подтвердите это: то, что ещё известно, останется защищённым, остальное снова может удаляться.",
    accept: "Признать утерянным",
    acceptSure: "Да, остальной список утерян",
  },
});
