/** The storage port of logout notices: clients that must learn of the end of a session. Each verb is one transaction. */

import type { Millis } from "../oauth/model.ts";

export interface NoticeKey {
  /** The partition of the session. */
  readonly partition: number;
  /** The session as the client's ID tokens name it. */
  readonly sid: string;
  readonly clientId: string;
}

/** A notice that the caller must deliver now. */
export interface DueNotice extends NoticeKey {
  readonly personId: string;
  readonly endedAt: Millis;
  /** Number of times that it was claimed, including this one. */
  readonly tries: number;
}

export interface LogoutNoticeStorage {
  readonly logoutNotices: {
    /** Notices that are due. Until `until`, nobody else gets them. */
    claim(args: {
      readonly now: Millis;
      readonly limit: number;
      readonly until: Millis;
    }): Promise<readonly DueNotice[]>;
    /** False: it does not exist. */
    remove(args: NoticeKey): Promise<boolean>;
    /** False: another process has taken it since. */
    postpone(args: NoticeKey & { readonly tries: number; readonly at: Millis }): Promise<boolean>;
  };
}
