import { expect, it } from "vitest";
import { folderName } from "./record.js";

it.each([
  ["web-2.1_a", "web-2.1_a"],
  ["監視テスト", "監視テスト"],
  ["größe/../x y", "größe_.._x_y"],
  ["a\u202eb\u0000c$(d)", "a_b_c__d_"],
])("a recording of %j is in a folder that begins with %s", (name, folder) => {
  expect(folderName(name)).toBe(folder);
});

it("a long name is cut between letters, and leaves room in a file's name", () => {
  const folder = folderName("監".repeat(300));
  expect(folder).toMatch(/^監+$/u);
  expect(Buffer.byteLength(folder)).toBeLessThanOrEqual(120);
});
