// Loaded before the command: writes the peak of the process's memory in kilobytes when it ends.
import { writeFileSync } from "node:fs";

process.on("exit", () => writeFileSync(process.env.ROUSE_TEST_PEAK, String(process.resourceUsage().maxRSS)));
