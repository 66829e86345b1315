/** Everything in which the databases differ: one object each, with a name for every difference. */

/** Words that a statement may use without knowing its database: `${words.forUpdate}` inside the `sql` tag. */
export interface DialectWords {
  /** Locks the rows that a SELECT returns until the transaction ends. */
  readonly forUpdate: string;
  /** The same, shared: other readers may lock so, too, but nobody changes the rows. */
  readonly forShare: string;
  /** Column type of whole numbers up to 2⁵³ (times, counts). */
  readonly whole: string;
  /** Column type of byte strings. */
  readonly bytes: string;
  /** Before a table's name: takes all of its rows away at once, whatever their number. */
  readonly empty: string;
  /** Column type of text that rows are found and sorted by: compared byte by byte, whatever the database's locale. */
  readonly key: string;
  /** After the columns of a table whose first column is `partition`: marks those that an operator may spread; nothing is added here. */
  readonly spread: string;
  /** The same, of a table whose rows are updated all the time: room is left for that beside each row. */
  readonly spreadRoomy: string;
}

export interface Dialect {
  readonly name: "sqlite" | "postgres";
  readonly words: DialectWords;
  /** How the n-th parameter (from 1) is written. */
  parameter(n: number): string;
}

/** SQLite: a writing transaction holds the only write lock from its BEGIN IMMEDIATE on, so that row locks have no words. */
export const sqlite: Dialect = {
  name: "sqlite",
  words: {
    forUpdate: "",
    forShare: "",
    whole: "INTEGER",
    bytes: "BLOB",
    empty: "DELETE FROM",
    key: "TEXT",
    spread: "",
    spreadRoomy: "",
  },
  parameter: (n) => `?${n}`,
};

/** PostgreSQL 15 to 18. A fifth of each page stays free where rows are updated in place: then an update that touches no index leaves nothing behind. */
export const postgres: Dialect = {
  name: "postgres",
  words: {
    forUpdate: "FOR UPDATE",
    forShare: "FOR SHARE",
    whole: "BIGINT",
    bytes: "BYTEA",
    empty: "TRUNCATE",
    key: 'TEXT COLLATE "C"',
    spread: "",
    spreadRoomy: " WITH (fillfactor = 80)",
  },
  parameter: (n) => `$${n}`,
};
