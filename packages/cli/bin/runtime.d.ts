/** What tests read of the launcher's rule. */
export const OLDEST_MAJOR: number;
