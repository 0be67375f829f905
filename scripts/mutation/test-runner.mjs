/**
 * One vitest that stays alive over many mutants, as a child process: most of the time of a short run is starting and
 * transforming. The parent sends `{ tests, mutant, bail, isolate }` and gets `{ passes, files }`.
 */
import { join, resolve } from "node:path";
import { createVitest } from "vitest/node";

const root = resolve(import.meta.dirname, "..", "..");
const config = join(root, "scripts", "mutate-vitest.mjs");
const maxWorkers = Number(process.env.ROUSE_MUTANT_WORKERS ?? 1);
const vitest = await createVitest("test", { root, config, watch: false, maxWorkers, reporters: [{}] });
const [project] = vitest.projects;
let last = null;

async function run({ tests, mutant, bail, isolate }) {
  process.env.ROUSE_MUTANT = JSON.stringify(mutant);
  process.env.ROUSE_MUTANT_TESTS = tests.join(",");
  for (const file of [last?.file, mutant?.file]) if (file) vitest.invalidateFile(join(root, file));
  last = mutant;
  vitest.config.bail = project.config.bail = bail;
  vitest.config.isolate = project.config.isolate = isolate;
  // Failures of the last mutant would count towards `bail`.
  vitest.state.filesMap.clear();
  vitest.state.idMap.clear();
  vitest.state.errorsSet.clear();
  const pool = isolate ? "forks" : "threads";
  const specifications = tests.map((test) => project.createSpecification(join(root, test), undefined, pool));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications, false);
  const files = testModules.map((module) => ({
    name: module.moduleId,
    passes: module.ok(),
    ms: Math.ceil(module.diagnostic().duration),
    why: whyOf(module),
  }));
  const passes = files.length > 0 && files.every((file) => file.passes) && unhandledErrors.length === 0;
  process.send({ passes, files });
}

process.on("disconnect", () => process.exit());
process.on("message", (wanted) => void run(wanted));
process.send("ready");

function whyOf(module) {
  const failed = [...module.children.allTests("failed")][0];
  const [error] = failed ? (failed.result().errors ?? []) : module.errors();
  return error ? `${failed?.fullName ?? ""}: ${error.message.split("\n", 1)[0]}` : "";
}
