import { effect } from "@preact/signals";
import { session } from "../state/session.js";
import { gridTypeOf, layoutNamed } from "./layout/layout.js";
import { showWall, type Wall, wall } from "./wall-state.js";

const KEY = "nvrd.wall";

/** Whose wall the page shows. */
let shownFor: string | undefined;

interface Kept {
  readonly login: string;
  readonly gridType: string;
  readonly cameras: readonly (string | null)[];
  readonly viewId?: string;
}

/** The wall as this user left it in this browser; from then on what changes is kept. Returns how to stop. */
export function followKeptWall(): () => void {
  const login = session.value?.Login;
  // Nobody finds the wall of whoever was logged in before.
  if (login !== shownFor) showWall(readKept() ?? { ...wall.value, isAutomatic: true });
  shownFor = login;
  return effect(() => keep(wall.value, session.value?.Login));
}

function readKept(): Wall | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "null") as Partial<Kept> | null;
    if (kept?.login === undefined || kept.login !== session.value?.Login) return undefined;
    if (typeof kept.gridType !== "string" || !Array.isArray(kept.cameras)) return undefined;
    const layout = layoutNamed(kept.gridType, kept.cameras.length);
    const cameras = layout.places.map((_, index) => {
      const id: unknown = kept.cameras?.[index];
      return typeof id === "string" ? id : undefined;
    });
    return { layout, cameras, ...(kept.viewId === undefined ? {} : { viewId: kept.viewId }) };
  } catch (error) {
    console.warn("the wall of this browser cannot be read", error);
    return undefined;
  }
}

function keep({ layout, cameras, viewId, isAutomatic }: Wall, login: string | undefined): void {
  if (login === undefined) return;
  try {
    if (isAutomatic === true) {
      localStorage.removeItem(KEY);
      return;
    }
    const kept: Kept = {
      login,
      gridType: gridTypeOf(layout),
      cameras: cameras.map((id) => id ?? null),
      ...(viewId === undefined ? {} : { viewId }),
    };
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch (error) {
    console.warn("the wall cannot be kept in this browser", error);
  }
}
