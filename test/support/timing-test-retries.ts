/** Tests that measure time. Other work on the machine may disturb them. */

/** Options of a timing test. A real fault appears in each of three tries. Tests that count are never repeated. */
export const byTheClock = { retry: 2 } as const;
