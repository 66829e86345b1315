/** The end of a program that runs until it is told to stop. */

/** 128 and the signal's number, as shells count. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

type Signal = keyof typeof EXIT_CODES;

/** Ctrl-C reaches us from the terminal and again from npm: that is one wish, not impatience. */
const SAME_WISH = 500;
const PARENT_LOOKED_AT_EVERY = 500;

/**
 * Resolves with the first SIGTERM or SIGINT, or when npm or npx, which started us, has gone: they end on a signal without passing it on.
 * A second signal, later than half a second, ends the process where it stands.
 */
export function untilToldToStop(): Promise<Signal> {
  return new Promise((resolve) => {
    let told: number | undefined;
    const hear = (signal: Signal) => {
      const now = performance.now();
      if (told === undefined) {
        told = now;
        resolve(signal);
      } else if (now - told > SAME_WISH) {
        process.exit(EXIT_CODES[signal]);
      }
    };
    process.on("SIGINT", hear);
    process.on("SIGTERM", hear);
    if (process.env["npm_command"] !== undefined) watchParent(() => hear("SIGTERM"));
  });
}

function watchParent(gone: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    gone();
  }, PARENT_LOOKED_AT_EVERY);
  timer.unref();
}
