import { sqliteRig } from "../support/hub-sqlite.js";
import { describeHub } from "../support/hub-suite.js";

describeHub("SQLite", sqliteRig);
