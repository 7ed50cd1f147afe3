import { effect } from "@preact/signals";
import { session } from "../state/session.js";
import { gridTypeOf, layoutNamed } from "./layout/layout.js";
import { ALL_CAMERAS, beginWith, type Chosen, chosenWall, type Source } from "./wall-state.js";

const KEY = "nvrd.wall";
/** As many cameras as a saved wall has. */
const CAMERAS_MAX = 256;

/** Whose wall the page shows. */
let shownFor: string | undefined;

interface Kept {
  readonly login: string;
  readonly source?: string;
  readonly gridType?: string;
  readonly cameras: readonly (string | null)[];
  readonly viewId?: string;
  readonly rotationS?: number;
  readonly isFilled?: boolean;
}

/** The wall as this user left it in this browser; from then on what changes is kept. Returns how to stop. */
export function followKeptWall(): () => void {
  const login = session.value?.Login;
  // Nobody finds the wall of whoever was logged in before.
  if (login !== shownFor) beginWith(readKept() ?? ALL_CAMERAS);
  shownFor = login;
  return effect(() => keep(chosenWall.value, session.value?.Login));
}

function readKept(): Chosen | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "null") as Partial<Kept> | null;
    if (kept?.login === undefined || kept.login !== session.value?.Login) return undefined;
    const cameras = (Array.isArray(kept.cameras) ? kept.cameras : [])
      .slice(0, CAMERAS_MAX)
      .map((id: unknown) => (typeof id === "string" ? id : undefined));
    const source = sourceNamed(kept.source);
    if (source === undefined && typeof kept.gridType !== "string") return undefined;
    return {
      cameras,
      ...(source === undefined ? {} : { source }),
      ...(typeof kept.gridType === "string" ? { layout: layoutNamed(kept.gridType, cameras.length) } : {}),
      ...(typeof kept.viewId === "string" ? { viewId: kept.viewId } : {}),
      rotationS: typeof kept.rotationS === "number" && kept.rotationS > 0 ? kept.rotationS : 0,
      isFilled: kept.isFilled === true,
    };
  } catch (error) {
    console.warn("the wall of this browser cannot be read", error);
    return undefined;
  }
}

function sourceNamed(name: unknown): Source | undefined {
  if (name === "all" || name === "happening") return name;
  return typeof name === "string" && name.startsWith("group:") ? (name as Source) : undefined;
}

function keep(chosen: Chosen, login: string | undefined): void {
  if (login === undefined) return;
  const { layout, cameras, source, viewId, rotationS, isFilled } = chosen;
  try {
    const kept: Kept = {
      login,
      ...(source === undefined ? {} : { source }),
      ...(layout === undefined ? {} : { gridType: gridTypeOf(layout) }),
      cameras: source === undefined ? cameras.map((id) => id ?? null) : [],
      ...(viewId === undefined ? {} : { viewId }),
      rotationS,
      isFilled,
    };
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch (error) {
    console.warn("the wall cannot be kept in this browser", error);
  }
}
