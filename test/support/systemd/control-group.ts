import { spawnSync } from "node:child_process";

/* Without groups of their own, systems that run at once would have their units in the same control groups. */

/** Where systemd has its groups (version 2, alone or beside version 1, or version 1), and the group of the shell that asks. */
const PLACE = `top=/sys/fs/cgroup; own=$(sed -n 's/^0:://p' /proc/self/cgroup)
if [ -d "$top/unified" ]; then top=$top/unified
elif [ -d "$top/systemd" ]; then top=$top/systemd; own=$(sed -n 's/^[0-9]*:name=systemd://p' /proc/self/cgroup); fi
group=$(echo "$top/$own" | sed 's|//*|/|g; s|/$||')`;

/** Shell commands that put the shell into a group of that name, for a systemd-nspawn with `--keep-unit`. */
export function ownControlGroup(name: string): string {
  return `${PLACE}
mkdir -p "$group/${name}" && echo $$ >"$group/${name}/cgroup.procs"`;
}

/** Removes the group of a system that has ended, with what that has left there, and what systemd-nspawn has beside it for version 1. */
export function removeControlGroup(name: string): void {
  const removal = `${PLACE}
find "$group/${name}" "/sys/fs/cgroup/systemd/$own/${name}" -depth -type d -exec rmdir {} ';'`;
  spawnSync("sh", ["-c", removal]);
}
