/** What the name of an encrypted object ends with, so that tools know it. */
export const SEALED_END = ".age";
