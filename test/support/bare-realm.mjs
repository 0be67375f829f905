/**
 * Loads the built judgement into a realm with only the language: no process, no require, no Buffer, no timers.
 * Prints its outside imports (none) and two verdicts.
 */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import vm from "node:vm";

const context = vm.createContext(Object.create(null));
const modules = new Map();
const foreign = [];

function load(path) {
  if (!modules.has(path))
    modules.set(path, new vm.SourceTextModule(readFileSync(path, "utf8"), { context, identifier: path }));
  return modules.get(path);
}

function link(specifier, { identifier }) {
  if (!specifier.startsWith(".")) {
    foreign.push(`${identifier}: ${specifier}`);
    return new vm.SyntheticModule([], () => {}, { context });
  }
  return load(resolve(dirname(identifier), specifier));
}

const core = load(resolve("dist/core/index.js"));
await core.link(link);
await core.evaluate();
const { createEvidence, PLAIN_TRAITS, takeSignal, assess } = core.namespace;
const evidence = createEvidence(PLAIN_TRAITS);
takeSignal(evidence, { kind: "turn", at: 0, source: "stream", phase: "start" });
const verdicts = [1000, 3_600_000].map((now) => assess(evidence, now).state);
console.log(JSON.stringify({ modules: modules.size, foreign, verdicts }));
