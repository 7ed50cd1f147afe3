/** Entry of the thread that judges passwords. */
import { parentPort } from "node:worker_threads";
import { zxcvbn, zxcvbnOptions } from "@zxcvbn-ts/core";
import { adjacencyGraphs, dictionary } from "@zxcvbn-ts/language-common";
import type { JudgeOrder, JudgeReply } from "./password-judge.js";

zxcvbnOptions.setOptions({ dictionary, graphs: adjacencyGraphs });
parentPort?.on("message", ({ password, words }: JudgeOrder) => {
  const { score, feedback } = zxcvbn(password, [...words]);
  const { warning, suggestions } = feedback;
  const reply: JudgeReply = { score, warning, advice: suggestions };
  parentPort?.postMessage(reply);
});
