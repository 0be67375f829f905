import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { configReference } from "./reference.js";

it("docs/configuration.md is what `npm run docs:config` writes", () => {
  const page = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
  expect(page).toBe(configReference());
});
