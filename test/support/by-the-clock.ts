/** Tests that measure time: what else the machine does may disturb one of them now and then. */

/** Options of such a test. A real fault shows in each of three tries; whatever is counted rather than timed is never tried again. */
export const byTheClock = { retry: 2 } as const;
