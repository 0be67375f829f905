/** One suite over every store of the hub. */
import { afterAll, beforeAll, describe } from "vitest";
import { isMissing, type Server } from "../support/component.js";
import { createHubDatabase, type HubDatabase, postgresRig } from "../support/hub-postgres.js";
import { sqliteRig } from "../support/hub-sqlite.js";
import { describeHub } from "../support/hub-suite.js";
import { PGBOUNCER, POSTGRES, type Postgres, startPgbouncer, startPostgres } from "../support/postgres.js";

describeHub("SQLite", sqliteRig);

describe.skipIf(isMissing("PostgreSQL", POSTGRES))("PostgreSQL", () => {
  let postgres: Postgres;
  let database: HubDatabase;

  beforeAll(async () => {
    postgres = await startPostgres();
    database = await createHubDatabase(postgres, "conformance", ["lab-1", "lab-2"]);
  });
  afterAll(async () => postgres?.stop());

  describeHub("PostgreSQL", () => postgresRig(database));

  describe.skipIf(isMissing("pgbouncer", PGBOUNCER))("behind pgbouncer in transaction mode", () => {
    let pgbouncer: Server & { port: number };

    beforeAll(async () => {
      pgbouncer = await startPgbouncer(postgres, [...Object.values(database.nodes), database.agent]);
    });
    afterAll(async () => pgbouncer?.stop());

    describeHub("PostgreSQL behind pgbouncer", () => postgresRig(database, pgbouncer.port));
  });
});
