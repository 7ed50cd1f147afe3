/** Writes the pages of docs/ref that are made from code: `npm run docs`. */
import process from "node:process";
import { runMakers } from "./generated-docs.mjs";

process.exitCode = runMakers([]) ? 0 : 1;
