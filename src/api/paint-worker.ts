/** Draws one terminal and ends: the thread of `paintApart`. */
import { parentPort, workerData } from "node:worker_threads";
import { paintScreen } from "../readers/terminal/paint-screen.js";
import { lastRows, type PaintOrder } from "./painter.js";

const { bytes, size, lines } = workerData as PaintOrder;
parentPort?.postMessage(lastRows(await paintScreen(bytes, size), lines));
