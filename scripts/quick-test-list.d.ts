export const quick: readonly string[];
