/** The end of a program that runs until it is told to stop. */

/** 128 and the signal's number, as shells count. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

type Signal = keyof typeof EXIT_CODES;

/** Resolves with the first SIGTERM or SIGINT. A second one ends the process where it stands. */
export function untilToldToStop(): Promise<Signal> {
  return new Promise((resolve) => {
    let told = false;
    const hear = (signal: Signal) => {
      if (told) process.exit(EXIT_CODES[signal]);
      told = true;
      resolve(signal);
    };
    process.on("SIGINT", hear);
    process.on("SIGTERM", hear);
  });
}
