import { expect, it } from "vitest";
import { readCommandPipeline } from "./command-pair.js";

const node = (script: string): string[] => [process.execPath, "-e", script];

it.each([
  ["does not exist", ["/nonexistent/context"], "diagnosis.context: /nonexistent/context: program not found"],
  ["fails", node("console.error('no database'); process.exit(3)"), / exited with 3: no database$/],
  [
    "prints 100 MB",
    node("const x = 'x'.repeat(65536); (function f() { process.stdout.write(x, f) })()"),
    / printed more than 1024 kB$/,
  ],
  ["prints broken JSON", node("console.log('{')"), / did not print JSON: /],
  ["prints another shape", node("console.log('{\"jobs\": 1}')"), /: jobs: .*expected array/],
])("a context command that %s is one clear error", async (_name, command, error) => {
  expect(await readCommandPipeline(command)).toMatch(error);
});

it("a context command prints the state of the pipeline, and runs marked as rouse's own", async () => {
  const script =
    "console.log(JSON.stringify({ stage: process.env.ROUSE_INTERNAL, notes: [process.env.ROUSE_SESSION ?? 'none'] }))";
  process.env.ROUSE_SESSION = "s1";
  try {
    expect(await readCommandPipeline(node(script))).toMatchObject({ stage: "1", notes: ["none"] });
  } finally {
    delete process.env.ROUSE_SESSION;
  }
});
