import { expect, it } from "vitest";
import { folderName } from "./record.js";

it.each([
  ["web-2.1_a", "web-2.1_a"],
  ["監視テスト", "監視テスト"],
  ["größe/../x y", "größe_.._x_y"],
  ["a\u202eb\u0000c$(d)", "a_b_c__d_"],
])("a recording of %j is stored in a folder that starts with %s", (name, folder) => {
  expect(folderName(name)).toBe(folder);
});

it("a long agent name is cut between characters to fit into a file name", () => {
  const folder = folderName("監".repeat(300));
  expect(folder).toMatch(/^監+$/u);
  expect(Buffer.byteLength(folder)).toBeLessThanOrEqual(120);
});
