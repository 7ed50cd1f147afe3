import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { CDPSession, Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/**
 * What axe looks at beyond what it does by itself: the size of what is touched (WCAG 2.2 AA). What it finds in order it does
 * not describe.
 */
const RUN = `axe.run(document, { rules: { "target-size": { enabled: true } }, resultTypes: ["violations"] }).then(({ violations }) =>
  violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => [id, help, target.join(" "), failureSummary].join(" | "))))`;

/** Of each page: axe stays in it until the page is loaded again. */
const sessions = new WeakMap<Page, Promise<CDPSession>>();

function sessionOf(page: Page): Promise<CDPSession> {
  const session = sessions.get(page) ?? page.context().newCDPSession(page);
  sessions.set(page, session);
  return session;
}

/**
 * What axe-core finds wrong with what a page shows now, a line for each element. It runs in a world of its own beside the
 * page's scripts, so that the page's Content-Security-Policy stays as it is.
 */
export async function violationsOf(page: Page): Promise<string[]> {
  const session = await sessionOf(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId: contextId } = await session.send("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
    worldName: "axe",
  });
  const there = await session.send("Runtime.evaluate", { expression: "typeof axe", contextId });
  if (there.result.value !== "object")
    await session.send("Runtime.evaluate", { expression: AXE, contextId, returnByValue: false });
  const run = { expression: RUN, contextId, awaitPromise: true, returnByValue: true };
  const { result, exceptionDetails } = await session.send("Runtime.evaluate", run);
  if (exceptionDetails !== undefined) throw new Error(`axe: ${JSON.stringify(exceptionDetails)}`);
  return result.value as string[];
}
