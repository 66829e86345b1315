/** The errors that a storage verb throws: the database is unavailable, or the program has a fault. */

/**
 * The database could not do the work: it was busy for too long, full, read-only or unreadable, or its writer died. The
 * server answers 503. Only if `uncertain` is true is it unknown whether the write happened.
 */
export class StorageUnavailable extends Error {
  /** True: the connection was lost before the answer, so the write may have been committed. */
  readonly uncertain: boolean;

  constructor(message: string, options: { readonly cause?: unknown; readonly uncertain?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "StorageUnavailable";
    this.uncertain = options.uncertain ?? false;
  }
}

/** The schema of the database and this program don't fit together. The message says what to do. */
export class SchemaMismatch extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SchemaMismatch";
  }
}

/** The database is intact, but a server must not run on it as it is. The message says why, and what to do. */
export class DatabaseNotReady extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DatabaseNotReady";
  }
}

/** Users other than the owner of the database file may read or write it. */
export class UnsafeFileMode extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UnsafeFileMode";
  }
}
