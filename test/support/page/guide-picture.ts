import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import sharp from "sharp";
import { expect } from "vitest";
import { REPOSITORY_ROOT } from "../base/repository.js";
import type { PageVisit } from "./page-visit.js";

const FOLDER = join(REPOSITORY_ROOT, "docs", "guide", "pictures");
/** A page of documents is quick to open on a phone. */
const PICTURE_BYTES_MAX = 150 * 1024;

/** Whether the pictures of the guide are made anew. */
export const WRITES_PICTURES = process.env.NVRD_WRITE_PICTURES === "1";

/** Keeps what is shown as a picture of the guide. */
export async function keepGuidePicture(visit: PageVisit, name: string): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const file = join(FOLDER, `${name}.webp`);
  const { size } = await sharp(await visit.keepPicture(`guide ${name}`))
    .webp({ quality: 70 })
    .toFile(file);
  expect(size).toBeLessThan(PICTURE_BYTES_MAX);
}
