/** Waits until a program that runs without end is asked to stop. */

/** Shells report the end by a signal as 128 plus the signal's number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

type Signal = keyof typeof EXIT_CODES;

/**
 * Milliseconds. After Ctrl-C, the process gets one signal from the terminal and one from npm. Both mean one request to
 * stop.
 */
const SAME_WISH = 500;
const PARENT_LOOKED_AT_EVERY = 500;

/**
 * Resolves with the first SIGTERM or SIGINT, or when the npm or npx that started this process has ended: they end on a
 * signal without passing it on. A second signal, more than half a second later, ends the process immediately.
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
