/** All differences between the databases: one object for each database, with a name for every difference. */

/** Words that a statement uses without knowing its database, written as `${words.forUpdate}` inside the `sql` tag. */
export interface DialectWords {
  /** Locks the rows that a SELECT returns until the transaction ends. */
  readonly forUpdate: string;
  /**
   * The same where the rows may be in several partitions, to take locks in a known order. Empty where only a statement
   * about one partition can lock rows; there, a deadlock ends one of the transactions, which is repeated.
   */
  readonly forUpdateAcross: string;
  /** Locks the rows for reading: others can take the same lock, but nobody can change the rows. */
  readonly forShare: string;
  /** Takes the lock of the numbers `:gate` and `:client` until the transaction ends; others can take the same lock. */
  readonly sharedGate: string;
  /** Takes that lock alone. */
  readonly exclusiveGate: string;
  /** Column type of whole numbers up to 2⁵³ (times, counts). */
  readonly whole: string;
  /** Column type of byte strings. */
  readonly bytes: string;
  /** Comes before a table's name; deletes all rows of the table at once, whatever their number. */
  readonly empty: string;
  /**
   * Column type of text that rows are found and sorted by. The database compares it byte by byte, whatever its locale.
   */
  readonly key: string;
  /** Comes after a column of plain text: an index or a condition that compares it byte by byte. */
  readonly bytewise: string;
  /**
   * Comes after the columns of a table whose first column is `partition`, and marks a table that an operator may spread
   * over several. This constant adds nothing.
   */
  readonly spread: string;
  /** The same for a table whose rows are updated often: each page keeps free space for the updates. */
  readonly spreadRoomy: string;
}

export interface Dialect {
  readonly name: "sqlite" | "postgres" | "citus";
  readonly words: DialectWords;
  /** How the n-th parameter (from 1) is written. */
  parameter(n: number): string;
}

/** SQLite has no row locks: a writing transaction holds the only write lock from its BEGIN IMMEDIATE on. */
export const sqlite: Dialect = {
  name: "sqlite",
  words: {
    forUpdate: "",
    forUpdateAcross: "",
    forShare: "",
    sharedGate: "NULL",
    exclusiveGate: "NULL",
    whole: "INTEGER",
    bytes: "BLOB",
    empty: "DELETE FROM",
    key: "TEXT",
    bytewise: "",
    spread: "",
    spreadRoomy: "",
  },
  parameter: (n) => `?${n}`,
};

/**
 * PostgreSQL 15 to 18. A fifth of each page stays free in tables whose rows are updated in place. An update that
 * touches no index then needs no new page.
 */
export const postgres: Dialect = {
  name: "postgres",
  words: {
    forUpdate: "FOR UPDATE",
    forUpdateAcross: "FOR UPDATE",
    forShare: "FOR SHARE",
    sharedGate: "pg_advisory_xact_lock_shared(CAST(:gate AS INTEGER), CAST(:client AS INTEGER))",
    exclusiveGate: "pg_advisory_xact_lock(CAST(:gate AS INTEGER), CAST(:client AS INTEGER))",
    whole: "BIGINT",
    bytes: "BYTEA",
    empty: "TRUNCATE",
    key: 'TEXT COLLATE "C"',
    bytewise: 'COLLATE "C"',
    spread: "",
    spreadRoomy: " WITH (fillfactor = 80)",
  },
  parameter: (n) => `$${n}`,
};

/** PostgreSQL with the extension Citus, whose tables may be distributed over several servers. */
export const citus: Dialect = { ...postgres, name: "citus", words: { ...postgres.words, forUpdateAcross: "" } };
