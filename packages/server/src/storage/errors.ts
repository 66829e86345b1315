/** What a storage verb may throw: the database is away, or the program is wrong. */

/**
 * The database could not do it: busy for too long, full, read-only, unreadable, or its writer died. The answer to the caller is 503; whether the
 * write happened is unknown only where `uncertain` says so.
 */
export class StorageUnavailable extends Error {
  /** True: the connection was lost between the question and the answer, so that the write may have been committed. */
  readonly uncertain: boolean;

  constructor(message: string, options: { readonly cause?: unknown; readonly uncertain?: boolean } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "StorageUnavailable";
    this.uncertain = options.uncertain ?? false;
  }
}

/** The database's schema and this program don't belong together; the message says what to do. */
export class SchemaMismatch extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SchemaMismatch";
  }
}

/** The database is whole, and isn't to be served as it is: the message says why, and what to do. */
export class DatabaseNotReady extends Error {
  constructor(message: string) {
    super(message);
    this.name = "DatabaseNotReady";
  }
}

/** The database file may be read or written by others than its owner. */
export class UnsafeFileMode extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UnsafeFileMode";
  }
}
