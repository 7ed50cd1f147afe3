import { dictionary } from "./language.js";

/** Cameras whose recordings are here although they are not set up any more. */
export const formerWords = dictionary({
  en: {
    title: "Former cameras",
    why: "These cameras were removed, or another recorder recorded them. Their recordings can be watched, saved and protected under Recordings.",
    former: (name: string) => `${name} (former)`,
    nameless: (id: string) => `Camera without a name (${id})`,
    times: (from: string, to: string) =>
      from === to ? `Recordings of ${from}` : `Recordings from ${from} to ${to}`,
    protectedTimes: "Some of them are protected.",
    watch: "Watch",
    give: "Give to a camera",
    giveTitle: (name: string) => `Give the recordings of ${name} to a camera`,
    giveText:
      "For a camera that took its place. The camera then shows, saves and protects these recordings with its own, and keeps them as many days: what is older is deleted. Where both have recorded, its own are shown. No recording is changed, and you can take them back.",
    giveTo: "Camera",
    noCamera: "No camera is set up. Add one first, or set this one up again.",
    gave: (name: string, camera: string) => `The recordings of ${name} belong to ${camera} now.`,
    givenTo: (camera: string) => `They belong to ${camera}.`,
    takeBack: "Take back",
    tookBack: (name: string) => `The recordings of ${name} are its own again.`,
    setUp: "Set up again",
    setUpTitle: (name: string) => `Set up ${name} again`,
    setUpText: "It becomes a camera again, and goes on with its recordings.",
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
    nameless: (id: string) => `Камера без имени (${id})`,
    times: (from: string, to: string) => (from === to ? `Записи за ${from}` : `Записи с ${from} по ${to}`),
    protectedTimes: "Часть из них защищена.",
    watch: "Смотреть",
    give: "Передать камере",
    giveTitle: (name: string) => `Передать записи камеры ${name}`,
    giveText:
      "Для камеры, которая её заменила. Она будет показывать, сохранять и защищать эти записи вместе со своими и хранить их столько же дней: более старое удаляется. Где записали обе, показывается её собственная запись. Сами записи не меняются, и их можно вернуть.",
    giveTo: "Камера",
    noCamera: "Нет ни одной камеры. Сначала добавьте камеру или настройте эту заново.",
    gave: (name: string, camera: string) => `Записи камеры ${name} теперь принадлежат камере ${camera}.`,
    givenTo: (camera: string) => `Они принадлежат камере ${camera}.`,
    takeBack: "Вернуть",
    tookBack: (name: string) => `Записи снова принадлежат прежней камере ${name}.`,
    setUp: "Настроить заново",
    setUpTitle: (name: string) => `Настроить камеру ${name} заново`,
    setUpText: "Она снова станет камерой и продолжит свои записи.",
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

/** What a former camera is called: by its last name, or by the beginning of its id. */
export function formerName({ Id, Name }: { readonly Id: string; readonly Name: string }): string {
  return Name === Id ? formerWords().nameless(Id.slice(0, 8)) : Name;
}
